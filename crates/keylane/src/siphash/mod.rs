//! SipHash-c-d: a keyed hash (a pseudorandom function) of 64 or 128 bits.
//!
//! Written by J.-P. Aumasson and D. J. Bernstein ("SipHash: a fast short-input PRF", 2012). `c` is
//! the number of rounds for each 8 bytes of message, `d` the number at the end. 2-4 is the
//! authors' choice; 1-3 is faster and what most hash tables use; 4-8 is conservative; 1-2 is
//! Redis'; 1-1 is for experiments.
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
//! * A 64-bit tag is forged with chance 2^-64 a try, and two messages of 2^32 under one key are
//!   likely to share one. Take a 128-bit tag where that matters.
//! * 1-1 and 1-2 are for compatibility and hash tables, never for authentication.
//! * SipHash is a PRF for those who do not know the key. Whoever knows the key can make collisions.

mod batch;
mod functions;
mod one;
mod prepared;
mod stream;
pub mod unpadded;

pub use crate::error::{BatchError, TagMismatch};
pub use batch::Offset;
pub use functions::{dns_cookie, hsiphash32, hsiphash64, verify_dns_cookie};
pub use prepared::Prepared;

use crate::job::siphash::{Counted, Fixed};

/// The 16-byte key.
pub type Key = prepared::Key<u64>;

/// SipHash-C-D with rounds known at compile time: a prepared key. `T` is the tag: `u64`, or `u128`
/// whose `to_le_bytes()` is the reference's 16 bytes. The two have nothing in common.
///
/// ```
/// use keylane::siphash::{Key, SipHash};
///
/// let key = Key::from_bytes([7; 16]);
/// let narrow: u64 = SipHash::<2, 4>::new(&key).hash(b"message");
/// let wide: u128 = SipHash::<2, 4, u128>::new(&key).hash(b"message");
/// assert_ne!(u128::from(narrow), wide & u128::from(u64::MAX));
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
/// SipHash-4-8, 128 bits.
pub type SipHashX48 = SipHash<4, 8, u128>;

/// SipHash-c-d with rounds known only at run time: a prepared key. As fast as [`SipHash`] for 1-1,
/// 1-2, 1-3, 2-4 and 4-8, but for a branch.
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

/// A message that arrives in pieces: see [`Prepared::stream`].
pub type Stream<const C: usize, const D: usize, T = u64> = stream::Stream<u64, Fixed<C, D>, T>;
/// As [`Stream`], with rounds known only at run time.
pub type AnyStream<T = u64> = stream::Stream<u64, Counted, T>;

pub(crate) use prepared::Key as AnyKey;
pub(crate) use stream::Stream as StreamOf;
