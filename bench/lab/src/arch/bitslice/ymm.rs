//! AVX2 for bitslicing, 256 lanes: the common code of the kernels with and without GFNI.

#![allow(unsafe_code)]

use super::isa::Isa;
use super::transpose::{
    Mirror, Swap, UNIT_VECTORS, Unpack, by_unpacks_and_mirror, by_unpacks_and_swaps, transpose,
};
use core::arch::x86_64::*;
use core::mem::transmute;

/// Vectors in memory as pieces of 16 bits, the lowest first: x86-64 is little-endian.
#[inline]
pub fn sixteens(vectors: &mut [[u64; 4]]) -> &mut [[u16; 16]] {
    // SAFETY: both have 32 bytes, of any value, and u64 is aligned more strictly than u16.
    unsafe { core::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), vectors.len()) }
}

/// AVX2, and GFNI if `GFNI`. A value proves that the CPU has the features.
#[derive(Clone, Copy)]
pub struct Ymm<const GFNI: bool>(());

impl Ymm<false> {
    /// Proves that the CPU has AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn new() -> Self {
        Ymm(())
    }
}

impl Ymm<true> {
    /// Proves that the CPU has AVX2 and GFNI.
    #[inline]
    #[target_feature(enable = "avx2", enable = "gfni")]
    pub fn new() -> Self {
        Ymm(())
    }
}

/// Calls an intrinsic of AVX2 or, in code for `Ymm<true>` only, of GFNI.
macro_rules! proven {
    ($intrinsic:ident $(::<$immediate:ident>)? ($($operand:expr),*)) => {{
        // SAFETY: `self` is the proof. Only `new` makes it, and only code with the features enabled can call
        // `new` without `unsafe`.
        unsafe { $intrinsic $(::<$immediate>)? ($($operand),*) }
    }};
}

impl<const GFNI: bool> Isa for Ymm<GFNI> {
    type Plane = [u64; 4];
    type Vector = __m256i;

    #[inline(always)]
    fn load(self, plane: &[u64; 4]) -> __m256i {
        // SAFETY: both have 32 bytes, of any value.
        unsafe { transmute::<[u64; 4], __m256i>(*plane) }
    }

    #[inline(always)]
    fn store(self, plane: &mut [u64; 4], vector: __m256i) {
        // SAFETY: both have 32 bytes, of any value.
        *plane = unsafe { transmute::<__m256i, [u64; 4]>(vector) };
    }

    #[inline(always)]
    fn splat(self, word: u64) -> __m256i {
        proven!(_mm256_set1_epi64x(word as i64))
    }

    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        proven!(_mm256_xor_si256(a, b))
    }

    #[inline(always)]
    fn xor3(self, a: __m256i, b: __m256i, c: __m256i) -> __m256i {
        self.xor(self.xor(a, b), c)
    }

    /// Five operations, two of them in the chain of the carry.
    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i, carry: __m256i) -> (__m256i, __m256i) {
        let differ = self.xor(a, b);
        let generated = proven!(_mm256_and_si256(a, b));
        let propagated = proven!(_mm256_and_si256(differ, carry));
        (self.xor(differ, carry), proven!(_mm256_or_si256(propagated, generated)))
    }

    /// Four operations. `n` is the carry XORed with the constant of the bit below; y is the carry XORed with
    /// the constant of this bit. If y is 0, carry and constant agree and are the next carry. If y is 1, the
    /// next carry is x.
    #[inline(always)]
    fn add_constant(self, x: __m256i, c: u64, change: u64, n: __m256i) -> (__m256i, __m256i) {
        let y = self.xor(n, self.splat(change));
        let differ = self.xor(x, self.splat(c));
        (self.xor(x, y), proven!(_mm256_and_si256(differ, y)))
    }

    #[inline(always)]
    fn cut(words: &[u64]) -> &[[u64; 4]] {
        words.as_chunks().0
    }

    #[inline(always)]
    fn cut_mut(words: &mut [u64]) -> &mut [[u64; 4]] {
        words.as_chunks_mut().0
    }
}

impl<const GFNI: bool> Unpack for Ymm<GFNI> {
    #[inline(always)]
    fn unpack(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        (proven!(_mm256_unpacklo_epi8(a, b)), proven!(_mm256_unpackhi_epi8(a, b)))
    }
}

impl<const GFNI: bool> Swap for Ymm<GFNI> {
    #[inline(always)]
    fn swap<const SHIFT: i32>(self, a: __m256i, b: __m256i, mask: u64) -> (__m256i, __m256i) {
        let differ = self.xor(proven!(_mm256_srli_epi64::<SHIFT>(a)), b);
        let moved = proven!(_mm256_and_si256(differ, self.splat(mask)));
        (self.xor(a, proven!(_mm256_slli_epi64::<SHIFT>(moved))), self.xor(b, moved))
    }
}

impl Mirror for Ymm<true> {
    #[inline(always)]
    fn mirror(self, a: __m256i) -> __m256i {
        const NOTHING: i32 = 0;
        proven!(_mm256_gf2p8affine_epi64_epi8::<NOTHING>(self.splat(UNIT_VECTORS), a))
    }
}

transpose!(Ymm<false>, by_unpacks_and_swaps);
transpose!(Ymm<true>, by_unpacks_and_mirror);
