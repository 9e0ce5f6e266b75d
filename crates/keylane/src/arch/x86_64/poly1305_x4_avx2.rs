//! Poly1305, 4 messages at a time, each under its own key, base 2^26, in the lanes of AVX2 registers.
//!
//! id        poly1305_x4_avx2        slot  poly1305-xn        requires  avx2 bmi2
//! does      h <- (h + m) r for a message in each lane, four blocks in a turn: two products of two blocks
//!           (r^2, r) or, in long messages, one of four (r^4, ..., r)
//! bounds    a turn of 64 bytes of 4 messages is 100 multiplications, 95 additions, 68 operations that bring the
//!           blocks into the lanes and take them apart, and 20 of a carry (twice for two products): 283, 71 cycles
//!           where four are done in a cycle; 95 were measured, 108 with two products (Zen 4). Limbs: radix26.rs,
//!           whose columns of four products are below 2^61
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.5]
//!
//! No power of r beyond the fourth and no sum over lanes: a lane is a message. Messages begin together, on the
//! left. Each has as many whole turns as leave 1 to 4 blocks for the last one, in which these stand on the
//! right, and the accumulator joins the first of them; lanes that are done wait for that turn. Which messages
//! share a group, and which are done alone: groups.rs.
//!
//! Two halves of 128 bits, of messages 0 and 2 and of 1 and 3, are unpacked into words that stand in the order of
//! the lanes, so a block of 4 messages comes in by 2 loads, 2 insertions from memory and 2 shuffles.
//!
//! Lost: Karatsuba's method with 15 multiplications (as fast in the loop, slower in all before it: its 60 factors
//! are written and wiped at a store a cycle); powers of two products in memory.

use super::in_memory;
use super::{Avx2, chunk, poly1305_p4_avx2};
use crate::arch::groups::{self, Costs, Group, turns};
use crate::arch::portable::{self, poly1305_x1_u64, poly1305_x2_u64};
use crate::arch::radix26::{Factor, Lanes, WHOLE, add, carry, factor, multiply_add, split, tags};
use crate::arch::wipe::wipe;
use crate::kernel::kernel;
use crate::kernel::poly1305::{Batch, Key, Xn};
use crate::kernel::thresholds::Way;
use core::arch::x86_64::*;

kernel! {
    /// Many messages.
    pub MANY: Xn = "poly1305_x4_avx2", lanes 4, requires ["avx2", "bmi2"], |job: Batch<'_>| many(job)
}

/// Messages of up to so many bytes are done two at a time in general registers, unless they fill turns: what a last
/// turn costs beside its blocks is more than the lanes save.
const SHORT: usize = 128;

/// In cycles on Zen 4: alone in poly1305_x1_u64 or poly1305_p4_avx2.
const COSTS: Costs =
    Costs { alone: |turns| (15 + 60 * turns).min(250 + 20 * turns), together: |turns| 120 + 105 * turns };

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn many(job: Batch<'_>) {
    let len = job.messages.first().map_or(0, |message| message.len());
    let longest = job.messages.iter().map(|message| message.len()).max().unwrap_or(0);
    let alike = job.messages.iter().all(|message| message.len() == len);
    if longest <= SHORT && !(alike && len >= 64) {
        return poly1305_x2_u64::many(job);
    }
    groups::each(job, &COSTS, |key, message| alone(key, message), |group| four(group));
}

/// The tag of a message that is not worth a lane.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn alone(key: &Key, message: &[u8]) -> u128 {
    if message.len() < Way::P4Avx2.from() {
        return portable::tag(key, message, poly1305_x1_u64::absorb);
    }
    poly1305_p4_avx2::whole(key, message)
}

/// The limbs of a number in each lane.
type Limbs = [__m256i; 5];

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn four(group: &Group<'_, 4>) -> [[u8; 16]; 4] {
    let cpu = Avx2::here();
    let [[r0, r1], s] = cpu.words_of_keys(group.keys);
    let none = [cpu.splat(0); 5];
    let r = cpu.hidden(split(cpu, [r0, r1], cpu.splat(0)));
    let one = factor(cpu, r);
    let h = if group.messages.iter().all(|message| message.len() <= 16) {
        let last = Last::new(cpu, group);
        carry(cpu, multiply_add(cpu, none, last.block(cpu, 3), one))
    } else {
        let r2 = cpu.hidden(carry(cpu, multiply_add(cpu, none, r, one)));
        let two = factor(cpu, r2);
        if group.longest < FOURS {
            absorb(cpu, group, &Pairs { one, two })
        } else {
            let three = factor(cpu, carry(cpu, multiply_add(cpu, none, r, two)));
            let four = factor(cpu, carry(cpu, multiply_add(cpu, none, r2, two)));
            let mut powers = [one, two, three, four];
            let h = absorb(cpu, group, &Fours(&powers));
            wipe(&mut powers);
            h
        }
    };
    cpu.tags_of(tags(cpu, h, s))
}

/// From how many turns on r^3 and r^4 pay.
const FOURS: usize = 12;

/// Four blocks of each message.
trait Blocks: Copy {
    /// The n-th.
    fn block(self, cpu: Avx2, n: usize) -> Limbs;
}

/// Whole blocks.
impl Blocks for [&[u8; 64]; 4] {
    #[inline(always)]
    fn block(self, cpu: Avx2, n: usize) -> Limbs {
        let [a, b, c, d] = self;
        split(cpu, cpu.words_of([chunk(a, n), chunk(b, n), chunk(c, n), chunk(d, n)]), cpu.splat(WHOLE))
    }
}

