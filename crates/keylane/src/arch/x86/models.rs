//! SSE2 beside the models of the traits.

use super::Sse2;
use crate::arch::generic::words128::FourWords;
use crate::arch::models::{chacha20, lanes, lanes128, radix26, with_instructions};

with_instructions! { simd128, ["sse2"], { lanes128::simd128(Sse2::here()) } }
with_instructions! { lanes64, ["sse2"], { lanes::lanes::<_, u64, 4>(Sse2::here()) } }
with_instructions! { lanes32, ["sse2"], { lanes::lanes::<_, u32, 4>(Sse2::here()) } }
with_instructions! { vectors32, ["sse2"], { chacha20::vectors32::<_, 4>(FourWords(Sse2::here())) } }
with_instructions! { vectors26, ["sse2"], { radix26::vectors26::<_, 2>(Sse2::here()) } }
