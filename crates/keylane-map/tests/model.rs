//! Every operation, in any order, against std's `HashMap`.

use keylane_map::{Entry, Form, Key, Map, Set};
use proptest::collection::vec;
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::hash::Hash;
use std::panic::{self, AssertUnwindSafe};

/// A value. A large one makes a table of some entries larger than the inner caches.
trait Value: Clone + PartialEq + Debug {
    fn new(seed: u32) -> Self;
}

impl Value for u32 {
    fn new(seed: u32) -> Self {
        seed
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Large([u32; 2048]);

impl Value for Large {
    fn new(seed: u32) -> Self {
        Large(std::array::from_fn(|i| seed ^ i as u32))
    }
}

/// A key of which many have the same hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Colliding(u32);

impl Key for Colliding {
    type Form = Self;
}

impl Form for Colliding {
    fn siphash(&self, siphash: &keylane::siphash::SipHash13) -> u64 {
        siphash.hash_u32(self.0 % 5)
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert(u32, u32),
    InsertMany(Vec<(u32, u32)>),
    Extend(Vec<(u32, u32)>),
    Set(u32, u32),
    Add(Vec<(u32, u32)>),
    RemoveMany(Vec<(u32, u32)>),
    Change(u32, u32),
    ChangeAll(u32),
    Remove(u32),
    Get(Vec<u32>),
    Retain(u32),
    Clear,
    Drain,
    Reserve(usize),
    Shrink,
    Clone,
    Collect,
}

/// Keys that often meet, and keys that rarely do.
fn key() -> impl Strategy<Value = u32> {
    prop_oneof![3 => 0..40u32, 2 => 0..400u32, 1 => any::<u32>()]
}

fn step() -> impl Strategy<Value = Step> {
    let rows = || vec((key(), any::<u32>()), 0..200);
    prop_oneof![
        4 => (key(), any::<u32>()).prop_map(|(key, value)| Step::Insert(key, value)),
        6 => rows().prop_map(Step::InsertMany),
        2 => rows().prop_map(Step::Extend),
        2 => (key(), any::<u32>()).prop_map(|(key, value)| Step::Set(key, value)),
        4 => rows().prop_map(Step::Add),
        1 => rows().prop_map(Step::RemoveMany),
        2 => (key(), any::<u32>()).prop_map(|(key, value)| Step::Change(key, value)),
        1 => any::<u32>().prop_map(Step::ChangeAll),
        4 => key().prop_map(Step::Remove),
        6 => vec(key(), 0..200).prop_map(Step::Get),
        1 => (2..5u32).prop_map(Step::Retain),
        1 => Just(Step::Clear),
        1 => Just(Step::Drain),
        1 => (0..500usize).prop_map(Step::Reserve),
        1 => Just(Step::Shrink),
        1 => Just(Step::Clone),
        1 => Just(Step::Collect),
    ]
}

/// Runs the same steps on a map and on its model. `make` makes a key of a number.
fn run<K, V: Value>(steps: &[Step], make: impl Fn(u32) -> K)
where
    K: Key + Hash + Eq + Clone + Debug,
{
    let mut map: Map<K, V> = Map::new();
    let mut model: HashMap<K, V> = HashMap::new();
    let rows = |rows: &[(u32, u32)]| -> Vec<(K, V)> {
        rows.iter().map(|&(key, value)| (make(key), V::new(value))).collect()
    };
    for step in steps {
        match step {
            &Step::Insert(key, value) => {
                assert_eq!(map.insert(make(key), V::new(value)), model.insert(make(key), V::new(value)));
            }
            Step::InsertMany(list) => {
                let before = model.len();
                model.extend(rows(list));
                assert_eq!(map.insert_many(rows(list)), model.len() - before);
            }
            Step::Extend(list) => {
                map.extend(rows(list));
                model.extend(rows(list));
            }
            &Step::Set(key, value) => {
                let previous = map.entry(make(key)).set(V::new(value));
                assert_eq!(previous, model.insert(make(key), V::new(value)));
            }
            Step::Add(list) => {
                let mut seen = Vec::new();
                map.entry_many(rows(list), |entry, value| {
                    seen.push(matches!(entry, Entry::Occupied(_)));
                    *entry.or_insert_with(|| V::new(0)) = value;
                });
                for ((key, value), seen) in rows(list).into_iter().zip(seen) {
                    assert_eq!(model.insert(key, value).is_some(), seen);
                }
            }
            Step::RemoveMany(list) => {
                map.entry_many(rows(list), |entry, value| match entry {
                    Entry::Occupied(entry) => {
                        let (key, value) = entry.remove_entry();
                        assert_eq!(model.remove::<K>(&key), Some(value));
                    }
                    Entry::Vacant(entry) => {
                        assert_eq!(model.insert(entry.key().clone(), value.clone()), None);
                        entry.insert(value);
                    }
                });
            }
            &Step::Change(key, value) => {
                let key = make(key);
                let (ours, theirs) = (map.get_mut(key.borrow()), model.get_mut::<K>(&key));
                assert_eq!(ours, theirs);
                for place in ours.into_iter().chain(theirs) {
                    *place = V::new(value);
                }
            }
            &Step::ChangeAll(value) => {
                map.values_mut().for_each(|place| *place = V::new(value));
                model.values_mut().for_each(|place| *place = V::new(value));
            }
            &Step::Remove(key) => assert_eq!(map.remove(make(key).borrow()), model.remove::<K>(&make(key))),
            Step::Get(list) => {
                let keys: Vec<K> = list.iter().map(|&key| make(key)).collect();
                assert!(map.get_many(&keys).eq(keys.iter().map(|key| model.get::<K>(key))));
                assert!(map.contains_many(&keys).eq(keys.iter().map(|key| model.contains_key::<K>(key))));
                for key in &keys {
                    assert_eq!(map.get(key.borrow()), model.get::<K>(key));
                    assert_eq!(map.contains_key(key.borrow()), model.contains_key::<K>(key));
                }
            }
            &Step::Retain(part) => {
                let kept: HashSet<K> = (0..400).filter(|key| key % part == 0).map(&make).collect();
                map.retain(|key, _| kept.contains::<K>(key));
                model.retain(|key, _| kept.contains::<K>(key));
            }
            Step::Clear => {
                map.clear();
                model.clear();
            }
            Step::Drain => {
                assert_eq!(map.drain().collect::<HashMap<_, _>>(), model);
                model.clear();
            }
            &Step::Reserve(more) => {
                map.reserve(more);
                assert!(map.capacity() >= map.len() + more);
            }
            Step::Shrink => map.shrink_to_fit(),
            Step::Clone => map = map.clone(),
            Step::Collect => map = map.into_iter().collect(),
        }
        assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
    }
    assert_eq!(map.iter().map(|(key, value)| (key.clone(), value.clone())).collect::<HashMap<_, _>>(), model);
    assert_eq!(map.iter().len(), model.len());
    assert!(map.keys().all(|key| model.contains_key::<K>(key)));
    assert_eq!(map.values().len(), model.len());
    let again: Map<K, V> = model.clone().into_iter().collect();
    assert_eq!(map, again);
    let text = format!("{map:?}");
    assert_eq!(text.len(), format!("{model:?}").len());
    let set: Set<K> = model.keys().cloned().collect();
    assert_eq!(set, map.into_iter().map(|(key, _)| key).collect());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn integers(steps in vec(step(), 0..60)) {
        run::<u64, u32>(&steps, u64::from);
    }

    #[test]
    fn integers_beyond_the_caches(steps in vec(step(), 0..30)) {
        run::<u32, Large>(&steps, |key| key);
    }

    #[test]
    fn strings(steps in vec(step(), 0..60)) {
        run::<String, u32>(&steps, |key| format!("{:1$}", key, (key % 40) as usize));
    }

    #[test]
    fn strings_beyond_the_caches(steps in vec(step(), 0..30)) {
        run::<String, Large>(&steps, |key| format!("{:1$}", key, (key % 40) as usize));
    }

    #[test]
    fn keys_that_collide(steps in vec(step(), 0..20)) {
        run::<Colliding, u32>(&steps, Colliding);
    }

    #[test]
    fn keys_that_collide_beyond_the_caches(steps in vec(step(), 0..10)) {
        run::<Colliding, Large>(&steps, Colliding);
    }

    #[test]
    fn sets(batches in vec(vec(key(), 0..200), 0..10), removed in vec(key(), 0..50)) {
        let (mut set, mut model) = (Set::new(), HashSet::new());
        for batch in &batches {
            prop_assert!(set.contains_many(batch).eq(batch.iter().map(|key| model.contains(key))));
            let before = model.len();
            let mut new = Vec::new();
            set.clone().insert_each(batch.iter().map(|&key| (key, ())), |(), is_new| new.push(is_new));
            prop_assert!(new.into_iter().eq(batch.iter().map(|&key| model.insert(key))));
            prop_assert_eq!(set.insert_many(batch.iter().copied()), model.len() - before);
        }
        for key in &removed {
            prop_assert_eq!(set.remove(key), model.remove(key));
            prop_assert!(!set.contains(key));
        }
        prop_assert_eq!(set.len(), model.len());
        prop_assert_eq!(set.iter().copied().collect::<HashSet<_>>(), model);
    }
}

/// A key whose hash, or comparison, panics once.
#[derive(Debug)]
struct Failing<'a>(u32, &'a Cell<Option<(Part, u32)>>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Hash,
    Comparison,
}

impl Failing<'_> {
    fn fail(&self, part: Part) {
        if self.1.get() == Some((part, self.0)) {
            self.1.set(None);
            panic::resume_unwind(Box::new(part));
        }
    }
}

impl PartialEq for Failing<'_> {
    fn eq(&self, other: &Self) -> bool {
        other.fail(Part::Comparison);
        self.0 == other.0
    }
}

