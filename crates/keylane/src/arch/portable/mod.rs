//! Kernels for every CPU, in safe Rust.

#![forbid(unsafe_code)]

pub mod chacha20_x1;
pub mod halfsiphash_x1;
pub mod halfsiphash_x2;
pub mod interleave;
mod parts;
pub mod poly1305_x1_u32;
pub mod poly1305_x1_u64;
pub mod poly1305_x2_u64;
pub mod scalar;
pub mod siphash_x1;
pub mod siphash_x2;

pub use chacha20_x1::hchacha20;
pub use parts::{many as poly1305_packets, tag_of_one as poly1305_packet, tags_of_parts as poly1305_pair};

/// The target's Poly1305: the fastest portable kernel, called without the table.
#[cfg(not(target_pointer_width = "64"))]
pub use poly1305_x1_u32::{Multiplier, absorb as poly1305_inline, absorb_last as poly1305_last};
#[cfg(target_pointer_width = "64")]
pub use poly1305_x1_u64::{Multiplier, absorb as poly1305_inline, absorb_last as poly1305_last};
