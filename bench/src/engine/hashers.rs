//! Implementations that are a [`Hasher`], used as in a map: with a new hasher for each message.

use super::SipHash;
use std::hash::{BuildHasher, Hasher};

/// An engine of the hashers that a [`BuildHasher`] makes.
pub(super) struct Hashers<B>(pub(super) B);

/// Makes hashers from the two words of a key.
pub(super) struct Keyed<F> {
    pub(super) key: [u64; 2],
    pub(super) new: F,
}

impl<H: Hasher, F: Fn(u64, u64) -> H> BuildHasher for Keyed<F> {
    type Hasher = H;

    #[inline(always)]
    fn build_hasher(&self) -> H {
        let [k0, k1] = self.key;
        (self.new)(k0, k1)
    }
}

impl<B: BuildHasher> Hashers<B> {
    #[inline(always)]
    fn hash_with(&self, write: impl FnOnce(&mut B::Hasher)) -> u64 {
        let mut hasher = self.0.build_hasher();
        write(&mut hasher);
        hasher.finish()
    }
}

impl<B: BuildHasher> SipHash for Hashers<B> {
    #[inline(always)]
    fn hash(&self, message: &[u8]) -> u64 {
        self.hash_with(|hasher| hasher.write(message))
    }

    // Hashers write an integer's bytes in the machine's byte order.

    #[inline(always)]
    fn hash_u32(&self, integer: u32) -> u64 {
        self.hash_with(|hasher| hasher.write_u32(integer.to_le()))
    }

    #[inline(always)]
    fn hash_u64(&self, integer: u64) -> u64 {
        self.hash_with(|hasher| hasher.write_u64(integer.to_le()))
    }

    #[inline(always)]
    fn hash_u128(&self, integer: u128) -> u64 {
        self.hash_with(|hasher| hasher.write_u128(integer.to_le()))
    }
}
