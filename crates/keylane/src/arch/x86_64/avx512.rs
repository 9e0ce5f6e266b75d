//! SipHash with AVX-512: eight words of 64 bits in a register, or sixteen of 32.

use super::{Avx512, cast, chunk, common, instructions};
use crate::arch::generic::lanes::{Lanes, Work};
use crate::arch::generic::quad::{ZEROS, quad_start, zeros};
use crate::arch::generic::tile::{Column, StartTable, WINDOW};
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

/// What masked loads of N messages read: a quad of each, of which the first words precede the second.
#[derive(Clone, Copy)]
pub struct Masked<const N: usize> {
    /// Where the tails begin.
    ends: [[u64; N]; 2],
    /// A bit for each byte of a quad.
    bytes: [[u64; N]; 2],
}

impl<const N: usize> Default for Masked<N> {
    fn default() -> Self {
        Masked { ends: [[0; N]; 2], bytes: [[0; N]; 2] }
    }
}

/// Whether a slice is its address, then its length. Rust promises no order; the compiler knows it, so this is a
/// constant.
#[inline(always)]
fn address_first() -> bool {
    let slice: &[u8] = &[0; 3];
    // SAFETY: a slice is two words, an address and a length, and any words are integers.
    let words: [usize; 2] = unsafe { core::mem::transmute(slice) };
    words == [slice.as_ptr().addr(), 3]
}

/// The first eight slices, and the others.
#[inline(always)]
fn halves<'a, 'b>(slices: &'b [&'a [u8]; 16]) -> [&'b [&'a [u8]; 8]; 2] {
    let (halves, _) = slices.as_chunks();
    [&halves[0], &halves[1]]
}

