//! The vectors of x86-64 beyond SSE2 (`arch/x86/`).
//!
//! [`Avx2`] and [`Avx512`] are proofs of the instructions (`proof.rs`).

#![allow(unsafe_code)]

mod avx2;
mod avx512;
mod barrier;
pub mod blocks44;
pub mod chacha20_p16_avx512;
pub mod chacha20_p8_avx2;
pub mod chacha20_p8_avx512;
pub mod chacha20_x16_avx512;
pub mod chacha20_x8_avx2;
pub mod chacha20_x8_avx512;
pub mod halfsiphash_x16_avx512;
pub mod halfsiphash_x8_avx2;
mod ifma;
pub mod messages44;
#[cfg(test)]
mod models;
mod parts44;
pub mod poly1305_p4_avx2;
pub mod poly1305_p4_avx512ifma;
pub mod poly1305_p8_avx512f;
pub mod poly1305_p8_avx512ifma;
pub mod poly1305_x4_avx2;
pub mod poly1305_x8_avx512ifma;
mod radix26;
pub mod radix44;
pub mod siphash_x1_dup;
pub mod siphash_x4_avx2;
pub mod siphash_x8_avx512;
mod words32;

use crate::job::plain::{Plain, cast, chunk, plain};
use crate::job::proof::{instructions, proof};
use core::arch::x86_64::{__m256i, __m512i};

proof! {
    /// The CPU has AVX2 and BMI2.
    pub Avx2: "avx2,bmi2"
}

proof! {
    /// The CPU has AVX-512 F, BW and VL, and BMI2.
    pub Avx512: "avx512f,avx512bw,avx512vl,bmi2"
}

plain!(__m256i, __m512i);

/// The methods of `Lanes` that are the same for every vector, except for the file's own `call`.
macro_rules! common {
    ($vector:ty, $word:ty, $lanes:literal) => {
        #[inline(always)]
        fn call<F: Work>(self, work: F) {
            // SAFETY: `self` was made by `here`, so the CPU has the instructions that `call` enables.
            unsafe { call(work) }
        }

        #[inline(always)]
        fn load(self, words: &[$word; $lanes]) -> $vector {
            cast(words)
        }

        #[inline(always)]
        fn store(self, a: $vector, words: &mut [$word; $lanes]) {
            *words = cast(&a);
        }

        #[inline(always)]
        fn fold(self, a: $vector) -> $vector {
            self.fold8(a)
        }
    };
}
use common;
