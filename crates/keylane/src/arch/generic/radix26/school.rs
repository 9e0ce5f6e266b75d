//! The tag of a message that is not long: all 25 products of a step, and few powers of r.
//!
//! Karatsuba's method (`turns`) needs 15 factors of each power, and combines 10 sums after each turn. A short message
//! has few turns, and computing the factors takes longer than 10 more products in each of them.
//!
//! # The message
//! Its first blocks, up to three, go to the scalar kernel, so that groups of four remain. The processor computes them
//! beside r^2, r^3 and r^4, a chain as long. Their sum joins the first group. An incomplete last block is the last one
//! of the last group. A turn has one, two or four groups: more groups need more powers, and save carries.
//!
//! # Bounds
//! Those of `radix26`. One is looser: r^4 comes from base 2^64, so its highest limb is below 5 * 2^24. A column of a turn
//! is below 2^60. tests/symbols checks that.

use super::limbs::{
    AsFactor, Factor, WHOLE, add, carry, factor, from_base_64, gather, multiply_add, product, split,
    split_blocks,
};
use super::vectors::Vectors26;
use crate::arch::portable::poly1305_x1_u64::{self, Multiplier};
use crate::arch::portable::scalar;
use crate::job::poly1305::{Key, last_block, tag};
use crate::job::wipe::wipe_table;