/// How four blocks are taken in.
trait Turn {
    /// (a + b0) r^4 + b1 r^3 + b2 r^2 + b3 r.
    fn four(&self, cpu: Avx2, a: Limbs, blocks: impl Blocks) -> Limbs;
    /// (a + b2) r^2 + b3 r.
    fn two(&self, cpu: Avx2, a: Limbs, blocks: impl Blocks) -> Limbs;
}

/// Two products of two.
struct Pairs {
    /// r.
    one: Factor<__m256i>,
    /// r^2.
    two: Factor<__m256i>,
}

impl Turn for Pairs {
    #[inline(always)]
    fn four(&self, cpu: Avx2, a: Limbs, blocks: impl Blocks) -> Limbs {
        let sums = multiply_add(cpu, [cpu.splat(0); 5], blocks.block(cpu, 1), self.one);
        let a = carry(cpu, multiply_add(cpu, sums, add(cpu, a, blocks.block(cpu, 0)), self.two));
        self.two(cpu, a, blocks)
    }

    #[inline(always)]
    fn two(&self, cpu: Avx2, a: Limbs, blocks: impl Blocks) -> Limbs {
        let sums = multiply_add(cpu, [cpu.splat(0); 5], blocks.block(cpu, 3), self.one);
        carry(cpu, multiply_add(cpu, sums, add(cpu, a, blocks.block(cpu, 2)), self.two))
    }
}

/// One of four: r, r^2, r^3, r^4. They stay in memory, as the registers are full.
struct Fours<'a>(&'a [Factor<__m256i>; 4]);

impl Turn for Fours<'_> {
    #[inline(always)]
    fn four(&self, cpu: Avx2, a: Limbs, blocks: impl Blocks) -> Limbs {
        let [r1, r2, r3, r4] = in_memory(self.0);
        let sums = multiply_add(cpu, [cpu.splat(0); 5], blocks.block(cpu, 3), *r1);
        let sums = multiply_add(cpu, sums, blocks.block(cpu, 2), *r2);
        let sums = multiply_add(cpu, sums, blocks.block(cpu, 1), *r3);
        carry(cpu, multiply_add(cpu, sums, add(cpu, a, blocks.block(cpu, 0)), *r4))
    }

    #[inline(always)]
    fn two(&self, cpu: Avx2, a: Limbs, blocks: impl Blocks) -> Limbs {
        let [r1, r2, _, _] = in_memory(self.0);
        let sums = multiply_add(cpu, [cpu.splat(0); 5], blocks.block(cpu, 3), *r1);
        carry(cpu, multiply_add(cpu, sums, add(cpu, a, blocks.block(cpu, 2)), *r2))
    }
}

/// The accumulators behind the messages.
#[inline(always)]
fn absorb(cpu: Avx2, group: &Group<'_, 4>, turn: &impl Turn) -> Limbs {
    // Of equally long messages without a short turn the last turn is like the others.
    let alike = group.messages.iter().all(|message| message.len() == 64 * group.longest);
    let whole = group.messages.map(|message| turns(message.len()) - 1);
    let fewest = whole.iter().fold(usize::MAX, |fewest, &turns| fewest.min(turns));
    let [m0, m1, m2, m3] = group.messages.map(|message| message.as_chunks().0);
    let mut a = [cpu.splat(0); 5];
    for i in 0..if alike { group.longest } else { fewest } {
        a = turn.four(cpu, cpu.hidden(a), [at(m0, i), at(m1, i), at(m2, i), at(m3, i)]);
    }
    if alike {
        return a;
    }
    let turns_of_lanes = cpu.of_lanes(whole);
    for i in fewest..group.longest - 1 {
        // A message that is done waits.
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

/// The i-th 64 bytes, or zeros.
#[inline(always)]
fn at(message: &[[u8; 64]], i: usize) -> &[u8; 64] {
    message.get(i).unwrap_or(&[0; 64])
}

/// The last 1 to 4 blocks of each message, on the right of a turn; an empty message has none.
#[derive(Clone, Copy)]
struct Last<'a> {
    messages: [&'a [u8]; 4],
    /// Those that are whole, of each.
    blocks: [&'a [[u8; 16]]; 4],
    /// How many there are, with the one that is not whole.
    count: [usize; 4],
    /// The same in lanes.
    counts: __m256i,
    /// WHOLE where the last one is whole.
    whole: __m256i,
}

impl<'a> Last<'a> {
    #[inline(always)]
    fn new(cpu: Avx2, group: &Group<'a, 4>) -> Self {
        let messages = group.messages;
        let last = messages.map(|message| message.get(64 * (turns(message.len()) - 1)..).unwrap_or(&[]));
        let count = last.map(|bytes| bytes.len().div_ceil(16));
        let parts = cpu.of_lanes(last.map(|bytes| bytes.len() % 16));
        let whole = cpu.and(cpu.equal(parts, cpu.splat(0)), cpu.splat(WHOLE));
        let blocks = last.map(|bytes| bytes.as_chunks().0);
        Last { messages, blocks, count, counts: cpu.of_lanes(count), whole }
    }
}

impl Blocks for Last<'_> {
    #[inline(always)]
    fn block(self, cpu: Avx2, n: usize) -> Limbs {
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

/// The same, where the accumulator of each message joins its first block.
#[derive(Clone, Copy)]
struct Behind<'a> {
    last: Last<'a>,
    a: Limbs,
}

impl Blocks for Behind<'_> {
    #[inline(always)]
    fn block(self, cpu: Avx2, n: usize) -> Limbs {
        let joins = cpu.equal(self.last.counts, cpu.splat(4 - n as u64));
        let mut block = self.last.block(cpu, n);
        for (limb, a) in block.iter_mut().zip(self.a) {
            *limb = cpu.add(*limb, cpu.and(a, joins));
        }
        block
    }
}
