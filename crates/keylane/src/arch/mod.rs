//! The lowest floor: kernels, and the only place beside the selector where `unsafe` may stand.
//!
//! A kernel takes a job of the kernel floor and knows nothing of the API above. What the kernels of several
//! instruction sets share stands in this folder and is compiled everywhere, though not every target has a
//! kernel that uses it.

#![cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "not every target has the kernels for which the others stand here")
)]

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub mod aarch64;
pub mod barrier;
mod dup;
pub mod groups;
#[cfg(target_endian = "little")]
mod lanes128;
pub mod messages26;
mod plain;
pub mod portable;
mod prefetch;
mod proof;
pub mod radix26;
#[cfg(target_endian = "little")]
mod ragged;
#[cfg(target_endian = "little")]
mod vertical;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod wasm32;
pub mod wipe;
#[cfg(any(target_arch = "x86", all(target_arch = "x86_64", target_feature = "sse2")))]
pub mod x86;
// The compiler cannot make code of vectors for targets that have no registers for them, as x86_64-unknown-none.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub mod x86_64;
