//! The attacker: map keys that collide.

use crate::seeded::{Jenkins, Seeded};
use keylane::siphash::{Key, SipHash13};
use std::hash::BuildHasher;

/// Candidates that are hashed in one call.
const CALL: usize = 4096;

/// Numbers that collide.
pub struct Flood {
    pub numbers: Vec<u64>,
    /// How many candidates were hashed.
    pub tried: u64,
}

/// The buckets of a map of std that holds this many keys: a power of two, at most 7 of 8 filled.
pub fn buckets(count: usize) -> u64 {
    (count * 8 / 7 + 1).next_power_of_two() as u64
}

/// Finds this many numbers that all begin their search at the first bucket, in a map that holds just these.
///
/// std's map takes the place in its table from the lowest bits of a hash. So the bits that count are known, and should be
/// zero.
fn search(count: usize, mut hash: impl FnMut(&[u64; CALL], &mut [u64; CALL])) -> Flood {
    let buckets = buckets(count);
    let mut flood = Flood { numbers: Vec::with_capacity(count), tried: 0 };
    let mut hashes = [0; CALL];
    while flood.numbers.len() < count {
        let candidates: [u64; CALL] = std::array::from_fn(|i| flood.tried + i as u64);
        hash(&candidates, &mut hashes);
        let collide = candidates.iter().zip(hashes).filter(|(_, hash)| hash % buckets == 0);
        flood.numbers.extend(collide.map(|(candidate, _)| candidate));
        flood.tried += CALL as u64;
    }
    flood.numbers.truncate(count);
    flood
}

/// A flood of SipHash-1-3 under a key that is known.
pub fn siphash(known: &Key, count: usize) -> Flood {
    let hash = SipHash13::new(known);
    let mut flood = search(count, |candidates, hashes| {
        hash.hash_u64s(candidates, hashes).expect("as many hashes as candidates");
    });
    // std hashes an integer as its bytes in memory, keylane as its little-endian bytes.
    flood.numbers.iter_mut().for_each(|number| *number = number.to_le());
    flood
}

/// A flood of FNV-1a, for every seed.
///
/// A byte 0 multiplies the state by the prime P. A byte 0x80 adds 128 before that, or subtracts it if bit 7 of the state
/// is set. Then bit 7 of each later state is the other one. Here both halves of a key are the same L bytes, and an odd
/// number of them are 0x80. P^64 is 1 modulo 256, so the second half meets the low bits of the first half's states with
/// bit 7 changed, and adds what the first half subtracted. What is left is a multiple of 128 (P^L - 1), in which 2 occurs
/// 9 + log2(L) times: below that, the state is the seed times P^2L whatever the key.
pub fn fnv1a(count: usize) -> Vec<Vec<u8>> {
    let half = (buckets(count) >> 9).max(64) as usize;
    let key = |i: usize| {
        let mut key = vec![0; half];
        // The first byte makes their number odd.
        key[0] = if i.count_ones().is_multiple_of(2) { 0x80 } else { 0 };
        for (bit, byte) in key[1..].iter_mut().take(usize::BITS as usize).enumerate() {
            *byte = ((i >> bit & 1) as u8) << 7;
        }
        key.repeat(2)
    };
    (0..count).map(key).collect()
}

/// The seed under which Jenkins' hash of these bytes is this: each of its steps has an inverse.
pub fn seed_of(hash: u32, bytes: &[u8]) -> u32 {
    // Multiplication by 2^n + 1, and its inverse: each turn doubles the low bits that are right.
    let divide = |product: u32, shift: u32| {
        let inverse =
            (0..5).fold(1_u32, |x, _| x.wrapping_mul(2_u32.wrapping_sub(x.wrapping_mul((1 << shift) + 1))));
        product.wrapping_mul(inverse)
    };
    let unshift = |x: u32, shift: u32| (1..=31 / shift).fold(x, |y, i| y ^ x >> (i * shift));
    let state = divide(unshift(divide(hash, 15), 11), 3);
    bytes.iter().rev().fold(state, |state, byte| divide(unshift(state, 6), 10).wrapping_sub(u32::from(*byte)))
}

/// A flood of Jenkins' hash, for the seed that one hash of a number gives away.
pub fn jenkins(hash: u32, of: u64, count: usize) -> Flood {
    let seeded = Seeded(Jenkins(seed_of(hash, &of.to_ne_bytes())));
    search(count, |candidates, hashes| {
        for (candidate, hash) in candidates.iter().zip(hashes) {
            *hash = seeded.hash_one(candidate);
        }
    })
}
