//! Turns in pairs of steps, for instructions that multiply two lanes of 32 bits and make two of 64 (NEON).
//!
//! The limbs of 4 blocks fill one register. With vectors of two 64-bit lanes, a pair of steps is
//!
//! ```text
//! low half (m1, m2)    times r^(4 i + 4)
//! high half (m3, m4)   times r^(4 i + 2)
//! ```
//!
//! The two numbers of a factor are neighbours in memory, as [`KeptSteps`] has them. A turn of 8 steps of 2 blocks is then
//! a turn of 4 pairs.

use super::limbs::{add, carry, split_blocks};
use super::order::{KEPT_STEPS, STEPS};
use super::powers::{KeptSteps, further_steps};
use super::turns::{Power, Rest, Sums};
use super::vectors::Vectors26;
use crate::job::wipe::wipe_table;

/// 4 blocks, in two vectors.
pub type Group = [[[u8; 16]; 2]; 2];

/// The operations on limbs of 32 bits.
pub trait PairVectors: Vectors26<2> {
    /// A limb of 4 numbers.
    type Limb: Copy;

    /// The limbs of 4 whole blocks: of the first two in the low half, of the others in the high half.
    fn limbs(self, blocks: &Group) -> [Self::Limb; 5];
    /// Limbs of two vectors in one.
    fn pair(self, low: [Self::Vector; 5], high: [Self::Vector; 5]) -> [Self::Limb; 5];
    /// The sum of two limbs.
    fn plus(self, a: Self::Limb, b: Self::Limb) -> Self::Limb;
    /// `sum`, plus the low half of x times the upper of two factors below 2^32, plus the high half times the lower.
    fn mul_add_pair(self, sum: Self::Vector, x: Self::Limb, factors: &[u64; 2]) -> Self::Vector;
    /// `x`, at an address that the compiler does not know before these sums are done. Otherwise it would interleave pairs
    /// of steps, and spill what the registers cannot hold.
    fn hidden_until<'a, T>(self, sums: &mut Sums<Self::Vector>, x: &'a T) -> &'a T;
}

/// Pair i of powers, r^(4 i + 4) and r^(4 i + 2).
#[derive(Clone, Copy)]
struct Pair<'a, L> {
    cpu: L,
    factors: &'a KeptSteps,
    /// i modulo 2: the place of the pair in the table.
    place: usize,
}

impl<L: PairVectors> Power<L::Vector> for Pair<'_, L> {
    type Limb = L::Limb;

    #[inline(always)]
    fn plus(self, a: L::Limb, b: L::Limb) -> L::Limb {
        self.cpu.plus(a, b)
    }

    #[inline(always)]
    fn add(self, sum: &mut L::Vector, x: L::Limb, n: usize) {
        let pairs = self.factors.get(n).map_or(&[][..], |row| row.as_chunks::<2>().0);
        *sum = self.cpu.mul_add_pair(*sum, x, pairs.get(self.place).unwrap_or(&[0; 2]));
    }
}

/// A turn in progress.
pub struct Turn<'a, L: PairVectors, const M: usize> {
    cpu: L,
    tables: [&'a KeptSteps; M],
    /// The sums so far.
    pub sums: Sums<L::Vector>,
}

impl<'a, L: PairVectors, const M: usize> Turn<'a, L, M> {
    /// The beginning of a turn.
    #[inline(always)]
    pub fn new(cpu: L, tables: [&'a KeptSteps; M]) -> Self {
        Turn { cpu, tables, sums: Sums::zero(cpu) }
    }

    /// The limbs of a group.
    #[inline(always)]
    fn limbs(&mut self, group: Option<&Group>) -> [L::Limb; 5] {
        let group = self.cpu.hidden_until(&mut self.sums, group.unwrap_or(&[[[0; 16]; 2]; 2]));
        self.cpu.limbs(group)
    }

    /// Adds x times pair i of powers.
    #[inline(always)]
    pub fn add(&mut self, x: [L::Limb; 5], i: usize) {
        let factors = self.tables.get(i / 2).copied().unwrap_or(&[[0; KEPT_STEPS]; 15]);
        let factors = self.cpu.hidden_until(&mut self.sums, factors);
        self.sums.step(x, Pair { cpu: self.cpu, factors, place: i % 2 });
    }

    /// The accumulators after the turn.
    #[inline(always)]
    pub fn carried(self) -> [L::Vector; 5] {
        carry(self.cpu, self.sums.columns(self.cpu))
    }
}

/// All steps after the first vector, up to four in a turn.
#[inline(always)]
pub fn turns_of_4<L: PairVectors>(
    cpu: L,
    a: [L::Vector; 5],
    rest: &mut Rest<'_, 2>,
    kept_steps: &KeptSteps,
) -> [L::Vector; 5] {
    turns::<_, 1, KEPT_STEPS>(cpu, a, rest, [kept_steps])
}

/// All steps after the first vector, up to eight in a turn.
#[inline(always)]
pub fn turns_of_8<L: PairVectors>(
    cpu: L,
    a: [L::Vector; 5],
    rest: &mut Rest<'_, 2>,
    kept_steps: &KeptSteps,
) -> [L::Vector; 5] {
    let mut more = further_steps(cpu, kept_steps);
    let a = turns::<_, 2, STEPS>(cpu, a, rest, [kept_steps, &more]);
    wipe_table(&mut more);
    a
}

/// All steps after the first vector, in pairs, at most `MOST` to a turn, with factors from M tables. The first turn has
/// 1 to `MOST` steps. If their number is odd, its first pair has zeros in front.
#[inline(always)]
fn turns<L: PairVectors, const M: usize, const MOST: usize>(
    cpu: L,
    a: [L::Vector; 5],
    rest: &mut Rest<'_, 2>,
    tables: [&KeptSteps; M],
) -> [L::Vector; 5] {
    const { assert!(MOST == M * KEPT_STEPS) }
    let none = [cpu.splat(0); 5];
    let steps = (rest.len() - 1) % MOST + 1;
    let first = match rest.take((steps + 1) % 2) {
        [vector] => cpu.pair(a, split_blocks(cpu, vector)),
        _ => cpu.pair(none, a),
    };
    let pairs = steps.div_ceil(2) - 1;
    let mut turn = Turn::new(cpu, tables);
    for (group, i) in rest.take(2 * pairs).as_chunks().0.iter().zip((0..pairs).rev()) {
        let x = turn.limbs(Some(group));
        turn.add(x, i);
    }
    turn.add(first, pairs);
    let mut h = turn.carried();
    while let Some((vectors, after)) = rest.vectors.split_first_chunk::<MOST>() {
        rest.vectors = after;
        let groups = vectors.as_chunks().0;
        let mut turn = Turn::new(cpu, tables);
        // Written out: a loop would not be unrolled.
        if M == 2 {
            let x = turn.limbs(groups.get(1));
            turn.add(x, 2);
            let x = turn.limbs(groups.get(2));
            turn.add(x, 1);
        }
        let x = turn.limbs(groups.last());
        turn.add(x, 0);
        let mut x = turn.limbs(groups.first());
        for (limb, h) in x.iter_mut().zip(cpu.pair(cpu.carried(h), none)) {
            *limb = cpu.plus(*limb, h);
        }
        turn.add(x, MOST / 2 - 1);
        h = turn.carried();
    }
    add(cpu, h, rest.next(cpu))
}
