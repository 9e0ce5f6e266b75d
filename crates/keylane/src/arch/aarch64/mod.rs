//! The vectors of AArch64: NEON, and the SHA-3 instructions, which rotate 64-bit words. Every AArch64 target has NEON
//! except those without floating point.
//!
//! [`Neon`] and [`Sha3`] are proofs of the instructions (`proof.rs`).

#![allow(unsafe_code)]

pub mod chacha20_p4_neon;
pub mod chacha20_x4_neon;
pub mod halfsiphash_x4_neon;
mod halves;
mod messages26;
#[cfg(test)]
mod models;
mod neon;
pub mod poly1305_p4_neon;
pub mod poly1305_x4_neon;
mod radix26;
pub mod siphash_x1_fused;
pub mod siphash_x1_separate;
pub mod siphash_x4_neon;
pub mod siphash_x4_neon_hybrid;
pub mod siphash_x4_sha3;
pub mod siphash_x4_sha3_hybrid;

use crate::job::plain::{Plain, cast, chunk, plain};
use crate::job::proof::{instructions, proof};
use core::arch::aarch64::{int32x4_t, int64x2_t, uint8x16_t, uint16x8_t, uint32x2_t, uint32x4_t, uint64x2_t};

proof! {
    /// The CPU has NEON.
    pub Neon: "neon"
}

proof! {
    /// The CPU has NEON and the SHA-3 instructions. If they are enabled, LLVM also replaces plain operations by them.
    /// So rows that require NEON only have separate functions.
    pub Sha3: "neon,sha3"
}

plain!(int32x4_t, int64x2_t, uint8x16_t, uint16x8_t, uint32x2_t, uint32x4_t, uint64x2_t);
