//! The crate siphasher, in both forms: its function for whole messages, and as a hasher.

use super::hashers::{Hashers, Keyed};
use super::{Engine, KEY, KEY_WORDS, Rounds, Side, SipHash, U64s};
use crate::work::U64Work;
use siphasher::sip::{SipHasher13, SipHasher24};
use siphasher::sip128;

pub(super) fn engines(rounds: Rounds) -> Vec<Engine> {
    let (whole, hasher) = ("siphasher hash", "siphasher Hasher");
    match rounds {
        Rounds::R12 => vec![],
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

pub(super) fn double(rounds: Rounds) -> Vec<Engine<dyn U64Work<u128>>> {
    let work: Box<dyn U64Work<u128>> = match rounds {
        Rounds::R12 => return vec![],
        Rounds::R13 => Box::new(Wide13(sip128::SipHasher13::new_with_key(&KEY))),
        Rounds::R24 => Box::new(Wide24(sip128::SipHasher24::new_with_key(&KEY))),
    };
    vec![Engine::new("siphasher hash", Side::Peer, work)]
}

struct Wide13(sip128::SipHasher13);

impl U64s<u128> for Wide13 {
    #[inline(always)]
    fn u64s(&self, integers: &[u64], tags: &mut [u128]) {
        for (tag, integer) in tags.iter_mut().zip(integers) {
            *tag = self.0.hash(&integer.to_le_bytes()).as_u128();
        }
    }
}

struct Wide24(sip128::SipHasher24);

impl U64s<u128> for Wide24 {
    #[inline(always)]
    fn u64s(&self, integers: &[u64], tags: &mut [u128]) {
        for (tag, integer) in tags.iter_mut().zip(integers) {
            *tag = self.0.hash(&integer.to_le_bytes()).as_u128();
        }
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
