//! Packets of any stream cipher: it makes the one-time key and the ciphertext, and keylane's Poly1305 the tag.

use crate::{Error, Tag};
use cipher::{StreamCipher, StreamCipherSeek};
use keylane::poly1305::{OneTimeKey, Poly1305};
use zeroize::Zeroize;

/// The tag of a packet in progress, after the AAD. The stream goes on with its second block.
fn begin(stream: &mut (impl StreamCipher + StreamCipherSeek), aad: &[u8]) -> Poly1305 {
    let mut one_time = [0; 32];
    stream.apply_keystream(&mut one_time);
    let mut tag = Poly1305::new(OneTimeKey::from_bytes(one_time));
    one_time.zeroize();
    stream.seek(64_u64);
    padded(&mut tag, aad);
    tag
}

/// Authenticates bytes, padded with zeros to whole blocks.
fn padded(tag: &mut Poly1305, bytes: &[u8]) {
    tag.update(bytes);
    tag.update(&[0; 15][..bytes.len().wrapping_neg() % 16]);
}

/// The tag, after the ciphertext and the lengths.
fn finish(mut tag: Poly1305, aad: &[u8], ciphertext: &[u8]) -> keylane::poly1305::Tag {
    padded(&mut tag, ciphertext);
    tag.update(&(aad.len() as u64).to_le_bytes());
    tag.update(&(ciphertext.len() as u64).to_le_bytes());
    tag.finish()
}

/// Encrypts a packet and returns its tag.
pub fn encrypt(mut stream: impl StreamCipher + StreamCipherSeek, aad: &[u8], buffer: &mut [u8]) -> Tag {
    let tag = begin(&mut stream, aad);
    stream.apply_keystream(buffer);
    finish(tag, aad, buffer).to_bytes().into()
}

/// Decrypts a packet if its tag is right. Otherwise nothing is written.
pub fn decrypt(
    mut stream: impl StreamCipher + StreamCipherSeek,
    aad: &[u8],
    buffer: &mut [u8],
    tag: &Tag,
) -> Result<(), Error> {
    let right = finish(begin(&mut stream, aad), aad, buffer);
    right.verify(&keylane::poly1305::Tag::from_bytes((*tag).into())).map_err(|_| Error)?;
    stream.apply_keystream(buffer);
    Ok(())
}
