//! SipHash, 256 messages of one word. Every AVX2 vector holds a bit of each.
//!
//! id        siphash_x256_avx2_bitslice        slot  siphash-xn        requires  avx2
//! does      bit o of a word of 256 messages is one vector: x + y by full adders of five operations, rotl(x, r) by
//!           another index. Takes jobs of u64, u32 and rows under 8 bytes; siphash_x2 takes all others (batch.rs)
//! bounds    a round: 25 operations, 10 loads and 6 stores per bit; at four operations per cycle, 1.6 cycles per
//!           message. Transposes: 13 operations per vector in, 12 out
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [Bitslice]; the exchange of bits is that of [HackersDelight]
//! speed     bench/record/zen4/2026-11-28/bitslice.csv
//!
//! The transposes exchange bits between vectors. Exchanging them within each vector, as the prior work did,
//! takes twice the operations.

use super::batch::{many, step};
use super::isa::Isa;
use super::ymm::Ymm;
use crate::bitslice::{Bytes256, Group, Step, Transpose8x256};
use core::arch::x86_64::{_mm256_add_epi8, _mm256_movemask_epi8};
use keylane::job::siphash::{Batch, Xn};
use keylane::kernel;

kernel! {
    /// Many messages.
    pub MANY: Xn<u64> = "siphash_x256_avx2_bitslice", lanes 256, requires ["avx2"],
    |job: Batch<'_, u64>| many(job, &GROUP)
}

kernel! {
    /// One group of messages.
    pub GROUP: Group<[u64; 4]> = "siphash_x256_avx2_bitslice", lanes 256, requires ["avx2"],
    |job: Step<'_, [u64; 4]>| step(Ymm::<false>::new(), job)
}

kernel! {
    /// 8 x 256 bits: the sign bits of 32 bytes at a time.
    pub TRANSPOSE: Transpose8x256 = "siphash_x256_avx2_bitslice", lanes 32, requires ["avx2"],
    |job: Bytes256<'_>| bytes(job)
}

/// Extracts the sign bits of 32 bytes at a time, then shifts the bytes left by one bit.
#[inline]
#[target_feature(enable = "avx2")]
fn bytes(job: Bytes256<'_>) {
    let isa = Ymm::<false>::new();
    for (word, bytes) in job.bytes.as_chunks::<64>().0.iter().enumerate() {
        let (lower, upper) = words(bytes);
        let (mut lower, mut upper) = (isa.load(&lower), isa.load(&upper));
        for plane in job.planes.iter_mut().rev() {
            let signs = |vector| u64::from(_mm256_movemask_epi8(vector) as u32);
            plane[word] = signs(lower) | signs(upper) << 32;
            (lower, upper) = (_mm256_add_epi8(lower, lower), _mm256_add_epi8(upper, upper));
        }
    }
}

/// Converts bytes to words.
fn words(bytes: &[u8; 64]) -> ([u64; 4], [u64; 4]) {
    let (words, _) = bytes.as_chunks::<8>();
    let word = |i: usize| u64::from_le_bytes(words[i]);
    (core::array::from_fn(word), core::array::from_fn(|i| word(4 + i)))
}
