//! The interface of the crate `chacha20poly1305` 0.11, with keylane behind it.
//!
//! A program that uses `chacha20poly1305` itself or through another crate gets this crate by `[patch.crates-io]`, without
//! a change to any code. keylane seals and opens the packets of [`ChaCha20Poly1305`] and [`XChaCha20Poly1305`]. Any other
//! stream cipher, such as one with fewer rounds, does its own part, and keylane makes the tag. Keys are always wiped.
//!
//! **A nonce must never come twice under one key.** The interface leaves that to the caller.

#![no_std]

mod generic;

pub use aead::{self, AeadCore, AeadInOut, Error, KeyInit, KeySizeUser, consts};

use ::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use aead::TagPosition;
use aead::array::{Array, ArraySize};
use aead::consts::{U12, U16, U24, U32};
use aead::inout::InOutBuf;
#[cfg(feature = "reduced-round")]
use chacha20::{ChaCha8, ChaCha12, XChaCha8, XChaCha12};
use chacha20::{ChaCha20, XChaCha20};
use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;
use core::ptr;
use zeroize::Zeroize;

/// A key.
pub type Key = Array<u8, U32>;

/// A nonce of ChaCha20-Poly1305.
pub type Nonce = Array<u8, U12>;

/// A nonce of XChaCha20-Poly1305.
pub type XNonce = Array<u8, U24>;

/// A tag.
pub type Tag = Array<u8, U16>;

/// ChaCha20-Poly1305.
pub type ChaCha20Poly1305 = ChaChaPoly1305<ChaCha20, U12>;

/// XChaCha20-Poly1305.
pub type XChaCha20Poly1305 = ChaChaPoly1305<XChaCha20, U24>;

/// ChaCha20-Poly1305 with 8 rounds, which is no standard.
#[cfg(feature = "reduced-round")]
pub type ChaCha8Poly1305 = ChaChaPoly1305<ChaCha8, U12>;

/// ChaCha20-Poly1305 with 12 rounds, which is no standard.
#[cfg(feature = "reduced-round")]
pub type ChaCha12Poly1305 = ChaChaPoly1305<ChaCha12, U12>;

/// XChaCha20-Poly1305 with 8 rounds, which is no standard.
#[cfg(feature = "reduced-round")]
pub type XChaCha8Poly1305 = ChaChaPoly1305<XChaCha8, U24>;

/// XChaCha20-Poly1305 with 12 rounds, which is no standard.
#[cfg(feature = "reduced-round")]
pub type XChaCha12Poly1305 = ChaChaPoly1305<XChaCha12, U24>;

/// A key for packets that the stream cipher C encrypts and Poly1305 authenticates, with nonces of N bytes. It is wiped
/// when it is dropped.
pub struct ChaChaPoly1305<C, N: ArraySize = U12> {
    key: Key,
    parameters: PhantomData<(C, N)>,
}

impl<C, N: ArraySize> KeySizeUser for ChaChaPoly1305<C, N> {
    type KeySize = U32;
}

impl<C, N: ArraySize> KeyInit for ChaChaPoly1305<C, N> {
    #[inline]
    fn new(key: &Key) -> Self {
        ChaChaPoly1305 { key: *key, parameters: PhantomData }
    }
}

impl<C, N: ArraySize> AeadCore for ChaChaPoly1305<C, N> {
    type NonceSize = N;
    type TagSize = U16;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

/// The nonce for keylane, if the stream cipher C is the one that keylane has.
#[inline(always)]
fn nonce_of<C: 'static, Known: 'static, Size: ArraySize>(nonce: &[u8]) -> Option<&Array<u8, Size>> {
    if TypeId::of::<C>() == TypeId::of::<Known>() { nonce.try_into().ok() } else { None }
}

/// More than the most bytes of data in a packet, since the number of a block has 32 bits.
const TOO_MANY_BYTES: u64 = 64 * u32::MAX as u64;

impl<C, N: ArraySize> ChaChaPoly1305<C, N> {
    /// keylane's cipher for this key.
    #[inline(always)]
    fn keylane<K: KeyInit<KeySize = U32>>(&self) -> K {
        K::new(&self.key)
    }
}

impl<C, N> AeadInOut for ChaChaPoly1305<C, N>
where
    C: KeyIvInit<KeySize = U32, IvSize = N> + StreamCipher + StreamCipherSeek + 'static,
    N: ArraySize,
{
    fn encrypt_inout_detached(
        &self,
        nonce: &aead::Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<Tag, Error> {
        if buffer.len() as u64 >= TOO_MANY_BYTES {
            return Err(Error);
        }
        if let Some(nonce) = nonce_of::<C, ChaCha20, U12>(nonce) {
            let cipher: keylane::aead::ChaCha20Poly1305 = self.keylane();
            return cipher.encrypt_inout_detached(nonce, associated_data, buffer);
        }
        if let Some(nonce) = nonce_of::<C, XChaCha20, U24>(nonce) {
            let cipher: keylane::aead::XChaCha20Poly1305 = self.keylane();
            return cipher.encrypt_inout_detached(nonce, associated_data, buffer);
        }
        Ok(generic::encrypt(C::new(&self.key, nonce), associated_data, buffer))
    }

    fn decrypt_inout_detached(
        &self,
        nonce: &aead::Nonce<Self>,
        associated_data: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag,
    ) -> Result<(), Error> {
        if buffer.len() as u64 >= TOO_MANY_BYTES {
            return Err(Error);
        }
        // keylane's trait copies the source to another destination before it knows whether the packet is genuine.
        if ptr::eq(buffer.get_in().as_ptr(), buffer.get_out().as_ptr()) {
            if let Some(nonce) = nonce_of::<C, ChaCha20, U12>(nonce) {
                let cipher: keylane::aead::ChaCha20Poly1305 = self.keylane();
                return cipher.decrypt_inout_detached(nonce, associated_data, buffer, tag);
            }
            if let Some(nonce) = nonce_of::<C, XChaCha20, U24>(nonce) {
                let cipher: keylane::aead::XChaCha20Poly1305 = self.keylane();
                return cipher.decrypt_inout_detached(nonce, associated_data, buffer, tag);
            }
        }
        generic::decrypt(C::new(&self.key, nonce), associated_data, buffer, tag)
    }
}

impl<C, N: ArraySize> Clone for ChaChaPoly1305<C, N> {
    fn clone(&self) -> Self {
        Self::new(&self.key)
    }
}

impl<C, N: ArraySize> Drop for ChaChaPoly1305<C, N> {
    fn drop(&mut self) {
        self.key.as_mut_slice().zeroize();
    }
}

impl<C, N: ArraySize> fmt::Debug for ChaChaPoly1305<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChaChaPoly1305").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<C, N: ArraySize> zeroize::ZeroizeOnDrop for ChaChaPoly1305<C, N> {}
