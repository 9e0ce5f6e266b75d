//! OpenSSL: Debian's by `EVP_MAC`, with a reused context, and the newest by its internal functions.

use super::Engine;

pub(super) fn engines() -> Vec<Engine> {
    let mut engines = debian();
    engines.extend(newest());
    engines
}

#[cfg(not(engine = "openssl"))]
fn debian() -> Vec<Engine> {
    Vec::new()
}

#[cfg(engine = "openssl")]
fn debian() -> Vec<Engine> {
    use super::Poly1305;
    use crate::engine::Side;
    use crate::foreign::poly1305::EvpMac;

    struct Debian(EvpMac);

    impl Poly1305 for Debian {
        type Tag = [u8; 16];

        #[inline(always)]
        fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
            self.0.mac(key, message)
        }
    }

    vec![Engine::poly1305("OpenSSL EVP_MAC", Side::Peer, Debian(EvpMac::new()))]
}

#[cfg(not(engine = "openssl-newest"))]
fn newest() -> Vec<Engine> {
    Vec::new()
}

#[cfg(engine = "openssl-newest")]
fn newest() -> Vec<Engine> {
    use super::Poly1305;
    use crate::engine::Side;
    use crate::foreign::poly1305::{openssl, openssl_fits};

    struct Newest;

    impl Poly1305 for Newest {
        type Tag = [u8; 16];

        #[inline(always)]
        fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
            openssl(key, message)
        }
    }

    assert!(openssl_fits(), "OpenSSL's state of Poly1305 has grown: c/openssl.c");
    vec![Engine::poly1305("OpenSSL newest, raw", Side::Peer, Newest)]
}
