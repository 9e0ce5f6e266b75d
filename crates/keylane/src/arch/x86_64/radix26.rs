//! What Poly1305 in base 2^26 needs of SSE2, AVX2 and AVX-512: lanes of 64 bits.

use super::barrier::in_memory;
use super::{Avx2, Avx512, Sse2, cast, instructions};
use crate::arch::radix26::Lanes;
use crate::arch::wipe::wipe;
use crate::kernel::thresholds::Way;
use core::arch::x86_64::*;

impl Sse2 {
    instructions! {
        fn repeat(x: i64) -> __m128i = _mm_set1_epi64x;
        fn count(bits: i32) -> __m128i = _mm_cvtsi32_si128;
        fn shift_left(a: __m128i, bits: __m128i) -> __m128i = _mm_sll_epi64;
        fn shift_right(a: __m128i, bits: __m128i) -> __m128i = _mm_srl_epi64;
        fn low_words(a: __m128i, b: __m128i) -> __m128i = _mm_unpacklo_epi64;
        fn high_words(a: __m128i, b: __m128i) -> __m128i = _mm_unpackhi_epi64;
    }
}

impl Lanes<2> for Sse2 {
    type Vector = __m128i;
    const BY_8: Way = Way::P2Sse2By8;

    instructions! {
        fn add(a: __m128i, b: __m128i) -> __m128i = _mm_add_epi64;
        fn sub(a: __m128i, b: __m128i) -> __m128i = _mm_sub_epi64;
        fn and(a: __m128i, b: __m128i) -> __m128i = _mm_and_si128;
        fn or(a: __m128i, b: __m128i) -> __m128i = _mm_or_si128;
        fn mul(a: __m128i, b: __m128i) -> __m128i = _mm_mul_epu32;
    }

    #[inline(always)]
    fn splat(self, x: u64) -> __m128i {
        self.repeat(x as i64)
    }

    #[inline(always)]
    fn load(self, x: &[u64; 2]) -> __m128i {
        cast(x)
    }

    #[inline(always)]
    fn store(self, a: __m128i) -> [u64; 2] {
        cast(&a)
    }

    #[inline(always)]
    fn words(self, blocks: &[[u8; 16]; 2]) -> [__m128i; 2] {
        let [a, b]: [__m128i; 2] = cast(blocks);
        [self.low_words(a, b), self.high_words(a, b)]
    }

    #[inline(always)]
    fn shl(self, a: __m128i, bits: u32) -> __m128i {
        self.shift_left(a, self.count(bits as i32))
    }

    #[inline(always)]
    fn shr(self, a: __m128i, bits: u32) -> __m128i {
        self.shift_right(a, self.count(bits as i32))
    }

    #[inline(always)]
    fn sum(self, a: __m128i) -> u64 {
        let [low, high]: [u64; 2] = cast(&a);
        low.wrapping_add(high)
    }

    #[inline(always)]
    fn in_memory<T>(self, x: &T) -> &T {
        in_memory(x)
    }

    #[inline(always)]
    fn wipe<const M: usize>(self, secret: &mut [__m128i; M]) {
        wipe(secret);
    }
}

impl Avx2 {
    instructions! {
        fn repeat(x: i64) -> __m256i = _mm256_set1_epi64x;
        fn shift_left(a: __m256i, bits: __m256i) -> __m256i = _mm256_sllv_epi64;
        fn shift_right(a: __m256i, bits: __m256i) -> __m256i = _mm256_srlv_epi64;
        fn low_words(a: __m256i, b: __m256i) -> __m256i = _mm256_unpacklo_epi64;
        fn high_words(a: __m256i, b: __m256i) -> __m256i = _mm256_unpackhi_epi64;
        fn lower(a: __m256i) -> __m128i = _mm256_castsi256_si128;
        fn upper(a: __m256i) -> __m128i = _mm256_extracti128_si256::<1>;
        fn add_words(a: __m128i, b: __m128i) -> __m128i = _mm_add_epi64;
    }
}

impl Lanes<4> for Avx2 {
    type Vector = __m256i;
    const BY_8: Way = Way::P4Avx2By8;

