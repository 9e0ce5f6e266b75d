//! Poly1305 in base 2^26, 4 messages at a time, each under its own key in a lane of a vector. The algorithm is written
//! once; an instruction set implements [`MessageVectors`].
//!
//! A lane is a message, so this needs no power of r beyond the fourth and no sum over lanes. All messages begin
//! together. The last turn holds a message's last 1 to 4 blocks, aligned to the right, and the accumulator is added to
//! the first of them. The turns before it are whole. A lane that runs out of whole turns waits for the last turn.
//! `groups` chooses the messages that share a group and those done alone. Limbs are those of `radix26`: columns of four
//! products are below 2^61.

#![forbid(unsafe_code)]

use crate::arch::generic::groups::{Group, turns};
use crate::arch::generic::radix26::limbs::{Factor, WHOLE, add, carry, factor, multiply_add, split, tags};
use crate::arch::generic::radix26::vectors::Vectors26;
use crate::job::plain::chunk;
use crate::job::poly1305::Key;

/// The operations on vectors of 4 lanes beyond arithmetic. Lane i holds message i.
pub trait MessageVectors: Vectors26<4> {
    /// The number of turns up to which two products of two blocks beat one product of four, which needs r^3 and r^4.
    const PAIRS: usize;

    /// One number for each lane, without a detour through memory.
    fn of_lanes(self, numbers: [usize; 4]) -> Self::Vector;
    /// The same number, opaque to the compiler.
    fn hidden(self, x: [Self::Vector; 5]) -> [Self::Vector; 5];
    /// All bits of the lanes where a > b, for numbers below 2^63.
    fn greater(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// All bits of the lanes where a = b.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `b` where the bits of a lane are set, `a` elsewhere.
    fn choose(self, mask: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// 16 bytes for each lane, as their low and high words.
    fn words_of(self, rows: [&[u8; 16]; 4]) -> [Self::Vector; 2];
    /// r and s of the lanes' keys, in words.
    fn words_of_keys(self, keys: [&Key; 4]) -> [[Self::Vector; 2]; 2];
    /// The last block of each message, with the byte 1 after its bytes if it is incomplete.
    fn words_of_ends(self, messages: [&[u8]; 4]) -> [Self::Vector; 2];
    /// Tags from their words.
    fn tags_of(self, words: [Self::Vector; 2]) -> [[u8; 16]; 4];
}

/// The tags of a group.
#[inline(always)]
pub fn four<M: MessageVectors>(cpu: M, group: &Group<'_, 4>) -> [[u8; 16]; 4] {
    let [r, s] = cpu.words_of_keys(group.keys);
    let h = accumulators(cpu, group, r);
    cpu.tags_of(tags(cpu, h, s))
}

/// The accumulators after the messages of a group, carried. `r` has the words of the keys.
#[inline(always)]
pub fn accumulators<M: MessageVectors>(cpu: M, group: &Group<'_, 4>, r: [M::Vector; 2]) -> [M::Vector; 5] {
    let none = [cpu.splat(0); 5];
    let r = cpu.hidden(split(cpu, r, cpu.splat(0)));
    let one = factor(cpu, r);
    if group.messages.iter().all(|message| message.len() <= 16) {
        let last = Last::new(cpu, group);
        carry(cpu, multiply_add(cpu, none, last.block(cpu, 3), &one))
    } else {
        let r2 = cpu.hidden(carry(cpu, multiply_add(cpu, none, r, &one)));
        let two = factor(cpu, r2);
        if group.longest <= M::PAIRS {
            absorb(cpu, group, &Pairs { one, two })
        } else {
            let three = factor(cpu, carry(cpu, multiply_add(cpu, none, r, &two)));
            let four = factor(cpu, carry(cpu, multiply_add(cpu, none, r2, &two)));
            let mut powers = [one, two, three, four];
            let h = absorb(cpu, group, &Fours(&powers));
            powers.iter_mut().for_each(|power| cpu.wipe(power));
            h
        }
    }
}

/// Four blocks of each message.
pub trait Blocks<M: MessageVectors>: Copy {
    /// Block n.
    fn block(self, cpu: M, n: usize) -> [M::Vector; 5];
}

/// Whole blocks.
impl<M: MessageVectors> Blocks<M> for [&[u8; 64]; 4] {
    #[inline(always)]
    fn block(self, cpu: M, n: usize) -> [M::Vector; 5] {
        let [a, b, c, d] = self;
        split(cpu, cpu.words_of([chunk(a, n), chunk(b, n), chunk(c, n), chunk(d, n)]), cpu.splat(WHOLE))
    }
}

/// A method of absorbing blocks.
pub trait Turn<M: MessageVectors> {
    /// (a + b0) r^4 + b1 r^3 + b2 r^2 + b3 r.
    fn four(&self, cpu: M, a: [M::Vector; 5], blocks: impl Blocks<M>) -> [M::Vector; 5];
    /// (a + b2) r^2 + b3 r.
    fn two(&self, cpu: M, a: [M::Vector; 5], blocks: impl Blocks<M>) -> [M::Vector; 5];
    /// (a + b) r.
    fn one(&self, cpu: M, a: [M::Vector; 5], block: [M::Vector; 5]) -> [M::Vector; 5];
}

/// Two products of two blocks each.
pub struct Pairs<V> {
    /// r.
    pub one: Factor<V>,
    /// r^2.
    pub two: Factor<V>,
}

impl<M: MessageVectors> Turn<M> for Pairs<M::Vector> {
    #[inline(always)]
    fn four(&self, cpu: M, a: [M::Vector; 5], blocks: impl Blocks<M>) -> [M::Vector; 5] {
        let sums = multiply_add(cpu, [cpu.splat(0); 5], blocks.block(cpu, 1), &self.one);
        let a = carry(cpu, multiply_add(cpu, sums, add(cpu, a, blocks.block(cpu, 0)), &self.two));
        self.two(cpu, a, blocks)
    }

    #[inline(always)]
    fn two(&self, cpu: M, a: [M::Vector; 5], blocks: impl Blocks<M>) -> [M::Vector; 5] {
        let sums = multiply_add(cpu, [cpu.splat(0); 5], blocks.block(cpu, 3), &self.one);
        carry(cpu, multiply_add(cpu, sums, add(cpu, a, blocks.block(cpu, 2)), &self.two))
    }

    #[inline(always)]
    fn one(&self, cpu: M, a: [M::Vector; 5], block: [M::Vector; 5]) -> [M::Vector; 5] {
        carry(cpu, multiply_add(cpu, [cpu.splat(0); 5], add(cpu, a, block), &self.one))
    }
}

/// One product of four blocks, by r, r^2, r^3 and r^4. They stay in memory, since the registers are full.
pub struct Fours<'a, V>(pub &'a [Factor<V>; 4]);

impl<M: MessageVectors> Turn<M> for Fours<'_, M::Vector> {
    #[inline(always)]
    fn four(&self, cpu: M, a: [M::Vector; 5], blocks: impl Blocks<M>) -> [M::Vector; 5] {
        let [r1, r2, r3, r4] = cpu.in_memory(self.0);
        let sums = multiply_add(cpu, [cpu.splat(0); 5], blocks.block(cpu, 3), r1);
        let sums = multiply_add(cpu, sums, blocks.block(cpu, 2), r2);
        let sums = multiply_add(cpu, sums, blocks.block(cpu, 1), r3);
        carry(cpu, multiply_add(cpu, sums, add(cpu, a, blocks.block(cpu, 0)), r4))
    }

