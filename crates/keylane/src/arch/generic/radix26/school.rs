//! The tag of a message that is not long: all 25 products of a step, and few powers of r.
//!
//! Karatsuba's method (`turns`) needs 15 factors of each power, and combines 10 sums after each turn. A short message
//! has few turns, and computing the factors takes longer than 10 more products in each of them. The products take the
//! factors one after the other:
//!
//! ```text
//! r0:  c0 += x0 r0   c1 += x1 r0   c2 += x2 r0   c3 += x3 r0   c4 += x4 r0
//! s4:  c0 += x1 s4   c1 += x2 s4   c2 += x3 s4   c3 += x4 s4
//! s3:  c0 += x2 s3   c1 += x3 s3   c2 += x4 s3
//! ...
//! ```
//!
//! So five sums, five limbs, one factor and one product are live: 12 of 16 registers.
//!
//! # The message
//! Its first blocks, up to three, go to the scalar kernel, so that groups of four remain. The processor computes them
//! beside r^2, r^3 and r^4, a chain as long. Their sum joins the first group. An incomplete last block is the last one
//! of the last group. A turn has one, two or four groups: more groups need more powers, and save carries.
//!
//! # Bounds
//! Those of `radix26`. One is looser: r^4 comes from base 2^64, so its highest limb is below 5 * 2^24. A column of a turn
//! is below 2^60. The tests prove both by running this code over polynomials.

use super::limbs::{Factor, MASK, add, carry, factor, product, split, times_5, whole};
use super::vectors::Vectors26;
use crate::arch::portable::poly1305_x1_u64::Multiplier;
use crate::job::poly1305::{last_block, tag};
use crate::job::wipe::wipe_wide;

