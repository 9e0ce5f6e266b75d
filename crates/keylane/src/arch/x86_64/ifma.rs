//! Base 2^44 in AVX-512 registers, with the 52-bit multiplications of IFMA: 8 lanes in 512 bits, or 4 in 256.

use super::blocks44::Blocks;
use super::messages44::{self, Tags44};
use super::radix44::{Limbs, Vectors44};
use super::{cast, chunk, instructions, proof};
use crate::job::poly1305::Key;
use core::arch::x86_64::*;
use core::ptr::with_exposed_provenance;

proof! {
    /// The CPU has AVX-512 F, BW, VL, IFMA, VBMI and VBMI2, and BMI2.
    ///
    /// AVX-512 DQ is left out, though CPUs with these features have it. The compiler would turn shifts and additions
    /// into its slow 64-bit multiplication.
    pub Ifma: "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2"
}

/// Registers of 512 bits.
#[derive(Clone, Copy)]
pub struct Zmm(pub Ifma);

/// Registers of 256 bits.
#[derive(Clone, Copy)]
pub struct Ymm(pub Ifma);

/// Masks of lanes: entry i has the lanes of block i and of all later ones. Unpacking leaves 8 blocks in the order
/// 0 4 1 5 2 6 3 7, and 4 in the order 0 2 1 3.
const fn present(n: usize) -> [u8; 9] {
    let mut lanes = [0; 9];
    let mut absent = 0;
    while absent < n {
        let mut block = absent;
        while block < n {
            lanes[absent] |= 1 << (2 * (block % (n / 2)) + block / (n / 2));
            block += 1;
        }
        absent += 1;
    }
    lanes
}

impl Zmm {
    instructions! {
        fn set64(a: i64) -> __m512i = _mm512_set1_epi64;
        fn set8(a: i8) -> __m512i = _mm512_set1_epi8;
        fn shift_left(a: __m512i, bits: __m512i) -> __m512i = _mm512_sllv_epi64;
        fn shift_right(a: __m512i, bits: __m512i) -> __m512i = _mm512_srlv_epi64;
        fn shift_both(low: __m512i, high: __m512i, bits: __m512i) -> __m512i = _mm512_shrdv_epi64;
        fn expand(mask: u8, a: __m512i) -> __m512i = _mm512_maskz_expand_epi64;
        fn pick8(mask: u64, index: __m512i, a: __m512i) -> __m512i = _mm512_maskz_permutexvar_epi8;
        fn blend8(mask: u64, a: __m512i, b: __m512i) -> __m512i = _mm512_mask_blend_epi8;
        fn blend64(mask: u8, a: __m512i, b: __m512i) -> __m512i = _mm512_mask_blend_epi64;
        fn where64(mask: u8, a: __m512i) -> __m512i = _mm512_maskz_mov_epi64;
        fn low64(a: __m512i, b: __m512i) -> __m512i = _mm512_unpacklo_epi64;
        fn high64(a: __m512i, b: __m512i) -> __m512i = _mm512_unpackhi_epi64;
        fn permute64(index: __m512i, a: __m512i) -> __m512i = _mm512_permutexvar_epi64;
        fn swap64(a: __m512i) -> __m512i = _mm512_shuffle_epi32::<0b01_00_11_10>;
        fn low_halves(a: __m512i, b: __m512i) -> __m512i = _mm512_shuffle_i64x2::<0b01_00_01_00>;
        fn high_halves(a: __m512i, b: __m512i) -> __m512i = _mm512_shuffle_i64x2::<0b11_10_11_10>;
        fn swap_quarters(a: __m512i, b: __m512i) -> __m512i = _mm512_shuffle_i64x2::<0b10_11_00_01>;
    }
}

impl Vectors44 for Zmm {
    type V = __m512i;

    instructions! {
        fn add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi64;
        fn sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi64;
        fn and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512;
        fn low(sum: __m512i, a: __m512i, b: __m512i) -> __m512i = _mm512_madd52lo_epu64;
        fn high(sum: __m512i, a: __m512i, b: __m512i) -> __m512i = _mm512_madd52hi_epu64;
    }

