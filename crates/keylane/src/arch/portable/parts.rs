//! Poly1305 of two messages in parts, side by side, as poly1305_x2_u64 does messages in one piece. Called without the table.

use super::poly1305_inline;
use super::poly1305_x1_u64::Pair;
use crate::job::buffer::LeInt;
use crate::job::poly1305::{Key, Packets, Powers, State, tag};
use crate::job::wipe::wipe;

/// The tags of two messages of whole blocks. Each comes in parts, which are padded with zeros, as ChaCha20-Poly1305 has
/// them.
pub fn tags_of_parts<const N: usize>(keys: [&Key; 2], parts: [[&[u8]; N]; 2]) -> [u128; 2] {
    let r = Pair::new(keys);
    let mut h = [[0; 3]; 2];
    let [first, second] = parts;
    for (first, second) in first.into_iter().zip(second) {
        h = absorb_padded(&r, h, [first, second]);
    }
    [tag(h[0], keys[0].s), tag(h[1], keys[1].s)]
}

/// The tag of one packet. `piece` absorbs a part of at least `from` bytes.
#[inline(always)]
pub fn tag_of_one(
    key: &Key,
    packet: &[&[u8]; 2],
    from: usize,
    piece: impl Fn(&mut State, &mut Powers, &[[u8; 16]]),
) -> [u8; 16] {
    let (mut state, mut powers) = (State::new(*key), Powers::Unknown);
    for part in packet {
        let (blocks, tail) = u128::split(part);
        if part.len() < from {
            poly1305_inline(&mut state, blocks, &[]);
        } else {
            piece(&mut state, &mut powers, blocks);
        }
        if !tail.is_empty() {
            poly1305_inline(&mut state, &[u128::from_short(tail).to_le_bytes()], &[]);
        }
    }
    let lengths = packet[0].len() as u128 | (packet[1].len() as u128) << 64;
    poly1305_inline(&mut state, &[lengths.to_le_bytes()], &[]);
    let tag = state.tag().to_le_bytes();
    powers.wipe();
    state.wipe();
    tag
}

/// The tags of packets, two at a time.
pub fn many(job: Packets<'_>) {
    let Packets { keys, packets, tags } = job;
    for ((keys, packets), tags) in keys.chunks(2).zip(packets.chunks(2)).zip(tags.chunks_mut(2)) {
        let ([first_key, ..], [first, ..]) = (keys, packets) else { return };
        // A last one without a second is its own.
        let (second_key, second) = (keys.get(1).unwrap_or(first_key), packets.get(1).unwrap_or(first));
        let of = |[aad, text]: &[&[u8]; 2]| aad.len() as u128 | (text.len() as u128) << 64;
        let lengths = [of(first).to_le_bytes(), of(second).to_le_bytes()];
        let parts = [[first[0], first[1], &lengths[0]], [second[0], second[1], &lengths[1]]];
        let mut both = tags_of_parts([first_key, second_key], parts);
        for (place, tag) in tags.iter_mut().zip(&both) {
            *place = tag.to_le_bytes();
        }
        wipe(&mut both);
    }
}

/// Absorbs a part of each of two messages, padded with zeros.
#[inline(always)]
fn absorb_padded(pair: &Pair, mut h: [[u64; 3]; 2], parts: [&[u8]; 2]) -> [[u64; 3]; 2] {
    let [(blocks0, tail0), (blocks1, tail1)] = parts.map(u128::split);
    let common = blocks0.len().min(blocks1.len());
    for (&block0, &block1) in blocks0.iter().zip(blocks1) {
        let r = pair.both();
        h[0] = r[0].absorb(h[0], u128::from_le_bytes(block0), 1);
        h[1] = r[1].absorb(h[1], u128::from_le_bytes(block1), 1);
    }
    for (i, (blocks, tail)) in [(blocks0, tail0), (blocks1, tail1)].into_iter().enumerate() {
        for &block in blocks.get(common..).unwrap_or(&[]) {
            h[i] = pair.both()[i].absorb(h[i], u128::from_le_bytes(block), 1);
        }
        if !tail.is_empty() {
            h[i] = pair.both()[i].absorb(h[i], u128::from_short(tail), 1);
        }
    }
    h
}
