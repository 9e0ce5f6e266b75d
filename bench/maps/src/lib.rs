//! std's `HashMap` with keylane's hashers and others, and `keylane-map`.
//!
//! Maps are compiled in the crate where their type is first known. For [`integers`] and [`strings`] that is
//! this crate, with the flags of any release build. For [`hasher`] it is the caller's crate.

use keylane::hash_map::BuildSipHash;
use keylane::siphash::Key as SipHashKey;
use keylane_map::Map;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

/// A key of a map.
pub trait Key: Copy + Eq + Hash + keylane_map::Key {}
impl<K: Copy + Eq + Hash + keylane_map::Key> Key for K {}

/// The results of a map's life, from new to empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Life {
    /// The number of entries after inserting all keys.
    pub entries: usize,
    /// The sum of the values that were looked up.
    pub sum: u64,
    /// The number of entries after deleting all keys.
    pub left: usize,
}

/// The results of look-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The number of keys found.
    pub keys: usize,
    /// The sum of their values.
    pub sum: u64,
}

/// A full map.
pub trait Full<K> {
    /// Looks up all keys.
    fn look_up(&self, keys: &[K]) -> Found;
}

/// Maps with a hasher. The value of a key is its index in a list.
pub trait Maps<K> {
    /// Makes a new map without a size hint; inserts, looks up and deletes all keys, each in the order of the
    /// list.
    fn life(&mut self, keys: &[K]) -> Life;
    /// Makes a map with all keys.
    fn full<'a>(&mut self, keys: &[K]) -> Box<dyn Full<K> + 'a>
    where
        K: 'a;
}

/// Maps with the hashers that a function makes.
struct Hashed<F>(F);

impl<K: Key, S: BuildHasher + 'static, F: FnMut() -> S> Maps<K> for Hashed<F> {
    fn life(&mut self, keys: &[K]) -> Life {
        let mut map = HashMap::with_hasher((self.0)());
        insert(&mut map, keys);
        let entries = map.len();
        let found = map.look_up(keys);
        for key in keys {
            map.remove::<K>(key);
        }
        Life { entries, sum: found.sum, left: map.len() }
    }

    fn full<'a>(&mut self, keys: &[K]) -> Box<dyn Full<K> + 'a>
    where
        K: 'a,
    {
        let mut map = HashMap::with_hasher((self.0)());
        insert(&mut map, keys);
        Box::new(map)
    }
}

impl<K: Key, S: BuildHasher> Full<K> for HashMap<K, u32, S> {
    fn look_up(&self, keys: &[K]) -> Found {
        let mut found = Found::default();
        for value in keys.iter().filter_map(|key| self.get::<K>(key)) {
            found.keys += 1;
            found.sum += u64::from(*value);
        }
        found
    }
}

fn insert<K: Key, S: BuildHasher>(map: &mut HashMap<K, u32, S>, keys: &[K]) {
    for (&key, place) in keys.iter().zip(0..) {
        map.insert(key, place);
    }
}

/// The number of keys in a call of `keylane-map`.
const CALL: usize = 1024;

/// `keylane-map`, which takes many keys in a call. It removes them one by one.
struct Calls;

impl<K: Key> Maps<K> for Calls {
    fn life(&mut self, keys: &[K]) -> Life {
        let mut map = Map::new();
        insert_calls(&mut map, keys);
        let entries = map.len();
        let found = map.look_up(keys);
        for key in keys {
            map.remove(key.borrow());
        }
        Life { entries, sum: found.sum, left: map.len() }
    }

    fn full<'a>(&mut self, keys: &[K]) -> Box<dyn Full<K> + 'a>
    where
        K: 'a,
    {
        let mut map = Map::new();
        insert_calls(&mut map, keys);
        Box::new(map)
    }
}

impl<K: Key> Full<K> for Map<K, u32> {
    fn look_up(&self, keys: &[K]) -> Found {
        let mut found = Found::default();
        for value in keys.chunks(CALL).flat_map(|keys| self.get_many(keys).flatten()) {
            found.keys += 1;
            found.sum += u64::from(*value);
        }
        found
    }
}

fn insert_calls<K: Key>(map: &mut Map<K, u32>, keys: &[K]) {
    let mut places = 0..;
    for keys in keys.chunks(CALL) {
        map.insert_many(keys.iter().copied().zip(&mut places));
    }
}

/// A hasher in the list.
pub struct Hasher<K> {
    /// Its name.
    pub name: &'static str,
    /// Maps with it.
    pub maps: Box<dyn Maps<K>>,
}

/// Every hasher, and `keylane-map`, for keys that are integers.
pub fn integers() -> Vec<Hasher<u64>> {
    hashers()
}

/// Every hasher, and `keylane-map`, for keys that are strings.
pub fn strings<'a>() -> Vec<Hasher<&'a str>> {
    hashers()
}

/// A hasher. `new` makes one for each map.
pub fn hasher<K: Key, S: BuildHasher + 'static>(
    name: &'static str,
    new: impl FnMut() -> S + 'static,
) -> Hasher<K> {
    Hasher { name, maps: Box::new(Hashed(new)) }
}

fn hashers<K: Key>() -> Vec<Hasher<K>> {
    vec![
        hasher("keylane 1-3", keylane::hash_map::RandomState::new),
        hasher("keylane 1-1", keyed(BuildSipHash::<1, 1>::new)),
        hasher("keylane 2-4", keyed(BuildSipHash::<2, 4>::new)),
        Hasher { name: "keylane-map", maps: Box::new(Calls) },
        hasher("std RandomState", std::hash::RandomState::new),
        hasher("foldhash quality", foldhash::quality::RandomState::default),
        hasher("foldhash fast", foldhash::fast::RandomState::default),
        hasher("ahash", ahash::RandomState::new),
    ]
}

/// Another key for each map, as in every `RandomState`. Under a constant key the branch predictor would learn
/// every branch.
fn keyed<S>(new: impl Fn(&SipHashKey) -> S) -> impl FnMut() -> S {
    let mut key = 0u128;
    move || {
        key += 1;
        new(&SipHashKey::from_bytes(key.to_le_bytes()))
    }
}