    #[inline(always)]
    fn splat(self, x: u64) -> __m512i {
        self.set64(x as i64)
    }

    #[inline(always)]
    fn shl(self, a: __m512i, bits: u32) -> __m512i {
        self.shift_left(a, self.set64(bits.into()))
    }

    #[inline(always)]
    fn shr(self, a: __m512i, bits: u32) -> __m512i {
        self.shift_right(a, self.set64(bits.into()))
    }

    #[inline(always)]
    fn shr_both(self, low: __m512i, high: __m512i, bits: u32) -> __m512i {
        self.shift_both(low, high, self.set64(bits.into()))
    }
}

impl Blocks for Zmm {
    const N: usize = 8;
    const PRESENT: [u8; 9] = present(8);
    type Group = [u8; 128];

    #[inline(always)]
    fn groups(bytes: &[u8]) -> (&[[u8; 128]], &[u8]) {
        bytes.as_chunks()
    }

    #[inline(always)]
    fn load(self, group: &[u8; 128]) -> [__m512i; 2] {
        cast(group)
    }

    #[inline(always)]
    fn load_first(self, bytes: &[u8]) -> __m512i {
        cast(chunk::<64>(bytes, 0))
    }

    #[inline(always)]
    fn load_last(self, bytes: &[u8]) -> __m512i {
        cast(bytes.last_chunk::<64>().unwrap_or(&[0; 64]))
    }

    #[inline(always)]
    fn move_up(self, a: __m512i, words: usize) -> __m512i {
        self.expand((0xff << words) as u8, a)
    }

    #[inline(always)]
    fn close(self, a: __m512i, missing: usize) -> __m512i {
        let a = self.move_down(a, missing, u64::MAX >> missing);
        self.blend8(1 << (64 - missing), a, self.set8(1))
    }

    #[inline(always)]
    fn words(self, [a, b]: [__m512i; 2]) -> [__m512i; 2] {
        [self.low64(a, b), self.high64(a, b)]
    }

    #[inline(always)]
    fn splat_in(self, lanes: u8, x: u64) -> __m512i {
        self.where64(lanes, self.set64(x as i64))
    }

    #[inline(always)]
    fn blend(self, lanes: u8, a: __m512i, b: __m512i) -> __m512i {
        self.blend64(lanes, a, b)
    }

    #[inline(always)]
    fn even(self, a: __m512i, b: __m512i) -> __m512i {
        self.low64(a, b)
    }

    #[inline(always)]
    fn odd(self, a: __m512i) -> __m512i {
        self.high64(a, a)
    }

    #[inline(always)]
    fn lane(self, a: __m512i, lane: usize) -> __m512i {
        self.permute64(self.set64(lane as i64), a)
    }

    #[inline(always)]
    fn with_lanes(self, words: &[u64; 8]) -> __m512i {
        cast(words)
    }

    #[inline(always)]
    fn lanes(self, a: __m512i) -> [u64; 8] {
        cast(&a)
    }

    #[inline(always)]
    fn sum_lanes(self, [a0, a1, a2]: Limbs<__m512i>) -> [u64; 3] {
        // Sums of two lanes: limbs 0 and 1 in turn, limb 2 twice.
        let a = self.add(self.low64(a0, a1), self.high64(a0, a1));
        let b = self.add(a2, self.swap64(a2));
        // Sums of four: a a b b. Then sums of eight.
        let c = self.add(self.low_halves(a, b), self.high_halves(a, b));
        let [x0, x1, _, _, x2, ..]: [u64; 8] = cast(&self.add(c, self.swap_quarters(c, c)));
        [x0, x1, x2]
    }
}

