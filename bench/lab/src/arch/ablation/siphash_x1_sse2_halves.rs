//! SipHash, one message at a time, its two sides in SSE2 vectors.
//!
//! id        siphash_x1_sse2_halves        slot  siphash-x1-ablation        requires  sse2
//! does      v0 and v2 in one vector, v1 and v3 in the other (halves.rs). SSE2 shifts both words of a vector by the
//!           same number, so each pair of rotations is computed twice and half of each result is used
//! bounds    a pair of rotations, with merging, is a chain of 3 operations, 1 more than the addition beside it; a
//!           xor follows: 8c + 1 cycles a word, and 20c + 2 operations
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
    pub MANY: X1 = "siphash_x1_sse2_halves", lanes 1, requires ["sse2"], |job: Wholes<'_>| many(job)
}

halves!("sse2", __m128i);

#[inline]
#[target_feature(enable = "sse2")]
fn first(odd: __m128i, even: __m128i) -> __m128i {
    xor(low_high(rotl::<13, 51>(odd), rotl::<16, 48>(odd)), even)
}

#[inline]
#[target_feature(enable = "sse2")]
fn second(odd: __m128i, even: __m128i) -> __m128i {
    xor(low_high(rotl::<17, 47>(odd), rotl::<21, 43>(odd)), even)
}

/// Rotates both words left by LEFT, which is 64 - RIGHT.
#[inline]
#[target_feature(enable = "sse2")]
fn rotl<const LEFT: i32, const RIGHT: i32>(x: __m128i) -> __m128i {
    _mm_or_si128(_mm_slli_epi64::<LEFT>(x), _mm_srli_epi64::<RIGHT>(x))
}

/// The low word of one vector and the high word of another.
#[inline]
#[target_feature(enable = "sse2")]
fn low_high(low: __m128i, high: __m128i) -> __m128i {
    _mm_castpd_si128(_mm_move_sd(_mm_castsi128_pd(high), _mm_castsi128_pd(low)))
}
