//! The attacker: map keys that collide under a hash key that is known.

use keylane::siphash::{Key, SipHash13};

/// Candidates that are hashed in one call.
const CALL: usize = 4096;

/// Numbers that collide in a map under this hash key.
pub struct Flood {
    pub numbers: Vec<u64>,
    /// How many candidates were hashed.
    pub tried: u64,
}

/// Finds this many numbers that all begin their search at the first bucket, in a map that holds just these.
///
/// std's map takes the place in its table from the lowest bits of a hash. The number of buckets is a power of two, and at
/// most 7 of 8 are filled. So the bits of a hash that count are known, and should be zero.
pub fn flood(known: &Key, count: usize) -> Flood {
    let buckets = (count * 8 / 7 + 1).next_power_of_two() as u64;
    let hash = SipHash13::new(known);
    let mut flood = Flood { numbers: Vec::with_capacity(count), tried: 0 };
    let mut hashes = [0; CALL];
    while flood.numbers.len() < count {
        let candidates: [u64; CALL] = std::array::from_fn(|i| flood.tried + i as u64);
        hash.hash_u64s(&candidates, &mut hashes).expect("as many hashes as candidates");
        let collide = candidates.iter().zip(hashes).filter(|(_, hash)| hash % buckets == 0);
        // std hashes an integer as its bytes in memory, keylane as its little-endian bytes.
        flood.numbers.extend(collide.map(|(candidate, _)| candidate.to_le()));
        flood.tried += CALL as u64;
    }
    flood.numbers.truncate(count);
    flood
}
