//! The tag of AAD and ciphertext (RFC 8439, section 2.8): Poly1305 of both, each padded with zeros to whole blocks, and
//! of their lengths. Both are read where they are.

use crate::arch::portable::{poly1305_inline, poly1305_pair};
use crate::job::buffer::LeInt;
use crate::job::limits::PAIRED_BYTES;
use crate::job::poly1305::{Key, Powers, State};
use crate::job::wipe::{Zero, wipe};
use crate::poly1305::{Tag, absorb};

/// A tag in progress. It is wiped when it is dropped.
pub struct Authenticator {
    state: State,
    powers: Powers,
    /// How many bytes have been absorbed.
    absorbed: usize,
}

impl Authenticator {
    /// No key yet. `begin` writes the key into it in place: a function that returned it with a key would leave a copy of
    /// the key behind, and so would a move.
    pub const EMPTY: Self =
        Authenticator { state: State { h: [0; 3], key: Key::ZERO }, powers: Powers::Unknown, absorbed: 0 };

    /// Begins with the AAD.
    #[inline(always)]
    pub fn begin(&mut self, key: &Key, aad: &[u8]) {
        self.state.key = *key;
        self.update(aad);
    }

    /// The state, for a kernel that absorbs whole blocks itself.
    #[inline(always)]
    pub fn state(&mut self) -> &mut State {
        &mut self.state
    }

    /// Absorbs bytes, padded to whole blocks.
    #[inline(always)]
    pub fn update(&mut self, bytes: &[u8]) {
        let (blocks, tail) = u128::split(bytes);
        absorb(&mut self.state, &mut self.powers, &mut self.absorbed, blocks);
        if !tail.is_empty() {
            self.absorb(u128::from_short(tail));
        }
    }

    /// The tag, after the lengths of AAD and ciphertext.
    #[inline(always)]
    pub fn finish(&mut self, aad: usize, ciphertext: usize) -> Tag {
        self.absorb(lengths(aad, ciphertext));
        Tag::from_bytes(self.state.tag().to_le_bytes())
    }

    /// Absorbs one block.
    #[inline(always)]
    fn absorb(&mut self, block: u128) {
        poly1305_inline(&mut self.state, &[block.to_le_bytes()], &[]);
    }
}

impl Drop for Authenticator {
    #[inline(always)]
    fn drop(&mut self) {
        self.powers.wipe();
        self.state.wipe();
    }
}

/// The tag of AAD and ciphertext.
#[inline(always)]
pub fn tag(key: &Key, aad: &[u8], ciphertext: &[u8]) -> Tag {
    let mut tag = Authenticator::EMPTY;
    tag.begin(key, aad);
    tag.update(ciphertext);
    tag.finish(aad.len(), ciphertext.len())
}

/// Computes the tags of two packets side by side, if both are short enough: one chain of multiplications fills half of a
/// core. Returns whether they are.
#[inline(always)]
pub fn pair(keys: [&Key; 2], aads: [&[u8]; 2], ciphertexts: [&[u8]; 2], places: [&mut [u8; 16]; 2]) -> bool {
    let is_short = |bytes: &[u8]| bytes.len() <= PAIRED_BYTES;
    if !(ciphertexts.into_iter().all(is_short) && aads.into_iter().all(is_short)) {
        return false;
    }
    let [aad0, aad1] = aads;
    let [text0, text1] = ciphertexts;
    let lengths0 = lengths(aad0.len(), text0.len()).to_le_bytes();
    let lengths1 = lengths(aad1.len(), text1.len()).to_le_bytes();
    let mut tags = poly1305_pair(keys, [[aad0, text0, &lengths0], [aad1, text1, &lengths1]]);
    for (place, tag) in places.into_iter().zip(tags) {
        *place = tag.to_le_bytes();
    }
    wipe(&mut tags);
    true
}

/// The last block: the lengths of AAD and ciphertext.
#[inline(always)]
fn lengths(aad: usize, ciphertext: usize) -> u128 {
    u128::from(aad as u64) | u128::from(ciphertext as u64) << 64
}
