//! The hashers to time in `std::collections::HashMap`, and `keylane-map`, compiled as their users get them.

use super::Side;
pub use keylane_bench_maps::{Found, Full, Key, Life, Maps};
use keylane_bench_maps::{Hasher, hasher, integers, strings};

/// A type of key that has hashers.
pub trait MapKey: Key + Ord + Sized {
    /// Every hasher.
    fn hashers() -> Vec<Hasher<Self>>;
}

impl MapKey for u64 {
    fn hashers() -> Vec<Hasher<u64>> {
        integers()
    }
}

impl MapKey for &str {
    fn hashers() -> Vec<Hasher<Self>> {
        strings()
    }
}

/// Every hasher, with its name and its relation to keylane. Also std's, compiled with everything inlined.
pub fn hashers<K: MapKey>() -> impl Iterator<Item = (&'static str, Side, Box<dyn Maps<K>>)> {
    let inlined = hasher("std inlined", std::hash::RandomState::new);
    K::hashers().into_iter().chain([inlined]).map(|Hasher { name, maps }| (name, side(name), maps))
}

fn side(name: &str) -> Side {
    match name {
        "keylane 1-3" => Side::Ours,
        "keylane 1-1" | "keylane 2-4" | "keylane-map" => Side::OurOther,
        "std RandomState" => Side::Peer,
        _ => Side::Other,
    }
}
