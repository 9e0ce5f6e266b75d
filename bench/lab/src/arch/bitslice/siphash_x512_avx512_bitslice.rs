//! SipHash, 512 messages of one word. Every AVX-512 vector holds a bit of each.
//!
//! id        siphash_x512_avx512_bitslice        slot  siphash-xn        requires  avx512f avx512bw avx512vbmi gfni
//! does      bit o of a word of 512 messages is one vector: x + y by full adders of two ternary-logic operations,
//!           rotl(x, r) by another index. Takes jobs of u64, u32 and rows under 8 bytes; siphash_x2 takes all others
//!           (batch.rs)
//! bounds    a round: 13 operations, 10 loads and 6 stores per bit. The stores are the limit: 0.8 cycles per message
//!           on CPUs that store 64 bytes per cycle (Zen 5), twice that at 32 bytes (Zen 4). Transposes: 8 operations
//!           per vector in, 7 out
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [Bitslice]; 8 x 8 bits by one product after [bitmath]
//! speed     bench/record/zen4/2026-11-28/bitslice.csv

#![allow(unsafe_code)]

use super::batch::{many, step};
use super::isa::Isa;
use super::transpose::{Mirror, UNIT_VECTORS, Unpack, by_unpacks_and_mirror, transpose};
use crate::bitslice::{Bytes256, Group, Step, Transpose8x256};
use core::arch::x86_64::*;
use core::mem::transmute;
use keylane::job::siphash::{Batch, Xn};
use keylane::kernel;

kernel! {
    /// Many messages.
    pub MANY: Xn<u64> = "siphash_x512_avx512_bitslice", lanes 512,
    requires ["avx512f", "avx512bw", "avx512vbmi", "gfni"], |job: Batch<'_, u64>| many(job, &GROUP)
}

kernel! {
    /// One group of messages.
    pub GROUP: Group<[u64; 8]> = "siphash_x512_avx512_bitslice", lanes 512,
    requires ["avx512f", "avx512bw", "avx512vbmi", "gfni"], |job: Step<'_, [u64; 8]>| step(Zmm::new(), job)
}

kernel! {
    /// 8 x 256 bits: 8 x 8 by the mirror, bytes by a permutation, words by permutations of two.
    pub TRANSPOSE: Transpose8x256 = "siphash_x512_avx512_bitslice", lanes 256,
    requires ["avx512f", "avx512bw", "avx512vbmi", "gfni"], |job: Bytes256<'_>| bytes(job)
}

/// A value proves that the CPU has the features that the rows require.
#[derive(Clone, Copy)]
struct Zmm(());

impl Zmm {
    #[inline]
    #[target_feature(enable = "avx512f", enable = "avx512bw", enable = "avx512vbmi", enable = "gfni")]
    fn new() -> Self {
        Zmm(())
    }
}

/// Calls an intrinsic of the required features.
macro_rules! proven {
    ($intrinsic:ident $(::<$immediate:ident>)? ($($operand:expr),*)) => {{
        // SAFETY: `self` is the proof. Only `new` makes it, and only code with the features enabled can call
        // `new` without `unsafe`.
        unsafe { $intrinsic $(::<$immediate>)? ($($operand),*) }
    }};
}

/// The truth table of a ^ b ^ c.
const XOR: i32 = 0x96;
/// The truth table of the majority of a, b and c.
const MAJORITY: i32 = 0xe8;
/// The constant that the mirror adds.
const NOTHING: i32 = 0;

impl Isa for Zmm {
    type Plane = [u64; 8];
    type Vector = __m512i;

    #[inline(always)]
    fn load(self, plane: &[u64; 8]) -> __m512i {
        // SAFETY: both have 64 bytes, of any value.
        unsafe { transmute::<[u64; 8], __m512i>(*plane) }
    }

    #[inline(always)]
    fn store(self, plane: &mut [u64; 8], vector: __m512i) {
        // SAFETY: both have 64 bytes, of any value.
        *plane = unsafe { transmute::<__m512i, [u64; 8]>(vector) };
    }

