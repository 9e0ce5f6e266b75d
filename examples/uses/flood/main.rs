//! Floods of colliding keys: against maps whose hash key is known, whose seed does not matter, or whose seed has leaked,
//! and against keylane's maps.
//!
//! ```console
//! cargo run --release -p keylane-uses --bin flood -- 65536
//! ```

mod attack;
mod counted;
mod seeded;

use attack::Flood;
use counted::{Counted, comparisons};
use keylane::hash_map::RandomState;
use keylane::siphash::Key;
use keylane_map::Map;
use seeded::{Fnv1a, Jenkins, Seeded};
use std::collections::HashMap;
use std::error::Error;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// std's map under a key of zeros.
type Known = BuildHasherDefault<DefaultHasher>;

/// The key that it has.
const KNOWN: [u8; 16] = [0; 16];

/// The key whose hash leaks.
const LEAKED: u64 = 42;

/// What it took to insert some keys.
struct Cost {
    time: Duration,
    comparisons: u64,
}

/// What it takes to pass each key to `insert`.
fn cost<K: Clone>(keys: &[K], mut insert: impl FnMut(Counted<K>)) -> Cost {
    let (start, before) = (Instant::now(), comparisons());
    keys.iter().for_each(|key| insert(Counted(key.clone())));
    Cost { time: start.elapsed(), comparisons: comparisons() - before }
}

/// The cost of a new map of std with this hash.
fn std_map<K: Clone + Hash + Eq>(keys: &[K], hash: impl BuildHasher) -> Cost {
    let mut map = HashMap::with_hasher(hash);
    cost(keys, |key| _ = map.insert(key, ()))
}

/// The cost of a new map of keylane.
fn keylane_map(numbers: &[u64], mut map: Map<Counted<u64>, ()>) -> Cost {
    cost(numbers, |key| _ = map.insert(key, ()))
}

/// Keys that nobody chose.
fn ordinary(count: usize) -> Vec<u64> {
    (0..count as u64).map(|i| i * 1_000_003).collect()
}

/// The 32 bits of Jenkins' hash of a number.
fn jenkins(seed: u32, number: u64) -> u32 {
    Seeded(Jenkins(seed)).hash_one(number) as u32
}