/// The operations on four lanes beyond `Vectors26`.
pub trait School: Vectors26<4> {
    /// The same number, opaque to the compiler.
    fn hidden(self, x: [Self::Vector; 5]) -> [Self::Vector; 5];
    /// The number in this row and column of a table, in every lane, by one instruction.
    fn broadcast<const ROW: usize>(self, table: &Table, column: usize) -> Self::Vector;
    /// Three blocks and a fourth, as `words` has them.
    fn words_with_last(self, blocks: &[[u8; 16]; 3], last: u128) -> [Self::Vector; 2];
    /// `b` in lanes 1 and 3, `a` in the others.
    fn odd_lanes(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `b` in lanes 2 and 3, `a` in the others.
    fn upper_lanes(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The sum of each column over the lanes.
    fn sums(self, columns: [Self::Vector; 5]) -> [u64; 5];
}

/// The fewest blocks of a message for vectors: two groups.
const LEAST: usize = 8;

/// Factors of four powers of r.
pub type Table = [[u64; 4]; 9];

/// Powers of r, aligned to lines of the cache. Either r^4, r^2, r^3 and r, in the lanes of their blocks. Or r^4, r^8,
/// r^12 and r^16, for turns of more than one group.
#[repr(align(64))]
struct Powers(Table);

/// The tag of a message, in turns of `GROUPS` groups: 1, 2 or 4.
#[inline(always)]
pub fn mac<L: School, const GROUPS: usize>(cpu: L, r: [u64; 2], s: [u64; 2], message: &[u8]) -> u128 {
    if message.len() <= 16 * (LEAST - 1) {
        return scalar_mac(r[0], r[1], s[0], s[1], message);
    }
    // The longest chain comes first. The processor splits the message beside it.
    let multiplier = Multiplier::in_registers(r);
    let r2 = multiplier.absorb([r[0], r[1], 0], 0, 0);
    let r3 = multiplier.absorb(r2, 0, 0);
    let r4 = multiplier.absorb(r3, 0, 0);
    let (blocks, tail) = message.as_chunks();
    let head = (blocks.len() + usize::from(!tail.is_empty())) % 4;
    let (head, blocks) = blocks.split_at_checked(head).unwrap_or((&[], blocks));
    let (groups, before) = blocks.as_chunks();
    let Some((first, groups)) = groups.split_first() else { return 0 };
    let (last, groups) = match (before.first_chunk(), groups.split_last()) {
        (None, Some((last, groups))) => (Last::Whole(last), groups),
        (Some(before), _) => (Last::Partial(before, message), groups),
        (None, None) => return 0,
    };
    let mut a = split_blocks(cpu, first);
    if !head.is_empty() {
        let mut h = [0; 3];
        for &block in head {
            h = multiplier.absorb(h, u128::from_le_bytes(block), 1);
        }
        a = add(cpu, a, in_first_lane(cpu, h));
    }
    let lanes = factor(cpu, limbs_of(cpu, [r4, r2, r3, [r[0], r[1], 0]]));
    let mut lanes = Powers(lanes.map(|factor| cpu.store(factor)));
    let a = if GROUPS == 1 {
        turns::<L, GROUPS>(cpu, a, groups, last, &lanes.0)
    } else {
        let factors = steps::<L, GROUPS>(cpu, limbs_of(cpu, [r4; 4]));
        let mut steps = Powers(factors.map(|factor| cpu.store(factor)));
        let a = turns::<L, GROUPS>(cpu, a, groups, last, &steps.0);
        wipe_table(&mut steps.0);
        a
    };
    let powers = Powers4 { cpu, table: cpu.in_memory(&lanes.0) };
    let columns = multiply_add(cpu, [cpu.splat(0); 5], cpu.hidden(a), &powers);
    let h = gather(cpu.sums(columns));
    wipe_table(&mut lanes.0);
    tag(h, s)
}

/// The tag of a message with too few blocks. No threshold allows it. The key comes in registers, so that `mac` does not
/// store it for this call.
#[cold]
#[inline(never)]
fn scalar_mac(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
    let mut key = Key { r: [r0, r1], s: [s0, s1] };
    let tag = scalar::tag(&key, message, poly1305_x1_u64::absorb);
    key.wipe();
    tag
}

/// The limbs of four numbers in base 2^64, one in each lane.
#[inline(always)]
fn limbs_of<L: School>(cpu: L, numbers: [[u64; 3]; 4]) -> [L::Vector; 5] {
    let [low, high, top] = core::array::from_fn(|i| cpu.load(&numbers.map(|words| words[i])));
    split(cpu, [low, high], cpu.shl(top, 24))
}

/// The limbs of a number in base 2^64 in lane 0, and zeros in the others.
#[inline(always)]
fn in_first_lane<L: School>(cpu: L, h: [u64; 3]) -> [L::Vector; 5] {
    from_base_64(h).map(|limb| cpu.load(&[limb, 0, 0, 0]))
}

/// The factors of the steps of a turn, from r^4 in every lane.
#[inline(always)]
fn steps<L: School, const GROUPS: usize>(cpu: L, four: [L::Vector; 5]) -> Factor<L::Vector> {
    let eight = carry(cpu, product(cpu, four, four));
    let mut powers = core::array::from_fn(|i| cpu.odd_lanes(four[i], eight[i]));
    if GROUPS > 2 {
        let more = carry(cpu, product(cpu, powers, eight));
        powers = core::array::from_fn(|i| cpu.upper_lanes(powers[i], more[i]));
    }
    factor(cpu, powers)
}

/// The last group of a message.
enum Last<'a> {
    /// Four blocks.
    Whole(&'a [[u8; 16]; 4]),
    /// Three blocks, and the message, which ends with an incomplete one.
    Partial(&'a [[u8; 16]; 3], &'a [u8]),
}

/// Absorbs all groups, beginning from the accumulator `a`. The first turn takes the remainder.
#[inline(always)]
fn turns<L: School, const GROUPS: usize>(
    cpu: L,
    a: [L::Vector; 5],
    groups: &[[[u8; 16]; 4]],
    last: Last<'_>,
    steps: &Table,
) -> [L::Vector; 5] {
    let (mut h, mut groups) = match 1 + groups.len() % GROUPS {
        1 => turn(cpu, a, groups, 1, steps),
        n => turn(cpu, a, groups, n, steps),
    };
    while let Some((next, rest)) = groups.split_first() {
        (h, groups) = turn(cpu, add(cpu, h, split_blocks(cpu, next)), rest, GROUPS, steps);
    }
    let last = match last {
        Last::Whole(last) => split_blocks(cpu, last),
        Last::Partial(before, message) => {
            let words = cpu.words_with_last(before, last_block(message));
            split(cpu, words, cpu.load(&[WHOLE, WHOLE, WHOLE, 0]))
        }
    };
    add(cpu, h, last)
}

/// `a` times r^4n, and the next n - 1 groups times r^4(n - 1), ..., r^4; and the groups after them.
#[inline(always)]
fn turn<'a, L: School>(
    cpu: L,
    a: [L::Vector; 5],
    groups: &'a [[[u8; 16]; 4]],
    n: usize,
    table: &Table,
) -> ([L::Vector; 5], &'a [[[u8; 16]; 4]]) {
    let (before, rest) = groups.split_at_checked(n - 1).unwrap_or((groups, &[]));
    let mut columns = [cpu.splat(0); 5];
    for (group, step) in before.iter().zip((0..n - 1).rev()) {
        let power = Power { cpu, table: cpu.in_memory(table), step };
        columns = multiply_add(cpu, columns, split_blocks(cpu, group), &power);
    }
    let power = Power { cpu, table: cpu.in_memory(table), step: n - 1 };
    (carry(cpu, multiply_add(cpu, columns, cpu.hidden(a), &power)), rest)
}

/// The factors of a power in a table, broadcast where they are used.
struct Power<'a, L> {
    cpu: L,
    table: &'a Table,
    step: usize,
}

impl<L: School> AsFactor<L::Vector> for Power<'_, L> {
    #[inline(always)]
    fn part<const N: usize>(&self) -> L::Vector {
        self.cpu.broadcast::<N>(self.table, self.step)
    }
}

/// Four powers in a table, a power in each lane.
struct Powers4<'a, L> {
    cpu: L,
    table: &'a Table,
}

impl<L: School> AsFactor<L::Vector> for Powers4<'_, L> {
    #[inline(always)]
    fn part<const N: usize>(&self) -> L::Vector {
        self.cpu.load(&self.table[N % 9])
    }
}
