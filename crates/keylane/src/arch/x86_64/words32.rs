//! Vectors of 32-bit words for ChaCha20: eight in a register of 256 bits, with AVX2 or AVX-512, and sixteen in one of
//! 512 bits.

use super::{Avx2, Avx512, cast, instructions};
use crate::arch::generic::chacha20::{Blocks, Rows32, Vectors32};
use crate::job::barrier::in_memory;
use crate::job::wipe::Zero;
use core::arch::x86_64::*;

/// Eight words, with AVX2. There are 16 registers, and rotations by whole bytes are shuffles.
#[derive(Clone, Copy)]
pub struct Ymm<'a> {
    _proof: Avx2,
    /// The shuffles for the rotations by 16 and by 8. The compiler reads them from memory where it uses them: it would
    /// otherwise keep two registers for them, or rotate by 16 with two shuffles.
    shuffles: &'a [[u8; 32]; 2],
}

/// Eight words, with AVX-512 VL: 32 registers and rotations.
#[derive(Clone, Copy)]
pub struct YmmAvx512(pub Avx512);

/// Sixteen words.
#[derive(Clone, Copy)]
pub struct Zmm(pub Avx512);

/// The bytes of eight words that are rotated to the left by 16, and by 8.
static SHUFFLES: [[u8; 32]; 2] = [rotated(2), rotated(3)];

/// The indices that take byte `first` of each word first.
const fn rotated(first: usize) -> [u8; 32] {
    let mut indices = [0; 32];
    let mut i = 0;
    while i < 32 {
        indices[i] = (i % 16 / 4 * 4 + (i + first) % 4) as u8;
        i += 1;
    }
    indices
}

impl Ymm<'_> {
    /// Eight words on this CPU.
    #[inline(always)]
    pub fn new(proof: Avx2) -> Self {
        Ymm { _proof: proof, shuffles: in_memory(&SHUFFLES) }
    }

    instructions! {
        fn shuffle(a: __m256i, bytes: __m256i) -> __m256i = _mm256_shuffle_epi8;
        fn shl(a: __m256i, bits: __m256i) -> __m256i = _mm256_sllv_epi32;
        fn shr(a: __m256i, bits: __m256i) -> __m256i = _mm256_srlv_epi32;
        fn or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256;
    }
}

impl YmmAvx512 {
    instructions! {
        fn rotl_each(a: __m256i, bits: __m256i) -> __m256i = _mm256_rolv_epi32;
    }
}

