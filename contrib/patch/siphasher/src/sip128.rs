//! SipHash with tags of 128 bits.

use crate::hasher::hashers;

hashers!(true, Hash128);

/// A tag of 128 bits. `==` takes the same time whichever bits differ.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hash128 {
    /// The lower half: the first 8 bytes.
    pub h1: u64,
    /// The upper half: the last 8 bytes.
    pub h2: u64,
}

impl Hash128 {
    /// The 16 bytes of the tag.
    pub fn as_bytes(&self) -> [u8; 16] {
        u128::from(*self).to_le_bytes()
    }

    /// The tag as a number. On a big-endian CPU the bytes of each half are reversed, as in `siphasher`.
    #[inline]
    pub fn as_u128(&self) -> u128 {
        let (h1, h2) = self.as_u64();
        Hash128 { h1, h2 }.into()
    }

    /// The halves of the tag. On a big-endian CPU the bytes of each are reversed, as in `siphasher`.
    #[inline]
    pub fn as_u64(&self) -> (u64, u64) {
        (self.h1.to_le(), self.h2.to_le())
    }
}

impl PartialEq for Hash128 {
    fn eq(&self, other: &Self) -> bool {
        core::hint::black_box((self.h1 ^ other.h1) | (self.h2 ^ other.h2)) == 0
    }
}

impl Eq for Hash128 {}

impl From<u128> for Hash128 {
    fn from(tag: u128) -> Self {
        Hash128 { h1: tag as u64, h2: (tag >> 64) as u64 }
    }
}

impl From<Hash128> for u128 {
    fn from(Hash128 { h1, h2 }: Hash128) -> u128 {
        u128::from(h1) | u128::from(h2) << 64
    }
}

/// A hasher whose tag has 128 bits.
pub trait Hasher128 {
    /// The tag of what the hasher has taken.
    fn finish128(&self) -> Hash128;
}

impl Hasher128 for SipHasher13 {
    #[inline]
    fn finish128(&self) -> Hash128 {
        self.hasher.finish().into()
    }
}

impl Hasher128 for SipHasher24 {
    #[inline]
    fn finish128(&self) -> Hash128 {
        self.hasher.finish().into()
    }
}

impl Hasher128 for SipHasher {
    #[inline]
    fn finish128(&self) -> Hash128 {
        self.0.finish128()
    }
}
