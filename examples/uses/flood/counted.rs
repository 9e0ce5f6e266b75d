//! A map key that counts how often one is compared with another.

use keylane::siphash::SipHash13;
use keylane_map::{Form, Key};
use std::cell::Cell;
use std::hash::{Hash, Hasher};

thread_local! {
    static COMPARISONS: Cell<u64> = const { Cell::new(0) };
}

/// A key that counts its comparisons.
#[derive(Clone)]
pub struct Counted<K>(pub K);

/// How often keys were compared on this thread so far.
pub fn comparisons() -> u64 {
    COMPARISONS.get()
}

impl<K: PartialEq> PartialEq for Counted<K> {
    fn eq(&self, other: &Self) -> bool {
        COMPARISONS.set(COMPARISONS.get() + 1);
        self.0 == other.0
    }
}

impl<K: Eq> Eq for Counted<K> {}

/// For std's maps.
impl<K: Hash> Hash for Counted<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// For keylane's maps.
impl Key for Counted<u64> {
    type Form = Self;
}

impl Form for Counted<u64> {
    fn siphash(&self, siphash: &SipHash13) -> u64 {
        siphash.hash_u64(self.0)
    }
}
