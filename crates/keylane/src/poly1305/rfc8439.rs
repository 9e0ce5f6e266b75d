//! The one-time key of ChaCha20-Poly1305 (RFC 8439). [`aead`](crate::aead) has the whole of it.

use super::OneTimeKey;
use crate::dispatch::table::CHACHA20_PN;
use crate::job::chacha20::{self, Run, Stream, Text, words};
use crate::job::poly1305::Key;
use crate::job::wipe::Zero;

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
    let (mut key, mut one_time) = (chacha20::Key::from_bytes(key), OneTimeKey(Key::ZERO));
    let text = Text::in_place(&mut []);
    let run = Run { nonce: words(nonce), counter: 0, one_time: Some(&mut one_time.0), text };
    CHACHA20_PN.run(Stream { key: &key, run });
    key.wipe();
    one_time
}
