//! Peers in Rust: ring, RustCrypto's crate chacha20poly1305, and graviola.

use super::{Aead, Engine, KEY};
use crate::engine::Side;
use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

pub(super) fn engines() -> Vec<Engine> {
    let ring = UnboundKey::new(&CHACHA20_POLY1305, &KEY).expect("a key of 32 bytes");
    let mut engines = vec![
        Engine::aead("ring", Side::Peer, Ring(LessSafeKey::new(ring))),
        Engine::aead("RustCrypto", Side::Peer, RustCrypto(ChaCha20Poly1305::new(&KEY.into()))),
    ];
    engines.extend(graviola());
    engines
}

struct Ring(LessSafeKey);

impl Aead for Ring {
    #[inline(always)]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> [u8; 16] {
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let tag = self.0.seal_in_place_separate_tag(nonce, Aad::from(aad), data).expect("a short text");
        *tag.as_ref().first_chunk().expect("16 bytes")
    }

    #[inline(always)]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> bool {
        let nonce = Nonce::assume_unique_for_key(*nonce);
        self.0.open_in_place_separate_tag(nonce, Aad::from(aad), (*tag).into(), data, 0..).is_ok()
    }
}

struct RustCrypto(ChaCha20Poly1305);

impl Aead for RustCrypto {
    #[inline(always)]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> [u8; 16] {
        self.0.encrypt_inout_detached(nonce.into(), aad, data.into()).expect("a short text").into()
    }

    #[inline(always)]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> bool {
        self.0.decrypt_inout_detached(nonce.into(), aad, data.into(), tag.into()).is_ok()
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn graviola() -> Option<Engine> {
    None
}

/// It refuses to work on a CPU that lacks these.
#[cfg(target_arch = "x86_64")]
fn graviola() -> Option<Engine> {
    use graviola::aead::ChaCha20Poly1305;

    struct Graviola(ChaCha20Poly1305);

    impl Aead for Graviola {
        #[inline(always)]
        fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> [u8; 16] {
            let mut tag = [0; 16];
            self.0.encrypt(nonce, aad, data, &mut tag);
            tag
        }

        #[inline(always)]
        fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> bool {
            self.0.decrypt(nonce, aad, data, tag).is_ok()
        }
    }

    let works = is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("adx")
        && is_x86_feature_detected!("avx2");
    works.then(|| Engine::aead("graviola", Side::Peer, Graviola(ChaCha20Poly1305::new(KEY))))
}
