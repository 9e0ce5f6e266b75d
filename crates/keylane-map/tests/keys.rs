//! Every type of key: one hash and many hashes are the same, and so are one look-up and many.

use keylane::siphash::{Key as SipHashKey, SipHash13};
use keylane_map::{Form, Key, Map, Set};
use std::borrow::Cow;
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;

/// The longest call. It takes several chunks and a rest.
const LONGEST: usize = 200;

/// A value that makes a table of some hundred entries larger than the inner caches.
type Large = [usize; 1024];

/// Checks a type of key. `make` makes distinct keys of distinct numbers, as long as the type has enough values.
fn check<K: Key + Eq + Debug>(make: impl Fn(usize) -> K) {
    check_with::<K, usize>(&make, |i| i);
}

/// Compiled once for a type of key and of value, not for each `make`.
fn check_with<K: Key + Eq + Debug, V: PartialEq + Debug>(make: &dyn Fn(usize) -> K, value: fn(usize) -> V) {
    // Keys that exist and keys that do not, mixed; some more than once.
    let keys: Vec<K> = (0..LONGEST).map(|i| make(i * 7 % 150)).collect();
    let siphash = SipHash13::new(&SipHashKey::from_bytes([7; 16]));
    let full: Map<K, V> = (0..75).chain(200..300).map(|i| (make(i), value(i))).collect();
    for len in 0..=LONGEST {
        let keys = &keys[..len];
        let forms = || keys.iter().map(K::borrow);
        let mut hashes = vec![0; len];
        K::Form::siphash_many(forms(), &siphash, &mut hashes);
        assert!(forms().map(|form| form.siphash(&siphash)).eq(hashes), "{len}");
        assert!(full.get_many(keys).eq(forms().map(|form| full.get(form))), "{len}");
        assert!(full.contains_many(keys).eq(forms().map(|form| full.contains_key(form))), "{len}");
        let found = full.get_many(keys);
        assert_eq!((found.len(), found.count()), (len, len));
        if size_of::<V>() > 100 && len % 50 > 1 {
            continue;
        }
        let mut single = Map::new();
        let mut new = 0;
        for i in 0..len {
            new += usize::from(single.insert(make(i * 7 % 150), value(i)).is_none());
        }
        let mut many = Map::new();
        assert_eq!(many.insert_many((0..len).map(|i| (make(i * 7 % 150), value(i)))), new, "{len}");
        assert_eq!(single, many, "{len}");
    }
}

/// What a large table does differently depends on no more of a key's type than whether its keys have one size.
#[test]
fn large_tables() {
    check_with::<u64, Large>(&|i| i as u64, |i| [i; 1024]);
    check_with::<[u8; 20], Large>(&|i| std::array::from_fn(|at| (i >> (8 * (at % 2))) as u8), |i| [i; 1024]);
    check_with::<String, Large>(&text, |i| [i; 1024]);
}

macro_rules! integers {
    ($($name:ident),*) => { $(
        #[test]
        fn $name() {
            check(|i| i as $name);
            check(|i| (i as $name).reverse_bits());
        }
    )* };
}
integers!(u8, i8, u16, i16, u32, i32, u64, i64, u128, i128, usize, isize);

#[test]
fn small_types() {
    check(|i| i % 2 == 0);
    check(|i| char::from_u32(0x3b1 + i as u32).unwrap_or_default());
}

fn array<const N: usize>() {
    check(|i| -> [u8; N] { std::array::from_fn(|at| (i >> (8 * (at % 2))) as u8) });
}

#[test]
fn arrays() {
    array::<0>();
    array::<1>();
    array::<4>();
    array::<8>();
    array::<9>();
    array::<16>();
    array::<20>();
    array::<32>();
    array::<64>();
    array::<65>();
    array::<600>();
}

/// Strings of many lengths, not all of them ASCII.
fn text(i: usize) -> String {
    format!("{i}{}", "a\u{df}\u{2126}\u{1f600}".repeat(i % 13))
}

#[test]
fn strings() {
    let texts: Vec<String> = (0..300).map(text).collect();
    check(text);
    check(|i| texts[i].as_str());
    check(|i| text(i).into_boxed_str());
    check(|i| Rc::<str>::from(text(i)));
    check(|i| Arc::<str>::from(text(i)));
    check(|i| if i % 2 == 0 { Cow::Borrowed(texts[i].as_str()) } else { Cow::Owned(text(i)) });
}