    #[inline(always)]
    fn splat(self, word: u64) -> __m512i {
        proven!(_mm512_set1_epi64(word as i64))
    }

    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_xor_si512(a, b))
    }

    #[inline(always)]
    fn xor3(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        proven!(_mm512_ternarylogic_epi64::<XOR>(a, b, c))
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i, carry: __m512i) -> (__m512i, __m512i) {
        (self.xor3(a, b, carry), proven!(_mm512_ternarylogic_epi64::<MAJORITY>(a, b, carry)))
    }

    /// `n` is the carry. A constant operand saves nothing here.
    #[inline(always)]
    fn add_constant(self, x: __m512i, c: u64, _change: u64, n: __m512i) -> (__m512i, __m512i) {
        self.add(n, x, self.splat(c))
    }

    #[inline(always)]
    fn cut(words: &[u64]) -> &[[u64; 8]] {
        words.as_chunks().0
    }

    #[inline(always)]
    fn cut_mut(words: &mut [u64]) -> &mut [[u64; 8]] {
        words.as_chunks_mut().0
    }
}

impl Unpack for Zmm {
    #[inline(always)]
    fn unpack(self, a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        (proven!(_mm512_unpacklo_epi8(a, b)), proven!(_mm512_unpackhi_epi8(a, b)))
    }
}

impl Mirror for Zmm {
    /// As in `ymm.rs`.
    #[inline(always)]
    fn mirror(self, a: __m512i) -> __m512i {
        proven!(_mm512_gf2p8affine_epi64_epi8::<NOTHING>(self.splat(UNIT_VECTORS), a))
    }
}

transpose!(Zmm, by_unpacks_and_mirror);

/// Byte 8 b + g of a vector comes from byte 7 - b of word g.
const PLANE_BY_PLANE: [u64; 8] = {
    let mut from = [0; 8];
    let mut at = 0;
    while at < 64 {
        let (b, g) = (at as u64 / 8, at as u64 % 8);
        from[at / 8] |= (8 * g + 7 - b) << (8 * g);
        at += 1;
    }
    from
};

/// Each word has eight lanes. With its bytes reversed, the mirror turns byte 7 - b into plane b.
#[inline]
#[target_feature(enable = "avx512f", enable = "avx512bw", enable = "avx512vbmi", enable = "gfni")]
fn bytes(job: Bytes256<'_>) {
    let isa = Zmm::new();
    let reverse = _mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607);
    let plane_by_plane = isa.load(&PLANE_BY_PLANE);
    let mut vectors = [_mm512_setzero_si512(); 4];
    for (vector, bytes) in vectors.iter_mut().zip(job.bytes.as_chunks::<64>().0) {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let reversed = _mm512_shuffle_epi8(isa.load(&words), reverse);
        *vector = _mm512_permutexvar_epi8(plane_by_plane, isa.mirror(reversed));
    }
    let [a, b, c, d] = vectors;
    let pair = |low, a, b| {
        let index = _mm512_setr_epi64(low, low + 8, low + 1, low + 9, low + 2, low + 10, low + 3, low + 11);
        _mm512_permutex2var_epi64(a, index, b)
    };
    let quad = |low, a, b| {
        let index = _mm512_setr_epi64(low, low + 1, low + 8, low + 9, low + 2, low + 3, low + 10, low + 11);
        _mm512_permutex2var_epi64(a, index, b)
    };
    let (planes, _) = job.planes.as_flattened_mut().as_chunks_mut::<8>();
    for (half, planes) in planes.chunks_mut(2).enumerate() {
        let low = 4 * half as i64;
        let (ab, cd) = (pair(low, a, b), pair(low, c, d));
        for (half, planes) in planes.iter_mut().enumerate() {
            isa.store(planes, quad(4 * half as i64, ab, cd));
        }
    }
}