fn main() -> Result<(), Box<dyn Error>> {
    let number: NonZeroU32 = std::env::args().nth(1).as_deref().unwrap_or("16384").parse()?;
    let count = number.get() as usize;
    let print = |map: &str, keys: &str, cost: Cost| {
        let comparisons = cost.comparisons as f64 / count as f64;
        println!("{:56} {:>12.1?} {comparisons:>18.3}", format!("{map}, {keys}"), cost.time / number.get());
    };
    println!("{:56} {:>12} {:>18}", "", "a key", "comparisons a key");

    let known = attack::siphash(&Key::from_bytes(KNOWN), count);
    for (keys, numbers) in [("ordinary keys", &ordinary(count)), ("flood", &known.numbers)] {
        print("HashMap, SipHash under a key of zeros", keys, std_map(numbers, Known::default()));
        print("HashMap, keylane's RandomState", keys, std_map(numbers, RandomState::new()));
        print("keylane_map::Map", keys, keylane_map(numbers, Map::new()));
    }

    let every_seed = attack::fnv1a(count);
    print(
        "HashMap, FNV-1a under a random seed",
        "flood",
        std_map(&every_seed, Seeded(Fnv1a(getrandom::u64()?))),
    );
    print("HashMap, keylane's RandomState", "the same", std_map(&every_seed, RandomState::new()));

    let seed = getrandom::u32()?;
    let leaked = attack::jenkins(jenkins(seed, LEAKED), LEAKED, count);
    print("HashMap, Jenkins' under a random seed", "flood", std_map(&leaked.numbers, Seeded(Jenkins(seed))));
    print("HashMap, keylane's RandomState", "the same", std_map(&leaked.numbers, RandomState::new()));

    let tried = |flood: &Flood| flood.tried / u64::from(number.get());
    println!("hashed for a key of a flood: SipHash {}, FNV-1a 0, Jenkins' {}", tried(&known), tried(&leaked));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use keylane::hash_map::BuildSipHash13;
    use std::collections::HashSet;

    const COUNT: usize = 1024;

    /// Where all begin at one bucket, a key meets every earlier one. A map compares one in 128 of them: it looks at 7
    /// other bits of the hashes first. So n colliding keys cost n * n / 256 comparisons.
    const EXPECTED: u64 = (COUNT * COUNT / 256) as u64;

    const SECRET: [u8; 16] = *b"sixteen key byte";

    /// The keys are different ones. They are a flood for a map with this hash, and none under a secret key of SipHash.
    fn floods<K: Clone + Hash + Eq>(keys: &[K], hash: impl BuildHasher) {
        assert_eq!((keys.len(), keys.iter().collect::<HashSet<_>>().len()), (COUNT, COUNT));
        let buckets: HashSet<u64> =
            keys.iter().map(|key| hash.hash_one(key) % attack::buckets(COUNT)).collect();
        assert_eq!(buckets.len(), 1);
        let many = std_map(keys, hash).comparisons;
        assert!(many > EXPECTED / 2, "{many} comparisons");
        let few = std_map(keys, BuildSipHash13::new(&Key::from_bytes(SECRET))).comparisons;
        assert!(few < EXPECTED / 10, "{few} comparisons under SipHash");
    }

    #[test]
    fn siphash_under_a_known_key_is_flooded() {
        let numbers = attack::siphash(&Key::from_bytes(KNOWN), COUNT).numbers;
        floods(&numbers, Known::default());
        let secret = Key::from_bytes(SECRET);
        for cost in
            [std_map(&ordinary(COUNT), Known::default()), keylane_map(&numbers, Map::with_key(&secret))]
        {
            assert!(cost.comparisons < EXPECTED / 10, "{} comparisons", cost.comparisons);
        }
    }

    /// The bucket depends on as many low bits of the seed as of the hash: those are all tried.
    #[test]
    fn fnv_1a_is_flooded_under_every_seed() {
        let keys = attack::fnv1a(COUNT);
        let buckets = attack::buckets(COUNT);
        for seed in 0..buckets {
            let hash = Seeded(Fnv1a(seed | 0x5eed << 48));
            let first = hash.hash_one(&keys[0]) % buckets;
            assert!(keys.iter().all(|key| hash.hash_one(key) % buckets == first), "seed {seed}");
        }
        floods(&keys, Seeded(Fnv1a(0x0123_4567_89ab_cdef)));
        // A larger map needs longer keys.
        for count in [16_384, 65_536] {
            let (keys, buckets) = (attack::fnv1a(count), attack::buckets(count));
            let hash = Seeded(Fnv1a(0x0123_4567_89ab_cdef));
            let first = hash.hash_one(&keys[0]) % buckets;
            assert!(keys.iter().all(|key| hash.hash_one(key) % buckets == first), "{count} keys");
        }
    }

    /// The published answers of both hashes, which begin at these states.
    #[test]
    fn the_hashes_are_what_they_are_called() {
        let of = |mut hash: Box<dyn std::hash::Hasher>, bytes: &[u8]| {
            hash.write(bytes);
            hash.finish()
        };
        assert_eq!(of(Box::new(Fnv1a(0xcbf2_9ce4_8422_2325)), b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(of(Box::new(Jenkins(0)), b"a") as u32, 0xca2e_9442);
    }

    #[test]
    fn jenkins_hash_gives_every_seed_away() {
        for i in 0..100_000_u32 {
            let seed = i.wrapping_mul(0x9e37_79b9);
            let bytes = &[i as u8, 255, 0, 128, 7][..i as usize % 6];
            let mut hash = Jenkins(seed);
            std::hash::Hasher::write(&mut hash, bytes);
            assert_eq!(attack::seed_of(std::hash::Hasher::finish(&hash) as u32, bytes), seed);
        }
        for seed in [0, 1, 0x8000_0000, u32::MAX] {
            let flood = attack::jenkins(jenkins(seed, LEAKED), LEAKED, COUNT);
            floods(&flood.numbers, Seeded(Jenkins(seed)));
        }
    }
}
