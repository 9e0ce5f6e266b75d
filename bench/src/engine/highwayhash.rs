//! The SipHash of highwayhash, from Debian's library.

use super::{Engine, Rounds};

#[cfg(not(engine = "highwayhash"))]
pub(super) fn engines(_rounds: Rounds) -> Vec<Engine> {
    Vec::new()
}

#[cfg(engine = "highwayhash")]
pub(super) fn engines(rounds: Rounds) -> Vec<Engine> {
    use super::{KEY_WORDS, SipHash};
    use crate::foreign::highwayhash;

    struct SipHash13([u64; 2]);

    impl SipHash for SipHash13 {
        #[inline(always)]
        fn hash(&self, message: &[u8]) -> u64 {
            highwayhash::siphash13(&self.0, message)
        }
    }

    struct SipHash24([u64; 2]);

    impl SipHash for SipHash24 {
        #[inline(always)]
        fn hash(&self, message: &[u8]) -> u64 {
            highwayhash::siphash24(&self.0, message)
        }
    }

    match rounds {
        Rounds::R12 => vec![],
        Rounds::R13 => vec![Engine::peer("highwayhash", SipHash13(KEY_WORDS))],
        Rounds::R24 => vec![Engine::peer("highwayhash", SipHash24(KEY_WORDS))],
    }
}
