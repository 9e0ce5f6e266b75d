//! Poly1305 in base 2^26 with AVX2 and AVX-512: lanes of 64 bits.

use super::barrier::{broadcast, lanes_barrier};
use super::{Avx2, Avx512, cast, instructions};
use crate::arch::generic::messages26::{MARKS, MOVED, MessageVectors, chunk_at, missing};
use crate::arch::generic::radix26::school::{School, Table};
use crate::arch::generic::radix26::turns::Turns;
use crate::arch::generic::radix26::vectors::Vectors26;
use crate::job::barrier::in_memory;
use crate::job::buffer::LeInt;
use crate::job::limits::Method;
use crate::job::poly1305::Key;
use crate::job::wipe::wipe;
use core::arch::x86_64::*;

impl Turns<4> for Avx2 {}
impl Turns<8> for Avx512 {}

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

impl Vectors26<4> for Avx2 {
    type Vector = __m256i;
    const BY_8: Method = Method::P4Avx2By8;

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

impl Avx2 {
    instructions! {
        fn odd_lanes_of(a: __m256i, b: __m256i) -> __m256i = _mm256_blend_epi32::<0b1100_1100>;
        fn upper_lanes_of(a: __m256i, b: __m256i) -> __m256i = _mm256_blend_epi32::<0b1111_0000>;
        fn last_words(high: i64, low: i64) -> __m128i = _mm_set_epi64x;
    }
}

impl Avx2 {
    #[inline(always)]
    fn hide_sizes(self, [x0, x1, x2, x3, x4]: [__m256i; 5]) -> [__m256i; 5] {
        [self.hide_size(x0), self.hide_size(x1), self.hide_size(x2), self.hide_size(x3), self.hide_size(x4)]
    }
}

impl Avx2 {
    #[inline(always)]
    fn broadcast_of<const ROW: usize>(self, table: &Table, column: usize) -> __m256i {
        // SAFETY: the function's one condition is that the CPU has AVX2, which `self` proves.
        unsafe { broadcast::<ROW, 9>(table, column) }
    }
}

impl School for Avx2 {
    #[inline(always)]
    fn hidden(self, x: [__m256i; 5]) -> [__m256i; 5] {
        self.hide_sizes(x)
    }

    #[inline(always)]
    fn broadcast<const ROW: usize>(self, table: &Table, column: usize) -> __m256i {
        self.broadcast_of::<ROW>(table, column)
    }

    #[inline(always)]
    fn words_with_last(self, blocks: &[[u8; 16]; 3], last: u128) -> [__m256i; 2] {
        let [first, second, third] = blocks;
        let a = self.halves(cast(first), cast(second));
        let b = self.halves(cast(third), self.last_words((last >> 64) as i64, last as i64));
        [self.low_words(a, b), self.high_words(a, b)]
    }

    #[inline(always)]
    fn odd_lanes(self, a: __m256i, b: __m256i) -> __m256i {
        self.odd_lanes_of(a, b)
    }

    #[inline(always)]
    fn upper_lanes(self, a: __m256i, b: __m256i) -> __m256i {
        self.upper_lanes_of(a, b)
    }