    #[inline(always)]
    fn two(&self, cpu: M, a: [M::Vector; 5], blocks: impl Blocks<M>) -> [M::Vector; 5] {
        let [r1, r2, _, _] = cpu.in_memory(self.0);
        let sums = multiply_add(cpu, [cpu.splat(0); 5], blocks.block(cpu, 3), r1);
        carry(cpu, multiply_add(cpu, sums, add(cpu, a, blocks.block(cpu, 2)), r2))
    }

    #[inline(always)]
    fn one(&self, cpu: M, a: [M::Vector; 5], block: [M::Vector; 5]) -> [M::Vector; 5] {
        let [r1, ..] = cpu.in_memory(self.0);
        carry(cpu, multiply_add(cpu, [cpu.splat(0); 5], add(cpu, a, block), r1))
    }
}

/// The accumulators after the messages.
#[inline(always)]
fn absorb<M: MessageVectors>(cpu: M, group: &Group<'_, 4>, turn: &impl Turn<M>) -> [M::Vector; 5] {
    // If the messages have the same length and no short turn, the last turn is like the others.
    let whole_turns = group.messages.iter().all(|message| message.len() == 64 * group.longest);
    let whole = group.messages.map(|message| turns(message.len()) - 1);
    let fewest = whole.iter().fold(usize::MAX, |fewest, &turns| fewest.min(turns));
    let [m0, m1, m2, m3] = group.messages.map(|message| message.as_chunks().0);
    let mut a = [cpu.splat(0); 5];
    for i in 0..if whole_turns { group.longest } else { fewest } {
        a = turn.four(cpu, cpu.hidden(a), [at(m0, i), at(m1, i), at(m2, i), at(m3, i)]);
    }
    if whole_turns {
        return a;
    }
    let turns_of_lanes = cpu.of_lanes(whole);
    for i in fewest..group.longest - 1 {
        // A message without further whole turns waits.
        let next = turn.four(cpu, cpu.hidden(a), [at(m0, i), at(m1, i), at(m2, i), at(m3, i)]);
        let on = cpu.greater(turns_of_lanes, cpu.splat(i as u64));
        for (a, next) in a.iter_mut().zip(next) {
            *a = cpu.choose(on, *a, next);
        }
    }
    let last = Last::new(cpu, group);
    let none = [cpu.splat(0); 5];
    let is_short = last.count.iter().all(|&count| count <= 2);
    match (group.longest == 1, is_short) {
        (true, true) => turn.two(cpu, none, last),
        (true, false) => turn.four(cpu, none, last),
        (false, true) => turn.two(cpu, none, Behind { last, a: cpu.hidden(a) }),
        (false, false) => turn.four(cpu, none, Behind { last, a: cpu.hidden(a) }),
    }
}

