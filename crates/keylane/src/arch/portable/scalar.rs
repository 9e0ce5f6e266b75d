//! Poly1305 block by block, for the portable kernels. Each kernel passes its own `absorb`.

use crate::job::buffer::LeInt;
use crate::job::poly1305::{Batch, Key, Message, State};

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

/// A Poly1305 message or piece, block by block.
#[inline(always)]
pub fn block_by_block(job: Message<'_>, absorb: impl Fn(&mut State, &[[u8; 16]], &[u8])) {
    match job {
        Message::Whole { key, message, tag } => *tag = self::tag(key, message, absorb),
        Message::Piece { state, blocks, .. } => absorb(state, blocks, &[]),
    }
}

/// A Poly1305 batch, one message after the other.
#[inline(always)]
pub fn one_by_one(job: Batch<'_>, absorb: impl Fn(&mut State, &[[u8; 16]], &[u8])) {
    for ((key, message), place) in job.keys.iter().zip(job.messages).zip(job.tags) {
        *place = tag(key, message, &absorb).to_le_bytes();
    }
}
