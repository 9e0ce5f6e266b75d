//! The lowest floor: kernels, and the only place beside the selector where `unsafe` may stand.
//!
//! A kernel takes a job of the kernel floor and knows nothing of the API above. What the kernels of several
//! instruction sets share stands in this folder and is compiled everywhere, though not every target has a
//! kernel that uses it.

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub mod aarch64;
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
pub mod barrier;
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
mod dup;
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
pub mod groups;
#[cfg(target_endian = "little")]
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
mod lanes128;
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
pub mod messages26;
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
mod plain;
pub mod portable;
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
mod prefetch;
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
mod proof;
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
pub mod radix26;
#[cfg(target_endian = "little")]
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
mod ragged;
#[cfg(target_endian = "little")]
#[cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "vector kernels need it")
)]
mod vertical;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod wasm32;
pub mod wipe;
#[cfg(any(target_arch = "x86", all(target_arch = "x86_64", target_feature = "sse2")))]
pub mod x86;
// The compiler cannot make code of vectors for targets that have no registers for them, as x86_64-unknown-none.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub mod x86_64;
