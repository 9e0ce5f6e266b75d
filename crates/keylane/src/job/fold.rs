//! The case fold of a word, in vector registers. That leaves the general registers, and the units that work on them, to
//! the rounds.

#![allow(unsafe_code)]

use core::arch::x86_64::{
    __m128i, _mm_add_epi8, _mm_and_si128, _mm_cmpgt_epi8, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_or_si128,
    _mm_set1_epi8,
};

/// Sets bit 0x20 in the bytes from `A` to `Z`. A shift of the range makes `Z` the greatest signed byte.
#[inline]
#[target_feature(enable = "sse2")]
fn fold_bytes(bytes: __m128i) -> __m128i {
    let moved = _mm_add_epi8(bytes, _mm_set1_epi8((0x7f - b'Z') as i8));
    let capitals = _mm_cmpgt_epi8(moved, _mm_set1_epi8((0x7e - b'Z' + b'A') as i8));
    _mm_or_si128(bytes, _mm_and_si128(capitals, _mm_set1_epi8(0x20)))
}

#[inline]
#[target_feature(enable = "sse2")]
fn fold_word(word: u64) -> u64 {
    _mm_cvtsi128_si64(fold_bytes(_mm_cvtsi64_si128(word as i64))) as u64
}

/// Adds 0x20 to each byte in `A`..=`Z`.
#[inline(always)]
pub fn fold(word: u64) -> u64 {
    // SAFETY: every x86-64 CPU has SSE2.
    unsafe { fold_word(word) }
}
