//! The crate siphasher, in its two forms: its own function for whole messages, and as a hasher.

use super::hashers::{Hashers, Keyed};
use super::{Engine, KEY, KEY_WORDS, Rounds, SipHash};
use siphasher::sip::{SipHasher13, SipHasher24};

pub(super) fn engines(rounds: Rounds) -> Vec<Engine> {
    let (whole, hasher) = ("siphasher hash", "siphasher Hasher");
    match rounds {
        Rounds::R13 => vec![
            Engine::peer(whole, Hash13(SipHasher13::new_with_key(&KEY))),
            Engine::peer(hasher, Hashers(Keyed { key: KEY_WORDS, new: SipHasher13::new_with_keys })),
        ],
        Rounds::R24 => vec![
            Engine::peer(whole, Hash24(SipHasher24::new_with_key(&KEY))),
            Engine::peer(hasher, Hashers(Keyed { key: KEY_WORDS, new: SipHasher24::new_with_keys })),
        ],
    }
}

struct Hash13(SipHasher13);

impl SipHash for Hash13 {
    #[inline(always)]
    fn hash(&self, message: &[u8]) -> u64 {
        self.0.hash(message)
    }
}

struct Hash24(SipHasher24);

impl SipHash for Hash24 {
    #[inline(always)]
    fn hash(&self, message: &[u8]) -> u64 {
        self.0.hash(message)
    }
}