impl Avx512 {
    instructions! {
        fn set64(a: i64) -> __m512i = _mm512_set1_epi64;
        fn set32(a: i32) -> __m512i = _mm512_set1_epi32;
        fn set8(a: i8) -> __m512i = _mm512_set1_epi8;
        fn max64(a: __m512i, b: __m512i) -> __m512i = _mm512_max_epi64;
        fn max32(a: __m512i, b: __m512i) -> __m512i = _mm512_max_epi32;
        fn sub32x8(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi32;
        fn and32x8(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256;
        fn set32x8(a: i32) -> __m256i = _mm256_set1_epi32;
        fn umax64(a: __m512i, b: __m512i) -> __m512i = _mm512_max_epu64;
        fn umin64(a: __m512i, b: __m512i) -> __m512i = _mm512_min_epu64;
        fn umax32(a: __m512i, b: __m512i) -> __m512i = _mm512_max_epu32;
        fn umin32(a: __m512i, b: __m512i) -> __m512i = _mm512_min_epu32;
        fn all_max64(a: __m512i) -> u64 = _mm512_reduce_max_epu64;
        fn all_min64(a: __m512i) -> u64 = _mm512_reduce_min_epu64;
        fn all_max32(a: __m512i) -> u32 = _mm512_reduce_max_epu32;
        fn all_min32(a: __m512i) -> u32 = _mm512_reduce_min_epu32;
        fn narrow(a: __m512i) -> __m256i = _mm512_cvtepi64_epi32;
        fn where64(a: __m512i, mask: u8, b: __m512i) -> __m512i = _mm512_mask_mov_epi64;
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
        fn permute64(index: __m512i, a: __m512i) -> __m512i = _mm512_permutexvar_epi64;
        fn permute32(index: __m512i, a: __m512i) -> __m512i = _mm512_permutexvar_epi32;
        fn twice256(a: __m256i) -> __m512i = _mm512_broadcast_i64x4;
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

    /// The addresses and the lengths of eight slices.
    #[inline(always)]
    fn addresses_and_lengths(self, slices: &[&[u8]; 8]) -> [__m512i; 2] {
        if address_first() {
            // SAFETY: these slices, read as integers, which two vectors hold.
            let [a, b] = unsafe { (&raw const *slices).cast::<[__m512i; 2]>().read_unaligned() };
            for slice in slices {
                slice.as_ptr().expose_provenance();
            }
            return self.unzip64(a, b);
        }
        let (mut addresses, mut lengths) = ([0; 8], [0; 8]);
        for ((address, length), slice) in addresses.iter_mut().zip(&mut lengths).zip(slices) {
            (*address, *length) = (slice.as_ptr().expose_provenance(), slice.len());
        }
        [cast(&addresses), cast(&lengths)]
    }

    /// Eight quads of 32 bytes that end one word after `ends`, less 32 `rel` bytes.
    ///
    /// # Safety
    /// The bytes with a set bit may be read.
    #[inline(always)]
    unsafe fn masked64(self, ends: &[u64; 8], bytes: &[u64; 8], rel: usize) -> [__m512i; 4] {
        let row = |i: usize| {
            let start = with_exposed_provenance((ends[i] as usize).wrapping_sub(32 * (rel + 1) - 8));
            // SAFETY: the caller ensures this. `self` proves that the CPU has AVX-512 BW and VL.
            unsafe { _mm256_maskz_loadu_epi8(bytes[i] as u32, start) }
        };
        self.apart64(self.pairs64(row), self.zero())
    }

    /// Words 0 and 2 of two quads each, then words 1 and 3, of eight quads. Each is read where it is needed, since few
    /// registers are free.
    #[inline(always)]
    fn pairs64(self, row: impl Fn(usize) -> __m256i) -> [__m512i; 4] {
        // a is messages 0 and 2, b is 1 and 3: even words of 0 1 | 0 1 | 2 3 | 2 3, then odd ones.
        let a = self.half1(self.from256(row(0)), row(2));
        let b = self.half1(self.from256(row(1)), row(3));
        let c = self.half1(self.from256(row(4)), row(6));
        let d = self.half1(self.from256(row(5)), row(7));
        [self.low64(a, b), self.low64(c, d), self.high64(a, b), self.high64(c, d)]
    }

    /// The words of these pairs; 0 where a word's index is below the lane's `first`.
    #[inline(always)]
    fn apart64(self, [even0, even1, odd0, odd1]: [__m512i; 4], first: __m512i) -> [__m512i; 4] {
        [
            self.even_quarters_where(self.at_most64(first, self.set64(0)), even0, even1),
            self.even_quarters_where(self.at_most64(first, self.set64(1)), odd0, odd1),
            self.odd_quarters_where(self.at_most64(first, self.set64(2)), even0, even1),
            self.odd_quarters_where(self.at_most64(first, self.set64(3)), odd0, odd1),
        ]
    }

    /// Sixteen quads of 16 bytes, likewise.
    ///
    /// # Safety
    /// The bytes with a set bit may be read.
    #[inline(always)]
    unsafe fn masked32(self, ends: &[u64; 16], bytes: &[u64; 16], rel: usize) -> [__m512i; 4] {
        let row = |i: usize| {
            let start = with_exposed_provenance((ends[i] as usize).wrapping_sub(16 * (rel + 1) - 4));
            // SAFETY: the caller ensures this. `self` proves that the CPU has AVX-512 BW and VL.
            unsafe { _mm_maskz_loadu_epi8(bytes[i] as u16, start) }
        };
        self.zip32(row)
    }

    /// The words of sixteen quads.
    #[inline(always)]
    fn zip32(self, row: impl Fn(usize) -> __m128i) -> [__m512i; 4] {
        let four = |i: usize| {
            let two = self.quarter1(self.from128(row(i)), row(i + 4));
            self.quarter3(self.quarter2(two, row(i + 8)), row(i + 12))
        };
        let (a, b) = (four(0), four(1));
        let (low0, high0) = (self.low32(a, b), self.high32(a, b));
        let (c, d) = (four(2), four(3));
        let (low1, high1) = (self.low32(c, d), self.high32(c, d));
        [self.low64(low0, low1), self.high64(low0, low1), self.low64(high0, high1), self.high64(high0, high1)]
    }

    /// `ends` where there are bytes to read, and the end of `ZEROS` elsewhere: a masked load that reads nothing costs
    /// 1300 cycles or more on an unmapped page.
    #[inline(always)]
    fn readable(self, ends: __m512i, bytes: __m512i) -> [u64; 8] {
        let nothing = self.set64(zeros().wrapping_add(ZEROS.len()) as i64);
        cast(&self.where64(nothing, self.any64(bytes, bytes), ends))
    }

    /// Chunk i of 64 bytes, with zeros after the end of `bytes`.
    #[inline(always)]
    fn masked_chunk(self, bytes: &[u8], i: usize) -> __m512i {
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
        let [even, odd] = self.unzip64(a, b);
        [even, odd, zero, zero]
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

    /// The words with even and with odd index, of 16.
    #[inline(always)]
    fn unzip64(self, a: __m512i, b: __m512i) -> [__m512i; 2] {
        let (even, odd) = (cast(&[0u64, 2, 4, 6, 8, 10, 12, 14]), cast(&[1u64, 3, 5, 7, 9, 11, 13, 15]));
        [self.pick64(a, even, b), self.pick64(a, odd, b)]
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
    type Prepared = Masked<8>;
    const RESTARTS_ALWAYS: bool = true;
    const WHOLE_LENGTHS: bool = true;
    const JUSTIFIED: bool = false;

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
    fn masked_integers<const SIZE: usize>(self, integers: &[[u8; SIZE]]) -> [__m512i; 4] {
        let bytes = integers.as_flattened();
        match SIZE {
            4 => {
                [self.widen(self.low256(self.masked_chunk(bytes, 0))), self.zero(), self.zero(), self.zero()]
            }
            8 => self.words64::<8>([self.masked_chunk(bytes, 0), self.zero()]),
            _ => self.words64::<16>([self.masked_chunk(bytes, 0), self.masked_chunk(bytes, 1)]),
        }
    }

    #[inline(always)]
    fn masked_store(self, a: __m512i, words: &mut [u64]) {
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
    fn begin<const G: usize>(
        self,
        starts: &StartTable<u64>,
        whole: [__m512i; G],
        skip: usize,
    ) -> [[__m512i; 4]; G] {
        let mut tables = [self.zero(); 4];
        for (table, starts) in tables.iter_mut().zip(starts) {
            *table =
                cast::<[u64; 8], _>(starts.get(skip..).and_then(<[u64]>::first_chunk).unwrap_or(&[0; 8]));
        }
        let mut states = [tables; G];
        for (v, whole) in states.iter_mut().zip(whole) {
            for word in v {
                *word = self.permute64(whole, *word);
            }
        }
        states
    }

    /// A look-up takes the low bits of its index only.
    #[inline(always)]
    fn tail_mask(self, length: __m512i) -> __m512i {
        self.permute64(
            length,
            cast(&[
                0u64,
                0xff,
                0xffff,
                0xff_ffff,
                0xffff_ffff,
                0xff_ffff_ffff,
                0xffff_ffff_ffff,
                0xff_ffff_ffff_ffff,
            ]),
        )
    }

    #[inline(always)]
    fn longest<const G: usize>(self, lengths: &[__m512i; G]) -> usize {
        let mut all = lengths[0];
        for &lengths in &lengths[1..] {
            all = self.umax64(all, lengths);
        }
        self.all_max64(all) as usize
    }

    #[inline(always)]
    fn shortest<const G: usize>(self, lengths: &[__m512i; G]) -> usize {
        let mut all = lengths[0];
        for &lengths in &lengths[1..] {
            all = self.umin64(all, lengths);
        }
        self.all_min64(all) as usize
    }

    #[inline(always)]
    fn lengths32(self, starts: &[i32; 8], stops: &[i32; 8], from: usize, ends: &mut [u32; 8]) -> __m512i {
        let stop = cast(stops);
        let length = self.sub32x8(stop, cast(starts));
        let tail = self.and32x8(length, self.set32x8(7));
        *ends = cast(&self.sub32x8(self.sub32x8(stop, self.set32x8(from as i32)), tail));
        self.widen(length)
    }

    #[inline(always)]
    fn lengths64(self, starts: &[i64; 8], stops: &[i64; 8], from: usize, ends: &mut [u32; 8]) -> __m512i {
        let stop = cast(stops);
        let length = self.sub64(stop, cast(starts));
        let tail = self.and_all(length, self.set64(7));
        *ends = cast(&self.narrow(self.sub64(self.sub64(stop, self.set64(from as i64)), tail)));
        length
    }

    #[inline(always)]
    fn lengths(self, slices: &[&[u8]; 8]) -> __m512i {
        self.addresses_and_lengths(slices)[1]
    }

    #[inline(always)]
    unsafe fn read_quads<const G: usize>(
        self,
        base: usize,
        ends: &[u32; 8],
        rel: usize,
        first: __m512i,
        to: &mut Column<'_, u64, 8, G>,
    ) {
        let ends = in_memory(ends);
        let row = |i: usize| {
            let start = quad_start::<u64>(base.wrapping_add(ends[i] as usize), rel);
            // SAFETY: the caller ensures that this quad may be read.
            unsafe { with_exposed_provenance::<__m256i>(start).read_unaligned() }
        };
        let pairs = self.pairs64(row);
        let [word0, words @ ..] = self.apart64(pairs, first);
        let word = WINDOW - 4 * (rel + 1);
        if to.skip <= word {
            to.put(word, cast(&word0));
        }
        for (i, word) in (word + 1..).zip(&words) {
            to.put(i, cast(word));
        }
    }

    #[inline(always)]
    fn prepare(self, messages: &[&[u8]; 8], lengths: __m512i, skip: usize, masked: &mut Masked<8>) {
        let [addresses, _] = self.addresses_and_lengths(messages);
        let ends = Lanes::<u64, 8>::add(self, addresses, self.and_all(lengths, self.set64(-8)));
        let whole = self.shr64(lengths, self.set64(3));
        // From the first of the last three whole words to the end of the tail.
        let from = self.permute64(whole, cast(&[1u64 << 24, 1 << 16, 1 << 8, 1, 1, 1, 1, 1]));
        let to = [1u64 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30, 1 << 31];
        let bytes = self.sub64(self.permute64(lengths, cast(&to)), from);
        (masked.ends[1], masked.bytes[1]) = (self.readable(ends, bytes), cast(&bytes));
        if skip < 4 {
            // The words before these.
            let bytes = cast(&[0u64, 0, 0, 0, 0xff00_0000, 0xffff_0000, 0xffff_ff00, 0xffff_ffff]);
            let bytes = self.permute64(whole, bytes);
            (masked.ends[0], masked.bytes[0]) = (self.readable(ends, bytes), cast(&bytes));
        }
    }

    #[inline(always)]
    unsafe fn words<const G: usize, const TINY: bool>(
        self,
        _messages: &[&[u8]; 8],
        masked: &Masked<8>,
        to: &mut Column<'_, u64, 8, G>,
    ) {
        let Masked { ends: [ends0, ends1], bytes: [bytes0, bytes1] } = in_memory(masked);
        if to.skip < 4 {
            // SAFETY: `prepare` marked bytes of the messages only.
            let words = unsafe { self.masked64(ends0, bytes0, 1) };
            for (i, word) in words.iter().enumerate() {
                to.put(i, cast(word));
            }
        }
        // SAFETY: `prepare` marked bytes of the messages only.
        let [word4, words @ ..] = unsafe { self.masked64(ends1, bytes1, 0) };
        if to.skip < 5 {
            to.put(4, cast(&word4));
        }
        for (i, word) in (5..).zip(&words) {
            to.put(i, cast(word));
        }
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
        self.apart64(self.pairs64(|i| rows[i]), first)
    }
}

impl Lanes<u32, 16> for Avx512 {
    type Vector = __m512i;
    type Quad = __m128i;
    type Prepared = Masked<16>;
    const RESTARTS_ALWAYS: bool = true;
    const JUSTIFIED: bool = false;

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
    fn masked_integers<const SIZE: usize>(self, integers: &[[u8; SIZE]]) -> [__m512i; 4] {
        let bytes = integers.as_flattened();
        let first = self.masked_chunk(bytes, 0);
        match SIZE {
            4 => self.words32::<4>([first, self.zero(), self.zero(), self.zero()]),
            8 => self.words32::<8>([first, self.masked_chunk(bytes, 1), self.zero(), self.zero()]),
            _ => {
                let [second, third] = [self.masked_chunk(bytes, 1), self.masked_chunk(bytes, 2)];
                self.words32::<16>([first, second, third, self.masked_chunk(bytes, 3)])
            }
        }
    }

    #[inline(always)]
    fn masked_store(self, a: __m512i, words: &mut [u32]) {
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
    fn begin<const G: usize>(
        self,
        starts: &StartTable<u32>,
        whole: [__m512i; G],
        skip: usize,
    ) -> [[__m512i; 4]; G] {
        let mut tables = [self.zero(); 4];
        for (table, starts) in tables.iter_mut().zip(starts) {
            *table = self.twice256(cast::<[u32; 8], _>(
                starts.get(skip..).and_then(<[u32]>::first_chunk).unwrap_or(&[0; 8]),
            ));
        }
        let mut states = [tables; G];
        for (v, whole) in states.iter_mut().zip(whole) {
            for word in v {
                *word = self.permute32(whole, *word);
            }
        }
        states
    }

    /// A look-up takes the low bits of its index only.
    #[inline(always)]
    fn tail_mask(self, length: __m512i) -> __m512i {
        self.permute32(length, cast(&[[0u32, 0xff, 0xffff, 0xff_ffff]; 4]))
    }

    #[inline(always)]
    fn longest<const G: usize>(self, lengths: &[__m512i; G]) -> usize {
        let mut all = lengths[0];
        for &lengths in &lengths[1..] {
            all = self.umax32(all, lengths);
        }
        self.all_max32(all) as usize
    }

    #[inline(always)]
    fn shortest<const G: usize>(self, lengths: &[__m512i; G]) -> usize {
        let mut all = lengths[0];
        for &lengths in &lengths[1..] {
            all = self.umin32(all, lengths);
        }
        self.all_min32(all) as usize
    }

    #[inline(always)]
    fn lengths32(self, starts: &[i32; 16], stops: &[i32; 16], from: usize, ends: &mut [u32; 16]) -> __m512i {
        let stop = cast(stops);
        let length = self.sub32(stop, cast(starts));
        let tail = self.and_all(length, self.set32(3));
        *ends = cast(&self.sub32(self.sub32(stop, self.set32(from as i32)), tail));
        length
    }

    #[inline(always)]
    fn lengths64(self, starts: &[i64; 16], stops: &[i64; 16], from: usize, ends: &mut [u32; 16]) -> __m512i {
        let low = |offsets: &[i64; 16]| {
            let [low, high] = cast(offsets);
            cast(&self.half1(self.from256(self.narrow(low)), self.narrow(high)))
        };
        Lanes::<u32, 16>::lengths32(self, &low(starts), &low(stops), from, ends)
    }

    #[inline(always)]
    fn lengths(self, slices: &[&[u8]; 16]) -> __m512i {
        let [low, high] = halves(slices);
        let ([_, low], [_, high]) = (self.addresses_and_lengths(low), self.addresses_and_lengths(high));
        self.half1(self.from256(self.narrow(low)), self.narrow(high))
    }

    #[inline(always)]
    unsafe fn read_quads<const G: usize>(
        self,
        base: usize,
        ends: &[u32; 16],
        rel: usize,
        first: __m512i,
        to: &mut Column<'_, u32, 16, G>,
    ) {
        let ends = in_memory(ends);
        let row = |i: usize| {
            let start = quad_start::<u32>(base.wrapping_add(ends[i] as usize), rel);
            // SAFETY: the caller ensures that this quad may be read.
            unsafe { with_exposed_provenance::<__m128i>(start).read_unaligned() }
        };
        for ((i, word), place) in (0..).zip(self.zip32(row)).zip(WINDOW - 4 * (rel + 1)..) {
            to.put(place, cast(&self.where32(self.at_most32(first, self.set32(i)), word)));
        }
    }

    #[inline(always)]
    fn prepare(self, messages: &[&[u8]; 16], lengths: __m512i, skip: usize, masked: &mut Masked<16>) {
        let [low, high] = halves(messages);
        let [low_bytes, high_bytes]: [__m256i; 2] = cast(&self.and_all(lengths, self.set32(-4)));
        let low = Lanes::<u64, 8>::add(self, self.addresses_and_lengths(low)[0], self.widen(low_bytes));
        let high = Lanes::<u64, 8>::add(self, self.addresses_and_lengths(high)[0], self.widen(high_bytes));
        let whole = self.shr32(lengths, self.set32(2));
        let place = |bytes: __m512i| {
            let [low_bytes, high_bytes]: [__m256i; 2] = cast(&bytes);
            let (low_bytes, high_bytes) = (self.widen(low_bytes), self.widen(high_bytes));
            let ends: [u64; 16] = cast(&[self.readable(low, low_bytes), self.readable(high, high_bytes)]);
            (ends, cast::<_, [u64; 16]>(&[low_bytes, high_bytes]))
        };
        // From the first of the last three whole words to the end of the tail.
        let from = self.permute32(whole, cast(&[[1u32 << 12, 1 << 8, 1 << 4, 1, 1, 1, 1, 1]; 2]));
        let to = self.permute32(lengths, cast(&[[1u32 << 12, 1 << 13, 1 << 14, 1 << 15]; 4]));
        (masked.ends[1], masked.bytes[1]) = place(self.sub32(to, from));
        if skip < 4 {
            // The words before these.
            let bytes = cast(&[[0u32, 0, 0, 0, 0xf000, 0xff00, 0xfff0, 0xffff]; 2]);
            (masked.ends[0], masked.bytes[0]) = place(self.permute32(whole, bytes));
        }
    }

    #[inline(always)]
    unsafe fn words<const G: usize, const TINY: bool>(
        self,
        _messages: &[&[u8]; 16],
        masked: &Masked<16>,
        to: &mut Column<'_, u32, 16, G>,
    ) {
        let Masked { ends: [ends0, ends1], bytes: [bytes0, bytes1] } = in_memory(masked);
        if to.skip < 4 {
            // SAFETY: `prepare` marked bytes of the messages only.
            let words = unsafe { self.masked32(ends0, bytes0, 1) };
            for (i, word) in words.iter().enumerate() {
                to.put(i, cast(word));
            }
        }
        // SAFETY: `prepare` marked bytes of the messages only.
        let [word4, words @ ..] = unsafe { self.masked32(ends1, bytes1, 0) };
        if to.skip < 5 {
            to.put(4, cast(&word4));
        }
        for (i, word) in (5..).zip(&words) {
            to.put(i, cast(word));
        }
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
