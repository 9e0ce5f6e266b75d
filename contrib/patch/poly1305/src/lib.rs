//! The interface of the crate `poly1305` 0.9, with keylane behind it.
//!
//! A program that uses `poly1305`, `chacha20poly1305` or another crate above it gets this crate by
//! `[patch.crates-io]`, without a change to any code. The state is always wiped.
//!
//! **A key authenticates one message.** Two messages under one key reveal it. Neither `KeyInit` nor `Clone` can express
//! that: keylane's own types do.

#![no_std]

pub use universal_hash;

use core::fmt;
use keylane::poly1305::Poly1305 as Computation;
use universal_hash::common::{BlockSizeUser, KeySizeUser};
use universal_hash::consts::{U16, U32};
use universal_hash::{KeyInit, UhfClosure, UniversalHash};

/// The bytes of a key.
pub const KEY_SIZE: usize = 32;

/// The bytes of a block.
pub const BLOCK_SIZE: usize = 16;

/// A key.
pub type Key = universal_hash::Key<Poly1305>;

/// A block.
pub type Block = universal_hash::Block<Poly1305>;

/// A tag.
pub type Tag = universal_hash::Block<Poly1305>;

/// Computes the tag of one message.
pub struct Poly1305(Computation);

impl Poly1305 {
    /// The tag of the blocks so far, followed by `data` of any length. Unlike
    /// [`update_padded`](UniversalHash::update_padded) it fills the last block as Poly1305 does.
    #[must_use]
    #[inline]
    pub fn compute_unpadded(mut self, data: &[u8]) -> Tag {
        self.0.update(data);
        self.finalize()
    }
}

impl KeySizeUser for Poly1305 {
    type KeySize = U32;
}

impl BlockSizeUser for Poly1305 {
    type BlockSize = U16;
}

impl KeyInit for Poly1305 {
    #[inline]
    fn new(key: &Key) -> Self {
        Poly1305(KeyInit::new(key))
    }
}

impl UniversalHash for Poly1305 {
    #[inline]
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
        self.0.update_with_backend(f);
    }

    #[inline]
    fn update(&mut self, blocks: &[Block]) {
        UniversalHash::update(&mut self.0, blocks);
    }

    #[inline]
    fn update_padded(&mut self, data: &[u8]) {
        self.0.update_padded(data);
    }

    #[inline]
    fn finalize(self) -> Tag {
        self.0.finalize()
    }
}

impl Clone for Poly1305 {
    fn clone(&self) -> Self {
        Poly1305(self.0.duplicate())
    }
}

impl fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Poly1305(..)")
    }
}
