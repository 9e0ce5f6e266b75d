//! What a random key decides: hashes, and the order of a map. `run.sh` calls these functions in several processes, and
//! their answers must differ.

#![cfg(target_family = "wasm")]
#![allow(unsafe_code)]

use keylane::hash_map::RandomState;
use keylane_map::Map;
use std::hash::BuildHasher;

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Writes random bytes to this memory, and returns 0 if it did.
    fn random(place: *mut u8, length: usize) -> u32;
}

/// The source that getrandom calls when it is built with `--cfg getrandom_backend="custom"`.
// SAFETY: getrandom's documentation fixes this name and this type.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(
    place: *mut u8,
    length: usize,
) -> Result<(), getrandom::Error> {
    // SAFETY: getrandom passes memory of this length for writing, and `run.mjs` writes only there.
    match unsafe { random(place, length) } {
        0 => Ok(()),
        _ => Err(getrandom::Error::UNEXPECTED),
    }
}

/// The hash of one value under a new key.
// SAFETY: no other function of the module has this name, or one of std's.
#[unsafe(no_mangle)]
pub extern "C" fn random_state() -> u64 {
    RandomState::new().hash_one("same")
}

/// The first six entries of a map of 64, as digits in base 64.
// SAFETY: as above.
#[unsafe(no_mangle)]
pub extern "C" fn map() -> u64 {
    let map: Map<u64, ()> = (0..64).map(|x| (x, ())).collect();
    map.keys().take(6).fold(0, |digits, x| 64 * digits + x)
}
