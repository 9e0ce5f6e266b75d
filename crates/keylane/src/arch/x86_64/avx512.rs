//! SipHash with AVX-512: eight words of 64 bits in a register, or sixteen of 32.

use super::{Avx512, cast, chunk, common, instructions};
use crate::arch::generic::lanes::{Lanes, Work};
use crate::arch::generic::quad::{ZEROS, zeros};
use crate::job::barrier::in_memory;
use core::arch::x86_64::*;
use core::hint::select_unpredictable;
use core::ptr::with_exposed_provenance;

/// Not inlined, so each piece of work is a separate function.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn call<F: Work>(work: F) {
    work.run();
}

/// Chunk i of 64 bytes.
#[inline(always)]
fn load(bytes: &[u8], i: usize) -> __m512i {
    cast(chunk::<64>(bytes, i))
}

impl Avx512 {
    instructions! {
        fn set64(a: i64) -> __m512i = _mm512_set1_epi64;
        fn set32(a: i32) -> __m512i = _mm512_set1_epi32;
        fn set8(a: i8) -> __m512i = _mm512_set1_epi8;
        fn max64(a: __m512i, b: __m512i) -> __m512i = _mm512_max_epi64;
        fn max32(a: __m512i, b: __m512i) -> __m512i = _mm512_max_epi32;
        fn rotl64(a: __m512i, bits: __m512i) -> __m512i = _mm512_rolv_epi64;
        fn rotl32(a: __m512i, bits: __m512i) -> __m512i = _mm512_rolv_epi32;
        fn and_all(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512;
        fn shl32(a: __m512i, bits: __m512i) -> __m512i = _mm512_sllv_epi32;
        fn shl64(a: __m512i, bits: __m512i) -> __m512i = _mm512_sllv_epi64;
        fn shr32(a: __m512i, bits: __m512i) -> __m512i = _mm512_srlv_epi32;
        fn shr64(a: __m512i, bits: __m512i) -> __m512i = _mm512_srlv_epi64;
        fn sub32(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi32;
        fn sub64(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi64;
        fn swap32(a: __m512i) -> __m512i = _mm512_shuffle_epi32::<0b10_11_00_01>;
        fn sub8(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi8;
        fn below8(a: __m512i, b: __m512i) -> u64 = _mm512_cmplt_epu8_mask;
        fn add8_where(a: __m512i, mask: u64, b: __m512i, c: __m512i) -> __m512i = _mm512_mask_add_epi8;
        fn at_most64(a: __m512i, b: __m512i) -> u8 = _mm512_cmple_epi64_mask;
        fn at_most32(a: __m512i, b: __m512i) -> u16 = _mm512_cmple_epi32_mask;
        fn permute64_where(a: __m512i, mask: u8, index: __m512i, b: __m512i) -> __m512i = _mm512_mask_permutexvar_epi64;
        fn permute32_where(a: __m512i, mask: u16, index: __m512i, b: __m512i) -> __m512i = _mm512_mask_permutexvar_epi32;
        fn pick64(a: __m512i, index: __m512i, b: __m512i) -> __m512i = _mm512_permutex2var_epi64;
        fn pick32(a: __m512i, index: __m512i, b: __m512i) -> __m512i = _mm512_permutex2var_epi32;
        fn widen(a: __m256i) -> __m512i = _mm512_cvtepu32_epi64;
        fn low64(a: __m512i, b: __m512i) -> __m512i = _mm512_unpacklo_epi64;
        fn high64(a: __m512i, b: __m512i) -> __m512i = _mm512_unpackhi_epi64;
        fn low32(a: __m512i, b: __m512i) -> __m512i = _mm512_unpacklo_epi32;
        fn high32(a: __m512i, b: __m512i) -> __m512i = _mm512_unpackhi_epi32;
        fn any64(a: __m512i, b: __m512i) -> u8 = _mm512_test_epi64_mask;
        fn any32(a: __m512i, b: __m512i) -> u16 = _mm512_test_epi32_mask;
        fn add64_where(a: __m512i, mask: u8, b: __m512i, c: __m512i) -> __m512i = _mm512_mask_add_epi64;
        fn where32(mask: u16, a: __m512i) -> __m512i = _mm512_maskz_mov_epi32;
        fn even_quarters_where(mask: u8, a: __m512i, b: __m512i) -> __m512i = _mm512_maskz_shuffle_i64x2::<0b10_00_10_00>;
        fn odd_quarters_where(mask: u8, a: __m512i, b: __m512i) -> __m512i = _mm512_maskz_shuffle_i64x2::<0b11_01_11_01>;
        fn low256(a: __m512i) -> __m256i = _mm512_castsi512_si256;
        fn from256(a: __m256i) -> __m512i = _mm512_castsi256_si512;
        fn from128(a: __m128i) -> __m512i = _mm512_castsi128_si512;
        fn half1(a: __m512i, b: __m256i) -> __m512i = _mm512_inserti64x4::<1>;
        fn quarter1(a: __m512i, b: __m128i) -> __m512i = _mm512_inserti32x4::<1>;
        fn quarter2(a: __m512i, b: __m128i) -> __m512i = _mm512_inserti32x4::<2>;
        fn quarter3(a: __m512i, b: __m128i) -> __m512i = _mm512_inserti32x4::<3>;
    }

    #[inline(always)]
    fn zero(self) -> __m512i {
        self.set64(0)
    }

    /// Sets bit 0x20 in the bytes from `A` to `Z`.
    #[inline(always)]
    fn fold8(self, a: __m512i) -> __m512i {
        let above_a = self.sub8(a, self.set8(b'A' as i8));
        let capitals = self.below8(above_a, self.set8(26));
        self.add8_where(a, capitals, a, self.set8(0x20))
    }

    /// The addresses of eight quads: `after - before` bytes after `ends`, or `ZEROS` where `any` says that there is
    /// nothing to read. A masked load that reads nothing costs 1300 cycles or more on an unmapped page.
    #[inline(always)]
    fn addresses(self, ends: __m512i, after: usize, before: usize, any: u8) -> __m512i {
        let zeros = self.set64(zeros() as i64);
        self.add64_where(zeros, any, ends, self.set64(after.wrapping_sub(before) as i64))
    }

    /// Chunk i of 64 bytes, with zeros after the end of `bytes`.
    #[inline(always)]
    fn within(self, bytes: &[u8], i: usize) -> __m512i {
        let bytes = bytes.get(64 * i..).unwrap_or(&[]);
        let mask = u64::MAX.checked_shr(64 - bytes.len().min(64) as u32).unwrap_or(0);
        let start = select_unpredictable(bytes.is_empty(), ZEROS.as_ptr(), bytes.as_ptr());
        // SAFETY: only bytes with a set bit are read: the first ones of the rest of `bytes`, at most as many as there
        // are. `self` proves that the CPU has AVX-512 BW.
        unsafe { _mm512_maskz_loadu_epi8(mask, start.cast()) }
    }

    /// The words of eight messages of SIZE bytes, 8 or 16.
    #[inline(always)]
    fn words64<const SIZE: usize>(self, [a, b]: [__m512i; 2]) -> [__m512i; 4] {
        let zero = self.zero();
        if SIZE == 8 {
            return [a, zero, zero, zero];
        }
        let (even, odd) = (cast(&[0u64, 2, 4, 6, 8, 10, 12, 14]), cast(&[1u64, 3, 5, 7, 9, 11, 13, 15]));
        [self.pick64(a, even, b), self.pick64(a, odd, b), zero, zero]
    }

    /// The words of sixteen messages of SIZE bytes, 4, 8 or 16.
    #[inline(always)]
    fn words32<const SIZE: usize>(self, [a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        let zero = self.zero();
        if SIZE == 4 {
            return [a, zero, zero, zero];
        }
        let [even0, odd0] = self.unzip32(a, b);
        if SIZE == 8 {
            return [even0, odd0, zero, zero];
        }
        let [even1, odd1] = self.unzip32(c, d);
        let ([w0, w2], [w1, w3]) = (self.unzip32(even0, even1), self.unzip32(odd0, odd1));
        [w0, w1, w2, w3]
    }

    /// The words with even and with odd index, of 32.
    #[inline(always)]
    fn unzip32(self, a: __m512i, b: __m512i) -> [__m512i; 2] {
        let even = cast(&[0u32, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]);
        let odd = cast(&[1u32, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31]);
        [self.pick32(a, even, b), self.pick32(a, odd, b)]
    }
}

impl Lanes<u64, 8> for Avx512 {
    type Vector = __m512i;
    type Quad = __m256i;
    const SLICES: usize = 16;
    const RESTARTS_ALWAYS: bool = true;

    instructions! {
        fn add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi64;
        fn sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi64;
        fn xor(a: __m512i, b: __m512i) -> __m512i = _mm512_xor_si512;
        fn and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512;
        fn and_not(not: __m512i, b: __m512i) -> __m512i = _mm512_andnot_si512;
        fn or(a: __m512i, b: __m512i) -> __m512i = _mm512_or_si512;
        fn shl(a: __m512i, bits: __m512i) -> __m512i = _mm512_sllv_epi64;
        fn shr(a: __m512i, bits: __m512i) -> __m512i = _mm512_srlv_epi64;
    }

    common! { __m512i, u64, 8 }

    #[inline(always)]
    fn splat(self, word: u64) -> __m512i {
        self.set64(word as i64)
    }

    #[inline(always)]
    fn store_double(self, low: __m512i, high: __m512i, integers: &mut [u128; 8]) {
        let first = self.pick64(low, cast(&[0u64, 8, 1, 9, 2, 10, 3, 11]), high);
        let second = self.pick64(low, cast(&[4u64, 12, 5, 13, 6, 14, 7, 15]), high);
        *integers = cast(&[first, second]);
    }

    /// The rotation by half a word as a shuffle: it leaves the ports of the rotations free.
    #[inline(always)]
    fn rotl(self, a: __m512i, bits: u32) -> __m512i {
        if bits == 32 { self.swap32(a) } else { self.rotl64(a, self.set64(bits.into())) }
    }

    #[inline(always)]
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; 8]) -> [__m512i; 4] {
        let bytes = integers.as_flattened();
        match SIZE {
            4 => [self.widen(cast(chunk::<32>(bytes, 0))), self.zero(), self.zero(), self.zero()],
            8 => self.words64::<8>([load(bytes, 0), self.zero()]),
            _ => self.words64::<16>([load(bytes, 0), load(bytes, 1)]),
        }
    }

    #[inline(always)]
    fn few_integers<const SIZE: usize>(self, integers: &[[u8; SIZE]]) -> [__m512i; 4] {
        let bytes = integers.as_flattened();
        match SIZE {
            4 => [self.widen(self.low256(self.within(bytes, 0))), self.zero(), self.zero(), self.zero()],
            8 => self.words64::<8>([self.within(bytes, 0), self.zero()]),
            _ => self.words64::<16>([self.within(bytes, 0), self.within(bytes, 1)]),
        }
    }

    #[inline(always)]
    fn store_few(self, a: __m512i, words: &mut [u64]) {
        let n = words.len().min(8);
        // SAFETY: only the first n words are written, and `words` has them. `self` proves that the CPU has AVX-512 F.
        unsafe { _mm512_mask_storeu_epi64(words.as_mut_ptr().cast(), !(!0 << n) as u8, a) }
    }

    #[inline(always)]
    fn numbers(self, numbers: &[u32; 8]) -> __m512i {
        self.widen(cast(numbers))
    }

    #[inline(always)]
    fn restart(self, a: __m512i, choices: &[u64; 8], late: __m512i) -> __m512i {
        self.permute64_where(a, self.at_most64(self.zero(), late), late, cast(choices))
    }

    #[inline(always)]
    unsafe fn quads_within(
        self,
        ends: &[usize; 8],
        lengths: &[u32; 8],
        rel: usize,
        first: __m512i,
    ) -> [__m256i; 8] {
        let all = self.set64(u32::MAX.into());
        let before = self.shl64(self.max64(first, self.zero()), self.set64(3));
        let mut bytes = self.shl64(all, before);
        if rel == 0 {
            let tail = self.and_all(self.widen(cast(lengths)), self.set64(7));
            bytes = self.and_all(bytes, self.shr64(all, self.sub64(self.set64(8), tail)));
        }
        let starts = self.addresses(cast(ends), 8, 32 * (rel + 1), self.any64(bytes, all));
        let (bytes, starts): ([u64; 8], [u64; 8]) = (cast(&bytes), cast(&starts));
        let (bytes, starts) = (in_memory(&bytes), in_memory(&starts));
        let mut rows = [cast(&[0u8; 32]); 8];
        for ((row, &start), &bytes) in rows.iter_mut().zip(starts).zip(bytes) {
            let start = with_exposed_provenance(start as usize);
            // SAFETY: only bytes with a set bit are read: those from the message's first to its last. `self` proves
            // that the CPU has AVX-512 BW and VL.
            *row = unsafe { _mm256_maskz_loadu_epi8(bytes as u32, start) };
        }
        rows
    }

    #[inline(always)]
    fn transpose(self, rows: [__m256i; 8], first: __m512i) -> [__m512i; 4] {
        // a is messages 0 and 2, b is 1 and 3: even words of 0 1 | 0 1 | 2 3 | 2 3, then odd ones.
        let a = self.half1(self.from256(rows[0]), rows[2]);
        let b = self.half1(self.from256(rows[1]), rows[3]);
        let c = self.half1(self.from256(rows[4]), rows[6]);
        let d = self.half1(self.from256(rows[5]), rows[7]);
        let (even0, even1) = (self.low64(a, b), self.low64(c, d));
        let (odd0, odd1) = (self.high64(a, b), self.high64(c, d));
        [
            self.even_quarters_where(self.at_most64(first, self.set64(0)), even0, even1),
            self.even_quarters_where(self.at_most64(first, self.set64(1)), odd0, odd1),
            self.odd_quarters_where(self.at_most64(first, self.set64(2)), even0, even1),
            self.odd_quarters_where(self.at_most64(first, self.set64(3)), odd0, odd1),
        ]
    }
}

impl Lanes<u32, 16> for Avx512 {
    type Vector = __m512i;
    type Quad = __m128i;
    const SLICES: usize = 16;
    const RESTARTS_ALWAYS: bool = true;

    instructions! {
        fn add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32;
        fn sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi32;
        fn xor(a: __m512i, b: __m512i) -> __m512i = _mm512_xor_si512;
        fn and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512;
        fn and_not(not: __m512i, b: __m512i) -> __m512i = _mm512_andnot_si512;
        fn or(a: __m512i, b: __m512i) -> __m512i = _mm512_or_si512;
        fn shl(a: __m512i, bits: __m512i) -> __m512i = _mm512_sllv_epi32;
        fn shr(a: __m512i, bits: __m512i) -> __m512i = _mm512_srlv_epi32;
    }

    common! { __m512i, u32, 16 }

    #[inline(always)]
    fn splat(self, word: u32) -> __m512i {
        self.set32(word as i32)
    }

    #[inline(always)]
    fn store_double(self, low: __m512i, high: __m512i, integers: &mut [u64; 16]) {
        let first = cast(&[0u32, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23]);
        let second = cast(&[8u32, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31]);
        *integers = cast(&[self.pick32(low, first, high), self.pick32(low, second, high)]);
    }

    #[inline(always)]
    fn rotl(self, a: __m512i, bits: u32) -> __m512i {
        self.rotl32(a, self.set32(bits as i32))
    }

    #[inline(always)]
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; 16]) -> [__m512i; 4] {
        let bytes = integers.as_flattened();
        match SIZE {
            4 => self.words32::<4>([load(bytes, 0), self.zero(), self.zero(), self.zero()]),
            8 => self.words32::<8>([load(bytes, 0), load(bytes, 1), self.zero(), self.zero()]),
            _ => self.words32::<16>([load(bytes, 0), load(bytes, 1), load(bytes, 2), load(bytes, 3)]),
        }
    }

    #[inline(always)]
    fn few_integers<const SIZE: usize>(self, integers: &[[u8; SIZE]]) -> [__m512i; 4] {
        let bytes = integers.as_flattened();
        let first = self.within(bytes, 0);
        match SIZE {
            4 => self.words32::<4>([first, self.zero(), self.zero(), self.zero()]),
            8 => self.words32::<8>([first, self.within(bytes, 1), self.zero(), self.zero()]),
            _ => {
                let [second, third] = [self.within(bytes, 1), self.within(bytes, 2)];
                self.words32::<16>([first, second, third, self.within(bytes, 3)])
            }
        }
    }

    #[inline(always)]
    fn store_few(self, a: __m512i, words: &mut [u32]) {
        let n = words.len().min(16);
        // SAFETY: only the first n words are written, and `words` has them. `self` proves that the CPU has AVX-512 F.
        unsafe { _mm512_mask_storeu_epi32(words.as_mut_ptr().cast(), !(!0 << n) as u16, a) }
    }

    #[inline(always)]
    fn numbers(self, numbers: &[u32; 16]) -> __m512i {
        cast(numbers)
    }

    #[inline(always)]
    fn restart(self, a: __m512i, choices: &[u32; 16], late: __m512i) -> __m512i {
        self.permute32_where(a, self.at_most32(self.zero(), late), late, cast(choices))
    }

    #[inline(always)]
    unsafe fn quads_within(
        self,
        ends: &[usize; 16],
        lengths: &[u32; 16],
        rel: usize,
        first: __m512i,
    ) -> [__m128i; 16] {
        let all = self.set32(u16::MAX.into());
        let before = self.shl32(self.max32(first, self.zero()), self.set32(2));
        let mut bytes = self.shl32(all, before);
        if rel == 0 {
            let tail = self.and_all(cast(lengths), self.set32(3));
            bytes = self.and_all(bytes, self.shr32(all, self.sub32(self.set32(4), tail)));
        }
        let any = self.any32(bytes, all);
        let [low, high] = cast(ends);
        let low = self.addresses(low, 4, 16 * (rel + 1), any as u8);
        let high = self.addresses(high, 4, 16 * (rel + 1), (any >> 8) as u8);
        let (bytes, starts): ([u32; 16], [u64; 16]) = (cast(&bytes), cast(&[low, high]));
        let (bytes, starts) = (in_memory(&bytes), in_memory(&starts));
        let mut rows = [cast(&[0u8; 16]); 16];
        for ((row, &start), &bytes) in rows.iter_mut().zip(starts).zip(bytes) {
            let start = with_exposed_provenance(start as usize);
            // SAFETY: only bytes with a set bit are read: those from the message's first to its last. `self` proves
            // that the CPU has AVX-512 BW and VL.
            *row = unsafe { _mm_maskz_loadu_epi8(bytes as u16, start) };
        }
        rows
    }

    #[inline(always)]
    fn transpose(self, rows: [__m128i; 16], first: __m512i) -> [__m512i; 4] {
        let mut four = [self.zero(); 4];
        for (i, four) in four.iter_mut().enumerate() {
            *four = self.quarter1(self.from128(rows[i]), rows[i + 4]);
            *four = self.quarter3(self.quarter2(*four, rows[i + 8]), rows[i + 12]);
        }
        // Messages 0 4 8 12, then 1 5 9 13: four 4 x 4 transposes at a time.
        let [a, b, c, d] = four;
        let (low0, low1) = (self.low32(a, b), self.low32(c, d));
        let (high0, high1) = (self.high32(a, b), self.high32(c, d));
        [
            self.where32(self.at_most32(first, self.set32(0)), self.low64(low0, low1)),
            self.where32(self.at_most32(first, self.set32(1)), self.high64(low0, low1)),
            self.where32(self.at_most32(first, self.set32(2)), self.low64(high0, high1)),
            self.where32(self.at_most32(first, self.set32(3)), self.high64(high0, high1)),
        ]
    }
}
