//! The common code of the scalar kernels: everything except the one part that each replaces.

use crate::ablation::{Rounds, Wholes};
use keylane::job::siphash::Word;

/// SipHash in parts, each in its fast form. A kernel replaces one part.
pub trait Parts: Sized {
    /// Whether the next word is XORed into v3 within the round instead of after it.
    const BESIDE: bool = false;

    /// A whole word: one load.
    #[inline(always)]
    fn word(bytes: &[u8; 8]) -> u64 {
        u64::from_le_bytes(*bytes)
    }

    /// A rotation to the left: one instruction.
    #[inline(always)]
    fn rotl(x: u64, bits: u32) -> u64 {
        x.rotate_left(bits)
    }

    /// A round, in keylane's order.
    #[inline(always)]
    fn round(v: [u64; 4]) -> [u64; 4] {
        round::<Self>(v)
    }

    /// The last `len % 8` bytes, as keylane loads them: only messages below 8 bytes branch on their length.
    #[inline(always)]
    fn tail(message: &[u8], _rest: &[u8]) -> u64 {
        tail(message)
    }
}

/// One load that ends at the end of the message, shifted.
#[inline(always)]
pub fn tail<W: Word>(message: &[u8]) -> W {
    W::tail(message)
}

/// A kernel's entry. Each of the three functions has a symbol for itself.
#[inline(always)]
pub fn many<P: Parts>(job: Wholes<'_>) {
    let Wholes { rounds, key, messages, tags } = job;
    match rounds {
        Rounds::R12 => each::<P, 1, 2>(key, messages, tags),
        Rounds::R13 => each::<P, 1, 3>(key, messages, tags),
        Rounds::R24 => each::<P, 2, 4>(key, messages, tags),
    }
}

#[inline(never)]
fn each<P: Parts, const C: usize, const D: usize>(key: [u64; 2], messages: &[&[u8]], tags: &mut [u64]) {
    for (tag, message) in tags.iter_mut().zip(messages) {
        *tag = hash::<P, C, D>(key, message);
    }
}

#[inline(always)]
fn hash<P: Parts, const C: usize, const D: usize>([k0, k1]: [u64; 2], message: &[u8]) -> u64 {
    let [c0, c1, c2, c3] = u64::INITIAL;
    let mut v = [k0 ^ c0, k1 ^ c1, k0 ^ c2, k1 ^ c3];
    let (words, rest) = message.as_chunks();
    let last = P::tail(message, rest) | u64::length(message.len());
    match words.split_first() {
        Some((first, words)) if P::BESIDE => {
            // v3 already contains the current word.
            let mut word = P::word(first);
            v[3] ^= word;
            for next in words {
                let next = P::word(next);
                v = beside::<P, C>(v, word, next);
                word = next;
            }
            v = beside::<P, C>(v, word, last);
            v = rounds::<P, C>(v);
            v[0] ^= last;
        }
        _ => {
            for word in words {
                v = behind::<P, C>(v, P::word(word));
            }
            v = behind::<P, C>(v, last);
        }
    }
    v[2] ^= 0xff;
    let [v0, v1, v2, v3] = rounds::<P, D>(v);
    v0 ^ v1 ^ v2 ^ v3
}

/// `v3 ^= word; c rounds; v0 ^= word`.
#[inline(always)]
fn behind<P: Parts, const C: usize>(mut v: [u64; 4], word: u64) -> [u64; 4] {
    v[3] ^= word;
    v = rounds::<P, C>(v);
    v[0] ^= word;
    v
}

/// `c rounds; v0 ^= word; v3 ^= next`. The last step happens within the last round: `arch/generic/dup.rs` of
/// keylane explains how, and why two values must be opaque.
#[inline(always)]
fn beside<P: Parts, const C: usize>(v: [u64; 4], word: u64, next: u64) -> [u64; 4] {
    let v = if C > 1 { round::<P>(v) } else { v };
    let injected = (P::rotl(v[3], 37) ^ next).opaque();
    let injected = (injected ^ P::rotl(v[2].wrapping_add(v[3]), 21)).opaque();
    let [v0, v1, v2, _] = round::<P>(v);
    [v0 ^ word, v1, v2, injected ^ v0]
}

/// N rounds.
#[inline(always)]
fn rounds<P: Parts, const N: usize>(mut v: [u64; 4]) -> [u64; 4] {
    for _ in 0..N {
        v = P::round(v);
    }
    v
}

/// One round, in keylane's order.
#[inline(always)]
fn round<P: Parts>([mut v0, mut v1, mut v2, mut v3]: [u64; 4]) -> [u64; 4] {
    v0 = v0.wrapping_add(v1);
    v2 = v2.wrapping_add(v3);
    v1 = P::rotl(v1, 13) ^ v0;
    v3 = P::rotl(v3, 16) ^ v2;
    v0 = P::rotl(v0, 32);
    v2 = v2.wrapping_add(v1);
    v1 = P::rotl(v1, 17) ^ v2;
    v0 = v0.wrapping_add(v3);
    v3 = P::rotl(v3, 21) ^ v0;
    v2 = P::rotl(v2, 32);
    [v0, v1, v2, v3]
}
