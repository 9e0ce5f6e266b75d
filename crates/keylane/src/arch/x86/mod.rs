//! The vectors of SSE2, on x86 of 32 and of 64 bits.
//!
//! [`Sse2`] is a proof of the instructions (`proof.rs`).

#![allow(unsafe_code)]

pub mod chacha20_p4_sse2;
pub mod chacha20_x4_sse2;
pub mod halfsiphash_x4_sse2;
#[cfg(test)]
mod models;
pub mod poly1305_p2_sse2;
mod radix26;
pub mod siphash_x4_sse2;

use crate::arch::generic::lanes::Work;
use crate::arch::generic::lanes128::Simd128;
use crate::job::plain::{Plain, cast, plain};
use crate::job::proof::{instructions, proof};
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

proof! {
    /// The CPU has SSE2.
    pub Sse2: "sse2"
}

plain!(__m128i);

/// Not inlined, so each piece of work is a separate function.
#[inline(never)]
#[target_feature(enable = "sse2")]
fn call<F: Work>(work: F) {
    work.run();
}

impl Sse2 {
    instructions! {
        fn set32(a: i32) -> __m128i = _mm_set1_epi32;
        fn set64(a: i64) -> __m128i = _mm_set1_epi64x;
        fn left32(a: __m128i, bits: __m128i) -> __m128i = _mm_sll_epi32;
        fn left64(a: __m128i, bits: __m128i) -> __m128i = _mm_sll_epi64;
        fn right32(a: __m128i, bits: __m128i) -> __m128i = _mm_srl_epi32;
        fn right64(a: __m128i, bits: __m128i) -> __m128i = _mm_srl_epi64;
        fn number(a: i32) -> __m128i = _mm_cvtsi32_si128;
        fn swap32(a: __m128i) -> __m128i = _mm_shuffle_epi32::<0b10_11_00_01>;
        fn turn_low16(a: __m128i) -> __m128i = _mm_shufflelo_epi16::<0b10_01_00_11>;
        fn turn_high16(a: __m128i) -> __m128i = _mm_shufflehi_epi16::<0b10_01_00_11>;
        fn swap_low16(a: __m128i) -> __m128i = _mm_shufflelo_epi16::<0b10_11_00_01>;
        fn swap_high16(a: __m128i) -> __m128i = _mm_shufflehi_epi16::<0b10_11_00_01>;
    }
}

/// A rotation by 16 or 32 is one or two shuffles; any other is two shifts and an or.
impl Simd128 for Sse2 {
    type V = __m128i;

    instructions! {
        fn and(a: __m128i, b: __m128i) -> __m128i = _mm_and_si128;
        fn and_not(not: __m128i, b: __m128i) -> __m128i = _mm_andnot_si128;
        fn or(a: __m128i, b: __m128i) -> __m128i = _mm_or_si128;
        fn xor(a: __m128i, b: __m128i) -> __m128i = _mm_xor_si128;
        fn add8(a: __m128i, b: __m128i) -> __m128i = _mm_add_epi8;
        fn add32(a: __m128i, b: __m128i) -> __m128i = _mm_add_epi32;
        fn add64(a: __m128i, b: __m128i) -> __m128i = _mm_add_epi64;
        fn sub32(a: __m128i, b: __m128i) -> __m128i = _mm_sub_epi32;
        fn sub64(a: __m128i, b: __m128i) -> __m128i = _mm_sub_epi64;
        fn equal32(a: __m128i, b: __m128i) -> __m128i = _mm_cmpeq_epi32;
        fn greater8(a: __m128i, b: __m128i) -> __m128i = _mm_cmpgt_epi8;
        fn greater32(a: __m128i, b: __m128i) -> __m128i = _mm_cmpgt_epi32;
        fn low32(a: __m128i, b: __m128i) -> __m128i = _mm_unpacklo_epi32;
        fn high32(a: __m128i, b: __m128i) -> __m128i = _mm_unpackhi_epi32;
        fn low64(a: __m128i, b: __m128i) -> __m128i = _mm_unpacklo_epi64;
        fn high64(a: __m128i, b: __m128i) -> __m128i = _mm_unpackhi_epi64;
        fn even32(a: __m128i) -> __m128i = _mm_shuffle_epi32::<0b10_10_00_00>;
    }

    #[inline(always)]
    fn call<F: Work>(self, work: F) {
        // SAFETY: `self` was made by `here`, so the CPU has the instructions that `call` enables.
        unsafe { call(work) }
    }

    #[inline(always)]
    fn splat32(self, a: u32) -> __m128i {
        self.set32(a as i32)
    }

    #[inline(always)]
    fn splat64(self, a: u64) -> __m128i {
        self.set64(a as i64)
    }

    #[inline(always)]
    fn rotl32(self, a: __m128i, bits: u32) -> __m128i {
        if bits == 16 {
            return self.swap_high16(self.swap_low16(a));
        }
        let left = self.left32(a, self.number(bits as i32));
        self.or(left, self.right32(a, self.number(32 - bits as i32)))
    }

    #[inline(always)]
    fn rotl64(self, a: __m128i, bits: u32) -> __m128i {
        match bits {
            16 => self.turn_high16(self.turn_low16(a)),
            32 => self.swap32(a),
            _ => {
                let left = self.left64(a, self.number(bits as i32));
                self.or(left, self.right64(a, self.number(64 - bits as i32)))
            }
        }
    }
}
