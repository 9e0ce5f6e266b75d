//! Poly1305 in base 2^26 with SSE2: two lanes of 64 bits.

use super::{Sse2, cast, instructions};
use crate::arch::generic::lanes128::Simd128;
use crate::arch::generic::radix26::turns::Turns;
use crate::arch::generic::radix26::vectors::Vectors26;
use crate::job::barrier::in_memory;
use crate::job::limits::Method;
use crate::job::wipe::wipe;
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

impl Turns<2> for Sse2 {}

impl Vectors26<2> for Sse2 {
    type Vector = __m128i;
    const BY_8: Method = Method::P2Sse2By8;

    instructions! {
        fn add(a: __m128i, b: __m128i) -> __m128i = _mm_add_epi64;
        fn sub(a: __m128i, b: __m128i) -> __m128i = _mm_sub_epi64;
        fn and(a: __m128i, b: __m128i) -> __m128i = _mm_and_si128;
        fn or(a: __m128i, b: __m128i) -> __m128i = _mm_or_si128;
        fn mul(a: __m128i, b: __m128i) -> __m128i = _mm_mul_epu32;
    }

    #[inline(always)]
    fn splat(self, x: u64) -> __m128i {
        self.set64(x as i64)
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
        [self.low64(a, b), self.high64(a, b)]
    }

    #[inline(always)]
    fn shl(self, a: __m128i, bits: u32) -> __m128i {
        self.left64(a, self.number(bits as i32))
    }

    #[inline(always)]
    fn shr(self, a: __m128i, bits: u32) -> __m128i {
        self.right64(a, self.number(bits as i32))
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