    /// Two columns at a time.
    #[inline(always)]
    fn sums(self, [c0, c1, c2, c3, c4]: [__m256i; 5]) -> [u64; 5] {
        let pair = |a, b| -> [u64; 2] {
            let sums = self.add(self.low_words(a, b), self.high_words(a, b));
            cast(&self.add_words(self.lower(sums), self.upper(sums)))
        };
        let ([c0, c1], [c2, c3]) = (pair(c0, c1), pair(c2, c3));
        [c0, c1, c2, c3, self.sum(c4)]
    }
}

/// Four messages, one in each lane.
impl Avx2 {
    instructions! {
        fn join_words(d: i64, c: i64, b: i64, a: i64) -> __m256i = _mm256_set_epi64x;
        fn join_half(b: i64, a: i64) -> __m128i = _mm_set_epi64x;
        fn widened(a: __m128i) -> __m256i = _mm256_castsi128_si256;
        fn with_upper(a: __m256i, b: __m128i) -> __m256i = _mm256_inserti128_si256::<1>;
        fn pick_bytes(a: __m256i, indices: __m256i) -> __m256i = _mm256_shuffle_epi8;
        fn blend_bytes(a: __m256i, b: __m256i, mask: __m256i) -> __m256i = _mm256_blendv_epi8;
        fn is_greater(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpgt_epi64;
        fn is_equal(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpeq_epi64;
        fn hide_size(a: __m256i) -> __m256i = lanes_barrier;
    }

    #[inline(always)]
    fn halves(self, low: __m128i, high: __m128i) -> __m256i {
        self.with_upper(self.widened(low), high)
    }

    /// The last blocks of two messages.
    #[inline(always)]
    fn ends(self, a: &[u8], b: &[u8]) -> __m256i {
        let ((bytes_a, by_a), (bytes_b, by_b)) = (self.end(a), self.end(b));
        let moved = self.halves(cast(chunk_at(&MOVED, by_a)), cast(chunk_at(&MOVED, by_b)));
        let marks = self.halves(cast(chunk_at(&MARKS, missing(a))), cast(chunk_at(&MARKS, missing(b))));
        self.or(self.pick_bytes(self.halves(bytes_a, bytes_b), moved), marks)
    }

    /// The last bytes of a message, at most 16, and the number of bytes that they are too high by.
    #[inline(always)]
    fn end(self, message: &[u8]) -> (__m128i, usize) {
        match message.last_chunk::<16>() {
            Some(last) => (cast(last), missing(message)),
            None => {
                let bytes = u128::from_short(message);
                (self.join_half((bytes >> 64) as i64, bytes as i64), 0)
            }
        }
    }
}

impl MessageVectors for Avx2 {
    const PAIRS: usize = 11;

    #[inline(always)]
    fn of_lanes(self, [a, b, c, d]: [usize; 4]) -> __m256i {
        self.join_words(d as i64, c as i64, b as i64, a as i64)
    }

    #[inline(always)]
    fn hidden(self, x: [__m256i; 5]) -> [__m256i; 5] {
        self.hide_sizes(x)
    }

    #[inline(always)]
    fn greater(self, a: __m256i, b: __m256i) -> __m256i {
        self.is_greater(a, b)
    }

    #[inline(always)]
    fn equal(self, a: __m256i, b: __m256i) -> __m256i {
        self.is_equal(a, b)
    }

    #[inline(always)]
    fn choose(self, mask: __m256i, a: __m256i, b: __m256i) -> __m256i {
        self.blend_bytes(a, b, mask)
    }

    #[inline(always)]
    fn words_of(self, rows: [&[u8; 16]; 4]) -> [__m256i; 2] {
        let [a, b, c, d] = rows;
        let (even, odd) = (self.halves(cast(a), cast(c)), self.halves(cast(b), cast(d)));
        [self.low_words(even, odd), self.high_words(even, odd)]
    }

    #[inline(always)]
    fn words_of_keys(self, [a, b, c, d]: [&Key; 4]) -> [[__m256i; 2]; 2] {
        let (even, odd) = (self.halves(cast(&a.r), cast(&c.r)), self.halves(cast(&b.r), cast(&d.r)));
        let r = [self.low_words(even, odd), self.high_words(even, odd)];
        let (even, odd) = (self.halves(cast(&a.s), cast(&c.s)), self.halves(cast(&b.s), cast(&d.s)));
        [r, [self.low_words(even, odd), self.high_words(even, odd)]]
    }

    #[inline(always)]
    fn words_of_ends(self, messages: [&[u8]; 4]) -> [__m256i; 2] {
        let [a, b, c, d] = messages;
        let even = self.ends(a, c);
        let odd = self.ends(b, d);
        [self.low_words(even, odd), self.high_words(even, odd)]
    }

    #[inline(always)]
    fn tags_of(self, [low, high]: [__m256i; 2]) -> [[u8; 16]; 4] {
        let (even, odd) = (self.low_words(low, high), self.high_words(low, high));
        [cast(&self.lower(even)), cast(&self.lower(odd)), cast(&self.upper(even)), cast(&self.upper(odd))]
    }
}

impl Vectors26<8> for Avx512 {
    type Vector = __m512i;
    const BY_8: Method = Method::P8Avx512FBy8;

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
