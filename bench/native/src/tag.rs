//! RustCrypto's Poly1305. The bench itself compiles this file too.

use poly1305::universal_hash::{KeyInit, UniversalHash};
use poly1305::{Block, Poly1305};

/// From this length on, `update` is faster for whole blocks, since it takes several at a time. The tail
/// follows.
const BULK: usize = 128;

/// The tag of a message.
#[inline(always)]
pub fn tag(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    if message.len() < BULK { short(key, message) } else { long(key, message) }
}

// A separate function: in one function the compiler optimises neither path as well.

#[inline(never)]
fn short(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    Poly1305::new(key.into()).compute_unpadded(message).into()
}

#[inline(never)]
fn long(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut state = Poly1305::new(key.into());
    let (blocks, tail) = Block::slice_as_chunks(message);
    state.update(blocks);
    state.compute_unpadded(tail).into()
}
