//! The interface of the crate `chacha20poly1305` 0.10, with keylane behind it.
//!
//! A program that uses `chacha20poly1305` itself or through another crate gets this crate by `[patch.crates-io]`, without
//! a change to any code. Keys are always wiped.
//!
//! **A nonce must never come twice under one key.** The interface leaves that to the caller.

#![no_std]

pub use aead::{self, AeadCore, AeadInPlace, Error, KeyInit, KeySizeUser, consts};

use aead::consts::{U12, U16, U24, U32};
use aead::generic_array::GenericArray;
use aead::{Nonce as NonceOf, Tag as TagOf};
use core::fmt;
use keylane::aead::Cipher;
use zeroize::ZeroizeOnDrop;

/// A key.
pub type Key = GenericArray<u8, U32>;

/// A nonce of ChaCha20-Poly1305.
pub type Nonce = GenericArray<u8, U12>;

/// A nonce of XChaCha20-Poly1305.
pub type XNonce = GenericArray<u8, U24>;

/// A tag.
pub type Tag = GenericArray<u8, U16>;

/// ChaCha20-Poly1305.
pub type ChaCha20Poly1305 = ChaChaPoly1305<keylane::aead::ChaCha20Poly1305>;

/// XChaCha20-Poly1305.
pub type XChaCha20Poly1305 = ChaChaPoly1305<keylane::aead::XChaCha20Poly1305>;

/// ChaCha20-Poly1305 or XChaCha20-Poly1305 by keylane. It is wiped when it is dropped.
pub struct ChaChaPoly1305<C>(C);

impl<C> KeySizeUser for ChaChaPoly1305<C> {
    type KeySize = U32;
}

impl<C: KeyInit + KeySizeUser<KeySize = U32>> KeyInit for ChaChaPoly1305<C> {
    #[inline]
    fn new(key: &Key) -> Self {
        ChaChaPoly1305(C::new(key))
    }
}

impl<C: AeadCore> AeadCore for ChaChaPoly1305<C> {
    type NonceSize = C::NonceSize;
    type TagSize = C::TagSize;
    type CiphertextOverhead = C::CiphertextOverhead;
}

impl<C: AeadInPlace> AeadInPlace for ChaChaPoly1305<C> {
    #[inline]
    fn encrypt_in_place_detached(
        &self,
        nonce: &NonceOf<Self>,
        associated_data: &[u8],
        buffer: &mut [u8],
    ) -> Result<TagOf<Self>, Error> {
        self.0.encrypt_in_place_detached(nonce, associated_data, buffer)
    }

    #[inline]
    fn decrypt_in_place_detached(
        &self,
        nonce: &NonceOf<Self>,
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &TagOf<Self>,
    ) -> Result<(), Error> {
        self.0.decrypt_in_place_detached(nonce, associated_data, buffer, tag)
    }
}

impl<const NONCE: usize> Clone for ChaChaPoly1305<Cipher<NONCE>> {
    fn clone(&self) -> Self {
        ChaChaPoly1305(self.0.duplicate())
    }
}

impl<C> fmt::Debug for ChaChaPoly1305<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChaChaPoly1305(..)")
    }
}

/// keylane wipes.
impl<const NONCE: usize> ZeroizeOnDrop for ChaChaPoly1305<Cipher<NONCE>> {}
