//! Look-ups in a caller's table, by the caller's hashes, against one look-up at a time.

use keylane::siphash::{Key, SipHash13};
use keylane_map::hashbrown::HashTable;
use keylane_map::table::{find_many, hash_many, request};
use std::cell::Cell;

/// Tables of numbers with something to make them larger than the inner caches, or not.
fn check<T: Copy>(ballast: T, entries: u64, hash: impl Fn(u64) -> u64) {
    let mut table = HashTable::new();
    for key in 0..entries {
        table.insert_unique(hash(key), (key, ballast), |&(key, _)| hash(key));
    }
    for len in [0, 1, 2, 63, 64, 65, 128, 1000] {
        let wanted: Vec<u64> = (0..len).map(|i| i * 7919 % (2 * entries)).collect();
        let hashes: Vec<u64> = wanted.iter().map(|&key| hash(key)).collect();
        let found = find_many(&table, &hashes, |i, &(key, _)| key == wanted[i]);
        assert_eq!(found.len(), wanted.len());
        let expected = wanted.iter().map(|&key| (key < entries).then_some(key));
        assert!(found.map(|entry| entry.map(|&(key, _)| key)).eq(expected), "{len} of {entries}");
        let requested = Cell::new(0);
        request(&table, &hashes, |_| requested.set(requested.get() + 1));
        let is_large = table.allocation_size() >= 1 << 20;
        let there = wanted.iter().filter(|&&key| key < entries).count();
        assert!(if is_large { requested.get() >= there } else { requested.get() == 0 });
    }
}

#[test]
fn find_many_is_find_of_each() {
    let siphash = SipHash13::new(&Key::from_bytes([7; 16]));
    for entries in [1, 100, 1000] {
        check((), entries, |key| siphash.hash_u64(key));
        check([0u64; 1024], entries, |key| siphash.hash_u64(key));
        // Most probable entries are those of other keys.
        check([0u64; 1024], entries, |key| siphash.hash_u64(key % 7));
    }
    check((), 100_000, |key| siphash.hash_u64(key));
}

/// Many hashes are those of one key at a time, also of more keys than are hashed together.
#[test]
fn hash_many_is_the_hash_of_each() {
    let siphash = SipHash13::new(&Key::from_bytes([7; 16]));
    for len in [0, 1, 64, 65, 1000] {
        let keys: Vec<String> = (0..len).map(|i| "x".repeat(i % 40)).collect();
        assert!(
            hash_many(&siphash, &keys).into_iter().eq(keys.iter().map(|key| siphash.hash(key.as_bytes())))
        );
        let keys: Vec<u32> = (0..len as u32).collect();
        assert!(hash_many(&siphash, &keys).into_iter().eq(keys.iter().map(|&key| siphash.hash_u32(key))));
    }
}

/// A comparison that panics leaves an iterator that goes on.
#[test]
fn a_panic_loses_one_result() {
    let mut table = HashTable::new();
    for key in 0..10u64 {
        table.insert_unique(key, (key, [0u64; 16_384]), |&(key, _)| key);
    }
    let mut found = find_many(&table, &[1, 2, 3], |i, &(key, _)| {
        assert_ne!(i, 1, "planted");
        key == i as u64 + 1
    });
    let mut next = || {
        let next = std::panic::AssertUnwindSafe(|| found.next().flatten().map(|&(key, _)| key));
        std::panic::catch_unwind(next).ok()
    };
    let mut all = Vec::new();
    std::iter::repeat_with(&mut next).take(4).for_each(|found| all.push(found));
    assert_eq!(all, [Some(Some(1)), None, Some(Some(3)), Some(None)]);
}