/// Chunk i of 64 bytes, or zeros.
#[inline(always)]
pub fn at(message: &[[u8; 64]], i: usize) -> &[u8; 64] {
    message.get(i).unwrap_or(&[0; 64])
}

/// The last 1 to 4 blocks of each message, aligned to the right of a turn. An empty message has none.
#[derive(Clone, Copy)]
struct Last<'a, V> {
    messages: [&'a [u8]; 4],
    /// The whole blocks of each message.
    blocks: [&'a [[u8; 16]]; 4],
    /// How many blocks there are, including an incomplete one.
    count: [usize; 4],
    /// The same numbers in lanes.
    counts: V,
    /// WHOLE where the last block is whole.
    whole: V,
}

impl<'a, V> Last<'a, V> {
    #[inline(always)]
    fn new<M: MessageVectors<Vector = V>>(cpu: M, group: &Group<'a, 4>) -> Self {
        let messages = group.messages;
        let last = messages.map(|message| message.get(64 * (turns(message.len()) - 1)..).unwrap_or(&[]));
        let count = last.map(|bytes| bytes.len().div_ceil(16));
        let parts = cpu.of_lanes(last.map(|bytes| bytes.len() % 16));
        let whole = cpu.and(cpu.equal(parts, cpu.splat(0)), cpu.splat(WHOLE));
        let blocks = last.map(|bytes| bytes.as_chunks().0);
        Last { messages, blocks, count, counts: cpu.of_lanes(count), whole }
    }
}

impl<M: MessageVectors> Blocks<M> for Last<'_, M::Vector> {
    #[inline(always)]
    fn block(self, cpu: M, n: usize) -> [M::Vector; 5] {
        let is_there = cpu.greater(self.counts, cpu.splat(3 - n as u64));
        if n == 3 {
            return split(cpu, cpu.words_of_ends(self.messages), cpu.and(is_there, self.whole));
        }
        let mut rows = [&[0; 16]; 4];
        for ((row, blocks), count) in rows.iter_mut().zip(self.blocks).zip(self.count) {
            *row = blocks.get((count + n).wrapping_sub(4)).unwrap_or(&[0; 16]);
        }
        split(cpu, cpu.words_of(rows), cpu.and(is_there, cpu.splat(WHOLE)))
    }
}

/// `Last`, with the accumulator of each message added to its first block.
#[derive(Clone, Copy)]
struct Behind<'a, V> {
    last: Last<'a, V>,
    a: [V; 5],
}

impl<M: MessageVectors> Blocks<M> for Behind<'_, M::Vector> {
    #[inline(always)]
    fn block(self, cpu: M, n: usize) -> [M::Vector; 5] {
        let joins = cpu.equal(self.last.counts, cpu.splat(4 - n as u64));
        let mut block = self.last.block(cpu, n);
        for (limb, a) in block.iter_mut().zip(self.a) {
            *limb = cpu.add(*limb, cpu.and(a, joins));
        }
        block
    }
}

/// How many bytes the last block of a message lacks.
#[inline(always)]
pub fn missing(message: &[u8]) -> usize {
    message.len().wrapping_neg() % 16
}

/// The 16 bytes after the first `by`, at most 16.
#[inline(always)]
pub fn chunk_at(bytes: &[u8; 32], by: usize) -> &[u8; 16] {
    bytes.get(by..).and_then(<[u8]>::first_chunk).unwrap_or(&[0; 16])
}

/// 0, 1, ..., 15, and then values that are no index of 16 bytes.
pub static MOVED: [u8; 32] = {
    let mut indices = [0x80; 32];
    let mut i = 0;
    while i < 16 {
        indices[i] = i as u8;
        i += 1;
    }
    indices
};

/// The byte 1 that follows the bytes of a last block: the 16 bytes from the number of missing bytes on.
pub static MARKS: [u8; 32] = {
    let mut marks = [0; 32];
    marks[16] = 1;
    marks
};