/// Eight messages, one in each lane. A transpose moves the messages to lanes 0, 2, 4, 6, 1, 3, 5, 7, in this order: it
/// interleaves two words, then gathers quarters.
impl Zmm {
    instructions! {
        fn even_quarters(a: __m512i, b: __m512i) -> __m512i = _mm512_shuffle_i64x2::<0b10_00_10_00>;
        fn odd_quarters(a: __m512i, b: __m512i) -> __m512i = _mm512_shuffle_i64x2::<0b11_01_11_01>;
        fn widen(a: __m256i) -> __m512i = _mm512_castsi256_si512;
        fn with_half(a: __m512i, b: __m256i) -> __m512i = _mm512_inserti64x4::<1>;
        fn pick64(a: __m512i, index: __m512i, b: __m512i) -> __m512i = _mm512_permutex2var_epi64;
        fn below(a: __m512i, b: __m512i) -> u8 = _mm512_cmplt_epu64_mask;
        fn add_where(a: __m512i, mask: u8, b: __m512i, c: __m512i) -> __m512i = _mm512_mask_add_epi64;
        fn max64(a: __m512i, b: __m512i) -> __m512i = _mm512_max_epu64;
    }

    /// The larger of a and x.
    #[inline(always)]
    pub fn at_least(self, a: __m512i, x: u64) -> __m512i {
        self.max64(a, self.splat(x))
    }

    /// Four words of messages 0 and 1, 2 and 3, 4 and 5, 6 and 7: word by word.
    #[inline(always)]
    fn four_words(self, [a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        let (even0, even1) = (self.low64(a, c), self.low64(b, d));
        let (odd0, odd1) = (self.high64(a, c), self.high64(b, d));
        [
            self.even_quarters(even0, even1),
            self.even_quarters(odd0, odd1),
            self.odd_quarters(even0, even1),
            self.odd_quarters(odd0, odd1),
        ]
    }

    /// r0, r1, s0, s1 of the keys, in the order of the transpose.
    #[inline(always)]
    pub fn words_of_keys(self, k: [&Key; 8]) -> [__m512i; 4] {
        self.four_words([
            self.with_half(self.widen(cast(k[0])), cast(k[1])),
            self.with_half(self.widen(cast(k[2])), cast(k[3])),
            self.with_half(self.widen(cast(k[4])), cast(k[5])),
            self.with_half(self.widen(cast(k[6])), cast(k[7])),
        ])
    }

    /// 64 bytes of each lane's message from byte `at` on, word by word.
    ///
    /// # Safety
    /// They may be read.
    #[inline(always)]
    pub unsafe fn transposed(self, lanes: &[usize; 8], at: usize) -> [__m512i; 8] {
        let mut words = [self.set64(0); 8];
        for (words, at) in words.as_chunks_mut::<4>().0.iter_mut().zip([at, at + 32]) {
            let mut pairs = [self.set64(0); 4];
            for (pair, [first, second]) in pairs.iter_mut().zip([[0, 2], [4, 6], [1, 3], [5, 7]]) {
                let row = |lane: usize| with_exposed_provenance::<__m256i>(lanes[lane].wrapping_add(at));
                // SAFETY: the caller ensures that these 32 bytes may be read.
                let first = unsafe { row(first).read_unaligned() };
                // SAFETY: the same for these.
                let second = unsafe { row(second).read_unaligned() };
                *pair = self.with_half(self.widen(first), second);
            }
            *words = self.four_words(pairs);
        }
        words
    }

    /// 64 bytes of each message, word by word.
    #[inline(always)]
    pub fn transpose(self, rows: [__m512i; 8]) -> [__m512i; 8] {
        let [a, b, c, d, e, f, g, h] = rows;
        let [w0, w1, w2, w3] = self.four_words([
            self.low_halves(a, b),
            self.low_halves(c, d),
            self.low_halves(e, f),
            self.low_halves(g, h),
        ]);
        let [w4, w5, w6, w7] = self.four_words([
            self.high_halves(a, b),
            self.high_halves(c, d),
            self.high_halves(e, f),
            self.high_halves(g, h),
        ]);
        [w0, w1, w2, w3, w4, w5, w6, w7]
    }

    /// The bytes at this address whose bit is set, of 64, and zeros for the others.
    ///
    /// # Safety
    /// The bytes whose bit is set may be read.
    #[inline(always)]
    pub unsafe fn load_where(self, mask: u64, address: usize) -> __m512i {
        // SAFETY: a masked load reads no byte whose bit is clear; the caller ensures that the others may be read.
        // `self` proves that the CPU has AVX-512 BW.
        unsafe { _mm512_maskz_loadu_epi8(mask, with_exposed_provenance(address)) }
    }

    /// The bytes moved down by `by`, at most 15, where a bit of `kept` is set, and zeros elsewhere.
    #[inline(always)]
    pub fn move_down(self, a: __m512i, by: usize, kept: u64) -> __m512i {
        self.pick8(kept, cast(chunk_at(&MOVED, by)), a)
    }

    /// The tags of accumulators with carried limbs ([`messages44::tags`]).
    #[inline(always)]
    pub fn tags(self, h: Limbs<__m512i>, s: [__m512i; 2]) -> [[u8; 16]; 8] {
        let [low, high] = messages44::tags(self, h, s);
        let first = self.pick64(low, cast(&[0u64, 8, 1, 9, 2, 10, 3, 11]), high);
        let second = self.pick64(low, cast(&[4u64, 12, 5, 13, 6, 14, 7, 15]), high);
        cast(&[first, second])
    }
}

impl Tags44 for Zmm {
    instructions! {
        fn or(a: __m512i, b: __m512i) -> __m512i = _mm512_or_si512;
    }

