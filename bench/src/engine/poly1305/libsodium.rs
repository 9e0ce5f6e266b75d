//! libsodium's `crypto_onetimeauth`.

use super::Engine;

#[cfg(not(engine = "libsodium"))]
pub(super) fn engines() -> Vec<Engine> {
    Vec::new()
}

#[cfg(engine = "libsodium")]
pub(super) fn engines() -> Vec<Engine> {
    use super::Poly1305;
    use crate::engine::Side;
    use crate::foreign::{libsodium, poly1305};

    struct Libsodium;

    impl Poly1305 for Libsodium {
        type Tag = [u8; 16];

        #[inline(always)]
        fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
            poly1305::libsodium(key, message)
        }
    }

    libsodium::init();
    vec![Engine::poly1305("libsodium", Side::Peer, Libsodium)]
}
