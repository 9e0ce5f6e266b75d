//! Bitsliced SipHash. Lane i of a group is bit i of each of its vectors, and vector o of an array holds bit o of a word
//! of all lanes. The maths and the figures are in docs/research/BITSLICE.md.
//!
//! * [`isa`]: the operations an instruction set must offer.
//! * [`rounds`]: the rounds, written once.
//! * [`naive`]: a plain stand-in for the prior work's rounds, one addition after the other; its own program is faster.
//! * [`transpose`]: from words to bits and back, by three methods.
//! * [`batch`]: splits jobs into groups.
//! * [`count`]: counts the operations of both.
//! * `ymm`: AVX2, with and without GFNI.

pub mod batch;
pub mod count;
pub mod isa;
pub mod naive;
pub mod rounds;
pub mod siphash_x64_bitslice;
pub mod transpose;

#[cfg(target_arch = "x86_64")]
pub mod siphash_x256_avx2_bitslice;
#[cfg(target_arch = "x86_64")]
pub mod siphash_x256_gfni_bitslice;
#[cfg(target_arch = "x86_64")]
pub mod siphash_x256_naive_bitslice;
#[cfg(target_arch = "x86_64")]
pub mod siphash_x512_avx512_bitslice;
#[cfg(target_arch = "x86_64")]
pub mod ymm;
