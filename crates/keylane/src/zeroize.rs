//! The traits of the crate `zeroize` for the types that hold secrets. With or without this feature, they are wiped when
//! they are dropped.

use crate::aead;
use crate::job::siphash::{Rounds, Tag, Word};
use crate::poly1305::{OneTimeKey, Poly1305};
use crate::siphash::unpadded::SipHash13Uj;
use crate::siphash::{AnyKey, Prepared, StreamOf};
use ::zeroize::{Zeroize, ZeroizeOnDrop};

impl<W: Word> Zeroize for AnyKey<W> {
    fn zeroize(&mut self) {
        self.wipe();
    }
}

impl Zeroize for OneTimeKey {
    fn zeroize(&mut self) {
        self.0.wipe();
    }
}

impl Zeroize for aead::Key {
    fn zeroize(&mut self) {
        self.0.wipe();
    }
}

impl<W: Word> ZeroizeOnDrop for AnyKey<W> {}
impl<W: Word, R: Rounds, T: Tag<W>> ZeroizeOnDrop for Prepared<W, R, T> {}
impl<W: Word, R: Rounds, T: Tag<W>> ZeroizeOnDrop for StreamOf<W, R, T> {}
impl ZeroizeOnDrop for SipHash13Uj {}
impl ZeroizeOnDrop for OneTimeKey {}
impl ZeroizeOnDrop for aead::Key {}
impl<const NONCE: usize> ZeroizeOnDrop for aead::Cipher<NONCE> {}
impl ZeroizeOnDrop for Poly1305 {}
impl ZeroizeOnDrop for aead::Sender {}
impl ZeroizeOnDrop for aead::Receiver {}
