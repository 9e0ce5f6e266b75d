//! Answers of keylane-ref, cached: many checks need the same one.

use super::Extent;
use super::wraps::{self, Column, Wrap};
use crate::input::{Pool, Random, Text};
use crate::variants::Variant;
use crate::vectors::Published;
use keylane_ref as spec;
use std::collections::HashMap;
use std::sync::Arc;

/// The tags that SipHash (HalfSipHash) kernels are compared with: of pieces of the pool under one key.
pub struct Hashes {
    /// The messages.
    pub pool: Arc<Pool>,
    key: [u8; 16],
    known: HashMap<(Variant, bool, Text), u128>,
}

impl Hashes {
    /// An empty cache.
    pub fn new() -> Self {
        Hashes { pool: Pool::shared(), key: Random(1).bytes(), known: HashMap::new() }
    }

    /// The key.
    pub fn key(&self, variant: Variant) -> &[u8] {
        &self.key[..variant.key_size()]
    }

    /// The tag of a piece, with or without case folding.
    pub fn tag(&mut self, variant: Variant, fold: bool, text: Text) -> u128 {
        let key = &self.key[..variant.key_size()];
        let message = self.pool.text(text);
        let tag = || if fold { variant.tag_nocase(key, message) } else { variant.tag(key, message) };
        *self.known.entry((variant, fold, text)).or_insert_with(tag)
    }
}

/// The tags that Poly1305 kernels are compared with: of pieces of the pool under some keys.
pub struct Macs {
    /// The messages.
    pub pool: Arc<Pool>,
    /// How much to check.
    pub extent: Extent,
    /// The keys: [`Macs::edge_keys`], then random ones. In brief, the first two and one.
    pub keys: Vec<[u8; 32]>,
    known: HashMap<(usize, Text), [u8; 16]>,
    wraps: Vec<Wrap>,
    columns: Vec<Column>,
}

impl Macs {
    /// An empty cache.
    pub fn new(extent: Extent) -> Self {
        let mut random = Random(2);
        let mut keys = Self::edge_keys().to_vec();
        keys.extend((0..5).map(|_| random.bytes()));
        if extent == Extent::Brief {
            keys.drain(2..keys.len() - 1);
        }
        Macs {
            extent,
            pool: Pool::shared(),
            keys,
            known: HashMap::new(),
            wraps: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// Extreme keys. The number r is 0, 1, 2, or has every bit that a key may have; then all powers of r are large. The
    /// number s is 0, or 2^128 - 1 for the longest carry of the last addition.
    pub fn edge_keys() -> [[u8; 32]; 6] {
        [
            key(u128::MAX, u128::MAX),
            key(u128::MAX, 0),
            key(0, u128::MAX),
            key(1, 0),
            key(2, 0),
            key(2, u128::MAX),
        ]
    }

    /// The tag of a piece under key `key`.
    pub fn tag(&mut self, key: usize, text: Text) -> [u8; 16] {
        let tag = || spec::poly1305(&self.keys[key], self.pool.text(text));
        *self.known.entry((key, text)).or_insert_with(tag)
    }

    /// Messages whose sum is close to p, after up to `most` triples if r is 1. They are the same at every
    /// call.
    pub fn wraps(&mut self, published: &Published, most: usize) -> &[Wrap] {
        if self.wraps.is_empty() {
            self.wraps = wraps::pushed_sums(published, most);
            self.wraps.extend(wraps::solved());
            for Wrap { key, message, tag, name } in &self.wraps {
                assert_eq!(spec::poly1305(key, message), *tag, "the two oracles disagree: {name}");
            }
        }
        &self.wraps
    }

    /// Messages with the sum of one lane close to p, for each lane.
    pub fn columns(&mut self) -> &[Column] {
        if self.columns.is_empty() {
            self.columns = wraps::columns();
        }
        &self.columns
    }
}

/// The key r | s.
pub fn key(r: u128, s: u128) -> [u8; 32] {
    [r.to_le_bytes(), s.to_le_bytes()].concat().try_into().expect("32 bytes")
}
