//! SipHash and Poly1305: keyed hashes and one-time authenticators, with the fastest correct kernel
//! for the CPU and for the shape of the input.
//!
//! * [`siphash`]: SipHash-c-d for any c and d, 64 and 128 bits; one message, a stream, many messages
//!   in one call. [`halfsiphash`] is the same on 32-bit words.
//! * [`poly1305`]: one key, one message; pieces of any length; many messages in one call.
//! * [`hash_map`]: SipHash for std's maps.
//! * [`kernels`]: which kernels there are, which of them run here, and how to choose another one.
//!
//! ```
//! use keylane::poly1305::{OneTimeKey, mac};
//! use keylane::siphash::{Key, SipHash24};
//!
//! let tag = SipHash24::new(&Key::from_bytes([7; 16])).hash(b"message");
//! let one_time = mac(OneTimeKey::from_bytes([7; 32]), b"message");
//! # let _ = (tag, one_time);
//! ```
//!
//! The crate is `no_std`, allocates nothing, and no call panics. Running times depend on lengths,
//! never on keys or messages. Keys are wiped when they are dropped.
//!
//! # Features
//! * `std` (default): `KEYLANE_KERNEL` is read, and there is `hash_map::RandomState`. Nothing else needs
//!   the standard library.
//! * `getrandom`: random keys.
//! * `aes`, `chacha20`: the one-time keys of Poly1305-AES and of RFC 8439.
//! * `digest`: `digest::Mac` and `KeyInit` for [`siphash::Stream`] and [`poly1305::Poly1305`].
//! * `universal-hash`: `UniversalHash` for [`poly1305::Poly1305`].
//! * `zeroize`: that crate's traits for the types that hold secrets. Wiping itself is always on.

#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code, missing_docs)]

#[cfg(feature = "std")]
extern crate std;

mod arch;
mod error;
pub mod halfsiphash;
pub mod hash_map;
pub mod kernels;
pub mod poly1305;
#[cfg(any(feature = "digest", feature = "universal-hash"))]
mod rustcrypto;
pub mod siphash;
#[cfg(feature = "zeroize")]
mod zeroize;

#[cfg(not(feature = "internals"))]
mod dispatch;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod dispatch;
#[cfg(not(feature = "internals"))]
mod job;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod job;
