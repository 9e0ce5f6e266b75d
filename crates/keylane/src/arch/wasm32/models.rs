//! WebAssembly's SIMD beside the models of the traits.

use super::Wasm128;
use crate::arch::generic::words128::FourWords;
use crate::arch::models::{chacha20, lanes, lanes128, with_instructions};

with_instructions! { simd128, ["simd128"], { lanes128::simd128(Wasm128::here()) } }
with_instructions! { lanes64, ["simd128"], { lanes::lanes::<_, u64, 4>(Wasm128::here()) } }
with_instructions! { lanes32, ["simd128"], { lanes::lanes::<_, u32, 4>(Wasm128::here()) } }
with_instructions! { vectors32, ["simd128"], { chacha20::vectors32::<_, 4>(FourWords(Wasm128::here())) } }
