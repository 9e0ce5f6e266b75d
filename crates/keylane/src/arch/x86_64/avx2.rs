//! SipHash with AVX2: four words of 64 bits in a register, or eight of 32.

use super::{Avx2, cast, chunk, common, instructions};
use crate::arch::generic::lanes::{Lanes, Work};
use crate::arch::generic::quad::{quad_start, tail, zeros};
use crate::arch::generic::tile::{Column, StartTable, WINDOW};
use crate::job::barrier::in_memory;
use core::arch::x86_64::*;
use core::hint::select_unpredictable;
use core::ptr::with_exposed_provenance;

/// Not inlined, so each piece of work is a separate function.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn call<F: Work>(work: F) {
    work.run();
}

/// `x`, opaque to the compiler, which would make two word shuffles out of one byte shuffle.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn hidden(x: __m256i) -> __m256i {
    // Miri knows no assembly and keeps the shuffle.
    #[cfg(not(miri))]
    let x = {
        let mut x = x;
        // SAFETY: there is no instruction; `x` leaves the register unchanged.
        unsafe {
            core::arch::asm!("/* {0} */", inout(ymm_reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    };
    x
}

impl Avx2 {
    instructions! {
        fn hide(x: __m256i) -> __m256i = hidden;
        fn set64(a: i64) -> __m256i = _mm256_set1_epi64x;
        fn set32(a: i32) -> __m256i = _mm256_set1_epi32;
        fn set8(a: i8) -> __m256i = _mm256_set1_epi8;
        fn twice(a: __m128i) -> __m256i = _mm256_broadcastsi128_si256;
        fn and_all(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256;
        fn or_all(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256;
        fn add64(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi64;
        fn shl32(a: __m256i, bits: __m256i) -> __m256i = _mm256_sllv_epi32;
        fn shl64(a: __m256i, bits: __m256i) -> __m256i = _mm256_sllv_epi64;
        fn shr32(a: __m256i, bits: __m256i) -> __m256i = _mm256_srlv_epi32;
        fn shr64(a: __m256i, bits: __m256i) -> __m256i = _mm256_srlv_epi64;
        fn add8(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi8;
        fn sub32x4(a: __m128i, b: __m128i) -> __m128i = _mm_sub_epi32;
        fn and32x4(a: __m128i, b: __m128i) -> __m128i = _mm_and_si128;
        fn max32(a: __m256i, b: __m256i) -> __m256i = _mm256_max_epu32;
        fn min32(a: __m256i, b: __m256i) -> __m256i = _mm256_min_epu32;
        fn max32x4(a: __m128i, b: __m128i) -> __m128i = _mm_max_epu32;
        fn min32x4(a: __m128i, b: __m128i) -> __m128i = _mm_min_epu32;
        fn halves64(a: __m128i) -> __m128i = _mm_shuffle_epi32::<0b01_00_11_10>;
        fn odd32x4(a: __m128i) -> __m128i = _mm_shuffle_epi32::<0b10_11_00_01>;
        fn number64(a: __m128i) -> i64 = _mm_cvtsi128_si64;
        fn number32(a: __m128i) -> i32 = _mm_cvtsi128_si32;
        fn four64(a: i64, b: i64, c: i64, d: i64) -> __m256i = _mm256_setr_epi64x;
        fn four32(a: i32, b: i32, c: i32, d: i32) -> __m128i = _mm_setr_epi32;
        fn swap32(a: __m256i) -> __m256i = _mm256_shuffle_epi32::<0b10_11_00_01>;
        fn bytes(a: __m256i, index: __m256i) -> __m256i = _mm256_shuffle_epi8;
        fn greater64(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpgt_epi64;
        fn greater32(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpgt_epi32;
        fn greater8(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpgt_epi8;
        fn greater32x4(a: __m128i, b: __m128i) -> __m128i = _mm_cmpgt_epi32;
        fn permute32(a: __m256i, index: __m256i) -> __m256i = _mm256_permutevar8x32_epi32;
        fn odd32(a: __m256i, b: __m256i) -> __m256i = _mm256_blend_epi32::<0b1010_1010>;
        fn by_sign64(a: __m256d, b: __m256d, sign: __m256d) -> __m256d = _mm256_blendv_pd;
        fn by_sign32(a: __m256, b: __m256, sign: __m256) -> __m256 = _mm256_blendv_ps;
        fn as64(a: __m256i) -> __m256d = _mm256_castsi256_pd;
        fn as32(a: __m256i) -> __m256 = _mm256_castsi256_ps;
        fn of64(a: __m256d) -> __m256i = _mm256_castpd_si256;
        fn of32(a: __m256) -> __m256i = _mm256_castps_si256;
        fn widen(a: __m128i) -> __m256i = _mm256_cvtepu32_epi64;
        fn low64(a: __m256i, b: __m256i) -> __m256i = _mm256_unpacklo_epi64;
        fn high64(a: __m256i, b: __m256i) -> __m256i = _mm256_unpackhi_epi64;
        fn low32(a: __m256i, b: __m256i) -> __m256i = _mm256_unpacklo_epi32;
        fn high32(a: __m256i, b: __m256i) -> __m256i = _mm256_unpackhi_epi32;
        fn low_halves(a: __m256i, b: __m256i) -> __m256i = _mm256_permute2x128_si256::<0x20>;
        fn high_halves(a: __m256i, b: __m256i) -> __m256i = _mm256_permute2x128_si256::<0x31>;
        fn from128(a: __m128i) -> __m256i = _mm256_castsi128_si256;
        fn half0(a: __m256i) -> __m128i = _mm256_castsi256_si128;
        fn half1(a: __m256i) -> __m128i = _mm256_extracti128_si256::<1>;
        fn with_half1(a: __m256i, b: __m128i) -> __m256i = _mm256_inserti128_si256::<1>;
        fn with_word1(a: __m128i, word: i64) -> __m128i = _mm_insert_epi64::<1>;
        fn with_word3(a: __m128i, word: i32) -> __m128i = _mm_insert_epi32::<3>;
        fn set32x4(a: i32) -> __m128i = _mm_set1_epi32;
    }

    /// Sets bit 0x20 in the bytes from `A` to `Z`. A shift of the range makes `Z` the greatest signed byte.
    #[inline(always)]
    fn fold8(self, a: __m256i) -> __m256i {
        let moved = self.add8(a, self.set8((0x7f - b'Z') as i8));
        let capital = self.greater8(moved, self.set8((0x7e - b'Z' + b'A') as i8));
        self.or_all(a, self.and_all(capital, self.set8(0x20)))
    }

    /// The words with even and with odd index, of 16.
    #[inline(always)]
    fn unzip32(self, a: __m256i, b: __m256i) -> [__m256i; 2] {
        let index = cast(&[0u32, 2, 4, 6, 1, 3, 5, 7]);
        let (a, b) = (self.permute32(a, index), self.permute32(b, index));
        [self.low_halves(a, b), self.high_halves(a, b)]
    }
}

impl Lanes<u64, 4> for Avx2 {
    type Vector = __m256i;
    /// Words 0 and 1, words 2 and 3.
    type Quad = [__m128i; 2];
    type Prepared = ();
    const RESTARTS_ALWAYS: bool = true;
    const WHOLE_LENGTHS: bool = true;

    instructions! {
        fn add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi64;
        fn sub(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi64;
        fn xor(a: __m256i, b: __m256i) -> __m256i = _mm256_xor_si256;
        fn and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256;
        fn and_not(not: __m256i, b: __m256i) -> __m256i = _mm256_andnot_si256;
        fn or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256;
        fn shl(a: __m256i, bits: __m256i) -> __m256i = _mm256_sllv_epi64;
        fn shr(a: __m256i, bits: __m256i) -> __m256i = _mm256_srlv_epi64;
    }

    common! { __m256i, u64, 4 }

    #[inline(always)]
    fn splat(self, word: u64) -> __m256i {
        self.set64(word as i64)
    }

    #[inline(always)]
    fn store_double(self, low: __m256i, high: __m256i, integers: &mut [u128; 4]) {
        // Messages 0 2, and 1 3.
        let (a, b) = (self.low64(low, high), self.high64(low, high));
        *integers = cast(&[self.low_halves(a, b), self.high_halves(a, b)]);
    }

    #[inline(always)]
    fn rotl(self, a: __m256i, bits: u32) -> __m256i {
        match bits {
            16 => {
                let bytes = cast(&[6u8, 7, 0, 1, 2, 3, 4, 5, 14, 15, 8, 9, 10, 11, 12, 13]);
                self.bytes(a, self.hide(self.twice(bytes)))
            }
            32 => self.swap32(a),
            _ => {
                let up = self.shl64(a, self.set64(bits.into()));
                self.or_all(up, self.shr64(a, self.set64(64 - i64::from(bits))))
            }
        }
    }

    #[inline(always)]
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; 4]) -> [__m256i; 4] {
        let bytes = integers.as_flattened();
        let zero = self.set64(0);
        let load = |i| cast::<[u8; 32], __m256i>(chunk(bytes, i));
        match SIZE {
            4 => [self.widen(cast(chunk::<16>(bytes, 0))), zero, zero, zero],
            8 => [load(0), zero, zero, zero],
            _ => {
                // Messages 0 2, and 1 3.
                let (a, b) = (self.low_halves(load(0), load(1)), self.high_halves(load(0), load(1)));
                [self.low64(a, b), self.high64(a, b), zero, zero]
            }
        }
    }

    #[inline(always)]
    fn numbers(self, numbers: &[u32; 4]) -> __m256i {
        self.widen(cast(numbers))
    }

    #[inline(always)]
    fn restart(self, a: __m256i, choices: &[u64; 4], late: __m256i) -> __m256i {
        // A word of 64 bits is the words 2 late and 2 late + 1 of 32 bits.
        let twice = self.add64(late, late);
        let odd = self.shl64(self.or_all(twice, self.set64(1)), self.set64(32));
        let due = self.permute32(cast(choices), self.odd32(twice, odd));
        self.of64(self.by_sign64(self.as64(due), self.as64(a), self.as64(late)))
    }

    /// Hidden from the compiler, which would guard a shift by the word's width, where the instruction gives 0.
    #[inline(always)]
    fn lowered(self, tail: __m256i, length: __m256i) -> __m256i {
        let bits = self.shl64(self.and_all(length, self.set64(7)), self.set64(3));
        self.shr64(tail, self.hide(Lanes::<u64, 4>::sub(self, self.set64(64), bits)))
    }

    #[inline(always)]
    fn begin<const G: usize>(
        self,
        starts: &StartTable<u64>,
        whole: [__m256i; G],
        skip: usize,
    ) -> [[__m256i; 4]; G] {
        let zero = self.set64(0);
        let mut next = [zero; 4];
        for (word, starts) in next.iter_mut().zip(starts) {
            *word = self.set64(starts[WINDOW - 1] as i64);
        }
        let mut states = [next; G];
        // Negative from the lane's start on.
        let mut missing = whole;
        for missing in &mut missing {
            *missing = Lanes::<u64, 4>::sub(self, *missing, self.set64((WINDOW - 1 - skip) as i64));
        }
        for j in (skip.min(WINDOW - 1)..WINDOW - 1).rev() {
            for (word, starts) in next.iter_mut().zip(starts) {
                *word = self.set64(starts[j] as i64);
            }
            for (v, missing) in states.iter_mut().zip(&mut missing) {
                for (word, next) in v.iter_mut().zip(next) {
                    *word = self.of64(self.by_sign64(self.as64(*word), self.as64(next), self.as64(*missing)));
                }
                *missing = self.add64(*missing, self.set64(1));
            }
        }
        states
    }

    /// Half words compare like words, since all lengths have fewer bits, or one is too long in any case.
    #[inline(always)]
    fn longest<const G: usize>(self, lengths: &[__m256i; G]) -> usize {
        let mut all = lengths[0];
        for &lengths in &lengths[1..] {
            all = self.max32(all, lengths);
        }
        let two = self.max32x4(self.half0(all), self.half1(all));
        self.number64(self.max32x4(two, self.halves64(two))) as usize
    }

    #[inline(always)]
    fn shortest<const G: usize>(self, lengths: &[__m256i; G]) -> usize {
        let mut all = lengths[0];
        for &lengths in &lengths[1..] {
            all = self.min32(all, lengths);
        }
        let two = self.min32x4(self.half0(all), self.half1(all));
        self.number64(self.min32x4(two, self.halves64(two))) as usize
    }

    #[inline(always)]
    fn lengths32(self, starts: &[i32; 4], stops: &[i32; 4], from: usize, ends: &mut [u32; 4]) -> __m256i {
        let stop = cast(stops);
        let length = self.sub32x4(stop, cast(starts));
        let tail = self.and32x4(length, self.set32x4(7));
        *ends = cast(&self.sub32x4(self.sub32x4(stop, self.set32x4(from as i32)), tail));
        self.widen(length)
    }

    #[inline(always)]
    fn lengths64(self, starts: &[i64; 4], stops: &[i64; 4], from: usize, ends: &mut [u32; 4]) -> __m256i {
        let stop = cast(stops);
        let length = Lanes::<u64, 4>::sub(self, stop, cast(starts));
        let tail = self.and_all(length, self.set64(7));
        let end = Lanes::<u64, 4>::sub(self, Lanes::<u64, 4>::sub(self, stop, self.set64(from as i64)), tail);
        *ends = cast(&self.half0(self.permute32(end, cast(&[0u32, 2, 4, 6, 0, 2, 4, 6]))));
        length
    }

    #[inline(always)]
    fn lengths(self, [a, b, c, d]: &[&[u8]; 4]) -> __m256i {
        self.four64(a.len() as i64, b.len() as i64, c.len() as i64, d.len() as i64)
    }

    /// Two words at a time, which leaves more registers.
    #[inline(always)]
    unsafe fn read_quads<const G: usize>(
        self,
        base: usize,
        ends: &[u32; 4],
        rel: usize,
        first: __m256i,
        to: &mut Column<'_, u64, 4, G>,
    ) {
        let [a, b, c, d] = *in_memory(ends);
        for i in [0, 2] {
            let word = WINDOW - 4 * (rel + 1) + i;
            if to.skip < word + 2 {
                let two = |end: u32| {
                    let start = quad_start::<u64>(base.wrapping_add(end as usize), rel).wrapping_add(8 * i);
                    // SAFETY: the caller ensures that these two words may be read.
                    unsafe { with_exposed_provenance::<__m128i>(start).read_unaligned() }
                };
                let even = self.with_half1(self.from128(two(a)), two(c));
                let odd = self.with_half1(self.from128(two(b)), two(d));
                let low =
                    self.and_all(self.greater64(self.set64(i as i64 + 1), first), self.low64(even, odd));
                let high =
                    self.and_all(self.greater64(self.set64(i as i64 + 2), first), self.high64(even, odd));
                to.put(word, cast(&low));
                to.put(word + 1, cast(&high));
            }
        }
    }

    #[inline(always)]
    unsafe fn quads_within(
        self,
        ends: &[usize; 4],
        lengths: &[u32; 4],
        rel: usize,
        first: __m256i,
    ) -> [[__m128i; 2]; 4] {
        let firsts: [i64; 4] = cast(&first);
        let firsts = in_memory(&firsts);
        // The numbers of the words. That of the tail is lower than any other: the tail is incomplete and not read here.
        let words: __m256i = cast(if rel == 0 { &[0, 1, 2, i64::MIN] } else { &[0, 1, 2, 3] });
        let mut rows = [cast(&[0u8; 32]); 4];
        for (((row, &end), &length), &first) in rows.iter_mut().zip(ends).zip(lengths).zip(firsts) {
            let present = self.greater64(words, self.set64(first.wrapping_sub(1)));
            let start = quad_start::<u64>(end, rel);
            // A masked load that reads nothing costs 1300 cycles or more on an unmapped page.
            let absent = first >= if rel == 0 { 3 } else { 4 };
            let start = with_exposed_provenance(select_unpredictable(absent, zeros(), start));
            // SAFETY: only words with a set mask are read: whole words of the message. `self` proves that the CPU has
            // AVX2.
            let words = unsafe { _mm256_maskload_epi64(start, present) };
            *row = [self.half0(words), self.half1(words)];
            if rel == 0 {
                // SAFETY: the caller ensures the condition on `end` and `length`.
                let tail: u64 = unsafe { tail(end, length) };
                row[1] = self.with_word1(row[1], tail as i64);
            }
        }
        rows
    }

    #[inline(always)]
    fn transpose(self, rows: [[__m128i; 2]; 4], first: __m256i) -> [__m256i; 4] {
        let [[a0, a1], [b0, b1], [c0, c1], [d0, d1]] = rows;
        let (even0, odd0) = (self.with_half1(self.from128(a0), c0), self.with_half1(self.from128(b0), d0));
        let (even1, odd1) = (self.with_half1(self.from128(a1), c1), self.with_half1(self.from128(b1), d1));
        [
            self.and_all(self.greater64(self.set64(1), first), self.low64(even0, odd0)),
            self.and_all(self.greater64(self.set64(2), first), self.high64(even0, odd0)),
            self.and_all(self.greater64(self.set64(3), first), self.low64(even1, odd1)),
            self.and_all(self.greater64(self.set64(4), first), self.high64(even1, odd1)),
        ]
    }
}

impl Lanes<u32, 8> for Avx2 {
    type Vector = __m256i;
    type Quad = __m128i;
    type Prepared = ();
    const RESTARTS_ALWAYS: bool = true;

    instructions! {
        fn add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32;
        fn sub(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi32;
        fn xor(a: __m256i, b: __m256i) -> __m256i = _mm256_xor_si256;
        fn and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256;
        fn and_not(not: __m256i, b: __m256i) -> __m256i = _mm256_andnot_si256;
        fn or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256;
        fn shl(a: __m256i, bits: __m256i) -> __m256i = _mm256_sllv_epi32;
        fn shr(a: __m256i, bits: __m256i) -> __m256i = _mm256_srlv_epi32;
    }

    common! { __m256i, u32, 8 }

    #[inline(always)]
    fn splat(self, word: u32) -> __m256i {
        self.set32(word as i32)
    }

    #[inline(always)]
    fn store_double(self, low: __m256i, high: __m256i, integers: &mut [u64; 8]) {
        // Messages 0 1 4 5, and 2 3 6 7.
        let (a, b) = (self.low32(low, high), self.high32(low, high));
        *integers = cast(&[self.low_halves(a, b), self.high_halves(a, b)]);
    }

    #[inline(always)]
    fn rotl(self, a: __m256i, bits: u32) -> __m256i {
        let bytes = match bits {
            8 => cast(&[3u8, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14]),
            16 => cast(&[2u8, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13]),
            _ => {
                let up = self.shl32(a, self.set32(bits as i32));
                return self.or_all(up, self.shr32(a, self.set32(32 - bits as i32)));
            }
        };
        self.bytes(a, self.hide(self.twice(bytes)))
    }

    #[inline(always)]
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; 8]) -> [__m256i; 4] {
        let bytes = integers.as_flattened();
        let zero = self.set64(0);
        // Hidden, or the compiler unzips by operations on 512 bits where it may use them: those stop one of the ports.
        let load = |i| self.hide(cast::<[u8; 32], __m256i>(chunk(bytes, i)));
        match SIZE {
            4 => [load(0), zero, zero, zero],
            8 => {
                let [even, odd] = self.unzip32(load(0), load(1));
                [even, odd, zero, zero]
            }
            _ => {
                let [even0, odd0] = self.unzip32(load(0), load(1));
                let [even1, odd1] = self.unzip32(load(2), load(3));
                let ([w0, w2], [w1, w3]) = (self.unzip32(even0, even1), self.unzip32(odd0, odd1));
                [w0, w1, w2, w3]
            }
        }
    }

    #[inline(always)]
    fn numbers(self, numbers: &[u32; 8]) -> __m256i {
        cast(numbers)
    }

    #[inline(always)]
    fn restart(self, a: __m256i, choices: &[u32; 8], late: __m256i) -> __m256i {
        let due = self.permute32(cast(choices), late);
        self.of32(self.by_sign32(self.as32(due), self.as32(a), self.as32(late)))
    }

    /// Hidden from the compiler, which would guard a shift by the word's width, where the instruction gives 0.
    #[inline(always)]
    fn lowered(self, tail: __m256i, length: __m256i) -> __m256i {
        let bits = self.shl32(self.and_all(length, self.set32(3)), self.set32(3));
        self.shr32(tail, self.hide(Lanes::<u32, 8>::sub(self, self.set32(32), bits)))
    }

    #[inline(always)]
    fn begin<const G: usize>(
        self,
        starts: &StartTable<u32>,
        whole: [__m256i; G],
        skip: usize,
    ) -> [[__m256i; 4]; G] {
        let mut tables = [self.set64(0); 4];
        for (table, starts) in tables.iter_mut().zip(starts) {
            *table =
                cast::<[u32; 8], _>(starts.get(skip..).and_then(<[u32]>::first_chunk).unwrap_or(&[0; 8]));
        }
        let mut states = [tables; G];
        for (v, whole) in states.iter_mut().zip(whole) {
            for word in v {
                *word = self.permute32(*word, whole);
            }
        }
        states
    }

    #[inline(always)]
    fn longest<const G: usize>(self, lengths: &[__m256i; G]) -> usize {
        let mut all = lengths[0];
        for &lengths in &lengths[1..] {
            all = self.max32(all, lengths);
        }
        let two = self.max32x4(self.half0(all), self.half1(all));
        let two = self.max32x4(two, self.halves64(two));
        self.number32(self.max32x4(two, self.odd32x4(two))) as u32 as usize
    }

    #[inline(always)]
    fn shortest<const G: usize>(self, lengths: &[__m256i; G]) -> usize {
        let mut all = lengths[0];
        for &lengths in &lengths[1..] {
            all = self.min32(all, lengths);
        }
        let two = self.min32x4(self.half0(all), self.half1(all));
        let two = self.min32x4(two, self.halves64(two));
        self.number32(self.min32x4(two, self.odd32x4(two))) as u32 as usize
    }

    #[inline(always)]
    fn lengths32(self, starts: &[i32; 8], stops: &[i32; 8], from: usize, ends: &mut [u32; 8]) -> __m256i {
        let stop = cast(stops);
        let length = Lanes::<u32, 8>::sub(self, stop, cast(starts));
        let tail = self.and_all(length, self.set32(3));
        let end = Lanes::<u32, 8>::sub(self, Lanes::<u32, 8>::sub(self, stop, self.set32(from as i32)), tail);
        *ends = cast(&end);
        length
    }

    #[inline(always)]
    fn lengths64(self, starts: &[i64; 8], stops: &[i64; 8], from: usize, ends: &mut [u32; 8]) -> __m256i {
        let low = |offsets: &[i64; 8]| {
            let bytes: [u8; 64] = cast(offsets);
            self.unzip32(cast(chunk::<32>(&bytes, 0)), cast(chunk::<32>(&bytes, 1)))[0]
        };
        let (starts, stops): ([i32; 8], [i32; 8]) = (cast(&low(starts)), cast(&low(stops)));
        Lanes::<u32, 8>::lengths32(self, &starts, &stops, from, ends)
    }

    #[inline(always)]
    fn lengths(self, [a, b, c, d, e, f, g, h]: &[&[u8]; 8]) -> __m256i {
        let low = self.four32(a.len() as i32, b.len() as i32, c.len() as i32, d.len() as i32);
        let high = self.four32(e.len() as i32, f.len() as i32, g.len() as i32, h.len() as i32);
        self.with_half1(self.from128(low), high)
    }

    #[inline(always)]
    unsafe fn quads_within(
        self,
        ends: &[usize; 8],
        lengths: &[u32; 8],
        rel: usize,
        first: __m256i,
    ) -> [__m128i; 8] {
        let firsts: [i32; 8] = cast(&first);
        let firsts = in_memory(&firsts);
        // As above.
        let words: __m128i = cast(if rel == 0 { &[0, 1, 2, i32::MIN] } else { &[0, 1, 2, 3] });
        let mut rows = [cast(&[0u8; 16]); 8];
        for (((row, &end), &length), &first) in rows.iter_mut().zip(ends).zip(lengths).zip(firsts) {
            let present = self.greater32x4(words, self.set32x4(first.wrapping_sub(1)));
            let start = quad_start::<u32>(end, rel);
            // A masked load that reads nothing costs 1300 cycles or more on an unmapped page.
            let absent = first >= if rel == 0 { 3 } else { 4 };
            let start = with_exposed_provenance(select_unpredictable(absent, zeros(), start));
            // SAFETY: only words with a set mask are read: whole words of the message. `self` proves that the CPU has
            // AVX2.
            *row = unsafe { _mm_maskload_epi32(start, present) };
            if rel == 0 {
                // SAFETY: the caller ensures the condition on `end` and `length`.
                let tail: u32 = unsafe { tail(end, length) };
                *row = self.with_word3(*row, tail as i32);
            }
        }
        rows
    }

    #[inline(always)]
    fn transpose(self, rows: [__m128i; 8], first: __m256i) -> [__m256i; 4] {
        // Messages 0 4, then 1 5: two 4 x 4 transposes at a time.
        let mut two = [self.set64(0); 4];
        for (i, two) in two.iter_mut().enumerate() {
            *two = self.with_half1(self.from128(rows[i]), rows[i + 4]);
        }
        let [a, b, c, d] = two;
        let (low0, low1) = (self.low32(a, b), self.low32(c, d));
        let (high0, high1) = (self.high32(a, b), self.high32(c, d));
        [
            self.and_all(self.greater32(self.set32(1), first), self.low64(low0, low1)),
            self.and_all(self.greater32(self.set32(2), first), self.high64(low0, low1)),
            self.and_all(self.greater32(self.set32(3), first), self.low64(high0, high1)),
            self.and_all(self.greater32(self.set32(4), first), self.high64(high0, high1)),
        ]
    }
}