    #[inline(always)]
    fn plus_below(self, x: __m512i, a: __m512i, b: __m512i) -> __m512i {
        self.add_where(x, self.below(a, b), x, self.splat(1))
    }
}

/// The 64 bytes after the first `by`, at most 15.
#[inline(always)]
fn chunk_at(bytes: &[u8; 80], by: usize) -> &[u8; 64] {
    bytes.get(by..).and_then(<[u8]>::first_chunk).unwrap_or(&[0; 64])
}

/// 0, 1, ..., 63, and then the indices used when bytes are moved down.
const MOVED: [u8; 80] = {
    let mut indices = [0; 80];
    let mut i = 0;
    while i < 80 {
        indices[i] = i as u8;
        i += 1;
    }
    indices
};

impl Ymm {
    instructions! {
        fn set64(a: i64) -> __m256i = _mm256_set1_epi64x;
        fn set8(a: i8) -> __m256i = _mm256_set1_epi8;
        fn shift_left(a: __m256i, bits: __m256i) -> __m256i = _mm256_sllv_epi64;
        fn shift_right(a: __m256i, bits: __m256i) -> __m256i = _mm256_srlv_epi64;
        fn shift_both(low: __m256i, high: __m256i, bits: __m256i) -> __m256i = _mm256_shrdv_epi64;
        fn expand(mask: u8, a: __m256i) -> __m256i = _mm256_maskz_expand_epi64;
        fn add8(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi8;
        fn pick8(mask: u32, index: __m256i, a: __m256i) -> __m256i = _mm256_maskz_permutexvar_epi8;
        fn blend8(mask: u32, a: __m256i, b: __m256i) -> __m256i = _mm256_mask_blend_epi8;
        fn blend64(mask: u8, a: __m256i, b: __m256i) -> __m256i = _mm256_mask_blend_epi64;
        fn where64(mask: u8, a: __m256i) -> __m256i = _mm256_maskz_mov_epi64;
        fn low64(a: __m256i, b: __m256i) -> __m256i = _mm256_unpacklo_epi64;
        fn high64(a: __m256i, b: __m256i) -> __m256i = _mm256_unpackhi_epi64;
        fn permute64(index: __m256i, a: __m256i) -> __m256i = _mm256_permutexvar_epi64;
        fn swap64(a: __m256i) -> __m256i = _mm256_shuffle_epi32::<0b01_00_11_10>;
        fn low_halves(a: __m256i, b: __m256i) -> __m256i = _mm256_permute2x128_si256::<0x20>;
        fn high_halves(a: __m256i, b: __m256i) -> __m256i = _mm256_permute2x128_si256::<0x31>;
    }
}

impl Vectors44 for Ymm {
    type V = __m256i;

