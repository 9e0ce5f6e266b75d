//! SipHash, Poly1305 and ChaCha20-Poly1305: keyed hashes, one-time authenticators and authenticated encryption. keylane
//! picks the fastest correct kernel for the CPU and for the shape of the input.
//!
//! * [`siphash`]: SipHash-c-d for any c and d, with tags of 64 or 128 bits. It takes one message, a stream, or many
//!   messages in one call. [`halfsiphash`] is the same on 32-bit words.
//! * [`poly1305`]: one message under one key, whole or in pieces; many messages in one call.
//! * [`aead`]: ChaCha20-Poly1305 and XChaCha20-Poly1305, one packet or many in one call.
//! * [`hash_map`]: SipHash for std's maps.
//! * [`kernels`]: lists the kernels, says which of them run here, and lets you choose another.
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
//! The crate is `no_std`, allocates nothing, and no call panics, except `RandomState::new` if the system gives no
//! random bits. Running times depend on lengths, and on which
//! packets are forged, never on keys or message bytes. Keys are wiped when they are dropped.
//!
//! # Features
//! * `std` (default): follows `KEYLANE_KERNEL` and adds `hash_map::RandomState`. Nothing else needs the standard library.
//! * `getrandom`: random keys, and `seal_random` of XChaCha20-Poly1305. On wasm32-unknown-unknown `hash_map::RandomState` needs it too.
//! * `aes`, `chacha20`: the one-time keys of Poly1305-AES and of RFC 8439.
//! * `dit`: `timing`, data-independent timing on AArch64. Poly1305, [`aead`], streams and every `verify` then take it.
//! * `digest`: `digest::Mac` and `KeyInit` for [`siphash::Stream`] and [`poly1305::Poly1305`].
//! * `universal-hash`: `UniversalHash` for [`poly1305::Poly1305`].
//! * `aead`, `aead-05`: the traits of RustCrypto's crate aead, versions 0.6 and 0.5, for [`aead::Cipher`].
//! * `zeroize`: that crate's traits for the types that hold secrets. Wiping itself is always on.

#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code, missing_docs)]

#[cfg(feature = "std")]
extern crate std;

pub mod aead;
mod error;
pub mod halfsiphash;
pub mod hash_map;
pub mod kernels;
pub mod poly1305;
#[cfg(any(feature = "digest", feature = "universal-hash", feature = "aead", feature = "aead-05"))]
mod rustcrypto;
pub mod siphash;
#[cfg(feature = "dit")]
pub mod timing;
#[cfg(feature = "zeroize")]
mod zeroize;

#[cfg(not(feature = "internals"))]
mod arch;
#[cfg(feature = "internals")]
#[doc(hidden)]
#[allow(
    rustdoc::broken_intra_doc_links,
    clippy::extra_unused_type_parameters,
    clippy::len_without_is_empty,
    clippy::new_without_default,
    reason = "public for tests/symbols alone"
)]
pub mod arch;
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
