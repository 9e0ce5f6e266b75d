//! SipHash, one message at a time, its two sides in vectors of 128 bits, with the rotations of AVX-512.
//!
//! id        siphash_x1_avx512_halves        slot  siphash-x1-ablation        requires  avx512f avx512vl
//! does      v0 and v2 in one vector, v1 and v3 in the other (halves.rs). One instruction does a pair of rotations:
//!           it rotates each word by its own number
//! bounds    a half round is a chain of an addition and a xor; rotations and shuffles are beside them: 4c + 1 cycles
//!           a word, as in scalar code, if every operation takes one; 8c + 2 operations
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash]; prior work that judged this not worthwhile: [Apple-SipHash]

use super::halves::halves;
use super::halves::x86::*;
use super::scalar::tail;
use crate::ablation::{Rounds, Wholes, X1};
use core::arch::x86_64::*;
use keylane::job::siphash::Word;
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_avx512_halves", lanes 1, requires ["avx512f", "avx512vl"],
    |job: Wholes<'_>| many(job)
}

halves!("avx512f,avx512vl", __m128i);

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn first(odd: __m128i, even: __m128i) -> __m128i {
    xor(_mm_rolv_epi64(odd, pair(13, 16)), even)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn second(odd: __m128i, even: __m128i) -> __m128i {
    xor(_mm_rolv_epi64(odd, pair(17, 21)), even)
}