/// The operations on four lanes beyond `Vectors26`.
pub trait School: Vectors26<4> {
    /// The number in every lane, read from memory by one instruction.
    fn broadcast(self, x: &u64) -> Self::Vector;
    /// Three blocks and a fourth, as `words` has them.
    fn words_with_last(self, blocks: &[[u8; 16]; 3], last: u128) -> [Self::Vector; 2];
    /// `b` in lanes 1 and 3, `a` in the others.
    fn odd_lanes(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `b` in lanes 2 and 3, `a` in the others.
    fn upper_lanes(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The sum of each column over the lanes.
    fn sums(self, columns: [Self::Vector; 5]) -> [u64; 5];
}

/// The fewest blocks of a message for this code: two groups.
pub const LEAST: usize = 8;

/// The factors of r^4, r^8, r^12 and r^16.
type Steps = [[u64; 4]; 9];

/// The limbs of r^4, r^2, r^3 and r, in the lanes of their blocks.
type Lanes = [[u64; 4]; 5];

/// The powers of r, aligned to lines of the cache.
#[repr(align(64))]
struct Powers {
    steps: Steps,
    lanes: Lanes,
}

/// The tag of a message of at least `LEAST` blocks, in turns of `GROUPS` groups: 1, 2 or 4.
#[inline(always)]
pub fn mac<L: School, const GROUPS: usize>(cpu: L, r: [u64; 2], s: [u64; 2], message: &[u8]) -> u128 {
    let (blocks, tail) = message.as_chunks();
    let head = (blocks.len() + usize::from(!tail.is_empty())) % 4;
    let (head, blocks) = blocks.split_at_checked(head).unwrap_or((&[], blocks));
    let (groups, before) = blocks.as_chunks();
    let Some((first, groups)) = groups.split_first() else { return 0 };
    let last = before.first_chunk().map(|before| (before, message));

    let r1 = [r[0], r[1], 0];
    let multiplier = Multiplier::of(r);
    let r2 = multiplier.absorb(r1, 0, 0);
    let r3 = multiplier.absorb(r2, 0, 0);
    let r4 = multiplier.absorb(r3, 0, 0);
    let mut a = whole(cpu, first);
    if !head.is_empty() {
        let mut h = [0; 3];
        for &block in head {
            h = multiplier.absorb(h, u128::from_le_bytes(block), 1);
        }
        a = add(cpu, a, in_first_lane(cpu, h));
    }
    let mut powers = Powers { steps: [[0; 4]; 9], lanes: [[0; 4]; 5] };
    powers.lanes = limbs_of(cpu, [r4, r2, r3, r1]).map(|limb| cpu.store(limb));
    powers.steps = steps::<L, GROUPS>(cpu, limbs_of(cpu, [r4; 4])).map(|factor| cpu.store(factor));

    let a = turns::<L, GROUPS>(cpu, a, groups, last, &powers.steps);
    let lanes = cpu.in_memory(&powers.lanes);
    let by = |n: usize| match lanes.get(n) {
        Some(limb) => cpu.load(limb),
        None => times_5(cpu, lanes.get(n - 4).map_or(cpu.splat(0), |limb| cpu.load(limb))),
    };
    let columns = multiply_add(cpu, [cpu.splat(0); 5], a, by);
    let h = super::limbs::gather(cpu.sums(columns));
    wipe_wide(&mut powers.steps);
    wipe_wide(&mut powers.lanes);
    tag(h, s)
}

/// The limbs of four numbers in base 2^64, one in each lane.
#[inline(always)]
fn limbs_of<L: School>(cpu: L, numbers: [[u64; 3]; 4]) -> [L::Vector; 5] {
    let [low, high, top] = core::array::from_fn(|i| cpu.load(&numbers.map(|words| words[i])));
    split(cpu, [low, high], cpu.shl(top, 24))
}

/// The limbs of a number in base 2^64 in lane 0, and zeros in the others. h2 <= 4, so the highest limb is below 2^27.
#[inline(always)]
fn in_first_lane<L: School>(cpu: L, [h0, h1, h2]: [u64; 3]) -> [L::Vector; 5] {
    [h0 & MASK, h0 >> 26 & MASK, (h0 >> 52 | h1 << 12) & MASK, h1 >> 14 & MASK, h1 >> 40 | h2 << 24]
        .map(|limb| cpu.load(&[limb, 0, 0, 0]))
}

/// The factors of the steps of a turn, from r^4 in every lane.
#[inline(always)]
pub fn steps<L: School, const GROUPS: usize>(cpu: L, four: [L::Vector; 5]) -> Factor<L::Vector> {
    let mut powers = four;
    if GROUPS > 1 {
        let eight = carry(cpu, product(cpu, four, four));
        powers = core::array::from_fn(|i| cpu.odd_lanes(four[i], eight[i]));
        if GROUPS > 2 {
            let more = carry(cpu, product(cpu, powers, eight));
            powers = core::array::from_fn(|i| cpu.upper_lanes(powers[i], more[i]));
        }
    }
    factor(cpu, powers)
}

/// All groups after the accumulator `a`. `last` has the whole blocks of the last group and the message, if its last
/// block is incomplete. The first turn is the one with fewer than `GROUPS` groups.
#[inline(always)]
fn turns<L: School, const GROUPS: usize>(
    cpu: L,
    a: [L::Vector; 5],
    groups: &[[[u8; 16]; 4]],
    last: Option<(&[[u8; 16]; 3], &[u8])>,
    steps: &Steps,
) -> [L::Vector; 5] {
    let mut a = a;
    let mut groups = groups;
    let mut left = groups.len() + usize::from(last.is_some());
    let mut turn = if left % GROUPS == 0 { GROUPS } else { left % GROUPS };
    loop {
        let (some, after) = groups.split_at_checked(turn - 1).unwrap_or((groups, &[]));
        let mut columns = [cpu.splat(0); 5];
        for (group, step) in some.iter().zip((0..turn - 1).rev()) {
            let steps = cpu.in_memory(steps);
            columns = multiply_add(cpu, columns, whole(cpu, group), |n| cpu.broadcast(&steps[n][step]));
        }
        let steps = cpu.in_memory(steps);
        columns = multiply_add(cpu, columns, a, |n| cpu.broadcast(&steps[n][turn - 1]));
        let h = carry(cpu, columns);
        let Some((next, rest)) = after.split_first() else {
            let Some((before, message)) = last else { return h };
            let words = cpu.words_with_last(before, last_block(message));
            return add(cpu, h, split(cpu, words, cpu.load(&[1 << 24, 1 << 24, 1 << 24, 0])));
        };
        a = add(cpu, h, whole(cpu, next));
        left -= turn;
        if left == 0 {
            return a;
        }
        (groups, turn) = (rest, GROUPS);
    }
}
