//! Kernels for every CPU, in safe Rust.

#![forbid(unsafe_code)]

pub mod halfsiphash_x1;
pub mod halfsiphash_x2;
pub mod interleave;
pub mod poly1305_x1_u32;
pub mod poly1305_x1_u64;
pub mod poly1305_x2_u64;
pub mod siphash_x1;
pub mod siphash_x2;

use crate::buffer::Block;
use crate::kernel::poly1305::{Batch, Key, Message, State};

/// Poly1305 of the target: the fastest portable kernel that needs no call through the table.
#[cfg(not(target_pointer_width = "64"))]
pub use poly1305_x1_u32::{absorb as poly1305_inline, absorb_last as poly1305_last};
#[cfg(target_pointer_width = "64")]
pub use poly1305_x1_u64::{absorb as poly1305_inline, absorb_last as poly1305_last};

/// The tag of a message.
#[inline(always)]
pub fn tag(key: &Key, message: &[u8], absorb: impl Fn(&mut State, &[[u8; 16]], &[u8])) -> u128 {
    let mut state = State::new(*key);
    let (blocks, tail) = u128::split(message);
    absorb(&mut state, blocks, tail);
    let tag = state.tag();
    state.wipe();
    tag
}

/// A Poly1305 message or piece, one block after the other.
#[inline(always)]
fn block_by_block(job: Message<'_>, absorb: impl Fn(&mut State, &[[u8; 16]], &[u8])) {
    match job {
        Message::Whole { key, message, tag } => *tag = self::tag(key, message, absorb),
        Message::Piece { state, blocks, .. } => absorb(state, blocks, &[]),
    }
}

/// A Poly1305 batch, one message after the other.
#[inline(always)]
fn one_by_one(job: Batch<'_>, absorb: impl Fn(&mut State, &[[u8; 16]], &[u8])) {
    for ((key, message), place) in job.keys.iter().zip(job.messages).zip(job.tags) {
        *place = tag(key, message, &absorb).to_le_bytes();
    }
}
