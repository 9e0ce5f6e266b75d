//! The floor: reads a message and computes only the sum of its words.

#![allow(unsafe_code)]

use super::{Engine, Poly1305};
use crate::engine::Side;
use crate::work::poly1305::Work;

/// The loop that only reads, with this CPU's widest vectors.
pub fn reading() -> Engine {
    Engine::poly1305("only reading", Side::Floor, Reading { sum: widest() })
}

/// The loop without vectors. Its answers are the right ones.
pub fn plain() -> Box<dyn Work> {
    Box::new(Reading { sum })
}

/// The sum of the whole words of a message.
fn sum(message: &[u8]) -> u64 {
    let (words, _) = message.as_chunks();
    words.iter().fold(0, |sum, &word| u64::wrapping_add(sum, u64::from_le_bytes(word)))
}

struct Reading {
    sum: fn(&[u8]) -> u64,
}

impl Poly1305 for Reading {
    type Tag = [u8; 16];

    #[inline(always)]
    fn mac(&self, _key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        u128::from((self.sum)(message)).to_le_bytes()
    }
}

#[cfg(target_arch = "x86_64")]
fn widest() -> fn(&[u8]) -> u64 {
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the CPU has the features that the function requires.
        |message| unsafe { avx512(message) }
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has the features that the function requires.
        |message| unsafe { avx2(message) }
    } else {
        in_lanes
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn widest() -> fn(&[u8]) -> u64 {
    in_lanes
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512(message: &[u8]) -> u64 {
    in_lanes(message)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(message: &[u8]) -> u64 {
    in_lanes(message)
}

/// Words per iteration: eight vectors of 512 bits, so that no sum waits for another.
const LANES: usize = 64;

/// [`sum`] in enough lanes that compilers vectorise it.
#[inline(always)]
fn in_lanes(message: &[u8]) -> u64 {
    let (words, _) = message.as_chunks::<8>();
    let (turns, rest) = words.as_chunks::<LANES>();
    let mut sums = [0u64; LANES];
    for turn in turns {
        for (sum, &word) in sums.iter_mut().zip(turn) {
            *sum = sum.wrapping_add(u64::from_le_bytes(word));
        }
    }
    sums.iter().copied().fold(sum(rest.as_flattened()), u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_read_gives_the_same_sum() {
        let message: Vec<u8> = (0..=255).cycle().take(3000).collect();
        for len in 0..message.len() {
            assert_eq!(in_lanes(&message[..len]), sum(&message[..len]), "{len} bytes");
            assert_eq!(widest()(&message[..len]), sum(&message[..len]), "{len} bytes");
        }
    }
}
