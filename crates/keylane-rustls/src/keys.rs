//! The key of one direction of a connection.

use keylane::aead::{ChaCha20Poly1305, Key, Tag};
use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv, NONCE_LEN};

/// The bytes of a key.
pub const KEY_BYTES: usize = 32;

/// A key and its IV. There are none if rustls passed other lengths than it was asked for; then every call fails.
pub struct Keys(Option<(ChaCha20Poly1305, Iv)>);

impl Keys {
    /// Reads a key and an IV.
    pub fn new(key: &AeadKey, iv: &[u8]) -> Self {
        let key = <[u8; KEY_BYTES]>::try_from(key.as_ref());
        let iv = <[u8; NONCE_LEN]>::try_from(iv);
        Keys(key.ok().zip(iv.ok()).map(|(key, iv)| (ChaCha20Poly1305::new(&Key::from_bytes(key)), iv.into())))
    }

    /// Encrypts data in place. `nonce` makes the nonce of the IV and a number that rustls uses once.
    pub fn seal(
        &self,
        nonce: impl FnOnce(&Iv) -> [u8; NONCE_LEN],
        aad: &[u8],
        data: &mut [u8],
    ) -> Result<Tag, Error> {
        let (cipher, iv) = self.0.as_ref().ok_or(Error::EncryptError)?;
        cipher.seal_with_nonce(&nonce(iv), aad, data).map_err(|_| Error::EncryptError)
    }

    /// Decrypts in place all of `buffer` but its last 16 bytes, which are the tag, and returns the data.
    pub fn open<'a>(
        &self,
        nonce: impl FnOnce(&Iv) -> [u8; NONCE_LEN],
        aad: &[u8],
        buffer: &'a mut [u8],
    ) -> Result<&'a mut [u8], Error> {
        let (cipher, iv) = self.0.as_ref().ok_or(Error::DecryptError)?;
        cipher.open_joined(&nonce(iv), aad, buffer).map_err(|_| Error::DecryptError)
    }
}
