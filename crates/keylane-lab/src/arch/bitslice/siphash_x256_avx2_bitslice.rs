//! SipHash, 256 messages of one word, a bit of each in every AVX2 vector.
//!
//! id        siphash_x256_avx2_bitslice        slot  siphash-xn        requires  avx2
//! does      bit o of a word of 256 messages as one vector: x + y by full adders of five operations,
//!           rotl(x, r) as another index; jobs of u64, u32 and rows under 8 bytes, all others by
//!           siphash_x2 (batch.rs)
//! bounds    a round: 25 operations, 10 loads and 6 stores a bit, so with four operations a cycle 1.6
//!           cycles a message. Transposes: 13 operations a vector in, 12 out
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [Bitslice]; bits are exchanged as in [HackersDelight]
//! speed     bench/record/zen4/2026-11-21/bitslice.csv
//!
//! The transposes exchange bits between vectors. To exchange them within each vector, as the prior
//! work did, takes twice the operations.

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
    /// One group of them.
    pub GROUP: Group<[u64; 4]> = "siphash_x256_avx2_bitslice", lanes 256, requires ["avx2"],
    |job: Step<'_, [u64; 4]>| step(Ymm::<false>::new(), job)
}

kernel! {
    /// 8 x 256 bits: the sign bits of 32 bytes at a time.
    pub TRANSPOSE: Transpose8x256 = "siphash_x256_avx2_bitslice", lanes 32, requires ["avx2"],
    |job: Bytes256<'_>| bytes(job)
}

/// Signs of 32 bytes at a time, which then move up by a bit.
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

/// Bytes as words.
fn words(bytes: &[u8; 64]) -> ([u64; 4], [u64; 4]) {
    let (words, _) = bytes.as_chunks::<8>();
    let word = |i: usize| u64::from_le_bytes(words[i]);
    (core::array::from_fn(word), core::array::from_fn(|i| word(4 + i)))
}
