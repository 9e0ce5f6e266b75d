//! ChaCha20-Poly1305 and XChaCha20-Poly1305: encryption and authentication together, of one packet or of many in one
//! call.
//!
//! Source: RFC 8439, section 2.8; draft-irtf-cfrg-xchacha-03 for nonces of 24 bytes.
//!
//! A packet has a nonce, associated data (AAD) that is authenticated only, and data that is encrypted and authenticated.
//! Sealing gives ciphertext of the same length and a tag of 16 bytes. Opening checks the tag first: until it is right,
//! not a byte of plaintext is written anywhere, and the data of a forged packet stay as they came.
//!
//! ```
//! use keylane::aead::{AeadError, ChaCha20Poly1305, Key};
//!
//! let cipher = ChaCha20Poly1305::new(&Key::from_bytes([7; 32]));
//! let (nonce, aad) = ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], b"header");
//!
//! let mut data = *b"payload";
//! let tag = cipher.seal_with_nonce(&nonce, aad, &mut data)?;
//! cipher.open(&nonce, aad, &mut data, &tag)?;
//! assert_eq!(&data, b"payload");
//!
//! let forged = cipher.open(&nonce, b"another", &mut data, &tag);
//! assert_eq!(forged, Err(AeadError::Forged));
//! # Ok::<(), AeadError>(())
//! ```
//!
//! # Nonces
//! **Two packets sealed under one key and one nonce reveal the XOR of their texts and the key of their tags**, with which
//! anyone can forge. [`Sender`] counts, so this cannot happen while there is one sender for a key. With nonces of 24 bytes,
//! `XChaCha20Poly1305::seal_random` draws them at random. Other calls that take a nonce for sealing say so in their names,
//! and the caller must then ensure that no nonce comes twice under a key, not after a restart, a fork or a restored
//! snapshot either. Random nonces of 12 bytes are too short for that.
//!
//! # What it promises
//! A packet of L bytes with A bytes of AAD is forged with probability at most 8 (ceil(A / 16) + ceil(L / 16) + 1) / 2^106
//! in one try. So a protocol should limit the forged packets under a key (RFC 9001, section 6.6). [`Receiver`] does, and
//! it opens no packet twice.
//!
//! A ciphertext does not commit to its key: whoever knows two keys can make a packet that opens under both. Where keys
//! come from passwords, that lets an attacker test many at a time (partitioning oracles).
//!
//! Times depend on lengths, and in [`open_many`](Cipher::open_many) on which packets are forged; never on keys or bytes.

mod authenticator;
mod cipher;
mod many;
mod numbered;
mod one;
mod window;

pub use crate::error::AeadError;
pub use crate::poly1305::Tag;
pub use cipher::{ChaCha20Poly1305, Cipher, Key, MAX_BYTES, TAG_BYTES, XChaCha20Poly1305};
pub use many::Packet;
pub use numbered::{Numbering, Receiver, Sender};
