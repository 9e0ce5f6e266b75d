//! SipHash, one message at a time, its two sides in NEON vectors, with the SHA-3 instruction for a xor of three.
//!
//! id        siphash_x1_sha3_halves        slot  siphash-x1-ablation        requires  neon sha3
//! does      v0 and v2 in one vector, v1 and v3 in the other (halves.rs). A pair of rotations is two shifts, each of
//!           both words by their own numbers; one instruction joins them and xors the other vector
//! bounds    a half round is a chain of two operations, an addition or a shift and a xor: 4c + 1 operations a word,
//!           each of 2 to 4 cycles; 10c + 2 operations
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [Apple-SipHash], which describes the packing without SHA-3 instructions

use super::halves::arm::*;
use super::halves::halves;
use super::scalar::tail;
use crate::ablation::{Rounds, Wholes, X1};
use core::arch::aarch64::*;
use keylane::job::siphash::Word;
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_sha3_halves", lanes 1, requires ["neon", "sha3"], |job: Wholes<'_>| many(job)
}

halves!("neon,sha3", uint64x2_t);

#[inline]
#[target_feature(enable = "neon,sha3")]
fn first(odd: uint64x2_t, even: uint64x2_t) -> uint64x2_t {
    let [up, down] = shifts(odd, [13, 16]);
    veor3q_u64(up, down, even)
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn second(odd: uint64x2_t, even: uint64x2_t) -> uint64x2_t {
    let [up, down] = shifts(odd, [17, 21]);
    veor3q_u64(up, down, even)
}
