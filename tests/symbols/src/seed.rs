//! Random numbers that nobody knew when the code was written.

use std::hash::{BuildHasher, RandomState};

/// The environment variable that repeats a run.
const SEED: &str = "KEYLANE_SYMBOLS_SEED";

/// A seed from the operating system, or that of `KEYLANE_SYMBOLS_SEED`: 32 hexadecimal digits, as a failed test prints
/// them.
///
/// # Panics
/// If the variable has another form.
pub fn seed() -> [u8; 16] {
    if let Ok(text) = std::env::var(SEED) {
        let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
        return u128::from_str_radix(&digits, 16).expect("KEYLANE_SYMBOLS_SEED has 32 digits").to_be_bytes();
    }
    let half = |_| RandomState::new().hash_one(0u8).to_le_bytes();
    let [low, high] = [0, 1].map(half);
    std::array::from_fn(|i| if i < 8 { low[i] } else { high[i - 8] })
}
