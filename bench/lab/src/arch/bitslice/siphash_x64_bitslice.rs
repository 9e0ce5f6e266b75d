//! SipHash, 64 messages of one word, for every CPU. Every integer holds a bit of each.
//!
//! id        siphash_x64_bitslice        slot  siphash-xn        requires  nothing
//! does      bit o of a word of 64 messages is one integer: x + y by full adders, rotl(x, r) by another index. Takes
//!           jobs of u64, u32 and rows under 8 bytes; siphash_x2 takes all others (batch.rs)
//! bounds    25 operations per bit and round: 64 x 25 / 64 lanes / 5 per cycle = 5 cycles per round and message. One
//!           message alone takes 4, so this cannot win; it also adds memory traffic
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [Bitslice]; the transposes are those of [HackersDelight]
//! speed     bench/record/zen4/2026-11-28/bitslice.csv

use super::batch::{many, step};
use super::isa::Isa;
use super::transpose::{Swap, by_swaps, transpose};
use crate::bitslice::{Bytes256, Group, Step, Transpose8x256};
use keylane::job::siphash::{Batch, Xn};
use keylane::kernel;

kernel! {
    /// Many messages.
    pub MANY: Xn<u64> = "siphash_x64_bitslice", lanes 64, requires [], |job: Batch<'_, u64>| many(job, &GROUP)
}

kernel! {
    /// One group of messages.
    pub GROUP: Group<u64> = "siphash_x64_bitslice", lanes 64, requires [], |job: Step<'_, u64>| step(X64, job)
}

kernel! {
    /// 8 x 256 bits: 8 x 8 at a time.
    pub TRANSPOSE: Transpose8x256 = "siphash_x64_bitslice", lanes 8, requires [], |job: Bytes256<'_>| bytes(job)
}

/// Integers. They need no proof.
#[derive(Clone, Copy)]
pub struct X64;

impl Isa for X64 {
    type Plane = u64;
    type Vector = u64;

    #[inline(always)]
    fn load(self, plane: &u64) -> u64 {
        *plane
    }

    #[inline(always)]
    fn store(self, plane: &mut u64, vector: u64) {
        *plane = vector;
    }

    #[inline(always)]
    fn splat(self, word: u64) -> u64 {
        word
    }

    #[inline(always)]
    fn xor(self, a: u64, b: u64) -> u64 {
        a ^ b
    }

    #[inline(always)]
    fn xor3(self, a: u64, b: u64, c: u64) -> u64 {
        a ^ b ^ c
    }

    #[inline(always)]
    fn add(self, a: u64, b: u64, carry: u64) -> (u64, u64) {
        let differ = a ^ b;
        (differ ^ carry, differ & carry | a & b)
    }

    /// As in `ymm.rs`: `n` is the carry XORed with the constant of the bit below.
    #[inline(always)]
    fn add_constant(self, x: u64, c: u64, change: u64, n: u64) -> (u64, u64) {
        let y = n ^ change;
        (x ^ y, (x ^ c) & y)
    }

    #[inline(always)]
    fn cut(words: &[u64]) -> &[u64] {
        words
    }

    #[inline(always)]
    fn cut_mut(words: &mut [u64]) -> &mut [u64] {
        words
    }
}

impl Swap for X64 {
    #[inline(always)]
    fn swap<const SHIFT: i32>(self, a: u64, b: u64, mask: u64) -> (u64, u64) {
        let moved = (a >> SHIFT ^ b) & mask;
        (a ^ moved << SHIFT, b ^ moved)
    }
}

transpose!(X64, by_swaps);

/// Three swaps within each integer. Byte b of it is then plane b of eight lanes.
fn bytes(job: Bytes256<'_>) {
    let mut planes = [[0; 32]; 8];
    for (i, eight) in job.bytes.as_chunks::<8>().0.iter().enumerate() {
        let mut x = u64::from_le_bytes(*eight);
        for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0xcccc_0000_cccc), (28, 0xf0f0_f0f0)] {
            let moved = (x >> shift ^ x) & mask;
            x ^= moved ^ moved << shift;
        }
        for (plane, byte) in planes.iter_mut().zip(x.to_le_bytes()) {
            plane[i] = byte;
        }
    }
    for (words, bytes) in job.planes.iter_mut().zip(&planes) {
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
    }
}
