#![doc = include_str!("../../../README.md")]
#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code, missing_docs)]

#[cfg(feature = "std")]
extern crate std;

mod arch;
mod buffer;
mod error;
pub mod halfsiphash;
pub mod kernels;
pub mod poly1305;
pub mod siphash;
#[cfg(feature = "zeroize")]
mod zeroize;

#[cfg(not(feature = "internals"))]
mod cpu;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod cpu;
#[cfg(not(feature = "internals"))]
mod kernel;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod kernel;
