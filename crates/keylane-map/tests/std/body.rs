// Compiled twice, for std's types and for keylane-map's: what compiles and passes for both is the same interface.
// `super` names `Entry`, `Map` and `Set`.

fn names() -> Map<String, u32> {
    Map::from([("Ada".to_owned(), 1815), ("Grace".to_owned(), 1906), ("Alan".to_owned(), 1912)])
}

fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort();
    items
}

#[test]
fn hash_map() {
    let empty: Map<u32, u32> = Map::new();
    assert!(empty.is_empty() && empty.capacity() == 0);
    assert!(Map::<u32, u32>::with_capacity(100).capacity() >= 100);
    let mut map = names();
    assert_eq!(map.len(), 3);
    assert_eq!(sorted(map.keys().cloned()), ["Ada", "Alan", "Grace"]);
    assert_eq!(sorted(map.keys().clone().cloned()), sorted(map.clone().into_keys()));
    assert_eq!(sorted(map.values().copied()), [1815, 1906, 1912]);
    map.values_mut().for_each(|year| *year += 1);
    assert_eq!(sorted(map.clone().into_values()), [1816, 1907, 1913]);
    map.iter_mut().for_each(|(_, year)| *year -= 1);
    assert_eq!(map.iter().map(|(name, year)| name.len() + *year as usize).sum::<usize>(), 5645);
    assert_eq!((map.values().len(), map.iter().size_hint()), (3, (3, Some(3))));

    assert!(map.try_reserve(usize::MAX).is_err());
    assert!(map.try_reserve(500).is_ok() && map.capacity() >= 503);
    map.reserve(1000);
    assert!(map.capacity() >= 1003);
    map.shrink_to(100);
    assert!((100..1000).contains(&map.capacity()));
    map.shrink_to_fit();
    assert!((3..100).contains(&map.capacity()));

    assert_eq!(map.get("Ada"), Some(&1815));
    assert_eq!(map.get_key_value("Ada"), Some((&"Ada".to_owned(), &1815)));
    assert_eq!((map.get_key_value("Charles"), empty.get_key_value(&1)), (None, None));
    assert!(map.contains_key("Grace") && !map.contains_key("Charles"));
    assert_eq!(map["Grace"], 1906);
    map.get_mut("Grace").map(|year| *year = 1907).unwrap();
    let [ada, charles, grace] = map.get_disjoint_mut(["Ada", "Charles", "Grace"]);
    std::mem::swap(ada.unwrap(), grace.unwrap());
    assert!(charles.is_none());
    assert_eq!([map["Ada"], map["Grace"]], [1907, 1815]);

    assert_eq!(map.insert("Ada".to_owned(), 1), Some(1907));
    assert_eq!(map.insert("Charles".to_owned(), 1791), None);
    assert_eq!(map.remove("Alan"), Some(1912));
    assert_eq!(map.remove_entry("Grace"), Some(("Grace".to_owned(), 1815)));
    assert_eq!(map.remove_entry("Grace"), None);
    *map.entry("Ada".to_owned()).or_insert(0) += 1;
    assert_eq!(map, Map::from([("Ada".to_owned(), 2), ("Charles".to_owned(), 1791)]));

    let mut squares: Map<u32, u32> = (0..100).map(|x| (x, x * x)).collect();
    squares.retain(|key, value| *key % 2 == 0 && *value > 0);
    assert_eq!(squares.len(), 49);
    let large = sorted(squares.extract_if(|_, value| *value > 100));
    assert_eq!((large.len(), squares.len()), (44, 5));
    assert_eq!(squares.extract_if(|_, _| true).take(2).count(), 2);
    assert_eq!(squares.len(), 3);
    squares.extend([(&1000, &1)]);
    squares.extend([(1001, 1)]);
    assert_eq!((squares.drain().count(), squares.len()), (5, 0));
    squares.extend(&Map::from([(7, 49)]));
    squares.clear();
    assert_eq!(squares, Map::default());
    assert_eq!(IntoIterator::into_iter(&names()).count() + IntoIterator::into_iter(&mut names()).count(), 6);
    assert_eq!(sorted(names()).len(), 3);
}

#[test]
#[should_panic]
fn absent_index() {
    let _ = names()["Charles"];
}

#[test]
#[should_panic]
fn disjoint_keys_that_are_equal() {
    names().get_disjoint_mut(["Ada", "Ada"]);
}

