//! The interface of the crate `poly1305` 0.8, with keylane behind it.
//!
//! A program that uses `poly1305`, `chacha20poly1305` or another crate above it gets this crate by
//! `[patch.crates-io]`, without a change to any code. The state is always wiped.
//!
//! **A key authenticates one message.** Two messages under one key reveal it. Neither `KeyInit` nor `Clone` can express
//! that: keylane's own types do.

#![no_std]

pub use universal_hash;

use core::fmt;
use keylane::poly1305::{OneTimeKey, Poly1305 as Computation};
use universal_hash::consts::{U1, U16, U32};
use universal_hash::crypto_common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser};
use universal_hash::{KeyInit, UhfBackend, UhfClosure, UniversalHash};

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
        Poly1305(Computation::new(OneTimeKey::from_bytes((*key).into())))
    }
}

impl UniversalHash for Poly1305 {
    #[inline]
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
        f.call(self);
    }

    /// Takes the whole blocks of `data` at a time, not one by one.
    #[inline]
    fn update_padded(&mut self, data: &[u8]) {
        self.0.update(data);
        let zeros = [0; BLOCK_SIZE];
        self.0.update(zeros.get(..data.len().wrapping_neg() % BLOCK_SIZE).unwrap_or(&[]));
    }

    #[inline]
    fn finalize(self) -> Tag {
        self.0.finish().to_bytes().into()
    }
}

/// One block at a time. keylane gathers them.
impl UhfBackend for Poly1305 {
    #[inline]
    fn proc_block(&mut self, block: &Block) {
        self.0.update(block);
    }
}

impl ParBlocksSizeUser for Poly1305 {
    type ParBlocksSize = U1;
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
