//! The key, and the calls for one packet.

use super::one;
use crate::arch::portable::hchacha20;
use crate::error::AeadError;
use crate::job::chacha20::{self, words};
use crate::job::independently;
use crate::poly1305::Tag;
use core::fmt;

/// The bytes of a tag.
pub const TAG_BYTES: usize = 16;

/// The most bytes of data in one packet: 2^38 - 64 (RFC 8439, section 2.8).
pub const MAX_BYTES: u64 = ((1 << 32) - 1) * 64;

/// A key of 32 bytes. It is wiped when it is dropped, and `Debug` does not show it.
pub struct Key(pub(crate) chacha20::Key);

impl Key {
    /// Makes a key from its bytes. The caller must wipe its own copy of the bytes.
    #[inline]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Key(chacha20::Key::from_bytes(&bytes))
    }

    /// Makes a random key from the system's random number generator.
    ///
    /// # Errors
    /// Fails if the system's random number generator does.
    #[cfg(feature = "getrandom")]
    pub fn generate() -> Result<Self, crate::error::NoRandomness> {
        crate::error::random(Self::from_bytes)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Drop for Key {
    #[inline]
    fn drop(&mut self) {
        self.0.wipe();
    }
}

/// ChaCha20-Poly1305 with nonces of 12 bytes (RFC 8439).
pub type ChaCha20Poly1305 = Cipher<12>;

/// XChaCha20-Poly1305, with nonces of 24 bytes. Each packet costs one block more, which makes a key of its own.
///
/// ```
/// use keylane::aead::{AeadError, Key, XChaCha20Poly1305};
///
/// let cipher = XChaCha20Poly1305::new(&Key::from_bytes([7; 32]));
/// let mut data = *b"payload";
/// let tag = cipher.seal_with_nonce(&[1; 24], b"", &mut data)?;
/// cipher.open(&[1; 24], b"", &mut data, &tag)?;
/// assert_eq!(&data, b"payload");
/// # Ok::<(), AeadError>(())
/// ```
pub type XChaCha20Poly1305 = Cipher<24>;

/// A key, ready for use, with nonces of NONCE bytes: [`ChaCha20Poly1305`] or [`XChaCha20Poly1305`]. It is wiped when it
/// is dropped, and `Debug` does not show it.
pub struct Cipher<const NONCE: usize> {
    pub(super) key: chacha20::Key,
}

impl<const NONCE: usize> Cipher<NONCE> {
    /// Prepares a key.
    #[inline]
    pub fn new(key: &Key) -> Self {
        const { assert!(NONCE == 12 || NONCE == 24, "a nonce has 12 or 24 bytes") }
        Cipher { key: key.0 }
    }

    /// Encrypts `data` in place and returns the tag. **The caller must never use a nonce twice under one key.**
    ///
    /// # Errors
    /// [`AeadError::TooLong`]: there are more than [`MAX_BYTES`]. Nothing is written then.
    ///
    /// ```
    /// use keylane::aead::{AeadError, ChaCha20Poly1305, Key};
    ///
    /// // RFC 8439, section 2.8.2.
    /// let cipher = ChaCha20Poly1305::new(&Key::from_bytes(core::array::from_fn(|i| 0x80 + i as u8)));
    /// let nonce = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47];
    /// let aad = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7];
    /// let mut data = *b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
    ///                   sunscreen would be it.";
    /// let tag = cipher.seal_with_nonce(&nonce, &aad, &mut data)?;
    /// assert_eq!(data[..4], [0xd3, 0x1a, 0x8d, 0x34]);
    /// assert_eq!(tag.to_bytes(), 0x1ae10b594f09e26a7e902ecbd0600691u128.to_be_bytes());
    /// # Ok::<(), AeadError>(())
    /// ```
    #[inline]
    pub fn seal_with_nonce(
        &self,
        nonce: &[u8; NONCE],
        aad: &[u8],
        data: &mut [u8],
    ) -> Result<Tag, AeadError> {
        check(data.len())?;
        Ok(self.with(nonce, |key, nonce| one::seal(key, nonce, aad, None, data)))
    }

    /// Encrypts `source` into `destination` and returns the tag. **The caller must never use a nonce twice under one
    /// key.**
    ///
    /// # Errors
    /// * [`AeadError::Destination`]: source and destination differ in length.
    /// * [`AeadError::TooLong`]: there are more than [`MAX_BYTES`].
    ///
    /// Nothing is written then.
    ///
    /// ```
    /// use keylane::aead::{AeadError, ChaCha20Poly1305, Key};
    ///
    /// let cipher = ChaCha20Poly1305::new(&Key::from_bytes([7; 32]));
    /// let (mut ciphertext, mut plaintext) = ([0; 7], [0; 7]);
    /// let tag = cipher.seal_with_nonce_to(&[1; 12], b"header", b"payload", &mut ciphertext)?;
    /// cipher.open_to(&[1; 12], b"header", &ciphertext, &mut plaintext, &tag)?;
    /// assert_eq!(&plaintext, b"payload");
    /// # Ok::<(), AeadError>(())
    /// ```
    #[inline]
    pub fn seal_with_nonce_to(
        &self,
        nonce: &[u8; NONCE],
        aad: &[u8],
        source: &[u8],
        destination: &mut [u8],
    ) -> Result<Tag, AeadError> {
        check_both(source, destination)?;
        Ok(self.with(nonce, |key, nonce| one::seal(key, nonce, aad, Some(source), destination)))
    }

    /// Encrypts all of `buffer` but its last 16 bytes in place, and writes the tag there: the format `data || tag` of
    /// most protocols. **The caller must never use a nonce twice under one key.**
    ///
    /// # Errors
    /// * [`AeadError::NoRoom`]: the buffer has fewer than 16 bytes.
    /// * [`AeadError::TooLong`]: there are more than [`MAX_BYTES`] before them.
    ///
    /// Nothing is written then.
    ///
    /// ```
    /// use keylane::aead::{AeadError, ChaCha20Poly1305, Key};
    ///
    /// let cipher = ChaCha20Poly1305::new(&Key::from_bytes([7; 32]));
    /// let mut buffer = *b"payload and 16 bytes...";
    /// cipher.seal_with_nonce_joined(&[1; 12], b"header", &mut buffer)?;
    /// assert_eq!(cipher.open_joined(&[1; 12], b"header", &mut buffer)?, b"payload");
    /// # Ok::<(), AeadError>(())
    /// ```
    #[inline]
    pub fn seal_with_nonce_joined(
        &self,
        nonce: &[u8; NONCE],
        aad: &[u8],
        buffer: &mut [u8],
    ) -> Result<(), AeadError> {
        let bytes = buffer.len();
        let (data, place) = buffer.split_last_chunk_mut().ok_or(AeadError::NoRoom { bytes })?;
        *place = self.seal_with_nonce(nonce, aad, data)?.to_bytes();
        Ok(())
    }

    /// Decrypts `data` in place if the tag is right.
    ///
    /// # Errors
    /// * [`AeadError::Forged`]: the tag is not that of this AAD and these data under this key and nonce. The data stay
    ///   as they are.
    /// * [`AeadError::TooLong`]: there are more than [`MAX_BYTES`]. Nothing is written.
    #[inline]
    pub fn open(&self, nonce: &[u8; NONCE], aad: &[u8], data: &mut [u8], tag: &Tag) -> Result<(), AeadError> {
        check(data.len())?;
        self.with(nonce, |key, nonce| one::open(key, nonce, aad, None, data, tag, one::genuine))
    }

    /// [`open`](Self::open), with `reveal` between the comparison of the tags and the branch on its result, which is
    /// public: for a tool that follows secrets.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn open_revealing(
        &self,
        nonce: &[u8; NONCE],
        aad: &[u8],
        data: &mut [u8],
        tag: &Tag,
        reveal: fn(bool) -> bool,
    ) -> Result<(), AeadError> {
        check(data.len())?;
        let judge = |is_genuine| one::genuine(reveal(is_genuine));
        self.with(nonce, |key, nonce| one::open(key, nonce, aad, None, data, tag, judge))
    }

    /// Decrypts `source` into `destination` if the tag is right.
    ///
    /// # Errors
    /// * [`AeadError::Forged`]: as for [`open`](Self::open).
    /// * [`AeadError::Destination`]: source and destination differ in length.
    /// * [`AeadError::TooLong`]: there are more than [`MAX_BYTES`].
    ///
    /// Nothing is written then.
    #[inline]
    pub fn open_to(
        &self,
        nonce: &[u8; NONCE],
        aad: &[u8],
        source: &[u8],
        destination: &mut [u8],
        tag: &Tag,
    ) -> Result<(), AeadError> {
        check_both(source, destination)?;
        self.with(nonce, |key, nonce| {
            one::open(key, nonce, aad, Some(source), destination, tag, one::genuine)
        })
    }

    /// Decrypts in place all of `buffer` but its last 16 bytes, which are the tag, and returns the data.
    ///
    /// # Errors
    /// * [`AeadError::Forged`]: as for [`open`](Self::open), or the buffer is too short for a tag.
    /// * [`AeadError::TooLong`]: there are more than [`MAX_BYTES`] before the tag.
    ///
    /// The buffer stays as it is then.
    #[inline]
    pub fn open_joined<'a>(
        &self,
        nonce: &[u8; NONCE],
        aad: &[u8],
        buffer: &'a mut [u8],
    ) -> Result<&'a mut [u8], AeadError> {
        let (data, tag) = buffer.split_last_chunk_mut().ok_or(AeadError::Forged)?;
        self.open(nonce, aad, data, &Tag::from_bytes(*tag))?;
        Ok(data)
    }

    /// Passes on the key and the nonce of ChaCha20: of XChaCha20, the key that the nonce's first 16 bytes make, and its
    /// last 8 bytes.
    #[inline(always)]
    pub(super) fn with<R>(&self, nonce: &[u8; NONCE], work: impl FnOnce(&chacha20::Key, [u32; 3]) -> R) -> R {
        independently! {
            if NONCE == 12 {
                return work(&self.key, words(nonce));
            }
            let [n0, n1, n2, n3, n4, n5] = words(nonce);
            let mut key = chacha20::Key([0; 8]);
            hchacha20(&self.key, [n0, n1, n2, n3], &mut key);
            let result = work(&key, [0, n4, n5]);
            key.wipe();
            result
        }
    }
}