#[test]
fn bytes() {
    let bytes = |i: usize| text(i).into_bytes();
    let all: Vec<Vec<u8>> = (0..300).map(bytes).collect();
    check(bytes);
    check(|i| all[i].as_slice());
    check(|i| bytes(i).into_boxed_slice());
    check(|i| Rc::<[u8]>::from(bytes(i)));
    check(|i| -> Cow<'_, [u8]> { Cow::Borrowed(&all[i]) });
    // Lengths from which keylane takes other ways.
    check(|i| vec![i as u8; i * 7]);
}

#[test]
fn references() {
    let numbers: Vec<u64> = (0..300).collect();
    check(|i| &numbers[i]);
    check(|i| Box::new(i as u128));
}

/// What can be borrowed as the form of a key finds the key.
#[test]
fn borrowed() {
    let names = ["Ada", "Grace", "Alan", "Charles", "Annie", "Edsger", "Barbara", "Donald", "Radia", "Ken"];
    let owned: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let map: Map<String, usize> = owned.iter().cloned().zip(0..).collect();
    assert!(map.get_many(&names).eq((0..10).collect::<Vec<_>>().iter().map(Some)));
    assert!(map.get_many(&owned).eq(map.get_many(&names)));
    assert!(map.get_many(&names.map(Cow::Borrowed)).eq(map.get_many(&names)));
    assert_eq!([map.get("Alan"), map.get(&"Alan"), map.get(&owned[2])], [Some(&2); 3]);
    let map: Map<&str, usize> = names.into_iter().zip(0..).collect();
    assert!(map.get_many(&owned).eq((0..10).collect::<Vec<_>>().iter().map(Some)));
    let map: Map<Vec<u8>, usize> = names.iter().map(|name| name.as_bytes().to_vec()).zip(0..).collect();
    assert_eq!([map.get(b"Grace"), map.get(b"Grace".as_slice()), map.get(&b"Grace".to_vec())], [Some(&1); 3]);
    let slices = names.map(str::as_bytes);
    assert!(map.get_many(&slices).eq((0..10).collect::<Vec<_>>().iter().map(Some)));
    let map: Map<u64, u64> = (0..100).map(|i| (i, i)).collect();
    let keys = [&5, &100, &7];
    assert!(map.get_many(&keys).eq([Some(&5), None, Some(&7)]));
}

/// Results live as long as the map; the keys may be gone.
#[test]
fn results_outlive_keys() {
    let map: Map<u64, u64> = (0..100).map(|i| (i, i * i)).collect();
    let found: Vec<Option<&u64>> = {
        let keys: Vec<u64> = (90..110).collect();
        map.get_many(&keys).collect()
    };
    assert_eq!(found.iter().flatten().count(), 10);
}

/// Under one key, maps of one history have one order; under random keys, other orders.
#[test]
fn keys_of_hashes() {
    let fill = |mut map: Map<u32, ()>| {
        map.extend((0..1000).map(|i| (i, ())));
        map.keys().copied().collect::<Vec<_>>()
    };
    let with = |byte| fill(Map::with_key(&SipHashKey::from_bytes([byte; 16])));
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
    assert_ne!(fill(Map::new()), fill(Map::new()));
}

/// `Debug` shows entries, and nothing of the key.
#[test]
fn debug() {
    let map = Map::from([(7, "seven")]);
    assert_eq!(format!("{map:?}"), r#"{7: "seven"}"#);
    assert_eq!(format!("{:?}", Set::from([7])), "{7}");
    assert_eq!(format!("{:?}", map.iter()), "Iter { len: 1, .. }");
    assert_eq!(format!("{:?}", map.get_many(&[7])), "GetMany { .. }");
}

/// Room that cannot be had is no error, and a hint that is false does no harm.
#[test]
fn too_much_room() {
    let mut map: Map<u64, [u64; 64]> = Map::with_capacity(usize::MAX);
    assert_eq!(map.capacity(), 0);
    map.insert(1, [1; 64]);
    map.reserve(usize::MAX / 1024);
    map.reserve(isize::MAX as usize);
    assert_eq!(map.get(&1), Some(&[1; 64]));
    struct Liar(u64);
    impl Iterator for Liar {
        type Item = u64;
        fn next(&mut self) -> Option<u64> {
            self.0 = self.0.checked_sub(1)?;
            Some(self.0)
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (usize::MAX, None)
        }
    }
    assert_eq!(Liar(100).collect::<Set<_>>().len(), 100);
    let mut set = Set::from([7]);
    set.extend(Liar(100));
    assert_eq!(set.insert_many(Liar(200)), 100);
}

/// Entries come in the order of their keys, through every growth of the map.
#[test]
fn entries_come_in_order_while_the_map_grows() {
    let mut map = Map::new();
    let mut order = Vec::new();
    map.entry_many((0..100_000u32).map(|i| (i % 70_000, i)), |entry, i| {
        order.push(i);
        entry.or_insert(Vec::new()).push(i);
    });
    assert!(order.into_iter().eq(0..100_000));
    assert_eq!(map.len(), 70_000);
    for (&key, value) in &map {
        let right: Vec<u32> = [key, key + 70_000].into_iter().filter(|&i| i < 100_000).collect();
        assert_eq!(value, &right);
    }
}

/// Maps that often remove do not grow without end.
#[test]
fn removed_entries_leave_room() {
    let mut map = Map::new();
    for i in 0..100_000u32 {
        map.insert(i, i);
        if i >= 1000 {
            assert_eq!(map.remove(&(i - 1000)), Some(i - 1000));
        }
    }
    assert_eq!(map.len(), 1000);
    assert!(map.capacity() < 10_000, "{}", map.capacity());
}