/// What vectors of eight words have in common.
macro_rules! eight_words {
    ($($vectors:ty),*) => {$(
        impl $vectors {
            instructions! {
                fn set32(a: i32) -> __m256i = _mm256_set1_epi32;
                fn twice(a: __m128i) -> __m256i = _mm256_broadcastsi128_si256;
                fn low32(a: __m256i, b: __m256i) -> __m256i = _mm256_unpacklo_epi32;
                fn high32(a: __m256i, b: __m256i) -> __m256i = _mm256_unpackhi_epi32;
                fn low64(a: __m256i, b: __m256i) -> __m256i = _mm256_unpacklo_epi64;
                fn high64(a: __m256i, b: __m256i) -> __m256i = _mm256_unpackhi_epi64;
                fn low_halves(a: __m256i, b: __m256i) -> __m256i = _mm256_permute2x128_si256::<0x20>;
                fn high_halves(a: __m256i, b: __m256i) -> __m256i = _mm256_permute2x128_si256::<0x31>;
            }

            /// Two blocks in the order of memory, from the halves of four vectors.
            #[inline(always)]
            fn join_halves(self, [a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
                [self.low_halves(a, b), self.low_halves(c, d), self.high_halves(a, b), self.high_halves(c, d)]
            }

            /// Eight blocks in the order of memory.
            #[inline(always)]
            fn blocks(self, words: [__m256i; 16]) -> Blocks<__m256i> {
                // Half j of quads[i][g]: words 4g to 4g + 3 of block 4j + i.
                let mut quads = [[__m256i::ZERO; 4]; 4];
                for (g, &[a, b, c, d]) in words.as_chunks().0.iter().enumerate() {
                    let (ab0, cd0) = (self.low32(a, b), self.low32(c, d));
                    let (ab1, cd1) = (self.high32(a, b), self.high32(c, d));
                    quads[0][g] = self.low64(ab0, cd0);
                    quads[1][g] = self.high64(ab0, cd0);
                    quads[2][g] = self.low64(ab1, cd1);
                    quads[3][g] = self.high64(ab1, cd1);
                }
                // Blocks 0 4, 1 5, 2 6, 3 7.
                let [[a, b, i, j], [c, d, k, l], [e, f, m, n], [g, h, o, p]] =
                    [self.join_halves(quads[0]), self.join_halves(quads[1]),
                     self.join_halves(quads[2]), self.join_halves(quads[3])];
                [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]]
            }
        }

        impl Rows32<8> for $vectors {
            instructions! {
                fn word1_first(a: __m256i) -> __m256i = _mm256_shuffle_epi32::<0b00_11_10_01>;
                fn word2_first(a: __m256i) -> __m256i = _mm256_shuffle_epi32::<0b01_00_11_10>;
                fn word3_first(a: __m256i) -> __m256i = _mm256_shuffle_epi32::<0b10_01_00_11>;
            }

            #[inline(always)]
            fn row(self, words: [u32; 4]) -> __m256i {
                self.twice(cast(&words))
            }

            #[inline(always)]
            fn join(self, rows: [__m256i; 4]) -> [__m256i; 4] {
                self.join_halves(rows)
            }
        }
    )*};
}
eight_words!(Ymm<'_>, YmmAvx512);

impl Vectors32<8> for Ymm<'_> {
    type V = __m256i;
    const ROOMY: bool = false;

    instructions! {
        fn add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32;
        fn xor(a: __m256i, b: __m256i) -> __m256i = _mm256_xor_si256;
    }

    #[inline(always)]
    fn splat(self, word: u32) -> __m256i {
        self.set32(word as i32)
    }

    #[inline(always)]
    fn rotl(self, a: __m256i, bits: u32) -> __m256i {
        let [by_16, by_8] = self.shuffles;
        match bits {
            16 => self.shuffle(a, cast(by_16)),
            8 => self.shuffle(a, cast(by_8)),
            _ => {
                let (left, right) = (self.set32(bits as i32), self.set32(32 - bits as i32));
                self.or(self.shl(a, left), self.shr(a, right))
            }
        }
    }

    #[inline(always)]
    fn transpose(self, words: [__m256i; 16]) -> Blocks<__m256i> {
        self.blocks(words)
    }
}

impl Vectors32<8> for YmmAvx512 {
    type V = __m256i;
    const ROOMY: bool = true;

    instructions! {
        fn add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32;
        fn xor(a: __m256i, b: __m256i) -> __m256i = _mm256_xor_si256;
    }

    #[inline(always)]
    fn splat(self, word: u32) -> __m256i {
        self.set32(word as i32)
    }

    #[inline(always)]
    fn rotl(self, a: __m256i, bits: u32) -> __m256i {
        self.rotl_each(a, self.set32(bits as i32))
    }

    #[inline(always)]
    fn transpose(self, words: [__m256i; 16]) -> Blocks<__m256i> {
        self.blocks(words)
    }
}