#[cfg(feature = "internals")]
impl ChaCha20Poly1305 {
    /// The cipher of the messages of XChaCha20-Poly1305 whose nonces begin with these bytes, for interfaces of others. The
    /// nonce here is four zeros and the last 8 of the 24 bytes.
    #[doc(hidden)]
    #[inline]
    pub fn of_xchacha20(key: &Key, start: &[u8; 16]) -> Self {
        let mut cipher = Cipher { key: chacha20::Key([0; 8]) };
        hchacha20(&key.0, words(start), &mut cipher.key);
        cipher
    }
}

#[cfg(feature = "getrandom")]
impl XChaCha20Poly1305 {
    /// Encrypts `data` in place under a random nonce, and returns the nonce and the tag. After 2^80 packets under one
    /// key, the probability that a nonce has come twice is 2^-33.
    ///
    /// # Errors
    /// * [`AeadError::TooLong`]: there are more than [`MAX_BYTES`].
    /// * [`AeadError::NoRandomness`]: the system's random number generator failed.
    ///
    /// Nothing is written then.
    ///
    /// ```
    /// use keylane::aead::{AeadError, Key, XChaCha20Poly1305};
    ///
    /// let cipher = XChaCha20Poly1305::new(&Key::from_bytes([7; 32]));
    /// let mut data = *b"payload";
    /// let (nonce, tag) = cipher.seal_random(b"", &mut data)?;
    /// cipher.open(&nonce, b"", &mut data, &tag)?;
    /// assert_eq!(&data, b"payload");
    /// # Ok::<(), AeadError>(())
    /// ```
    pub fn seal_random(&self, aad: &[u8], data: &mut [u8]) -> Result<([u8; 24], Tag), AeadError> {
        check(data.len())?;
        let mut nonce = [0; 24];
        getrandom::fill(&mut nonce).map_err(|_| AeadError::NoRandomness)?;
        Ok((nonce, self.seal_with_nonce(&nonce, aad, data)?))
    }
}

