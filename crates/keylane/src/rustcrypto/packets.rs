//! The traits of RustCrypto's crate aead, in its versions 0.6 and 0.5, for ChaCha20-Poly1305 and XChaCha20-Poly1305.
//!
//! **A nonce must never come twice under one key.** These traits leave that to the caller.

use crate::aead::{Cipher, Key};
use crate::job::chacha20;

/// The cipher of a key that stays with the caller. Nothing else keeps a copy of its bytes.
fn cipher<const NONCE: usize>(key: &[u8; 32]) -> Cipher<NONCE> {
    Cipher::new(&Key(chacha20::Key::from_bytes(key)))
}

#[cfg(feature = "aead")]
mod current {
    use super::cipher;
    use crate::aead::{Cipher, Tag};
    use ::aead::common::{Key, KeyInit, KeySizeUser};
    use ::aead::consts::{U12, U16, U24, U32};
    use ::aead::inout::InOutBuf;
    use ::aead::{AeadCore, AeadInOut, Error, Nonce, TagPosition};

    impl<const NONCE: usize> KeySizeUser for Cipher<NONCE> {
        type KeySize = U32;
    }

    impl<const NONCE: usize> KeyInit for Cipher<NONCE> {
        fn new(key: &Key<Self>) -> Self {
            cipher(&key.0)
        }
    }

    macro_rules! packets {
        ($bytes:literal, $size:ty) => {
            impl AeadCore for Cipher<$bytes> {
                type NonceSize = $size;
                type TagSize = U16;
                const TAG_POSITION: TagPosition = TagPosition::Postfix;
            }

            /// **The caller must never use a nonce twice under one key.**
            ///
            /// A source that is not the destination is copied there first. If a packet is forged, the copy stays, still
            /// encrypted.
            impl AeadInOut for Cipher<$bytes> {
                fn encrypt_inout_detached(
                    &self,
                    nonce: &Nonce<Self>,
                    associated_data: &[u8],
                    buffer: InOutBuf<'_, '_, u8>,
                ) -> Result<::aead::Tag<Self>, Error> {
                    let tag =
                        self.seal_with_nonce(&nonce.0, associated_data, buffer.into_out_with_copied_in());
                    Ok(tag.map_err(|_| Error)?.to_bytes().into())
                }

                fn decrypt_inout_detached(
                    &self,
                    nonce: &Nonce<Self>,
                    associated_data: &[u8],
                    buffer: InOutBuf<'_, '_, u8>,
                    tag: &::aead::Tag<Self>,
                ) -> Result<(), Error> {
                    let (data, tag) = (buffer.into_out_with_copied_in(), Tag::from_bytes(tag.0));
                    self.open(&nonce.0, associated_data, data, &tag).map_err(|_| Error)
                }
            }
        };
    }
    packets!(12, U12);
    packets!(24, U24);
}

#[cfg(feature = "aead-05")]
mod previous {
    use super::cipher;
    use crate::aead::{Cipher, Tag};
    use ::aead_05::consts::{U0, U12, U16, U24, U32};
    use ::aead_05::{AeadCore, AeadInPlace, Error, Key, KeyInit, KeySizeUser, Nonce};

    impl<const NONCE: usize> KeySizeUser for Cipher<NONCE> {
        type KeySize = U32;
    }

    impl<const NONCE: usize> KeyInit for Cipher<NONCE> {
        fn new(key: &Key<Self>) -> Self {
            cipher(key.as_ref())
        }
    }

    macro_rules! packets {
        ($bytes:literal, $size:ty) => {
            impl AeadCore for Cipher<$bytes> {
                type NonceSize = $size;
                type TagSize = U16;
                type CiphertextOverhead = U0;
            }

            /// **The caller must never use a nonce twice under one key.**
            impl AeadInPlace for Cipher<$bytes> {
                fn encrypt_in_place_detached(
                    &self,
                    nonce: &Nonce<Self>,
                    associated_data: &[u8],
                    buffer: &mut [u8],
                ) -> Result<::aead_05::Tag<Self>, Error> {
                    let tag = self.seal_with_nonce(nonce.as_ref(), associated_data, buffer);
                    Ok(tag.map_err(|_| Error)?.to_bytes().into())
                }

                fn decrypt_in_place_detached(
                    &self,
                    nonce: &Nonce<Self>,
                    associated_data: &[u8],
                    buffer: &mut [u8],
                    tag: &::aead_05::Tag<Self>,
                ) -> Result<(), Error> {
                    let tag = Tag::from_bytes((*tag).into());
                    self.open(nonce.as_ref(), associated_data, buffer, &tag).map_err(|_| Error)
                }
            }
        };
    }
    packets!(12, U12);
    packets!(24, U24);
}