impl Zmm {
    instructions! {
        fn set32(a: i32) -> __m512i = _mm512_set1_epi32;
        fn rotl_each(a: __m512i, bits: __m512i) -> __m512i = _mm512_rolv_epi32;
        fn low32(a: __m512i, b: __m512i) -> __m512i = _mm512_unpacklo_epi32;
        fn high32(a: __m512i, b: __m512i) -> __m512i = _mm512_unpackhi_epi32;
        fn low64(a: __m512i, b: __m512i) -> __m512i = _mm512_unpacklo_epi64;
        fn high64(a: __m512i, b: __m512i) -> __m512i = _mm512_unpackhi_epi64;
        fn low_halves(a: __m512i, b: __m512i) -> __m512i = _mm512_shuffle_i32x4::<0b01_00_01_00>;
        fn high_halves(a: __m512i, b: __m512i) -> __m512i = _mm512_shuffle_i32x4::<0b11_10_11_10>;
        fn even_quarters(a: __m512i, b: __m512i) -> __m512i = _mm512_shuffle_i32x4::<0b10_00_10_00>;
        fn odd_quarters(a: __m512i, b: __m512i) -> __m512i = _mm512_shuffle_i32x4::<0b11_01_11_01>;
        fn four_times(a: __m128i) -> __m512i = _mm512_broadcast_i32x4;
    }

    /// Four blocks in the order of memory, from the quarters of four vectors.
    #[inline(always)]
    fn join_quarters(self, [a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        let (ab0, ab1) = (self.low_halves(a, b), self.high_halves(a, b));
        let (cd0, cd1) = (self.low_halves(c, d), self.high_halves(c, d));
        [
            self.even_quarters(ab0, cd0),
            self.odd_quarters(ab0, cd0),
            self.even_quarters(ab1, cd1),
            self.odd_quarters(ab1, cd1),
        ]
    }
}

impl Vectors32<16> for Zmm {
    type V = __m512i;
    const ROOMY: bool = true;

    instructions! {
        fn add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32;
        fn xor(a: __m512i, b: __m512i) -> __m512i = _mm512_xor_si512;
    }

    #[inline(always)]
    fn splat(self, word: u32) -> __m512i {
        self.set32(word as i32)
    }

    #[inline(always)]
    fn rotl(self, a: __m512i, bits: u32) -> __m512i {
        self.rotl_each(a, self.set32(bits as i32))
    }

    #[inline(always)]
    fn transpose(self, words: [__m512i; 16]) -> Blocks<__m512i> {
        // Quarter j of quads[i][g]: words 4g to 4g + 3 of block 4j + i.
        let mut quads = [[__m512i::ZERO; 4]; 4];
        for (g, &[a, b, c, d]) in words.as_chunks().0.iter().enumerate() {
            let (ab0, cd0) = (self.low32(a, b), self.low32(c, d));
            let (ab1, cd1) = (self.high32(a, b), self.high32(c, d));
            quads[0][g] = self.low64(ab0, cd0);
            quads[1][g] = self.high64(ab0, cd0);
            quads[2][g] = self.low64(ab1, cd1);
            quads[3][g] = self.high64(ab1, cd1);
        }
        // Blocks 0 4 8 12, 1 5 9 13, 2 6 10 14, 3 7 11 15.
        let [[a, e, i, m], [b, f, j, n], [c, g, k, o], [d, h, l, p]] = [
            self.join_quarters(quads[0]),
            self.join_quarters(quads[1]),
            self.join_quarters(quads[2]),
            self.join_quarters(quads[3]),
        ];
        [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]]
    }
}

impl Rows32<16> for Zmm {
    instructions! {
        fn word1_first(a: __m512i) -> __m512i = _mm512_shuffle_epi32::<0b00_11_10_01>;
        fn word2_first(a: __m512i) -> __m512i = _mm512_shuffle_epi32::<0b01_00_11_10>;
        fn word3_first(a: __m512i) -> __m512i = _mm512_shuffle_epi32::<0b10_01_00_11>;
    }

    #[inline(always)]
    fn row(self, words: [u32; 4]) -> __m512i {
        self.four_times(cast(&words))
    }

    #[inline(always)]
    fn join(self, rows: [__m512i; 4]) -> [__m512i; 4] {
        self.join_quarters(rows)
    }
}
