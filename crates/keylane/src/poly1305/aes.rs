//! The one-time key of Poly1305-AES, by the crate `aes`.
//!
//! Source: D. J. Bernstein, "The Poly1305-AES message-authentication code", 2005.

use super::OneTimeKey;
use crate::job::poly1305::Key;
use crate::job::wipe::scrub_stack;
use ::aes::Aes128;
use ::aes::cipher::{BlockCipherEncrypt, KeyInit};

/// The Poly1305-AES key for one message: r, and s = AES-128 of the nonce under `aes_key`.
///
/// The pair (`aes_key`, `r`) is secret and serves many messages. A `nonce` must never be used twice under one pair.
///
/// ```
/// use keylane::poly1305::{aes, mac};
///
/// // Bernstein 2005, appendix B: the empty message.
/// let r = 0xa0f3080000f46400d0c7e9076c834403u128.to_be_bytes();
/// let aes_key = 0x75deaa25c09f208e1dc4ce6b5cad3fbfu128.to_be_bytes();
/// let nonce = 0x61ee09218d29b0aaed7e154a2c5509ccu128.to_be_bytes();
/// let tag = mac(aes::one_time_key(&aes_key, &r, &nonce), b"");
/// assert_eq!(tag.to_bytes(), 0xdd3fab2251f11ac759f0887129cc2ee7u128.to_be_bytes());
/// ```
pub fn one_time_key(aes_key: &[u8; 16], r: &[u8; 16], nonce: &[u8; 16]) -> OneTimeKey {
    let key = made(aes_key, r, nonce);
    // Round keys remain where the crate `aes` moved them from.
    scrub_stack();
    key
}

/// The key, made in a frame of its own.
#[inline(never)]
fn made(aes_key: &[u8; 16], r: &[u8; 16], nonce: &[u8; 16]) -> OneTimeKey {
    let mut s = (*nonce).into();
    Aes128::new(aes_key.into()).encrypt_block(&mut s);
    let mut bytes = [0; 32];
    for (place, &byte) in bytes.iter_mut().zip(r.iter().chain(&s)) {
        *place = byte;
    }
    OneTimeKey(Key::from_bytes(&bytes))
}
