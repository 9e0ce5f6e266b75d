//! A random key for each map.

use super::{BuildSipHash, BuildSipHash13, Hasher};
use crate::siphash::Key;
use core::cell::Cell;
use core::hash::BuildHasher;

/// Builds hashers of SipHash-1-3 under a random key, for a `HashMap` that resists flooding.
///
/// Each thread draws 128 random bits once, and each `new` takes the next key. So two maps of a thread iterate in
/// different orders and have different collisions.
///
/// The bits come from std. With the feature `getrandom` they come from that crate. Where std has none this feature is
/// needed: on wasm32-unknown-unknown, Xous and VEXos. There the program chooses one of getrandom's backends, such as its
/// feature `wasm_js` for JavaScript; without one the build fails.
///
/// ```
/// use keylane::hash_map::RandomState;
/// use std::collections::HashSet;
///
/// let mut seen = HashSet::with_hasher(RandomState::new());
/// assert!(seen.insert("Ada"));
/// assert!(!seen.insert("Ada"));
/// ```
#[derive(Clone, Debug)]
pub struct RandomState(BuildSipHash13);

impl RandomState {
    /// Makes a builder with the next key.
    ///
    /// # Panics
    /// If the system gives no random bits, as std's `RandomState` does.
    pub fn new() -> Self {
        std::thread_local! {
            static KEY: Cell<u128> = Cell::new(draw());
        }
        let key = KEY.get();
        KEY.set(key.wrapping_add(1));
        RandomState(BuildSipHash::new(&Key::from_bytes(key.to_le_bytes())))
    }
}

#[cfg(feature = "getrandom")]
fn draw() -> u128 {
    crate::error::random(u128::from_le_bytes).unwrap_or_else(|error| panic!("{error}"))
}

/// std's key is random and secret, so hashes under it are random bits to everyone else.
#[cfg(not(feature = "getrandom"))]
fn draw() -> u128 {
    let random = std::collections::hash_map::RandomState::new();
    u128::from(random.hash_one(0u8)) | u128::from(random.hash_one(1u8)) << 64
}

impl Default for RandomState {
    fn default() -> Self {
        Self::new()
    }
}

impl BuildHasher for RandomState {
    type Hasher = Hasher<1, 3>;

    #[inline(always)]
    fn build_hasher(&self) -> Hasher<1, 3> {
        self.0.build_hasher()
    }
}
