//! Rust's standard library: SipHash-1-3 from `RandomState`, SipHash-2-4 from the deprecated `SipHasher`.

use super::hashers::{Hashers, Keyed};
use super::{Engine, KEY_WORDS, Rounds};
use std::hash::{BuildHasher, RandomState};

pub(super) fn engines(rounds: Rounds) -> Vec<Engine> {
    match rounds {
        Rounds::R12 => vec![],
        Rounds::R13 => {
            let state = RandomState::new();
            let key = key(&state).expect("std's hashers show their keys for debugging");
            vec![Engine { key, ..Engine::peer("std RandomState", Hashers(state)) }]
        }
        #[allow(deprecated)]
        Rounds::R24 => {
            let new = std::hash::SipHasher::new_with_keys;
            vec![Engine::peer("std SipHasher", Hashers(Keyed { key: KEY_WORDS, new }))]
        }
    }
}

/// The random key of a `RandomState`. Its answers cannot be checked without the key, which only its hasher's
/// debug text shows. Should that text change, a wrong key is noticed.
fn key(state: &RandomState) -> Option<[u8; 16]> {
    let text = format!("{:?}", state.build_hasher());
    let word = |name: &str| {
        let (_, rest) = text.split_once(name)?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
    };
    let key = u128::from(word("k1: ")?) << 64 | u128::from(word("k0: ")?);
    Some(key.to_le_bytes())
}
