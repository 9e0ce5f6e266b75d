//! SipHash, one message at a time, its two sides in NEON vectors.
//!
//! id        siphash_x1_neon_halves        slot  siphash-x1-ablation        requires  neon
//! does      v0 and v2 in one vector, v1 and v3 in the other (halves.rs). NEON has no rotation: a pair of rotations is
//!           two shifts, each of both words by their own numbers, and a xor
//! bounds    a half round is a chain of three operations, an addition or a shift and two xors: 6c + 1 operations a
//!           word, each of 2 to 4 cycles; 12c + 2 operations
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [Apple-SipHash], which describes this packing and judged it not worthwhile

use super::halves::arm::*;
use super::halves::halves;
use super::scalar::tail;
use crate::ablation::{Rounds, Wholes, X1};
use core::arch::aarch64::*;
use keylane::job::siphash::Word;
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_neon_halves", lanes 1, requires ["neon"], |job: Wholes<'_>| many(job)
}

halves!("neon", uint64x2_t);

#[inline]
#[target_feature(enable = "neon")]
fn first(odd: uint64x2_t, even: uint64x2_t) -> uint64x2_t {
    let [up, down] = shifts(odd, [13, 16]);
    xor(xor(up, down), even)
}

#[inline]
#[target_feature(enable = "neon")]
fn second(odd: uint64x2_t, even: uint64x2_t) -> uint64x2_t {
    let [up, down] = shifts(odd, [17, 21]);
    xor(xor(up, down), even)
}
