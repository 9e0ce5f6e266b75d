//! Packets of QUIC and their headers (RFC 9001, section 5).

use crate::keys::{KEY_BYTES, Keys};
use keylane::aead::TAG_BYTES;
use keylane::dispatch::table::CHACHA20_PN;
use keylane::job::chacha20::{Key, Run, Stream, Text, words};
use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv, Nonce};
use rustls::quic::{self, HeaderProtectionKey, PacketKey, Tag};

/// The bytes of ciphertext that choose the mask of a header.
const SAMPLE_BYTES: usize = 16;

/// The bytes of a mask: one for the first byte of a header, the others for the packet number.
const MASK_BYTES: usize = 5;

/// The most forged packets under one key (RFC 9001, section 6.6).
const FORGERIES: u64 = 1 << 36;

/// Makes the keys of QUIC.
pub struct Algorithm;

impl quic::Algorithm for Algorithm {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        Box::new(Packets(Keys::new(&key, iv.as_ref())))
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        Box::new(Headers(<&[u8; KEY_BYTES]>::try_from(key.as_ref()).ok().map(Key::from_bytes)))
    }

    fn aead_key_len(&self) -> usize {
        KEY_BYTES
    }
}

/// The packets of one direction.
struct Packets(Keys);

impl Packets {
    fn seal(
        &self,
        nonce: impl FnOnce(&Iv) -> Nonce,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        let tag = self.0.seal(|iv| nonce(iv).0, header, payload)?;
        Ok(Tag::from(tag.as_ref()))
    }

    fn open<'a>(
        &self,
        nonce: impl FnOnce(&Iv) -> Nonce,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        Ok(self.0.open(|iv| nonce(iv).0, header, payload)?)
    }
}

impl PacketKey for Packets {
    fn encrypt_in_place(&self, number: u64, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        self.seal(|iv| Nonce::new(iv, number), header, payload)
    }

    fn encrypt_in_place_for_path(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        self.seal(|iv| Nonce::for_path(path, iv, number), header, payload)
    }

    fn decrypt_in_place<'a>(
        &self,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.open(|iv| Nonce::new(iv, number), header, payload)
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.open(|iv| Nonce::for_path(path, iv, number), header, payload)
    }

    fn tag_len(&self) -> usize {
        TAG_BYTES
    }

    /// There is none for ChaCha20-Poly1305.
    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        FORGERIES
    }
}

/// The key that hides parts of the headers of one direction. There is none if rustls passed another length than it was
/// asked for; then every call fails.
struct Headers(Option<Key>);

impl Headers {
    /// The first bytes of key stream of a block, whose number and nonce the sample names (RFC 9001, section 5.4.4).
    fn mask(&self, sample: &[u8]) -> Result<[u8; MASK_BYTES], Error> {
        let key = self.0.as_ref().ok_or_else(|| Error::General("key of invalid length".into()))?;
        let sample: &[u8; SAMPLE_BYTES] =
            sample.try_into().map_err(|_| Error::General("sample of invalid length".into()))?;
        let [counter, n0, n1, n2] = words(sample);
        let mut mask = [0; MASK_BYTES];
        let text = Text::in_place(&mut mask);
        CHACHA20_PN.run(Stream { key, run: Run { nonce: [n0, n1, n2], counter, one_time: None, text } });
        Ok(mask)
    }

    /// Masks or unmasks a header. `plain` tells its first byte without the mask from this byte before and after.
    fn apply(
        &self,
        sample: &[u8],
        first: &mut u8,
        number: &mut [u8],
        plain: impl FnOnce(u8, u8) -> u8,
    ) -> Result<(), Error> {
        let [mask, masks @ ..] = self.mask(sample)?;
        if number.len() > masks.len() {
            return Err(Error::General("packet number too long".into()));
        }
        // Bit 7 says long or short, and is not masked.
        let bits = if *first & 0x80 == 0 { 0x1f } else { 0x0f };
        let before = *first;
        *first ^= mask & bits;
        let len = usize::from(plain(before, *first) & 3) + 1;
        for (byte, mask) in number.iter_mut().zip(masks).take(len) {
            *byte ^= mask;
        }
        Ok(())
    }
}

impl HeaderProtectionKey for Headers {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.apply(sample, first, number, |before, _| before)
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.apply(sample, first, number, |_, after| after)
    }

    fn sample_len(&self) -> usize {
        SAMPLE_BYTES
    }
}

impl Drop for Headers {
    fn drop(&mut self) {
        if let Some(key) = &mut self.0 {
            key.wipe();
        }
    }
}