#[test]
fn hash_set() {
    let empty: Set<u32> = Set::new();
    assert!(empty.is_empty() && empty.capacity() == 0);
    assert!(Set::<u32>::with_capacity(100).capacity() >= 100);
    let mut a: Set<u32> = (0..10).collect();
    let b: Set<u32> = (5..20).collect();
    assert_eq!((a.len(), a.iter().len()), (10, 10));
    assert!(a.contains(&3) && !a.contains(&10) && !empty.contains(&0));
    assert_eq!((a.get(&3), a.get(&10)), (Some(&3), None));
    assert!(!a.insert(3));

    for (a, b) in [(&a, &b), (&b, &a)] {
        assert_eq!(sorted(a.union(b).copied()), sorted(0..20));
        assert_eq!(sorted(a.intersection(b).copied()), sorted(5..10));
        assert_eq!(sorted(a.symmetric_difference(b).copied()), sorted((0..5).chain(10..20)));
        assert_eq!(sorted(a.union(b).clone().copied()), sorted(a | b));
        assert_eq!(sorted(a.intersection(b).clone().copied()), sorted(a & b));
        assert_eq!(sorted(a.symmetric_difference(b).clone().copied()), sorted(a ^ b));
        assert_eq!(sorted(a.difference(b).clone().copied()), sorted(a - b));
        assert!(!a.is_disjoint(b) && !a.is_subset(b) && !a.is_superset(b) && a.is_disjoint(&empty));
        assert!(empty.is_subset(a) && a.is_superset(&empty) && !a.is_subset(&empty));
        assert!((a & b).is_subset(a) && (a | b).is_superset(b) && a.is_subset(a));
    }
    assert_eq!(sorted(a.difference(&b).copied()), sorted(0..5));
    assert_eq!(sorted(b.difference(&a).copied()), sorted(10..20));

    assert!(a.try_reserve(usize::MAX).is_err());
    assert!(a.try_reserve(500).is_ok() && a.capacity() >= 510);
    a.reserve(1000);
    assert!(a.capacity() >= 1010);
    a.shrink_to(100);
    assert!((100..1000).contains(&a.capacity()));
    a.shrink_to_fit();
    assert!((10..100).contains(&a.capacity()));

    a.retain(|key| key % 2 == 0);
    assert_eq!(sorted(a.extract_if(|key| *key > 3)), [4, 6, 8]);
    assert!(a.remove(&0) && !a.remove(&0));
    assert_eq!((a.take(&2), a.take(&2)), (Some(2), None));
    a.extend(&b);
    a.extend([100]);
    assert_eq!((a.drain().count(), a.len()), (16, 0));
    a.clear();
    assert_eq!(a, Set::default());
    assert_eq!(sorted(Set::from([2, 1])), sorted(IntoIterator::into_iter(&Set::from([1, 2])).copied()));

    // An equal key takes the place of the other: its memory tells.
    let (first, second) = ("Ada".to_owned(), "Ada".to_owned());
    let (at_first, at_second) = (first.as_ptr(), second.as_ptr());
    let mut names = Set::new();
    assert_eq!(names.replace(first), None);
    assert_eq!(names.replace(second).map(|name| name.as_ptr()), Some(at_first));
    assert_eq!(names.get("Ada").map(|name| name.as_ptr()), Some(at_second));
}

#[test]
fn entry() {
    let mut map: Map<&str, usize> = Map::new();
    assert_eq!(map.entry("Ada").key(), &"Ada");
    *map.entry("Ada").or_insert(1) += 1;
    *map.entry("Grace").or_insert_with(|| 10) += 1;
    *map.entry("Alan").or_insert_with_key(|key| key.len()) += 1;
    *map.entry("Edsger").or_default() += 1;
    assert_eq!(map.entry("Ada").key(), &"Ada");
    assert_eq!(*map.entry("Ada").and_modify(|value| *value *= 2).or_insert(0), 4);
    assert_eq!(*map.entry("Barbara").and_modify(|value| *value *= 2).or_insert(7), 7);
    assert_eq!(map.entry("Ada").insert_entry(8).get(), &8);
    assert_eq!(map.entry("Donald").insert_entry(9).key(), &"Donald");
    assert_eq!(sorted(map), [("Ada", 8), ("Alan", 5), ("Barbara", 7), ("Donald", 9), ("Edsger", 1), ("Grace", 11)]);
}

#[test]
fn occupied_entry() {
    let mut map = names();
    let occupied = |map: &mut Map<String, u32>, each: fn(OccupiedEntry<'_, String, u32>)| {
        match map.entry("Ada".to_owned()) {
            Entry::Occupied(entry) => each(entry),
            Entry::Vacant(_) => panic!("Ada is there"),
        }
    };
    occupied(&mut map, |mut entry| {
        assert_eq!((entry.key().as_str(), *entry.get()), ("Ada", 1815));
        *entry.get_mut() += 1;
        assert_eq!(entry.insert(7), 1816);
        *entry.into_mut() += 1;
    });
    occupied(&mut map, |entry| assert_eq!(entry.remove(), 8));
    map.insert("Ada".to_owned(), 9);
    occupied(&mut map, |entry| assert_eq!(entry.remove_entry(), ("Ada".to_owned(), 9)));
    assert_eq!(map.len(), 2);
}

#[test]
fn vacant_entry() {
    let mut map = names();
    let vacant = |map: &mut Map<String, u32>, name: &str, each: fn(VacantEntry<'_, String, u32>)| {
        match map.entry(name.to_owned()) {
            Entry::Vacant(entry) => each(entry),
            Entry::Occupied(_) => panic!("{name} is not there"),
        }
    };
    vacant(&mut map, "Charles", |entry| assert_eq!(entry.key(), "Charles"));
    vacant(&mut map, "Charles", |entry| assert_eq!(entry.into_key(), "Charles"));
    vacant(&mut map, "Charles", |entry| *entry.insert(1790) += 1);
    vacant(&mut map, "Barbara", |entry| assert_eq!(entry.insert_entry(1939).remove(), 1939));
    assert_eq!((map.len(), map["Charles"]), (4, 1791));
}

/// The auto traits, and those without methods.
#[test]
fn traits() {
    fn check<T: Clone + Default + Eq + std::fmt::Debug + Send + Sync + std::panic::UnwindSafe + Unpin>(_: T) {}
    check(Map::from([(1u32, "one".to_owned())]));
    check(Set::from([1u32]));
    let map = Map::from([(1u32, 2u32)]);
    fn fused<'a>(_: impl ExactSizeIterator + std::iter::FusedIterator + Clone + std::fmt::Debug + 'a) {}
    fused(map.iter());
    fused(map.keys());
    fused(map.values());
    fused(Set::from([1u32]).iter());
}
