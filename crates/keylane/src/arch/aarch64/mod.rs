//! What AArch64 has beyond the portable code: NEON, which all of it has but targets without floating
//! point, and the SHA-3 instructions, which rotate 64-bit words.
//!
//! [`Neon`] and [`Sha3`] are proofs of the instructions (`proof.rs`).

#![allow(unsafe_code)]

pub mod halfsiphash_x4_neon;
mod halves;
mod messages26;
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
    /// The CPU has NEON and the SHA-3 instructions. Where they are enabled LLVM makes them of plain operations
    /// too, so a row that requires NEON alone has functions of its own.
    pub Sha3: "neon,sha3"
}

plain!(int32x4_t, int64x2_t, uint8x16_t, uint16x8_t, uint32x2_t, uint32x4_t, uint64x2_t);
