//! libsodium's `crypto_shorthash`, which is SipHash-2-4, and its variant with 128-bit tags.

use super::{Engine, Rounds};
use crate::work::U64Work;

#[cfg(not(engine = "libsodium"))]
pub(super) fn engines(_rounds: Rounds) -> Vec<Engine> {
    Vec::new()
}

#[cfg(not(engine = "libsodium"))]
pub(super) fn double(_rounds: Rounds) -> Vec<Engine<dyn U64Work<u128>>> {
    Vec::new()
}

#[cfg(engine = "libsodium")]
pub(super) fn engines(rounds: Rounds) -> Vec<Engine> {
    use super::{KEY, SipHash};
    use crate::foreign::libsodium;

    struct Libsodium([u8; 16]);

    impl SipHash for Libsodium {
        #[inline(always)]
        fn hash(&self, message: &[u8]) -> u64 {
            libsodium::shorthash(&self.0, message)
        }
    }

    match rounds {
        Rounds::R12 | Rounds::R13 => Vec::new(),
        Rounds::R24 => {
            libsodium::init();
            vec![Engine::peer("libsodium", Libsodium(KEY))]
        }
    }
}

#[cfg(engine = "libsodium")]
pub(super) fn double(rounds: Rounds) -> Vec<Engine<dyn U64Work<u128>>> {
    use super::{KEY, Side, U64s};
    use crate::foreign::libsodium;

    struct Double([u8; 16]);

    impl U64s<u128> for Double {
        #[inline(always)]
        fn u64s(&self, integers: &[u64], tags: &mut [u128]) {
            for (tag, integer) in tags.iter_mut().zip(integers) {
                *tag = libsodium::shorthash_double(&self.0, &integer.to_le_bytes());
            }
        }
    }

    match rounds {
        Rounds::R12 | Rounds::R13 => Vec::new(),
        Rounds::R24 => {
            libsodium::init();
            vec![Engine::new("libsodium", Side::Peer, Box::new(Double(KEY)))]
        }
    }
}
