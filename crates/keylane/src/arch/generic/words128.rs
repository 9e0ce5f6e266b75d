//! [`Vectors32`] for vectors of 128 bits: four words, by operations that both SSE2 and WebAssembly's SIMD have.

#![forbid(unsafe_code)]

use super::chacha20::{Blocks, Vectors32};
use super::lanes128::Simd128;
use crate::job::plain::zero;
use crate::job::wipe::Zero;

/// Four words. The value holds the proof that the CPU has the operations.
#[derive(Clone, Copy)]
pub struct FourWords<C>(pub C);

impl<C: Simd128<V: Zero>> Vectors32<4> for FourWords<C> {
    type V = C::V;
    const ROOMY: bool = false;

    #[inline(always)]
    fn splat(self, word: u32) -> C::V {
        self.0.splat32(word)
    }

    #[inline(always)]
    fn add(self, a: C::V, b: C::V) -> C::V {
        self.0.add32(a, b)
    }

    #[inline(always)]
    fn xor(self, a: C::V, b: C::V) -> C::V {
        self.0.xor(a, b)
    }

    #[inline(always)]
    fn rotl(self, a: C::V, bits: u32) -> C::V {
        self.0.rotl32(a, bits)
    }

    #[inline(always)]
    fn transpose(self, words: [C::V; 16]) -> Blocks<C::V> {
        let cpu = self.0;
        let mut blocks = [[zero(); 4]; 4];
        for (i, &[a, b, c, d]) in words.as_chunks().0.iter().enumerate() {
            let (ab0, cd0) = (cpu.low32(a, b), cpu.low32(c, d));
            let (ab1, cd1) = (cpu.high32(a, b), cpu.high32(c, d));
            blocks[0][i] = cpu.low64(ab0, cd0);
            blocks[1][i] = cpu.high64(ab0, cd0);
            blocks[2][i] = cpu.low64(ab1, cd1);
            blocks[3][i] = cpu.high64(ab1, cd1);
        }
        blocks
    }
}