    instructions! {
        fn add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi64;
        fn sub(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi64;
        fn and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256;
        fn low(sum: __m256i, a: __m256i, b: __m256i) -> __m256i = _mm256_madd52lo_epu64;
        fn high(sum: __m256i, a: __m256i, b: __m256i) -> __m256i = _mm256_madd52hi_epu64;
    }

    #[inline(always)]
    fn splat(self, x: u64) -> __m256i {
        self.set64(x as i64)
    }

    #[inline(always)]
    fn shl(self, a: __m256i, bits: u32) -> __m256i {
        self.shift_left(a, self.set64(bits.into()))
    }

    #[inline(always)]
    fn shr(self, a: __m256i, bits: u32) -> __m256i {
        self.shift_right(a, self.set64(bits.into()))
    }

    #[inline(always)]
    fn shr_both(self, low: __m256i, high: __m256i, bits: u32) -> __m256i {
        self.shift_both(low, high, self.set64(bits.into()))
    }
}

impl Blocks for Ymm {
    const N: usize = 4;
    const PRESENT: [u8; 9] = present(4);
    type Group = [u8; 64];

    #[inline(always)]
    fn groups(bytes: &[u8]) -> (&[[u8; 64]], &[u8]) {
        bytes.as_chunks()
    }

    #[inline(always)]
    fn load(self, group: &[u8; 64]) -> [__m256i; 2] {
        cast(group)
    }

    #[inline(always)]
    fn load_first(self, bytes: &[u8]) -> __m256i {
        cast(chunk::<32>(bytes, 0))
    }

    #[inline(always)]
    fn load_last(self, bytes: &[u8]) -> __m256i {
        cast(bytes.last_chunk::<32>().unwrap_or(&[0; 32]))
    }

    #[inline(always)]
    fn move_up(self, a: __m256i, words: usize) -> __m256i {
        self.expand((0xf << words) as u8, a)
    }

    #[inline(always)]
    fn close(self, a: __m256i, missing: usize) -> __m256i {
        let moved = self.add8(cast(chunk::<32>(&MOVED, 0)), self.set8(missing as i8));
        let a = self.pick8(u32::MAX >> missing, moved, a);
        self.blend8(1 << (32 - missing), a, self.set8(1))
    }

    #[inline(always)]
    fn words(self, [a, b]: [__m256i; 2]) -> [__m256i; 2] {
        [self.low64(a, b), self.high64(a, b)]
    }

    #[inline(always)]
    fn splat_in(self, lanes: u8, x: u64) -> __m256i {
        self.where64(lanes, self.set64(x as i64))
    }

    #[inline(always)]
    fn blend(self, lanes: u8, a: __m256i, b: __m256i) -> __m256i {
        self.blend64(lanes, a, b)
    }

    #[inline(always)]
    fn even(self, a: __m256i, b: __m256i) -> __m256i {
        self.low64(a, b)
    }

    #[inline(always)]
    fn odd(self, a: __m256i) -> __m256i {
        self.high64(a, a)
    }

    #[inline(always)]
    fn lane(self, a: __m256i, lane: usize) -> __m256i {
        self.permute64(self.set64(lane as i64), a)
    }

    #[inline(always)]
    fn with_lanes(self, words: &[u64; 8]) -> __m256i {
        let [low, _]: [__m256i; 2] = cast(words);
        low
    }

    #[inline(always)]
    fn lanes(self, a: __m256i) -> [u64; 8] {
        cast(&[a, self.set64(0)])
    }

    #[inline(always)]
    fn sum_lanes(self, [a0, a1, a2]: Limbs<__m256i>) -> [u64; 3] {
        let a = self.add(self.low64(a0, a1), self.high64(a0, a1));
        let b = self.add(a2, self.swap64(a2));
        let [x0, x1, x2, _]: [u64; 4] = cast(&self.add(self.low_halves(a, b), self.high_halves(a, b)));
        [x0, x1, x2]
    }
}
