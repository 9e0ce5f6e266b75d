//! The one-time key of ChaCha20-Poly1305 (RFC 8439), by the crate `chacha20`.

use super::OneTimeKey;
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};

/// The key for one message: the first 32 bytes of ChaCha20's block 0 (RFC 8439, section 2.6).
///
/// `key` is secret and serves many messages. A `nonce` must never be used twice under one key.
///
/// ```
/// use keylane::poly1305::{mac, rfc8439};
///
/// // RFC 8439, section 2.6.2.
/// let key = core::array::from_fn(|i| 0x80 + i as u8);
/// let nonce = [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7];
/// let tag = mac(rfc8439::one_time_key(&key, &nonce), b"");
/// // The tag of the empty message is s.
/// assert_eq!(tag.to_bytes(), 0xa833b637e3fd0da508dbb8e2fdd1a646u128.to_be_bytes());
/// ```
pub fn one_time_key(key: &[u8; 32], nonce: &[u8; 12]) -> OneTimeKey {
    let mut bytes = [0; 32];
    // Only an exhausted key stream can fail, and this one has just begun.
    let _ = ChaCha20::new(key.into(), nonce.into()).try_apply_keystream(&mut bytes);
    OneTimeKey::from_bytes(bytes)
}
