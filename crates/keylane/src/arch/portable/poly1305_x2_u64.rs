//! Poly1305, two messages under two keys at a time, base 2^64.
//!
//! id        poly1305_x2_u64        slots  poly1305-xn, poly1305-parts        requires  nothing
//! does      h <- (h + m) r and h' <- (h' + m') r'  (mod 2^130 - 5), side by side
//! bounds    those of poly1305_x1_u64, whose step it uses
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here
//!
//! A block is one chain of about 14 cycles with some 26 operations, so half of a wide core waits. Two chains fill it.
//! The messages go together until the shorter one has no more blocks.

use super::poly1305_x1_u64::{Pair, absorb};
use super::{parts, scalar};
use crate::job::buffer::LeInt;
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::poly1305::{Batch, Packets, Parts, State, Xn};

kernel! {
    /// Many messages, two at a time.
    pub MANY: Xn = "poly1305_x2_u64", lanes 2, requires [], from Method::X2U64.threshold(), |job: Batch<'_>| many(job)
}

kernel! {
    /// Many packets of ChaCha20-Poly1305, two at a time. The API does the same in its own code.
    pub PARTS: Parts = "poly1305_x2_u64", lanes 2, requires [], from usize::MAX, |job: Packets<'_>| parts::many(job)
}

/// Many messages.
pub fn many(job: Batch<'_>) {
    let Batch { keys, messages, tags } = job;
    let (key_pairs, last_key) = keys.as_chunks::<2>();
    let (message_pairs, last_message) = messages.as_chunks::<2>();
    let (tag_pairs, last_tag) = tags.as_chunks_mut::<2>();
    for ((keys, messages), tags) in key_pairs.iter().zip(message_pairs).zip(tag_pairs) {
        let mut states = keys.map(State::new);
        pair(&mut states, *messages);
        *tags = states.map(|state| state.tag().to_le_bytes());
        states.iter_mut().for_each(State::wipe);
    }
    scalar::one_by_one(Batch { keys: last_key, messages: last_message, tags: last_tag }, absorb);
}

/// Absorbs a whole message into each of two states.
fn pair(states: &mut [State; 2], messages: [&[u8]; 2]) {
    let [(blocks0, tail0), (blocks1, tail1)] = messages.map(u128::split);
    let common = blocks0.len().min(blocks1.len());
    let pair = Pair::new([&states[0].key, &states[1].key]);
    let mut h = [states[0].h, states[1].h];
    for (&block0, &block1) in blocks0.iter().zip(blocks1) {
        let r = pair.both();
        h[0] = r[0].absorb(h[0], u128::from_le_bytes(block0), 1);
        h[1] = r[1].absorb(h[1], u128::from_le_bytes(block1), 1);
    }
    [states[0].h, states[1].h] = h;
    absorb(&mut states[0], blocks0.get(common..).unwrap_or(&[]), tail0);
    absorb(&mut states[1], blocks1.get(common..).unwrap_or(&[]), tail1);
}
