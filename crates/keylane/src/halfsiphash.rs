//! HalfSipHash-c-d: SipHash on 32-bit words, for CPUs without 64-bit ones.
//!
//! An 8-byte key and a tag of 32 or 64 bits, by the authors of SipHash. Everything works as in
//! [`siphash`](crate::siphash).
//!
//! ```
//! use keylane::halfsiphash::{HalfSipHash24, HalfSipHashX24, Key};
//!
//! let key = Key::from_bytes(*b"8byteKey");
//! let tag: u32 = HalfSipHash24::new(&key).hash(b"message");
//! let wide: u64 = HalfSipHashX24::new(&key).hash(b"message");
//! # let _ = (tag, wide);
//! ```
//!
//! # What a tag promises
//! HalfSipHash is for hash tables on small machines, never for authentication: a key of 64 bits can
//! be searched for, a tag of 32 bits is forged with chance 2^-32 a try, and two messages of 2^16
//! are likely to share one.

pub use crate::error::{BatchError, TagMismatch};
use crate::job::siphash::{Counted, Fixed};
pub use crate::siphash::Prepared;
use crate::siphash::{AnyKey, StreamOf};

/// The 8-byte key.
pub type Key = AnyKey<u32>;

/// HalfSipHash-C-D with rounds known at compile time: a prepared key. `T` is the tag: `u32`, or
/// `u64`, whose `to_le_bytes()` is the reference's 8 bytes. The two have nothing in common.
pub type HalfSipHash<const C: usize, const D: usize, T = u32> = Prepared<u32, Fixed<C, D>, T>;

/// HalfSipHash-1-3, 32 bits: Linux' `hsiphash` on 32-bit machines.
pub type HalfSipHash13 = HalfSipHash<1, 3>;
/// HalfSipHash-2-4, 32 bits.
pub type HalfSipHash24 = HalfSipHash<2, 4>;
/// HalfSipHash-1-3, 64 bits.
pub type HalfSipHashX13 = HalfSipHash<1, 3, u64>;
/// HalfSipHash-2-4, 64 bits.
pub type HalfSipHashX24 = HalfSipHash<2, 4, u64>;

/// HalfSipHash-c-d with rounds known only at run time: a prepared key.
pub type AnyHalfSipHash<T = u32> = Prepared<u32, Counted, T>;

/// A message that arrives in pieces: see [`Prepared::stream`].
pub type Stream<const C: usize, const D: usize, T = u32> = StreamOf<u32, Fixed<C, D>, T>;
/// As [`Stream`], with rounds known only at run time.
pub type AnyStream<T = u32> = StreamOf<u32, Counted, T>;
