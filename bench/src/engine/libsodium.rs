//! libsodium's `crypto_shorthash`, which is SipHash-2-4.

use super::{Engine, Rounds};

#[cfg(not(engine = "libsodium"))]
pub(super) fn engines(_rounds: Rounds) -> Vec<Engine> {
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
        Rounds::R13 => Vec::new(),
        Rounds::R24 => {
            libsodium::init();
            vec![Engine::peer("libsodium", Libsodium(KEY))]
        }
    }
}