    instructions! {
        fn add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi64;
        fn sub(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi64;
        fn and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256;
        fn or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256;
        fn mul(a: __m256i, b: __m256i) -> __m256i = _mm256_mul_epu32;
    }

    #[inline(always)]
    fn splat(self, x: u64) -> __m256i {
        self.repeat(x as i64)
    }

    #[inline(always)]
    fn load(self, x: &[u64; 4]) -> __m256i {
        cast(x)
    }

    #[inline(always)]
    fn store(self, a: __m256i) -> [u64; 4] {
        cast(&a)
    }

    #[inline(always)]
    fn words(self, blocks: &[[u8; 16]; 4]) -> [__m256i; 2] {
        let [a, b]: [__m256i; 2] = cast(blocks);
        [self.low_words(a, b), self.high_words(a, b)]
    }

    #[inline(always)]
    fn shl(self, a: __m256i, bits: u32) -> __m256i {
        self.shift_left(a, self.splat(bits.into()))
    }

    #[inline(always)]
    fn shr(self, a: __m256i, bits: u32) -> __m256i {
        self.shift_right(a, self.splat(bits.into()))
    }

    #[inline(always)]
    fn sum(self, a: __m256i) -> u64 {
        let [low, high]: [u64; 2] = cast(&self.add_words(self.lower(a), self.upper(a)));
        low.wrapping_add(high)
    }

    #[inline(always)]
    fn in_memory<T>(self, x: &T) -> &T {
        in_memory(x)
    }

    #[inline(always)]
    fn wipe<const M: usize>(self, secret: &mut [__m256i; M]) {
        wipe(secret);
    }
}

impl Avx512 {
    instructions! {
        fn repeat(x: i64) -> __m512i = _mm512_set1_epi64;
        fn shift_left(a: __m512i, bits: __m512i) -> __m512i = _mm512_sllv_epi64;
        fn shift_right(a: __m512i, bits: __m512i) -> __m512i = _mm512_srlv_epi64;
        fn low_words(a: __m512i, b: __m512i) -> __m512i = _mm512_unpacklo_epi64;
        fn high_words(a: __m512i, b: __m512i) -> __m512i = _mm512_unpackhi_epi64;
        fn total(a: __m512i) -> i64 = _mm512_reduce_add_epi64;
    }
}

impl Lanes<8> for Avx512 {
    type Vector = __m512i;
    const BY_8: Way = Way::P8Avx512FBy8;

    instructions! {
        fn add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi64;
        fn sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi64;
        fn and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512;
        fn or(a: __m512i, b: __m512i) -> __m512i = _mm512_or_si512;
        fn mul(a: __m512i, b: __m512i) -> __m512i = _mm512_mul_epu32;
    }

    #[inline(always)]
    fn splat(self, x: u64) -> __m512i {
        self.repeat(x as i64)
    }

    #[inline(always)]
    fn load(self, x: &[u64; 8]) -> __m512i {
        cast(x)
    }

    #[inline(always)]
    fn store(self, a: __m512i) -> [u64; 8] {
        cast(&a)
    }

    #[inline(always)]
    fn words(self, blocks: &[[u8; 16]; 8]) -> [__m512i; 2] {
        let [a, b]: [__m512i; 2] = cast(blocks);
        [self.low_words(a, b), self.high_words(a, b)]
    }

    #[inline(always)]
    fn shl(self, a: __m512i, bits: u32) -> __m512i {
        self.shift_left(a, self.splat(bits.into()))
    }

    #[inline(always)]
    fn shr(self, a: __m512i, bits: u32) -> __m512i {
        self.shift_right(a, self.splat(bits.into()))
    }

    #[inline(always)]
    fn sum(self, a: __m512i) -> u64 {
        self.total(a) as u64
    }

    #[inline(always)]
    fn in_memory<T>(self, x: &T) -> &T {
        in_memory(x)
    }

    #[inline(always)]
    fn wipe<const M: usize>(self, secret: &mut [__m512i; M]) {
        wipe(secret);
    }
}
