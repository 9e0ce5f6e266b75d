//! ChaCha20, one block at a time, for every CPU.
//!
//! id        chacha20_x1        slots  chacha20-pn, chacha20-xn, chacha20poly1305-pn        requires  nothing
//! does      the rounds of arch/generic/chacha20.rs on single words
//! bounds    a quarter round is a chain of 12 operations, and four of them go side by side: 240 cycles a block
//!           at least, and 960 operations, as many cycles at four a cycle
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.3]
//!
//! HChaCha20, which derives the key of an XChaCha20 message, is here too. It is one block and has no slot.

use crate::arch::generic::chacha20::{self, Blocks, Vectors32};
use crate::job::chacha20::{CONSTANTS, Key, Pn, Seal, Sealing, Stream, Streams, Xn};
use crate::job::kernel::kernel;
use crate::job::wipe::wipe;

kernel! {
    /// One message.
    pub ONE: Pn = "chacha20_x1", lanes 1, requires [], |job: Stream<'_>| one(job)
}

kernel! {
    /// Many messages, one after the other.
    pub MANY: Xn = "chacha20_x1", lanes 1, requires [], |job: Streams<'_>| many(job)
}

kernel! {
    /// One packet, which is better sealed in two passes.
    pub SEALING: Sealing = "chacha20_x1", lanes 1, requires [], from usize::MAX, |job: Seal<'_>| seal(job)
}

/// Single words.
#[derive(Clone, Copy)]
struct Words;

impl Vectors32<1> for Words {
    type V = u32;
    const ROOMY: bool = true;

    #[inline(always)]
    fn splat(self, word: u32) -> u32 {
        word
    }

    #[inline(always)]
    fn add(self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn xor(self, a: u32, b: u32) -> u32 {
        a ^ b
    }

    #[inline(always)]
    fn rotl(self, a: u32, bits: u32) -> u32 {
        a.rotate_left(bits)
    }

    /// The words are little-endian in memory.
    #[inline(always)]
    fn transpose(self, words: [u32; 16]) -> Blocks<u32> {
        let mut blocks = [[0; 4]; 4];
        for (to, word) in blocks.as_flattened_mut().iter_mut().zip(words) {
            *to = word.to_le();
        }
        blocks
    }
}

fn one(job: Stream<'_>) {
    let Stream { key, mut run } = job;
    chacha20::one(Words, key, &mut run, 0);
}

fn many(job: Streams<'_>) {
    chacha20::many(Words, Words, job);
}

fn seal(job: Seal<'_>) {
    chacha20::seal(Words, job);
}

/// Makes the key of the XChaCha20 messages whose nonces begin with these words (draft-irtf-cfrg-xchacha, section 2.2), in
/// its place: a result would be a copy.
pub fn hchacha20(key: &Key, nonce: [u32; 4], place: &mut Key) {
    hchacha20_of(Words, key, nonce, place);
}

/// The same with words of any kind: numbers, or symbols (tests/symbols).
#[inline(always)]
pub fn hchacha20_of(cpu: impl Vectors32<1, V = u32>, key: &Key, [n0, n1, n2, n3]: [u32; 4], place: &mut Key) {
    let [c0, c1, c2, c3] = CONSTANTS;
    let [k0, k1, k2, k3, k4, k5, k6, k7] = key.0;
    let mut v = [c0, c1, c2, c3, k0, k1, k2, k3, k4, k5, k6, k7, n0, n1, n2, n3];
    chacha20::rounds(cpu, &mut v, &mut ());
    let [v0, v1, v2, v3, .., v12, v13, v14, v15] = v;
    place.0 = [v0, v1, v2, v3, v12, v13, v14, v15];
    wipe(&mut v);
}
