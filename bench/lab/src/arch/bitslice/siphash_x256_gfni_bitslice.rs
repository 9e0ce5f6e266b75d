//! SipHash, 256 messages of one word. Every AVX2 vector holds a bit of each. Transposes use GFNI.
//!
//! id        siphash_x256_gfni_bitslice        slot  siphash-xn        requires  avx2 gfni
//! does      bit o of a word of 256 messages is one vector: x + y by full adders of five operations, rotl(x, r) by
//!           another index. Takes jobs of u64, u32 and rows under 8 bytes; siphash_x2 takes all others (batch.rs)
//! bounds    a round: 25 operations, 10 loads and 6 stores per bit; at four operations per cycle, 1.6 cycles per
//!           message. Transposes: 8 operations per vector in, 7 out
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [Bitslice]; 8 x 8 bits by one product after [bitmath]
//! speed     bench/record/zen4/2026-11-28/bitslice.csv

use super::batch::{many, step};
use super::isa::Isa;
use super::transpose::Mirror;
use super::ymm::Ymm;
use crate::bitslice::{Bytes256, Group, Step, Transpose8x256};
use core::arch::x86_64::*;
use keylane::job::siphash::{Batch, Xn};
use keylane::kernel;

kernel! {
    /// Many messages.
    pub MANY: Xn<u64> = "siphash_x256_gfni_bitslice", lanes 256, requires ["avx2", "gfni"],
    |job: Batch<'_, u64>| many(job, &GROUP)
}

kernel! {
    /// One group of messages.
    pub GROUP: Group<[u64; 4]> = "siphash_x256_gfni_bitslice", lanes 256, requires ["avx2", "gfni"],
    |job: Step<'_, [u64; 4]>| step(Ymm::<true>::new(), job)
}

kernel! {
    /// 8 x 256 bits: 8 x 8 by the mirror, bytes by unpacks.
    pub TRANSPOSE: Transpose8x256 = "siphash_x256_gfni_bitslice", lanes 256, requires ["avx2", "gfni"],
    |job: Bytes256<'_>| bytes(job)
}

/// Write the number of a byte in bits: (g4 g3 g2 g1 g0 i2 i1 i0). Vector (g3 g2 g1) loads bytes (g4 g0 i2 i1
/// i0). The mirror complements both its input and its output, so the bytes are reversed first. The result is
/// bytes (g4 g0 b2 b1 b0) with b complemented. A shuffle turns this into (g4 b2 b1 b0 g0), and three unpacks
/// of 16-bit words exchange b2 b1 b0 with the vector's number.
#[inline]
#[target_feature(enable = "avx2", enable = "gfni")]
fn bytes(job: Bytes256<'_>) {
    let isa = Ymm::<true>::new();
    let (lower, upper) = job.bytes.split_at(128);
    let word = |bytes: &[u8], i: usize| u64::from_le_bytes(bytes.as_chunks().0[i]);
    let reverse = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    let reverse = _mm256_broadcastsi128_si256(reverse);
    let pairs = _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    let pairs = _mm256_broadcastsi128_si256(pairs);
    let mut vectors = [_mm256_setzero_si256(); 8];
    for (i, vector) in vectors.iter_mut().enumerate() {
        let (low, high) = (2 * i, 2 * i + 1);
        let words = [word(lower, low), word(lower, high), word(upper, low), word(upper, high)];
        let mirrored = isa.mirror(_mm256_shuffle_epi8(isa.load(&words), reverse));
        *vector = _mm256_shuffle_epi8(mirrored, pairs);
    }
    for _ in 0..3 {
        let before = vectors;
        for i in 0..4 {
            let (a, b) = (before[i], before[i + 4]);
            vectors[2 * i] = _mm256_unpacklo_epi16(a, b);
            vectors[2 * i + 1] = _mm256_unpackhi_epi16(a, b);
        }
    }
    for (plane, vector) in job.planes.iter_mut().rev().zip(vectors) {
        isa.store(plane, vector);
    }
}
