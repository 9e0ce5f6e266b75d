//! `Map` and `Set` have the methods of std's `HashMap` and `HashSet`, which take and return the same.

mod of_std {
    use std::collections::hash_map::{Entry, OccupiedEntry, VacantEntry};
    use std::collections::{HashMap as Map, HashSet as Set};
    include!("std/body.rs");
}

mod of_keylane_map {
    use keylane_map::{Entry, Map, OccupiedEntry, Set, VacantEntry};
    include!("std/body.rs");
}

/// What keylane-map leaves out, and why.
const LEFT_OUT: &[(&str, &[&str], &str)] = &[
    (
        "HashMap",
        &["with_hasher", "with_capacity_and_hasher", "hasher"],
        "the hash is always SipHash-1-3; `with_key` sets its key",
    ),
    (
        "HashSet",
        &["with_hasher", "with_capacity_and_hasher", "hasher"],
        "the hash is always SipHash-1-3; `with_key` sets its key",
    ),
    ("HashMap", &["get_disjoint_unchecked_mut"], "unsafe, and saves one comparison for each pair of keys"),
];

/// The names of std's types here, and the tests of `std/body.rs` that call their methods.
const TYPES: [(&str, &str, &str); 5] = [
    ("HashMap", "Map", "hash_map"),
    ("HashSet", "Set", "hash_set"),
    ("Entry", "Entry", "entry"),
    ("OccupiedEntry", "OccupiedEntry", "occupied_entry"),
    ("VacantEntry", "VacantEntry", "vacant_entry"),
];

/// The public methods of a type in formatted source: `pub fn` in its `impl` blocks without a trait.
fn methods<'a>(source: &'a str, of: &str) -> Vec<&'a str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in source.lines() {
        if line.starts_with("impl") {
            inside =
                line.split(' ').any(|word| word.split('<').next() == Some(of)) && !line.contains(" for ");
        }
        let name = line.strip_prefix("    pub fn ").and_then(|rest| rest.split(['(', '<']).next());
        found.extend(name.filter(|_| inside));
    }
    found
}

#[test]
fn every_method_of_std_is_here_or_left_out_with_a_reason() {
    let source = concat!(
        include_str!("../src/map.rs"),
        include_str!("../src/set.rs"),
        include_str!("../src/entry.rs")
    );
    let list = include_str!("std/methods.txt");
    for (std, ours, _) in TYPES {
        let theirs: Vec<&str> =
            list.lines().filter_map(|line| line.strip_prefix(std)?.strip_prefix(' ')).collect();
        assert!(theirs.len() >= 4, "{std}: {theirs:?}");
        let here = methods(source, ours);
        let missing: Vec<&str> = theirs.iter().copied().filter(|name| !here.contains(name)).collect();
        let mut left_out: Vec<&str> =
            LEFT_OUT.iter().filter(|(of, ..)| *of == std).flat_map(|(_, names, _)| *names).copied().collect();
        left_out.sort_by_key(|name| theirs.iter().position(|other| other == name));
        assert_eq!(missing, left_out, "{std}");
    }
}

#[test]
fn the_body_calls_every_method() {
    let body = include_str!("std/body.rs");
    for (std, _, test) in TYPES {
        let start = body.find(&format!("fn {test}() {{")).expect(test);
        let calls = body[start..].split("\n}\n").next().unwrap_or_default();
        for line in include_str!("std/methods.txt").lines() {
            let Some(name) = line.strip_prefix(std).and_then(|rest| rest.strip_prefix(' ')) else { continue };
            let left_out = LEFT_OUT.iter().any(|(of, names, _)| *of == std && names.contains(&name));
            let called = [".", "::"].iter().any(|before| calls.contains(&format!("{before}{name}(")));
            assert!(called != left_out, "{std}::{name}");
        }
    }
}

/// The parser sees methods of the type only.
#[test]
fn methods_are_those_of_the_type() {
    let source = "impl<K, V> Map<K, V> {\n    pub fn a(&self) {}\n    fn b() {}\n}\n\
                  impl<K> Set<K> {\n    pub fn c<T>() {}\n    pub(crate) fn d() {}\n}\n\
                  impl<K> Trait for Map<K> {\n    pub fn e() {}\n}\n";
    assert_eq!((methods(source, "Map"), methods(source, "Set")), (vec!["a"], vec!["c"]));
}