/// Checks the length of a packet's data.
#[inline(always)]
pub(super) fn check(bytes: usize) -> Result<(), AeadError> {
    if bytes as u64 > MAX_BYTES { Err(AeadError::TooLong { bytes }) } else { Ok(()) }
}

/// Checks the lengths of a source and its destination.
#[inline(always)]
fn check_both(source: &[u8], destination: &[u8]) -> Result<(), AeadError> {
    let (source, destination) = (source.len(), destination.len());
    if source == destination { check(source) } else { Err(AeadError::Destination { source, destination }) }
}

impl<const NONCE: usize> fmt::Debug for Cipher<NONCE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cipher(..)")
    }
}

impl<const NONCE: usize> Drop for Cipher<NONCE> {
    #[inline]
    fn drop(&mut self) {
        self.key.wipe();
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::{MAX_BYTES, check};
    use crate::error::AeadError;

    /// Block numbers have 32 bits, and block 0 is taken.
    #[test]
    fn the_longest_packet() {
        assert_eq!(MAX_BYTES, (1 << 38) - 64);
        let most = MAX_BYTES as usize;
        assert_eq!(check(most), Ok(()));
        assert_eq!(check(most + 1), Err(AeadError::TooLong { bytes: most + 1 }));
        assert_eq!(check(usize::MAX), Err(AeadError::TooLong { bytes: usize::MAX }));
    }
}
