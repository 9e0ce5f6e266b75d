//! HalfSipHash-c-d: SipHash on 32-bit words, for CPUs without 64-bit words.
//!
//! Source: J.-P. Aumasson and D. J. Bernstein, the reference implementation of SipHash. The key has 8 bytes, the tag 32
//! or 64 bits. Everything works as in [`siphash`](crate::siphash).
//!
//! ```
//! use keylane::halfsiphash::{HalfSipHash24, HalfSipHashX24, Key};
//!
//! let key = Key::from_bytes(*b"8byteKey");
//! let tag: u32 = HalfSipHash24::new(&key).hash(b"message");
//! let double: u64 = HalfSipHashX24::new(&key).hash(b"message");
//! # let _ = (tag, double);
//! ```
//!
//! # What a tag promises
//! HalfSipHash is for hash tables on small machines, never for authentication. A search can find a key of 64 bits. One
//! guess at a 32-bit tag is right with probability 2^-32. After 2^16 messages, two are likely to share a tag.

pub use crate::error::{BatchError, TagMismatch};
use crate::job::siphash::{Counted, Fixed};
pub use crate::siphash::Prepared;
use crate::siphash::{AnyKey, StreamOf};

/// A key of 8 bytes.
pub type Key = AnyKey<u32>;

/// A key prepared for HalfSipHash-C-D, with rounds known at compile time. `T` is the tag: `u32` or `u64`.
///
/// The `to_le_bytes()` of a `u64` tag are the 8 bytes that the reference implementation writes. The two widths are
/// different functions: neither tag is a part of the other.
pub type HalfSipHash<const C: usize, const D: usize, T = u32> = Prepared<u32, Fixed<C, D>, T>;

/// HalfSipHash-1-3, 32 bits: the `hsiphash` of Linux on 32-bit machines.
pub type HalfSipHash13 = HalfSipHash<1, 3>;
/// HalfSipHash-2-4, 32 bits.
pub type HalfSipHash24 = HalfSipHash<2, 4>;
/// HalfSipHash-1-3, 64 bits.
pub type HalfSipHashX13 = HalfSipHash<1, 3, u64>;
/// HalfSipHash-2-4, 64 bits.
pub type HalfSipHashX24 = HalfSipHash<2, 4, u64>;

/// A key prepared for HalfSipHash-c-d, with rounds known only at run time.
///
/// ```
/// use core::num::NonZeroU8;
/// use keylane::halfsiphash::{AnyHalfSipHash, HalfSipHash, Key};
///
/// let key = Key::from_bytes([7; 8]);
/// let (c, d) = (NonZeroU8::new(3).unwrap(), NonZeroU8::new(5).unwrap());
/// let any: AnyHalfSipHash = AnyHalfSipHash::new(&key, c, d);
/// assert_eq!(any.hash(b"message"), HalfSipHash::<3, 5>::new(&key).hash(b"message"));
/// ```
pub type AnyHalfSipHash<T = u32> = Prepared<u32, Counted, T>;

/// Computes the tag of a message that arrives in pieces. [`Prepared::stream`] makes it.
pub type Stream<const C: usize, const D: usize, T = u32> = StreamOf<u32, Fixed<C, D>, T>;
/// A [`Stream`] with rounds known only at run time.
pub type AnyStream<T = u32> = StreamOf<u32, Counted, T>;
