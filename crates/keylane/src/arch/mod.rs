//! The kernels. A kernel takes a job (`crate::job`) and knows neither dispatch nor the API.
//!
//! There is one folder for each architecture, `portable/` for every CPU, and `generic/` for the algorithms that several
//! instruction sets share.

#![cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "not every target has the kernels that use `generic/`")
)]

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub mod aarch64;
pub mod generic;
#[cfg(test)]
mod models;
pub mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod wasm32;
#[cfg(any(target_arch = "x86", all(target_arch = "x86_64", target_feature = "sse2")))]
pub mod x86;
// The compiler makes no vector code for targets without vector registers, such as x86_64-unknown-none.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub mod x86_64;
