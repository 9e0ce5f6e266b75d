//! The tags of ChaCha20-Poly1305, four packets at a time in the lanes of vectors, in base 2^26 as `messages26` has it.
//!
//! AAD and ciphertext are read where they are. Both are padded with zeros, so all blocks are whole. Each part takes whole
//! turns, and then a turn for its last 1 to 4 blocks, aligned to the right, where the accumulator is added to a lane's
//! first one. A lane without such a block waits. The lengths are one block more, with a product of its own.

#![forbid(unsafe_code)]

use crate::arch::generic::groups::{self, Costs, IDENTITY, SORTED, one_ahead, sort, turns_of_all};
use crate::arch::generic::messages26::{Blocks, Fours, MessageVectors, Pairs, Turn, at};
use crate::arch::generic::radix26::limbs::{WHOLE, add, carry, factor, multiply_add, split, tags};
use crate::job::barrier::in_memory;
use crate::job::buffer::LeInt;
use crate::job::poly1305::{Key, Packets};
use crate::job::wipe::{Zero, scrub_stack, wipe_table};

/// The longest AAD of a packet in a lane.
pub const LONGEST_AAD: usize = 64;

/// The AADs and the texts of the packets in the lanes.
pub type Parts<'a> = [[&'a [u8]; 4]; 2];

