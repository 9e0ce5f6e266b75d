//! A flood of colliding keys: against a map whose hash key is known, and against keylane's maps.
//!
//! ```console
//! cargo run --release -p keylane-uses --bin flood -- 65536
//! ```

mod attack;
mod counted;

use attack::flood;
use counted::Counted;
use keylane::hash_map::RandomState;
use keylane::siphash::Key;
use keylane_map::Map;
use std::collections::HashMap;
use std::error::Error;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// std's map under a key of zeros.
type Known = BuildHasherDefault<DefaultHasher>;

/// The key that it has.
const KNOWN: [u8; 16] = [0; 16];

/// What it took to insert some keys.
struct Cost {
    time: Duration,
    comparisons: u64,
}

/// What it takes to pass each number to `insert`.
fn cost(numbers: &[u64], mut insert: impl FnMut(Counted)) -> Cost {
    let (start, comparisons) = (Instant::now(), Counted::comparisons());
    numbers.iter().for_each(|&number| insert(Counted(number)));
    Cost { time: start.elapsed(), comparisons: Counted::comparisons() - comparisons }
}

/// The cost of a new map of std with this hash.
fn std_map(numbers: &[u64], hash: impl BuildHasher) -> Cost {
    let mut map = HashMap::with_hasher(hash);
    cost(numbers, |key| _ = map.insert(key, ()))
}

/// The cost of a new map of keylane.
fn keylane_map(numbers: &[u64], mut map: Map<Counted, ()>) -> Cost {
    cost(numbers, |key| _ = map.insert(key, ()))
}

/// Keys that nobody chose.
fn ordinary(count: usize) -> Vec<u64> {
    (0..count as u64).map(|i| i * 1_000_003).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let number: NonZeroU32 = std::env::args().nth(1).as_deref().unwrap_or("16384").parse()?;
    let count = number.get() as usize;
    let start = Instant::now();
    let flood = flood(&Key::from_bytes(KNOWN), count);
    println!(
        "the attacker hashed {} numbers in {:.1?} to find {count} that collide",
        flood.tried,
        start.elapsed()
    );

    println!("{:50} {:>12} {:>22}", "", "a key", "comparisons a key");
    for (keys, numbers) in [("ordinary keys", ordinary(count)), ("the flood", flood.numbers)] {
        for (map, cost) in [
            ("HashMap, key of zeros", std_map(&numbers, Known::default())),
            ("HashMap, keylane's RandomState", std_map(&numbers, RandomState::new())),
            ("keylane_map::Map", keylane_map(&numbers, Map::new())),
        ] {
            let each = cost.time / number.get();
            let comparisons = cost.comparisons as f64 / count as f64;
            println!("{:50} {each:>12.1?} {comparisons:>22.3}", format!("{map}, {keys}"));
        }
    }
    Ok(())
}

/// Where all begin at the first bucket, a key meets every earlier one. A map compares one in 128 of them: it looks at 7
/// other bits of the hashes first. So n colliding keys cost n * n / 256 comparisons.
#[test]
fn a_flood_works_only_against_a_known_key() {
    use keylane::hash_map::BuildSipHash13;

    const COUNT: usize = 1024;
    let expected = (COUNT * COUNT / 256) as u64;
    let flood = flood(&Key::from_bytes(KNOWN), COUNT).numbers;
    assert_eq!(flood.iter().collect::<std::collections::HashSet<_>>().len(), COUNT);
    for number in &flood {
        assert_eq!(Known::default().hash_one(Counted(*number)) % 2048, 0);
    }
    let known = std_map(&flood, Known::default()).comparisons;
    assert!(known > expected / 2, "{known} comparisons");

    let secret = Key::from_bytes(*b"sixteen key byte");
    for cost in [
        std_map(&ordinary(COUNT), Known::default()),
        std_map(&flood, BuildSipHash13::new(&secret)),
        keylane_map(&flood, Map::with_key(&secret)),
    ] {
        assert!(cost.comparisons < expected / 10, "{} comparisons", cost.comparisons);
    }
}
