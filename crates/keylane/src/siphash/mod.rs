//! SipHash-c-d: a keyed hash (a pseudorandom function) of 64 or 128 bits.
//!
//! Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012. `c` is the number of rounds for
//! each 8 bytes of message, `d` the number of rounds at the end. The usual choices:
//!
//! * 2-4: the authors' choice.
//! * 1-3: faster; most hash tables use it.
//! * 4-8: the authors' conservative choice.
//! * 1-2: used by Redis.
//! * 1-1: for experiments.
//!
//! ```
//! use keylane::siphash::{Key, SipHash24};
//!
//! let h = SipHash24::new(&Key::from_bytes(*b"sixteen byte key"));
//! let tag = h.hash(b"message");
//! assert!(h.verify(b"message", tag).is_ok());
//!
//! let mut s = h.stream();
//! s.update(b"mess");
//! s.update(b"age");
//! assert_eq!(s.finish(), tag);
//!
//! let mut tags = [0; 3];
//! h.hash_many(&["one", "two", "three"], &mut tags)?;
//! assert_eq!(tags[1], h.hash(b"two"));
//! # Ok::<(), keylane::siphash::BatchError>(())
//! ```
//!
//! # What a tag promises
//! * One guess at a 64-bit tag is right with probability 2^-64. After 2^32 messages under one key, two are likely to
//!   share a tag. Use a 128-bit tag where that matters.
//! * 1-1 and 1-2 are for compatibility and hash tables, never for authentication.
//! * SipHash is a PRF against those who do not know the key. Anyone who knows the key can find collisions.

mod batch;
mod functions;
mod one;
mod prepared;
#[cfg(feature = "internals")]
#[doc(hidden)]
mod row;
mod stream;
mod subkey;
pub mod unpadded;

pub use crate::error::{BatchError, ContextError, TagMismatch};
pub use batch::{Offset, View};
pub use functions::{dns_cookie, hsiphash32, hsiphash64, verify_dns_cookie};
pub use prepared::Prepared;
pub use subkey::check_context;

use crate::job::siphash::{Counted, Fixed};

/// A key of 16 bytes.
pub type Key = prepared::Key<u64>;

/// A key prepared for SipHash-C-D, with rounds known at compile time. `T` is the tag: `u64` or `u128`.
///
/// The `to_le_bytes()` of a `u128` tag are the 16 bytes that the reference implementation writes. The two widths are
/// different functions: neither tag is a part of the other.
///
/// ```
/// use keylane::siphash::{Key, SipHash};
///
/// let key = Key::from_bytes([7; 16]);
/// let single: u64 = SipHash::<2, 4>::new(&key).hash(b"message");
/// let double: u128 = SipHash::<2, 4, u128>::new(&key).hash(b"message");
/// assert_ne!(u128::from(single), double & u128::from(u64::MAX));
/// ```
///
/// Fewer than one round does not compile:
///
/// ```compile_fail
/// # use keylane::siphash::{Key, SipHash};
/// SipHash::<0, 4>::new(&Key::from_bytes([7; 16]));
/// ```
pub type SipHash<const C: usize, const D: usize, T = u64> = Prepared<u64, Fixed<C, D>, T>;

/// SipHash-1-1, 64 bits. For experiments with hash tables.
pub type SipHash11 = SipHash<1, 1>;
/// SipHash-1-2, 64 bits: what Redis' dictionaries use. Not for authentication.
pub type SipHash12 = SipHash<1, 2>;
/// SipHash-1-3, 64 bits: what most hash tables use.
pub type SipHash13 = SipHash<1, 3>;
/// SipHash-2-4, 64 bits: the authors' choice.
pub type SipHash24 = SipHash<2, 4>;
/// SipHash-4-8, 64 bits: the authors' conservative choice.
pub type SipHash48 = SipHash<4, 8>;
/// SipHash-1-3, 128 bits.
pub type SipHashX13 = SipHash<1, 3, u128>;
/// SipHash-2-4, 128 bits.
pub type SipHashX24 = SipHash<2, 4, u128>;
/// SipHash-4-8, 128 bits. It also makes subkeys: under a key with which you call `Key::derive`, it should hash nothing.
pub type SipHashX48 = SipHash<4, 8, u128>;

/// A key prepared for SipHash-c-d, with rounds known only at run time. For 1-1, 1-2, 1-3, 2-4 and 4-8 it is as fast as
/// [`SipHash`] except for one branch.
///
/// ```
/// use core::num::NonZeroU8;
/// use keylane::siphash::{AnySipHash, Key, SipHash};
///
/// let key = Key::from_bytes([7; 16]);
/// let (c, d) = (NonZeroU8::new(3).unwrap(), NonZeroU8::new(5).unwrap());
/// let any: AnySipHash = AnySipHash::new(&key, c, d);
/// assert_eq!(any.hash(b"message"), SipHash::<3, 5>::new(&key).hash(b"message"));
/// ```
pub type AnySipHash<T = u64> = Prepared<u64, Counted, T>;

/// Computes the tag of a message that arrives in pieces. [`Prepared::stream`] makes it.
pub type Stream<const C: usize, const D: usize, T = u64> = stream::Stream<u64, Fixed<C, D>, T>;
/// A [`Stream`] with rounds known only at run time.
pub type AnyStream<T = u64> = stream::Stream<u64, Counted, T>;

pub(crate) use prepared::Key as AnyKey;
pub(crate) use stream::Stream as StreamOf;
