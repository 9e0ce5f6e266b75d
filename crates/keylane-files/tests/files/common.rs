//! Keys, and the reference in Python.

#[path = "../../../keylane-columns/tests/common/reference.rs"]
mod python;

use keylane::siphash::{Key, SipHashX48};
use keylane_columns::ColumnKey;
use serde_json::Value as Json;

/// The bytes of the user's key.
pub const KEY: [u8; 16] = [7; 16];

/// The user's key.
pub fn key() -> ColumnKey {
    ColumnKey::new("users", Key::from_bytes(KEY))
}

/// The subkey of a context, in hex.
pub fn subkey(context: &str) -> String {
    let message = [b"keylane subkey 1\0", context.as_bytes()].concat();
    let tag = SipHashX48::new(&Key::from_bytes(KEY)).hash(&message).to_le_bytes();
    tag.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the reference says of cases, under siphash-2-4-128. `None` where there is no Python.
pub fn reference(cases: &[Json]) -> Option<Vec<Json>> {
    python::reference(&["siphash-2-4-128"], cases)
}

/// The tags of an answer.
pub fn tags(answer: &Json) -> &Vec<Json> {
    answer["tags"]["siphash-2-4-128"].as_array().expect("tags")
}