impl Eq for Failing<'_> {}

impl Key for Failing<'_> {
    type Form = Self;
}

impl Form for Failing<'_> {
    fn siphash(&self, siphash: &keylane::siphash::SipHash13) -> u64 {
        self.fail(Part::Hash);
        siphash.hash_u32(self.0)
    }
}

/// A table with large values is larger than the inner caches.
fn fail_in_get_many<const N: usize>(part: Part) {
    let failing = Cell::new(None);
    let map: Map<Failing<'_>, [u32; N]> = (0..300).map(|i| (Failing(i, &failing), [i; N])).collect();
    // The last two keys are looked up one by one.
    let wanted: Vec<_> = (0..194).map(|i| Failing(i, &failing)).collect();
    for (fails, asked) in [(0, 0), (100, 64), (192, 192), (193, 193)] {
        let mut values = map.get_many(&wanted);
        let mut found: Vec<u32> = values.by_ref().take(asked).flatten().map(|value| value[0]).collect();
        failing.set(Some((part, fails)));
        assert!(panic::catch_unwind(AssertUnwindSafe(|| values.next())).is_err(), "{part:?} of {fails}");
        assert_eq!(values.len(), 194 - asked);
        found.extend(values.flatten().map(|value| value[0]));
        assert!(found.into_iter().eq(0..194), "after {part:?} of {fails}");
    }
}

#[test]
fn get_many_loses_nothing_if_a_key_panics() {
    for part in [Part::Hash, Part::Comparison] {
        fail_in_get_many::<1>(part);
        fail_in_get_many::<2048>(part);
    }
}
