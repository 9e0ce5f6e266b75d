//! Look-ups in a full map, in calls of 1024 keys and one by one, beside std's `HashMap`.
//!
//! ```console
//! cargo run --release -p keylane-map --example look_ups -- 1000000
//! cargo run --release -p keylane-map --example look_ups -- 10000000 u64
//! ```
//!
//! The arguments are the number of entries, and the kind of keys. Each sample looks up other keys, and the contenders
//! take turns. The best of the samples counts, since other programs share the machine.

mod common;

use common::{Random, rows, timed};
use keylane_map::{Key, Map};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

/// The number of keys in a call.
const CALL: usize = 1024;

/// The number of keys in a sample.
const SAMPLE: usize = 16 * CALL;

/// The number of samples of each contender.
const SAMPLES: usize = 40;

/// Looks keys up, and returns the sum of their values.
type LookUp<'a, K> = Box<dyn Fn(&[K]) -> u64 + 'a>;

/// std's map with a hasher.
fn std_map<K: Hash + Eq + Clone, S: BuildHasher + Default>(keys: &[K]) -> HashMap<K, u64, S> {
    keys.iter().cloned().zip(0..).collect()
}

/// Looks keys up one by one.
fn one_by_one<'a, K: Hash + Eq, S: BuildHasher>(map: &'a HashMap<K, u64, S>) -> LookUp<'a, K> {
    Box::new(|keys| keys.iter().filter_map(|key| map.get(key)).sum())
}

/// Prints the times for one kind of keys.
fn measure<K: Key + Hash + Eq + Clone>(name: &str, entries: usize, key: impl Fn(u64) -> K) {
    let mut random = Random(entries as u64);
    let seeds: Vec<u64> = (0..entries).map(|_| random.next()).collect();
    let keys: Vec<K> = seeds.iter().map(|&seed| key(seed)).collect();
    let std = std_map::<K, std::hash::RandomState>(&keys);
    let foldhash = std_map::<K, foldhash::quality::RandomState>(&keys);
    let keylane = std_map::<K, keylane::hash_map::RandomState>(&keys);
    let map: Map<K, u64> = keys.into_iter().zip(0..).collect();
    let contenders: [(&str, LookUp<'_, K>); 5] = [
        ("std", one_by_one(&std)),
        ("std with foldhash", one_by_one(&foldhash)),
        ("std with keylane's hasher", one_by_one(&keylane)),
        ("keylane-map, get", Box::new(|keys| keys.iter().filter_map(|key| map.get(key.borrow())).sum())),
        (
            "keylane-map, get_many",
            Box::new(|keys| keys.chunks(CALL).map(|keys| map.get_many(keys).flatten().sum::<u64>()).sum()),
        ),
    ];
    for (what, hits) in [("hits", true), ("misses", false)] {
        let mut best = [f64::MAX; 5];
        for _ in 0..SAMPLES {
            for (best, (_, look_up)) in best.iter_mut().zip(&contenders) {
                let seed = |_| if hits { seeds[random.below(entries)] } else { random.next() };
                let wanted: Vec<K> = (0..SAMPLE).map(seed).map(&key).collect();
                let (_, time) = timed(|| look_up(&wanted));
                *best = best.min(time.as_nanos() as f64 / SAMPLE as f64);
            }
        }
        println!("{entries} {name}, {what}");
        for (time, (name, _)) in best.iter().zip(&contenders) {
            println!("  {name:26} {time:7.1} ns {:6.2} times as fast as std", best[0] / time);
        }
    }
}

fn main() {
    let (entries, kind) = (rows(), std::env::args().nth(2));
    let wants = |name: &str| kind.as_deref().is_none_or(|kind| kind == name);
    if wants("u64") {
        measure("u64", entries, |seed| seed);
    }
    if wants("u32") {
        measure("u32", entries, |seed| seed as u32);
    }
    if wants("bytes") {
        measure("[u8; 16]", entries, |seed| (u128::from(seed) << 32).to_le_bytes());
    }
    if wants("strings") {
        measure("strings of 20 bytes", entries, |seed| format!("{seed:020}"));
    }
}
