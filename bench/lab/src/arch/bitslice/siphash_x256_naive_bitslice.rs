//! SipHash, 256 messages of one word, bitsliced without the steps of the other kernels.
//!
//! id        siphash_x256_naive_bitslice        slot  siphash-xn        requires  avx2
//! does      the rounds of naive.rs, with full adders of five operations; transposes of 16 x 8 bits by the sign bits of
//!           bytes. Takes jobs of u64, u32 and rows under 8 bytes; siphash_x2 takes all others (batch.rs)
//! bounds    a round: 24 operations, 12 loads and 8 stores per bit. Transposes: 16 bytes put together, and eight times a
//!           movemask, a shift and a store, for each of 128 pieces in and as many out
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [Bitslice], without its code
//!
//! It shows what the steps of the other kernels are worth. It is no measure of the prior work's own program, which computes
//! faster: `cargo xtask prior bitslice --source FOLDER` runs that.

use super::batch::many;
use super::isa::Isa;
use super::naive::compute;
use super::ymm::{Ymm, sixteens};
use crate::bitslice::{Bytes256, Group, Planes, Step, Transpose8x256};
use core::arch::x86_64::{_mm_movemask_epi8, _mm_setr_epi8, _mm_slli_epi64};
use keylane::job::siphash::{Batch, Xn};
use keylane::kernel;

kernel! {
    /// Many messages.
    pub MANY: Xn<u64> = "siphash_x256_naive_bitslice", lanes 256, requires ["avx2"],
    |job: Batch<'_, u64>| many(job, &GROUP)
}

kernel! {
    /// One group of messages.
    pub GROUP: Group<[u64; 4]> = "siphash_x256_naive_bitslice", lanes 256, requires ["avx2"],
    |job: Step<'_, [u64; 4]>| step(job)
}

kernel! {
    /// 8 x 256 bits, 8 x 16 at a time.
    pub TRANSPOSE: Transpose8x256 = "siphash_x256_naive_bitslice", lanes 16, requires ["avx2"],
    |job: Bytes256<'_>| bytes(job)
}

#[inline]
#[target_feature(enable = "avx2")]
fn step(job: Step<'_, [u64; 4]>) {
    match job {
        Step::Planes { words, flip, state } => planes(words, flip, &mut state.x),
        Step::Compute { plan, state } => compute(Ymm::<false>::new(), plan, state),
        Step::Words { high, state, words } => self::words(if high { &state.high } else { &state.x }, words),
    }
}

/// 256 words of 8 bytes. Bit i of byte k is plane 8 k + i.
#[inline(never)]
#[target_feature(enable = "avx2")]
fn planes(words: &[u64], flip: u64, planes: &mut Planes<[u64; 4]>) {
    let out = sixteens(planes);
    for (piece, sixteen) in words.as_chunks::<16>().0.iter().enumerate() {
        for k in 0..8 {
            let bytes = core::array::from_fn(|i| (sixteen[i] >> (8 * k)) as u8);
            signs(bytes, |bit, signs| out[8 * k + bit][piece] = signs);
        }
    }
    let isa = Ymm::<false>::new();
    for (o, plane) in planes.iter_mut().enumerate() {
        let flipped = isa.xor(isa.load(plane), isa.splat(0u64.wrapping_sub(flip >> o & 1)));
        isa.store(plane, flipped);
    }
}

/// 64 planes of 32 bytes. Bit i of byte k is word 8 k + i.
#[inline(never)]
#[target_feature(enable = "avx2")]
fn words(planes: &Planes<[u64; 4]>, words: &mut [u64]) {
    let out = sixteens(Ymm::<false>::cut_mut(words));
    for (piece, sixteen) in planes.as_chunks::<16>().0.iter().enumerate() {
        for (k, out) in out.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let bytes = core::array::from_fn(|i| (sixteen[i][k / 8] >> (8 * (k % 8))) as u8);
            signs(bytes, |bit, signs| out[bit / 4][4 * (bit % 4) + piece] = signs);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn bytes(job: Bytes256<'_>) {
    let out = sixteens(job.planes);
    for (piece, &sixteen) in job.bytes.as_chunks::<16>().0.iter().enumerate() {
        signs(sixteen, |bit, signs| out[bit][piece] = signs);
    }
}

/// 16 x 8 bits: the signs of 16 bytes, which move left by one bit each time.
#[inline]
#[target_feature(enable = "avx2")]
fn signs(bytes: [u8; 16], mut put: impl FnMut(usize, u16)) {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = bytes.map(|byte| byte as i8);
    let mut vector = _mm_setr_epi8(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
    for bit in (0..8).rev() {
        put(bit, _mm_movemask_epi8(vector) as u16);
        vector = _mm_slli_epi64::<1>(vector);
    }
}
