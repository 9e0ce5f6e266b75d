//! A map key that counts how often one is compared with another.

use keylane::siphash::SipHash13;
use keylane_map::{Form, Key};
use std::cell::Cell;
use std::hash::{Hash, Hasher};

thread_local! {
    static COMPARISONS: Cell<u64> = const { Cell::new(0) };
}

/// A number that counts its comparisons.
#[derive(Clone, Copy)]
pub struct Counted(pub u64);

impl Counted {
    /// How often keys were compared on this thread so far.
    pub fn comparisons() -> u64 {
        COMPARISONS.get()
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Counted) -> bool {
        COMPARISONS.set(COMPARISONS.get() + 1);
        self.0 == other.0
    }
}

impl Eq for Counted {}

/// For std's maps.
impl Hash for Counted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0);
    }
}

/// For keylane's maps.
impl Key for Counted {
    type Form = Self;
}

impl Form for Counted {
    fn siphash(&self, siphash: &SipHash13) -> u64 {
        siphash.hash_u64(self.0)
    }
}