/// The tags of all packets. `tag_of` computes the tag of one packet, `tags_of` those of four.
#[inline(always)]
pub fn many(
    job: Packets<'_>,
    costs: &Costs,
    tag_of: impl Fn(&Key, &[&[u8]; 2]) -> [u8; 16],
    tags_of: impl Fn([&Key; 4], &Parts<'_>) -> [[u8; 16]; 4],
) {
    let Packets { keys, packets, tags } = job;
    let chunks = packets.chunks(SORTED).zip(tags.chunks_mut(SORTED));
    for (keys, (packets, tags)) in keys.chunks(SORTED).zip(chunks) {
        let mut texts: [&[u8]; SORTED] = [&[]; SORTED];
        for (text, packet) in texts.iter_mut().zip(packets) {
            *text = packet[1];
        }
        let texts = texts.get(..packets.len()).unwrap_or(&[]);
        let mut order = IDENTITY;
        if turns_of_all(texts).is_none() {
            sort(texts, &mut order);
        }
        one_ahead::<4>(order.get(..packets.len()).unwrap_or(&[]), texts, |group| {
            let has_long_aad =
                |&i: &u8| packets.get(usize::from(i)).is_some_and(|packet| packet[0].len() > LONGEST_AAD);
            let (in_lanes, alone) = if group.iter().any(has_long_aad) {
                (&[][..], group)
            } else {
                groups::split(group, texts, costs)
            };
            one_by_one(alone, keys, packets, tags, &tag_of);
            let Some(&first) = in_lanes.first() else { return };
            let (mut keys_of_lanes, mut parts) = ([&Key::ZERO; 4], [[&[][..]; 4]; 2]);
            for (lane, key_of_lane) in keys_of_lanes.iter_mut().enumerate() {
                // A lane without a packet repeats the first one.
                let i = usize::from(*in_lanes.get(lane).unwrap_or(&first));
                if let (Some(key), Some([aad, text])) = (keys.get(i), packets.get(i)) {
                    *key_of_lane = key;
                    (parts[0][lane], parts[1][lane]) = (aad, text);
                }
            }
            let mut of_lanes = tags_of(keys_of_lanes, &parts);
            for (tag, &i) in of_lanes.iter().zip(in_lanes) {
                if let Some(place) = tags.get_mut(usize::from(i)) {
                    *place = *tag;
                }
            }
            wipe_table(&mut of_lanes);
        });
    }
}

/// The tags of packets that do better by themselves.
#[inline(always)]
pub fn one_by_one(
    alone: &[u8],
    keys: &[Key],
    packets: &[[&[u8]; 2]],
    tags: &mut [[u8; 16]],
    tag_of: impl Fn(&Key, &[&[u8]; 2]) -> [u8; 16],
) {
    for &i in alone {
        let i = usize::from(i);
        if let (Some(key), Some(packet), Some(tag)) = (keys.get(i), packets.get(i), tags.get_mut(i)) {
            *tag = tag_of(key, packet);
        }
    }
    if !alone.is_empty() {
        scrub_stack();
    }
}

/// The tags of four packets.
#[inline(always)]
pub fn four<M: MessageVectors>(cpu: M, keys: [&Key; 4], parts: &Parts<'_>) -> [[u8; 16]; 4] {
    let [r, _] = cpu.words_of_keys(keys);
    let h = accumulators(cpu, parts, r);
    // Read only now: a register that waited would be saved to the stack.
    let [_, s] = cpu.words_of_keys(keys.map(in_memory));
    cpu.tags_of(tags(cpu, h, s))
}

/// The accumulators after the packets, carried. `r` has the words of the keys.
#[inline(always)]
pub fn accumulators<M: MessageVectors>(cpu: M, parts: &Parts<'_>, r: [M::Vector; 2]) -> [M::Vector; 5] {
    let none = [cpu.splat(0); 5];
    let r = cpu.hidden(split(cpu, r, cpu.splat(0)));
    let one = factor(cpu, r);
    let r2 = cpu.hidden(carry(cpu, multiply_add(cpu, none, r, &one)));
    let two = factor(cpu, r2);
    if parts[1].iter().all(|text| text.len() / 64 <= M::PAIRS) {
        return absorb_all(cpu, parts, &Pairs { one, two });
    }
    let three = factor(cpu, carry(cpu, multiply_add(cpu, none, r, &two)));
    let four = factor(cpu, carry(cpu, multiply_add(cpu, none, r2, &two)));
    let mut powers = [one, two, three, four];
    let h = absorb_all(cpu, parts, &Fours(&powers));
    powers.iter_mut().for_each(|power| cpu.wipe(power));
    h
}

/// AADs, texts and lengths.
#[inline(always)]
fn absorb_all<M: MessageVectors>(cpu: M, parts: &Parts<'_>, turn: &impl Turn<M>) -> [M::Vector; 5] {
    let mut a = [cpu.splat(0); 5];
    for part in parts {
        a = absorb(cpu, a, part, turn);
    }
    let lengths = parts.map(|part| cpu.of_lanes(part.map(<[u8]>::len)));
    turn.one(cpu, a, split(cpu, lengths, cpu.splat(WHOLE)))
}

/// The accumulators after one part of each packet.
#[inline(always)]
fn absorb<M: MessageVectors>(
    cpu: M,
    mut a: [M::Vector; 5],
    part: &[&[u8]; 4],
    turn: &impl Turn<M>,
) -> [M::Vector; 5] {
    let whole = part.map(|bytes| bytes.len() / 64);
    let (fewest, most) = whole.iter().fold((usize::MAX, 0), |(least, most), &n| (n.min(least), n.max(most)));
    let [m0, m1, m2, m3] = part.map(|bytes| bytes.as_chunks().0);
    for i in 0..fewest {
        a = turn.four(cpu, cpu.hidden(a), [at(m0, i), at(m1, i), at(m2, i), at(m3, i)]);
    }
    let turns_of_lanes = cpu.of_lanes(whole);
    for i in fewest..most {
        // A part without further whole turns waits.
        let next = turn.four(cpu, cpu.hidden(a), [at(m0, i), at(m1, i), at(m2, i), at(m3, i)]);
        a = choose(cpu, cpu.greater(turns_of_lanes, cpu.splat(i as u64)), a, next);
    }
    let rest = Rest::new(cpu, part, a);
    let most = rest.count.iter().fold(0, |most, &n| n.max(most));
    if most == 0 {
        return a;
    }
    let none = [cpu.splat(0); 5];
    let next = if most <= 2 { turn.two(cpu, none, rest) } else { turn.four(cpu, none, rest) };
    choose(cpu, cpu.greater(rest.counts, cpu.splat(0)), a, next)
}

/// `b` in the lanes whose bits are set, `a` elsewhere.
#[inline(always)]
fn choose<M: MessageVectors>(
    cpu: M,
    mask: M::Vector,
    mut a: [M::Vector; 5],
    b: [M::Vector; 5],
) -> [M::Vector; 5] {
    for (a, b) in a.iter_mut().zip(b) {
        *a = cpu.choose(mask, *a, b);
    }
    a
}

/// The last 0 to 4 blocks of a part of each packet, aligned to the right of a turn. The accumulators are added to the first
/// ones.
#[derive(Clone, Copy)]
struct Rest<'a, V> {
    /// The whole blocks.
    blocks: [&'a [[u8; 16]]; 4],
    /// An incomplete block after them, padded with zeros.
    tails: [[u8; 16]; 4],
    /// How many blocks there are with it.
    count: [usize; 4],
    /// The same numbers in lanes.
    counts: V,
    a: [V; 5],
}

impl<'a, V> Rest<'a, V> {
    #[inline(always)]
    fn new<M: MessageVectors<Vector = V>>(cpu: M, part: &[&'a [u8]; 4], a: [V; 5]) -> Self {
        let rests = part.map(|bytes| bytes.as_chunks::<64>().1);
        let count = rests.map(|bytes| bytes.len().div_ceil(16));
        let blocks = rests.map(|bytes| bytes.as_chunks().0);
        let tails = rests.map(|bytes| u128::from_short(bytes.as_chunks::<16>().1).to_le_bytes());
        Rest { blocks, tails, count, counts: cpu.of_lanes(count), a }
    }
}

impl<M: MessageVectors> Blocks<M> for Rest<'_, M::Vector> {
    #[inline(always)]
    fn block(self, cpu: M, n: usize) -> [M::Vector; 5] {
        let mut rows = [&[0; 16]; 4];
        for (lane, row) in rows.iter_mut().enumerate() {
            // Before the first block this is no index.
            let i = (self.count[lane] + n).wrapping_sub(4);
            if i < self.count[lane] {
                *row = self.blocks[lane].get(i).unwrap_or(&self.tails[lane]);
            }
        }
        let is_there = cpu.greater(self.counts, cpu.splat(3 - n as u64));
        let joins = cpu.equal(self.counts, cpu.splat(4 - n as u64));
        let block = split(cpu, cpu.words_of(rows), cpu.and(is_there, cpu.splat(WHOLE)));
        add(cpu, block, self.a.map(|limb| cpu.and(limb, joins)))
    }
}
