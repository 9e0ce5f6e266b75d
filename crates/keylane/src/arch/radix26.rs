//! Poly1305 in base 2^26, N blocks of one message at a time, one in each lane of a vector: the algorithm,
//! once for all vectors. An instruction set gives the words of this file, [`Lanes`].
//!
//! # Many blocks, one carry
//! Lane i of N has the accumulator of every N-th block, so a vector of blocks is a step
//! `h <- (h + m) r^N` in all lanes, and r^N, ..., r^2, r are multiplied into the lanes behind the last. Four
//! steps are one turn,
//!
//! ```text
//! h <- (h + m1) r^4N + m2 r^3N + m3 r^2N + m4 r^N
//! ```
//!
//! whose products are added up as they are, 64 bits wide, and carried once. A message that does not fill its
//! vectors has its missing blocks in front, where they are zeros: so r^N, ..., r are always the last step,
//! and a last block that is not whole stands in the last lane.
//!
//! # 15 multiplications instead of 25
//! With limbs x = x0 + 2^26 x1 + ... + 2^104 x4, and y alike, Karatsuba's
//!
//! ```text
//! xi yj + xj yi = (xi + xj) (yi + yj) - xi yi - xj yj
//! ```
//!
//! is linear in the products, so it may be done once a turn. What stands at 2^130 and above comes back times
//! 5, and that too goes into the table: (1, 4) and (2, 3) belong to 2^130, (2, 4) to 2^156 and (3, 4) to
//! 2^182, and their `yi + yj` stand there times 5. Thus a turn has 5 squares and 5 crosses to add up in, and
//! the 10 with 5 limbs and a product fill 16 registers; without that it would be 12, and each step would
//! write some to memory and read them again. With d for the squares (`xi yi`) and e for the crosses, the
//! columns are
//!
//! ```text
//! c0 = e0 + d0 - 5 (d1 + d2 + d3 + d4)
//! c1 = e1 - d0 - d1 - 5 (d2 - d3 + d4)
//! c2 = e2 - d0 + d1 - d2 - 5 (d3 + d4)
//! c3 = e3 - d0 - d1 - d2 - d3 + 5 d4
//! c4 = e4 - d0 - d1 + d2 - d3 - d4
//! ```
//!
//! Each is a sum of products and so not negative. The differences on the way to it may be; they are exact
//! modulo 2^64, and nothing but additions looks at them.
//!
//! # Bounds
//! Limbs of blocks are below 2^26; those of powers and of the accumulator at most 2^26 + 2^13 behind a carry;
//! the highest one below 2^27 where a number comes in base 2^64. So a factor in the table is below 2^31, a
//! column of a turn below 2^61, and one of the last step, summed over 8 lanes, below 2^62. The tests run this
//! code over polynomials whose variables are limbs, and bound them wherever something looks at their bits:
//! with four times as many steps in a turn, they fail. Where a lane is a message of its own, up to four products
//! are carried at once, with all 25 multiplications each.

#![forbid(unsafe_code)]

use crate::arch::portable;
use crate::arch::portable::poly1305_x1_u64::{self, Multiplier};
use crate::arch::wipe::wipe_wide;
use crate::kernel::poly1305::{Key, Message, Powers, State, Table, last_block};
use crate::kernel::thresholds::Way;

/// Proof that the CPU has an instruction set, and what its vectors of N lanes of 64 bits can do.
///
/// Everything in this file that has a vector is `#[inline(always)]`, so that it becomes part of the function
/// that enables the instructions.
pub trait Lanes<const N: usize>: Copy {
    /// A register.
    type Vector: Copy;
    /// From where on a table of whole vectors, for turns of eight steps, is worth being made.
    const BY_8: Way;

    /// A number in every lane.
    fn splat(self, x: u64) -> Self::Vector;
    /// A number for each lane.
    fn load(self, x: &[u64; N]) -> Self::Vector;
    /// The numbers of all lanes.
    fn store(self, a: Self::Vector) -> [u64; N];
    /// The low and the high words of blocks: block i in lane 2 i, block i + N / 2 in lane 2 i + 1.
    fn words(self, blocks: &[[u8; 16]; N]) -> [Self::Vector; 2];
    /// Sum in each lane.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Difference in each lane.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// And.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Or.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Product of the low halves of each lane.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// A sum, and such a product.
    #[inline(always)]
    fn mul_add(self, sum: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.add(sum, self.mul(a, b))
    }
    /// Each lane to the left.
    fn shl(self, a: Self::Vector, bits: u32) -> Self::Vector;
    /// Each lane to the right.
    fn shr(self, a: Self::Vector, bits: u32) -> Self::Vector;
    /// The sum over the lanes.
    fn sum(self, a: Self::Vector) -> u64;
    /// `x`, of which the compiler knows nothing, so that it reads it where it is used instead of keeping it.
    fn in_memory<T>(self, x: &T) -> &T;
    /// Overwrites vectors with zeros, in a way the compiler may not leave out.
    fn wipe<const M: usize>(self, secret: &mut [Self::Vector; M]);

    /// All steps behind the first vector, up to four in a turn.
    #[inline(always)]
    fn turns_of_4(self, a: [Self::Vector; 5], rest: &mut Rest<'_, N>, few: &Few) -> [Self::Vector; 5] {
        turns::<_, _, N, FEW>(self, a, rest, few)
    }

    /// The same, up to eight.
    #[inline(always)]
    fn turns_of_8(self, a: [Self::Vector; 5], rest: &mut Rest<'_, N>, few: &Few) -> [Self::Vector; 5] {
        let mut table = table_of_vectors(self, few);
        let a = turns::<_, _, N, STEPS>(self, a, rest, self.in_memory(&table));
        table.iter_mut().for_each(|vectors| self.wipe(vectors));
        a
    }
}

/// How many steps a turn has at most.
pub const STEPS: usize = 8;

/// How many steps a turn of a message has that is not long.
pub const FEW: usize = 4;

/// Powers of r for this kind of kernel.
type Table26 = Table<5, 15, FEW>;

const MASK: u64 = (1 << 26) - 1;
/// 2^128 in the limb of 2^104.
pub const WHOLE: u64 = 1 << 24;

/// How many blocks make vectors possible: two steps.
const fn least(lanes: usize) -> usize {
    2 * lanes
}

/// Does a job with `absorb`, which is [`absorb`] in a function that enables the instructions.
#[inline(always)]
pub fn long<const N: usize>(
    job: Message<'_>,
    absorb: impl FnOnce(&mut State, Option<&mut Powers>, &[[u8; 16]], &[u8]),
) {
    match job {
        Message::Whole { key, message, tag } if message.len() < 16 * least(N) => {
            *tag = portable::tag(key, message, poly1305_x1_u64::absorb);
        }
        Message::Whole { key, message, tag } => {
            let (blocks, tail) = message.as_chunks();
            let mut state = State::new(*key);
            absorb(&mut state, None, blocks, tail);
            *tag = state.tag();
            state.wipe();
        }
        Message::Piece { state, blocks, .. } if blocks.len() < least(N) => {
            poly1305_x1_u64::absorb(state, blocks, &[]);
        }
        Message::Piece { state, powers, blocks } => absorb(state, Some(powers), blocks, &[]),
    }
}

/// Absorbs at least two vectors of blocks, and `tail` as the last block unless it is empty. Takes the powers
/// of r from `kept`, or leaves them there.
#[inline(always)]
pub fn absorb<L: Lanes<N>, const N: usize>(
    cpu: L,
    state: &mut State,
    kept: Option<&mut Powers>,
    blocks: &[[u8; 16]],
    tail: &[u8],
) {
    let missing = (blocks.len() + usize::from(!tail.is_empty())).wrapping_neg() % N;
    let (first, blocks) = blocks.split_at_checked(N - missing).unwrap_or((blocks, &[]));
    let (vectors, before) = blocks.as_chunks();
    let mut rest = Rest { vectors, before, tail };
    // Before there are powers in registers: the first call reads the table, and puts registers aside for that.
    let by_8 = 16 * N * rest.len() >= L::BY_8.from();
    let mut few = [[0; FEW]; 15];
    let lane = match &kept {
        Some(Powers::Base26(known)) if known.lanes == N => {
            few = known.step;
            load(cpu, known)
        }
        _ => {
            let steps = if kept.is_some() { FEW } else { rest.len() };
            let lane = compute(cpu, &state.key, steps, &mut few);
            if let Some(kept) = kept {
                store(cpu, lane, &few, kept);
            }
            lane
        }
    };

    let mut a = join(cpu, first, missing, state.h);
    if by_8 {
        a = cpu.turns_of_8(a, &mut rest, cpu.in_memory(&few));
    } else {
        a = cpu.turns_of_4(a, &mut rest, cpu.in_memory(&few));
    }
    state.h = leave(cpu, product(cpu, a, lane));
    wipe_wide(&mut few);
}

/// The table of a long message.
#[inline(always)]
fn table_of_vectors<L: Lanes<N>, const N: usize>(cpu: L, few: &Few) -> Vectors<L::Vector> {
    let mut more = further(cpu, few);
    let mut table = [[cpu.splat(0); 15]; STEPS];
    for (step, vectors) in table.iter_mut().enumerate() {
        let numbers = cpu.in_memory(if step < FEW { few } else { &more });
        for (n, vector) in vectors.iter_mut().enumerate() {
            *vector = numbers.factor(cpu, step % FEW, n);
        }
    }
    wipe_wide(&mut more);
    table
}

/// All steps behind the first vector, the first turn the one with fewer than `MOST`. The accumulator is
/// carried beside the first step of the next turn, which does not wait for it.
#[inline(always)]
fn turns<L: Lanes<N>, F: Factors<L, N>, const N: usize, const MOST: usize>(
    cpu: L,
    a: [L::Vector; 5],
    rest: &mut Rest<'_, N>,
    factors: F,
) -> [L::Vector; 5] {
    let mut a = a;
    if !rest.len().is_multiple_of(MOST) {
        let more = (rest.len() - 1) % MOST;
        let mut sums = Sums::zero(cpu);
        for (blocks, step) in rest.take(more).iter().zip((0..more).rev()) {
            sums.add(cpu, whole(cpu, blocks), factors.hidden(cpu), step);
        }
        sums.add(cpu, a, factors.hidden(cpu), more);
        a = add(cpu, carry(cpu, sums.columns(cpu)), rest.next(cpu));
    }
    let Some((blocks, after)) = rest.vectors.split_first() else { return a };
    rest.vectors = after;
    let mut sums = Sums::zero(cpu);
    sums.add(cpu, whole(cpu, blocks), factors.hidden(cpu), MOST - 2);
    loop {
        for (blocks, step) in rest.take(MOST - 2).iter().zip((0..MOST - 2).rev()) {
            sums.add(cpu, whole(cpu, blocks), factors.hidden(cpu), step);
        }
        sums.add(cpu, a, factors.hidden(cpu), MOST - 1);
        let columns = sums.columns(cpu);
        // At the end of a turn one vector is left, which may have the tail, or whole turns beside it.
        let Some(([m0, m1], after)) = rest.vectors.split_first_chunk() else {
            return add(cpu, carry(cpu, columns), rest.next(cpu));
        };
        rest.vectors = after;
        let h = carry(cpu, columns);
        sums = Sums::zero(cpu);
        sums.add(cpu, whole(cpu, m1), factors.hidden(cpu), MOST - 2);
        a = add(cpu, h, whole(cpu, m0));
    }
}

/// What is left of a message behind its first vector.
pub struct Rest<'a, const N: usize> {
    /// The vectors before that with the tail.
    pub vectors: &'a [[[u8; 16]; N]],
    /// The blocks before `tail` in its vector: none if it is empty.
    before: &'a [[u8; 16]],
    tail: &'a [u8],
}

impl<'a, const N: usize> Rest<'a, N> {
    /// How many vectors there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.vectors.len() + usize::from(!self.tail.is_empty())
    }

    /// Takes `steps` vectors, none of which has the tail.
    #[inline(always)]
    pub fn take(&mut self, steps: usize) -> &'a [[[u8; 16]; N]] {
        let (taken, rest) = self.vectors.split_at_checked(steps).unwrap_or((self.vectors, &[]));
        self.vectors = rest;
        taken
    }

    /// The limbs of the next vector.
    #[inline(always)]
    pub fn next<L: Lanes<N>>(&mut self, cpu: L) -> [L::Vector; 5] {
        match self.vectors.split_first() {
            Some((blocks, rest)) => {
                self.vectors = rest;
                whole(cpu, blocks)
            }
            None => self.last(cpu),
        }
    }

    /// The limbs of the vector with the tail.
    #[inline(always)]
    fn last<L: Lanes<N>>(&mut self, cpu: L) -> [L::Vector; 5] {
        let mut blocks = [[0; 16]; N];
        let mut pad = [WHOLE; N];
        for (place, &block) in blocks.iter_mut().zip(self.before) {
            *place = block;
        }
        if let (Some(block), Some(pad)) = (blocks.last_mut(), pad.last_mut()) {
            *block = last_block(self.tail).to_le_bytes();
            *pad = 0;
        }
        self.tail = &[];
        split(cpu, cpu.words(&blocks), cpu.load(&pad))
    }
}

/// What is known of N lanes.
struct Order<const N: usize>;

impl<const N: usize> Order<N> {
    /// WHOLE in the lanes that have a block where so many are missing in front.
    const PADS: [[u64; N]; N] = {
        let mut pads = [[0; N]; N];
        let mut i = 0;
        while i < N * N {
            pads[i / N][i % N] = if Self::block_of(i % N) >= i / N { WHOLE } else { 0 };
            i += 1;
        }
        pads
    };

    /// All bits of the lane that then has the first block.
    const FIRST: [[u64; N]; N] = {
        let mut first = [[0; N]; N];
        let mut i = 0;
        while i < N * N {
            first[i / N][i % N] = if Self::block_of(i % N) == i / N { u64::MAX } else { 0 };
            i += 1;
        }
        first
    };

    /// For each bit of e - 1: the lanes in which it is set, and those in which it is not, where r^e is what
    /// the block of a lane is multiplied with at the end.
    const BY_BLOCK: Bits<N> = {
        let mut exponents = [0; N];
        let mut lane = 0;
        while lane < N {
            exponents[lane] = N - Self::block_of(lane);
            lane += 1;
        }
        Self::bits(exponents)
    };

    /// The same where r^Ne is the power of a step, and e the number of the lane, from 1 on.
    const BY_STEP: Bits<N> = {
        let mut exponents = [0; N];
        let mut lane = 0;
        while lane < N {
            exponents[lane] = lane % FEW + 1;
            lane += 1;
        }
        Self::bits(exponents)
    };

    /// The block that a lane has.
    const fn block_of(lane: usize) -> usize {
        lane / 2 + lane % 2 * (N / 2)
    }

    const fn bits(exponents: [usize; N]) -> Bits<N> {
        let mut bits = [[[0; N]; 2]; 3];
        let mut i = 0;
        while i < 3 * N {
            let is_set = (exponents[i % N] - 1) >> (i / N) & 1 == 1;
            bits[i / N][!is_set as usize][i % N] = u64::MAX;
            i += 1;
        }
        bits
    }
}

/// Masks of N lanes for each bit of a number: where it is set, and where it is not.
type Bits<const N: usize> = [[[u64; N]; 2]; 3];

/// The limbs of N whole blocks.
#[inline(always)]
pub fn whole<L: Lanes<N>, const N: usize>(cpu: L, blocks: &[[u8; 16]; N]) -> [L::Vector; 5] {
    split(cpu, cpu.words(blocks), cpu.splat(WHOLE))
}

/// The limbs of numbers of 128 bits, with `pad` in the highest.
#[inline(always)]
pub fn split<L: Lanes<N>, const N: usize>(
    cpu: L,
    [low, high]: [L::Vector; 2],
    pad: L::Vector,
) -> [L::Vector; 5] {
    let mask = cpu.splat(MASK);
    let middle = cpu.or(cpu.shr(low, 52), cpu.shl(high, 12));
    [
        cpu.and(low, mask),
        cpu.and(cpu.shr(low, 26), mask),
        cpu.and(middle, mask),
        cpu.and(cpu.shr(high, 14), mask),
        cpu.or(cpu.shr(high, 40), pad),
    ]
}

/// The first vector, of whose blocks the first `missing` ones are zero and the next one has `h` added.
#[inline(always)]
fn join<L: Lanes<N>, const N: usize>(
    cpu: L,
    first: &[[u8; 16]],
    missing: usize,
    [h0, h1, h2]: [u64; 3],
) -> [L::Vector; 5] {
    let pad = Order::<N>::PADS.get(missing).unwrap_or(&[0; N]);
    let joins = Order::<N>::FIRST.get(missing).unwrap_or(&[0; N]);
    let m = match first.first_chunk() {
        Some(blocks) => split(cpu, cpu.words(blocks), cpu.load(pad)),
        None => {
            let mut blocks = [[0; 16]; N];
            for (i, place) in blocks.iter_mut().enumerate() {
                *place = *first.get(i.wrapping_sub(missing)).unwrap_or(&[0; 16]);
            }
            split(cpu, cpu.words(&blocks), cpu.load(pad))
        }
    };
    let joins = cpu.load(joins);
    // h2 <= 7, so the highest is below 2^27.
    let h = [h0 & MASK, h0 >> 26 & MASK, (h0 >> 52 | h1 << 12) & MASK, h1 >> 14 & MASK, h1 >> 40 | h2 << 24];
    let [h0, h1, h2, h3, h4] = h;
    let limb = |h| cpu.and(cpu.splat(h), joins);
    add(cpu, m, [limb(h0), limb(h1), limb(h2), limb(h3), limb(h4)])
}

/// Sums of limbs.
#[inline(always)]
pub fn add<L: Lanes<N>, const N: usize>(cpu: L, a: [L::Vector; 5], b: [L::Vector; 5]) -> [L::Vector; 5] {
    let ([a0, a1, a2, a3, a4], [b0, b1, b2, b3, b4]) = (a, b);
    [cpu.add(a0, b0), cpu.add(a1, b1), cpu.add(a2, b2), cpu.add(a3, b3), cpu.add(a4, b4)]
}

#[inline(always)]
fn times_5<L: Lanes<N>, const N: usize>(cpu: L, a: L::Vector) -> L::Vector {
    cpu.add(a, cpu.shl(a, 2))
}

/// The factors of all steps.
trait Factors<L: Lanes<N>, const N: usize>: Copy {
    /// The same, of which the compiler knows nothing.
    fn hidden(self, cpu: L) -> Self;
    /// The n-th factor of a step.
    fn factor(self, cpu: L, step: usize, n: usize) -> L::Vector;
}

/// Numbers, which are repeated in each lane where they are used.
impl<L: Lanes<N>, const N: usize> Factors<L, N> for &Few {
    #[inline(always)]
    fn hidden(self, cpu: L) -> Self {
        cpu.in_memory(self)
    }

    #[inline(always)]
    fn factor(self, cpu: L, step: usize, n: usize) -> L::Vector {
        let factor = self.get(n).and_then(|row| row.get(step));
        cpu.splat(factor.copied().unwrap_or(0))
    }
}

/// Vectors.
impl<L: Lanes<N>, const N: usize> Factors<L, N> for &Vectors<L::Vector> {
    #[inline(always)]
    fn hidden(self, cpu: L) -> Self {
        cpu.in_memory(self)
    }

    #[inline(always)]
    fn factor(self, cpu: L, step: usize, n: usize) -> L::Vector {
        let factor = self.get(step).and_then(|row| row.get(n));
        factor.copied().unwrap_or(cpu.splat(0))
    }
}

/// What a step multiplies with: the 15 factors of a power.
pub trait Power<V>: Copy {
    /// A limb of what is multiplied.
    type Limb: Copy;
    /// Sum of two limbs.
    fn plus(self, a: Self::Limb, b: Self::Limb) -> Self::Limb;
    /// Adds x times the n-th factor.
    fn add(self, sum: &mut V, x: Self::Limb, n: usize);
}

/// What a turn adds up.
pub struct Sums<V> {
    /// Of which a step adds the last one last.
    pub squares: [V; 5],
    crosses: [V; 5],
}

impl<V: Copy> Sums<V> {
    /// Nothing yet.
    #[inline(always)]
    pub fn zero<L: Lanes<N, Vector = V>, const N: usize>(cpu: L) -> Self {
        let zero = cpu.splat(0);
        Sums { squares: [zero; 5], crosses: [zero; 5] }
    }

    /// Adds x times one power.
    #[inline(always)]
    fn add<L: Lanes<N, Vector = V>, F: Factors<L, N>, const N: usize>(
        &mut self,
        cpu: L,
        x: [V; 5],
        factors: F,
        step: usize,
    ) {
        self.step(x, Step { cpu, factors, step });
    }

    /// The same for any kind of limbs.
    #[inline(always)]
    pub fn step<P: Power<V>>(&mut self, [x0, x1, x2, x3, x4]: [P::Limb; 5], power: P) {
        let Sums { squares: [d0, d1, d2, d3, d4], crosses: [e0, e1, e2, e3, e4] } = self;
        power.add(d0, x0, 0);
        power.add(e1, power.plus(x0, x1), 5);
        power.add(e2, power.plus(x0, x2), 6);
        power.add(e3, power.plus(x0, x3), 7);
        power.add(e4, power.plus(x0, x4), 8);
        power.add(d1, x1, 1);
        power.add(e3, power.plus(x1, x2), 9);
        power.add(e4, power.plus(x1, x3), 10);
        power.add(e0, power.plus(x1, x4), 11);
        power.add(d2, x2, 2);
        power.add(e0, power.plus(x2, x3), 12);
        power.add(e1, power.plus(x2, x4), 13);
        power.add(d3, x3, 3);
        power.add(e2, power.plus(x3, x4), 14);
        power.add(d4, x4, 4);
    }

    /// The columns, as at the head of this file.
    #[inline(always)]
    pub fn columns<L: Lanes<N, Vector = V>, const N: usize>(&self, cpu: L) -> [V; 5] {
        let Sums { squares: [d0, d1, d2, d3, d4], crosses: [e0, e1, e2, e3, e4] } = *self;
        let (d01, d34) = (cpu.add(d0, d1), cpu.add(d3, d4));
        let d012 = cpu.add(d01, d2);
        let d24_3 = cpu.sub(cpu.add(d2, d4), d3);
        let c0 = cpu.sub(cpu.add(e0, d0), times_5(cpu, cpu.add(cpu.add(d1, d2), d34)));
        let c1 = cpu.sub(cpu.sub(e1, d01), times_5(cpu, d24_3));
        let c2 = cpu.sub(cpu.add(cpu.sub(e2, d012), cpu.add(d1, d1)), times_5(cpu, d34));
        let c3 = cpu.add(cpu.sub(e3, cpu.add(d012, d3)), times_5(cpu, d4));
        let c4 = cpu.add(cpu.sub(e4, cpu.add(d01, d3)), cpu.sub(d2, d4));
        [c0, c1, c2, c3, c4]
    }
}

/// A power from a table.
#[derive(Clone, Copy)]
struct Step<L, F, const N: usize> {
    cpu: L,
    factors: F,
    step: usize,
}

impl<L: Lanes<N>, F: Factors<L, N>, const N: usize> Power<L::Vector> for Step<L, F, N> {
    type Limb = L::Vector;

    #[inline(always)]
    fn plus(self, a: L::Vector, b: L::Vector) -> L::Vector {
        self.cpu.add(a, b)
    }

    #[inline(always)]
    fn add(self, sum: &mut L::Vector, x: L::Vector, n: usize) {
        *sum = self.cpu.add(*sum, self.cpu.mul(x, self.factors.factor(self.cpu, self.step, n)));
    }
}

/// Limbs below 2^26 + 2^13 from columns below 2^61: two carries that run at the same time, from the lowest
/// and from the fourth.
#[inline(always)]
pub fn carry<L: Lanes<N>, const N: usize>(cpu: L, [c0, c1, c2, c3, c4]: [L::Vector; 5]) -> [L::Vector; 5] {
    let mask = cpu.splat(MASK);
    let (c1, c0) = (cpu.add(c1, cpu.shr(c0, 26)), cpu.and(c0, mask));
    let (c4, c3) = (cpu.add(c4, cpu.shr(c3, 26)), cpu.and(c3, mask));
    let (c2, c1) = (cpu.add(c2, cpu.shr(c1, 26)), cpu.and(c1, mask));
    let (c0, c4) = (cpu.add(c0, times_5(cpu, cpu.shr(c4, 26))), cpu.and(c4, mask));
    let (c3, c2) = (cpu.add(c3, cpu.shr(c2, 26)), cpu.and(c2, mask));
    let (c1, c0) = (cpu.add(c1, cpu.shr(c0, 26)), cpu.and(c0, mask));
    let (c4, c3) = (cpu.add(c4, cpu.shr(c3, 26)), cpu.and(c3, mask));
    [c0, c1, c2, c3, c4]
}

/// What numbers are multiplied with: their limbs, and 5 times the upper four.
pub type Factor<V> = [V; 9];

/// A number as a factor.
#[inline(always)]
pub fn factor<L: Lanes<N>, const N: usize>(
    cpu: L,
    [r0, r1, r2, r3, r4]: [L::Vector; 5],
) -> Factor<L::Vector> {
    [r0, r1, r2, r3, r4, times_5(cpu, r1), times_5(cpu, r2), times_5(cpu, r3), times_5(cpu, r4)]
}

/// `columns` and the product in each lane.
#[inline(always)]
pub fn multiply_add<L: Lanes<N>, const N: usize>(
    cpu: L,
    columns: [L::Vector; 5],
    [a0, a1, a2, a3, a4]: [L::Vector; 5],
    [r0, r1, r2, r3, r4, s1, s2, s3, s4]: Factor<L::Vector>,
) -> [L::Vector; 5] {
    let mut columns = columns;
    let rows = [
        (a0, [r0, r1, r2, r3, r4]),
        (a1, [s4, r0, r1, r2, r3]),
        (a2, [s3, s4, r0, r1, r2]),
        (a3, [s2, s3, s4, r0, r1]),
        (a4, [s1, s2, s3, s4, r0]),
    ];
    for (x, row) in rows {
        for (column, factor) in columns.iter_mut().zip(row) {
            *column = cpu.mul_add(*column, x, factor);
        }
    }
    columns
}

/// Product in each lane, as columns.
#[inline(always)]
fn product<L: Lanes<N>, const N: usize>(cpu: L, a: [L::Vector; 5], r: [L::Vector; 5]) -> [L::Vector; 5] {
    multiply_add(cpu, [cpu.splat(0); 5], a, factor(cpu, r))
}

/// The tags of the numbers in the lanes, (h mod p) + s mod 2^128, in words; limbs of h are carried.
#[inline(always)]
pub fn tags<L: Lanes<N>, const N: usize>(
    cpu: L,
    [h0, h1, h2, h3, h4]: [L::Vector; 5],
    [s0, s1]: [L::Vector; 2],
) -> [L::Vector; 2] {
    // Two limbs are one of 52 bits, and what is carried is at most 1 or 2.
    let mask = cpu.splat((1 << 52) - 1);
    let x0 = cpu.add(h0, cpu.shl(h1, 26));
    let x1 = cpu.add(cpu.add(h2, cpu.shl(h3, 26)), cpu.shr(x0, 52));
    let x2 = cpu.add(h4, cpu.shr(x1, 52));
    let (x0, x1) = (cpu.and(x0, mask), cpu.and(x1, mask));
    // q = h / p, from e = h / 2^130: the carry out of h + 5 (e + 1).
    let e = cpu.shr(x2, 26);
    let carry = cpu.shr(cpu.add(x0, times_5(cpu, cpu.add(e, cpu.splat(1)))), 52);
    let carry = cpu.shr(cpu.add(x1, carry), 52);
    let q = cpu.shr(cpu.add(x2, carry), 26);
    // h + 5 q + s, where 2^130 q falls out modulo 2^128.
    let x0 = cpu.add(cpu.add(x0, times_5(cpu, q)), cpu.and(s0, mask));
    let middle = cpu.and(cpu.or(cpu.shr(s0, 52), cpu.shl(s1, 12)), mask);
    let x1 = cpu.add(cpu.add(x1, middle), cpu.shr(x0, 52));
    let x2 = cpu.add(cpu.add(x2, cpu.shr(s1, 40)), cpu.shr(x1, 52));
    let (x0, x1) = (cpu.and(x0, mask), cpu.and(x1, mask));
    [cpu.or(x0, cpu.shl(x1, 52)), cpu.or(cpu.shr(x1, 12), cpu.shl(x2, 40))]
}

/// The sum of the lanes as a canonical accumulator.
#[inline(always)]
fn leave<L: Lanes<N>, const N: usize>(cpu: L, [c0, c1, c2, c3, c4]: [L::Vector; 5]) -> [u64; 3] {
    join_columns([cpu.sum(c0), cpu.sum(c1), cpu.sum(c2), cpu.sum(c3), cpu.sum(c4)])
}

/// A canonical accumulator from columns below 2^62.
#[inline(always)]
pub fn join_columns(columns: [u64; 5]) -> [u64; 3] {
    let [c0, c1, c2, c3, c4] = columns.map(u128::from);
    let low = c0 + (c1 << 26) + (c2 << 52);
    let high = (low >> 64) + (c3 << 14) + (c4 << 40);
    // Below 2^38; what stands at 2^130 and above comes back times 5. h2 <= 3 + 1.
    let h2 = (high >> 64) as u64;
    let low = u128::from(low as u64) | high << 64;
    let (low, carry) = low.overflowing_add(u128::from(5 * (h2 >> 2)));
    [low as u64, (low >> 64) as u64, (h2 & 3) + u64::from(carry)]
}

/// The factors of powers: their limbs, then the sums of two that the crosses are multiplied with.
#[inline(always)]
pub fn factors<L: Lanes<N>, const N: usize>(cpu: L, [r0, r1, r2, r3, r4]: [L::Vector; 5]) -> [L::Vector; 15] {
    [
        r0,
        r1,
        r2,
        r3,
        r4,
        cpu.add(r0, r1),
        cpu.add(r0, r2),
        cpu.add(r0, r3),
        cpu.add(r0, r4),
        cpu.add(r1, r2),
        cpu.add(r1, r3),
        times_5(cpu, cpu.add(r1, r4)),
        times_5(cpu, cpu.add(r2, r3)),
        times_5(cpu, cpu.add(r2, r4)),
        times_5(cpu, cpu.add(r3, r4)),
    ]
}

/// The factors of r^N, r^2N, r^3N, r^4N.
pub type Few = [[u64; FEW]; 15];

/// The factors of the steps of a long message, each in every lane.
type Vectors<V> = [[V; 15]; STEPS];

/// Powers that were kept, each in its lane.
#[inline(always)]
fn load<L: Lanes<N>, const N: usize>(cpu: L, known: &Table26) -> [L::Vector; 5] {
    let mut lane = [cpu.splat(0); 5];
    for (vector, row) in lane.iter_mut().zip(&known.lane) {
        *vector = cpu.load(row.first_chunk().unwrap_or(&[0; N]));
    }
    lane
}

/// Keeps powers.
#[inline(always)]
fn store<L: Lanes<N>, const N: usize>(cpu: L, lane: [L::Vector; 5], few: &Few, kept: &mut Powers) {
    kept.wipe();
    // Filled where it is kept: what is moved there leaves a copy.
    *kept = Powers::Base26(Table { lanes: N, lane: [[0; 8]; 5], step: [[0; FEW]; 15] });
    let Powers::Base26(table) = kept else { return };
    table.step = *few;
    for (row, vector) in table.lane.iter_mut().zip(lane) {
        for (place, limb) in row.iter_mut().zip(cpu.store(vector)) {
            *place = limb;
        }
    }
}

/// The powers of a key: r^N, ..., r in their lanes, and the factors of a few steps.
#[inline(always)]
fn compute<L: Lanes<N>, const N: usize>(cpu: L, key: &Key, steps: usize, few: &mut Few) -> [L::Vector; 5] {
    // r^2, r^3 and r^4 one by one, as r is multiplied into blocks: no vector is as fast.
    let r = Multiplier::new(key);
    let first = [key.r[0], key.r[1], 0];
    let second = r.absorb(first, 0, 0);
    let third = r.absorb(second, 0, 0);
    let all = [first, second, third, r.absorb(third, 0, 0)];
    let (mut low, mut high, mut top) = ([0; N], [0; N], [0; N]);
    for (lane, ((low, high), top)) in low.iter_mut().zip(&mut high).zip(&mut top).enumerate() {
        let power = all.get((N - 1 - Order::<N>::block_of(lane)) % 4);
        [*low, *high, *top] = power.copied().unwrap_or([0; 3]);
    }
    let words = [cpu.load(&low), cpu.load(&high)];
    let mut lane = split(cpu, words, cpu.shl(cpu.load(&top), 24));
    if N > 4 {
        lane = powers(cpu, lane, pick(cpu, lane, 0), &Order::<N>::BY_BLOCK[2..], 0);
    }
    let mut power = pick(cpu, lane, 0);
    if steps > 1 {
        let rounds = if N < FEW { 1 } else { 2 };
        power = powers(cpu, power, power, &Order::<N>::BY_STEP[..rounds], N.min(FEW) - 1);
    }
    put(cpu, factors(cpu, power), few, 0);
    let mut done = N;
    while done < FEW {
        // N = 2: the next two steps.
        power = multiply(cpu, power, pick(cpu, power, N - 1));
        put(cpu, factors(cpu, power), few, done);
        done += N;
    }
    lane
}

/// The number of a lane in every lane.
#[inline(always)]
fn pick<L: Lanes<N>, const N: usize>(cpu: L, x: [L::Vector; 5], lane: usize) -> [L::Vector; 5] {
    let mut picked = x;
    for x in &mut picked {
        *x = cpu.splat(cpu.store(*x).get(lane).copied().unwrap_or(0));
    }
    picked
}

/// Product in each lane, as limbs.
#[inline(always)]
fn multiply<L: Lanes<N>, const N: usize>(cpu: L, a: [L::Vector; 5], b: [L::Vector; 5]) -> [L::Vector; 5] {
    carry(cpu, product(cpu, a, b))
}

/// Multiplies x, x^2, x^4, ... into the lanes, for each of `bits` into those in which it is set. The lane in
/// which all bits are set, `highest`, has the next of these powers.
#[inline(always)]
fn powers<L: Lanes<N>, const N: usize>(
    cpu: L,
    mut lanes: [L::Vector; 5],
    mut power: [L::Vector; 5],
    bits: &[[[u64; N]; 2]],
    highest: usize,
) -> [L::Vector; 5] {
    for [set, clear] in bits {
        let (set, clear) = (cpu.load(set), cpu.load(clear));
        let product = multiply(cpu, lanes, power);
        for (lane, product) in lanes.iter_mut().zip(product) {
            *lane = cpu.or(cpu.and(*lane, clear), cpu.and(product, set));
        }
        power = pick(cpu, lanes, highest);
    }
    lanes
}

/// The factors of four more steps: the first ones times r^4N.
#[inline(always)]
pub fn further<L: Lanes<N>, const N: usize>(cpu: L, few: &Few) -> Few {
    let mut more = [[0; FEW]; 15];
    let mut last = [cpu.splat(0); 5];
    for (vector, &[.., power]) in last.iter_mut().zip(few) {
        *vector = cpu.splat(power);
    }
    for i in (0..FEW).step_by(N) {
        let mut some = [cpu.splat(0); 5];
        for (vector, row) in some.iter_mut().zip(few) {
            let mut lanes = [0; N];
            for (lane, &limb) in lanes.iter_mut().zip(row.iter().skip(i)) {
                *lane = limb;
            }
            *vector = cpu.load(&lanes);
        }
        put(cpu, factors(cpu, multiply(cpu, some, last)), &mut more, i);
    }
    more
}

/// Factors of up to N steps into their places, from step `start` on.
#[inline(always)]
fn put<L: Lanes<N>, const N: usize>(cpu: L, factors: [L::Vector; 15], steps: &mut Few, start: usize) {
    for (row, vector) in steps.iter_mut().zip(factors) {
        for (place, factor) in row.iter_mut().skip(start).zip(cpu.store(vector)) {
            *place = factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    /// A number of which is known how it came from limbs: a sum of products of at most two of them, each with
    /// a factor. Sums, differences and shifts to the left keep that, and are exact modulo 2^64. Whatever looks at
    /// bits finds a number that must lie below 2^64, and makes a new limb of which only the bound is known.
    type Sum = BTreeMap<[usize; 2], i128>;

    /// The limb that is 1.
    const ONE: usize = 0;

    /// Lanes that compute bounds.
    #[derive(Clone, Copy)]
    struct Bounds<'a> {
        /// The highest value of each limb.
        limbs: &'a RefCell<Vec<u128>>,
        sums: &'a RefCell<Vec<Sum>>,
    }

    impl Bounds<'_> {
        fn keep(self, sum: Sum) -> usize {
            self.sums.borrow_mut().push(sum);
            self.sums.borrow().len() - 1
        }

        fn limb(self, most: u128) -> usize {
            self.limbs.borrow_mut().push(most);
            self.keep(BTreeMap::from([([ONE, self.limbs.borrow().len() - 1], 1)]))
        }

        fn sum_of(self, a: usize) -> Sum {
            self.sums.borrow()[a].clone()
        }

        fn combined(self, a: usize, b: usize, factor: i128) -> usize {
            let mut sum = self.sum_of(a);
            for (product, coefficient) in self.sum_of(b) {
                *sum.entry(product).or_insert(0) += factor * coefficient;
            }
            sum.retain(|_, coefficient| *coefficient != 0);
            self.keep(sum)
        }

        /// The highest value, of a number that may not be negative.
        fn most(self, a: usize) -> u128 {
            let limbs = self.limbs.borrow();
            let sum = self.sum_of(a);
            assert!(sum.values().all(|&coefficient| coefficient > 0), "may be negative: {sum:?}");
            sum.iter().map(|(&[i, j], &factor)| limbs[i] * limbs[j] * factor as u128).sum()
        }

        /// The highest value, of a number at whose bits something looks.
        fn seen(self, a: usize) -> u128 {
            let most = self.most(a);
            assert!(most < 1 << 64, "up to 2^{:.2}", (most as f64).log2());
            most
        }
    }

    impl Lanes<2> for Bounds<'_> {
        type Vector = usize;
        const BY_8: Way = Way::P2Sse2By8;

        fn splat(self, x: u64) -> usize {
            self.keep(if x == 0 { Sum::new() } else { BTreeMap::from([([ONE, ONE], x.into())]) })
        }

        fn load(self, x: &[u64; 2]) -> usize {
            self.limb(x[0].max(x[1]).into())
        }

        fn store(self, _: usize) -> [u64; 2] {
            unreachable!("bounds have no values")
        }

        /// Any blocks.
        fn words(self, _: &[[u8; 16]; 2]) -> [usize; 2] {
            [self.limb(u64::MAX.into()), self.limb(u64::MAX.into())]
        }

        fn add(self, a: usize, b: usize) -> usize {
            self.combined(a, b, 1)
        }

        fn sub(self, a: usize, b: usize) -> usize {
            self.combined(a, b, -1)
        }

        fn and(self, a: usize, b: usize) -> usize {
            self.limb(self.seen(a).min(self.seen(b)))
        }

        fn or(self, a: usize, b: usize) -> usize {
            let (a, b) = (self.seen(a), self.seen(b));
            self.limb((a + b).min((a.max(b) + 1).next_power_of_two() - 1))
        }

        fn mul(self, a: usize, b: usize) -> usize {
            for x in [a, b] {
                assert!(self.seen(x) < 1 << 32, "a factor of 2^{:.2}", (self.seen(x) as f64).log2());
            }
            let mut sum = Sum::new();
            for ([_, i], x) in self.sum_of(a) {
                for (&[one, j], y) in &self.sum_of(b) {
                    assert_eq!(one, ONE, "a product of three");
                    *sum.entry([i.min(j), i.max(j)]).or_insert(0) += x * y;
                }
            }
            self.keep(sum)
        }

        /// What is shifted out of 64 bits is dropped on purpose by those who look at low bits only.
        fn shl(self, a: usize, bits: u32) -> usize {
            if bits > 2 && self.seen(a) << bits >= 1 << 64 {
                return self.limb(u64::MAX.into());
            }
            self.combined(self.splat(0), a, 1 << bits)
        }

        fn shr(self, a: usize, bits: u32) -> usize {
            self.limb(self.seen(a) >> bits)
        }

        fn sum(self, _: usize) -> u64 {
            unreachable!("bounds have no values")
        }

        fn in_memory<T>(self, x: &T) -> &T {
            x
        }

        fn wipe<const M: usize>(self, _: &mut [usize; M]) {}
    }

    impl Factors<Bounds<'_>, 2> for &[Vec<usize>] {
        fn hidden(self, _: Bounds<'_>) -> Self {
            self
        }

        fn factor(self, _: Bounds<'_>, step: usize, n: usize) -> usize {
            self[step][n]
        }
    }

    fn with_bounds(check: impl FnOnce(Bounds<'_>)) {
        let (limbs, sums) = (RefCell::new(vec![1]), RefCell::new(Vec::new()));
        check(Bounds { limbs: &limbs, sums: &sums });
    }

    /// What the head of this file says of limbs behind a carry.
    const CARRIED: u128 = (1 << 26) + (1 << 13);
    /// And of those of an accumulator as it is joined.
    const JOINED: u128 = 1 << 27;

    /// A turn of so many steps from accumulators as they are joined, and from carried ones; all powers are
    /// products of carried limbs.
    fn turn_of(steps: usize) {
        with_bounds(|cpu| {
            let factors: Vec<Vec<usize>> =
                (0..steps).map(|_| factors(cpu, [(); 5].map(|()| cpu.limb(CARRIED))).to_vec()).collect();
            for before in [JOINED, CARRIED] {
                let mut sums = Sums::zero(cpu);
                for step in (0..steps - 1).rev() {
                    sums.add(cpu, whole(cpu, &[[0; 16]; 2]), &*factors, step);
                }
                let a = add(cpu, [(); 5].map(|()| cpu.limb(before)), whole(cpu, &[[0; 16]; 2]));
                sums.add(cpu, a, &*factors, steps - 1);
                let columns = sums.columns(cpu);
                assert!(columns.iter().all(|&column| cpu.seen(column) < 1 << 61), "a column");
                let h = carry(cpu, columns);
                assert!(h.iter().all(|&limb| cpu.seen(limb) <= CARRIED), "a carried limb");
            }
        });
    }

    #[test]
    fn no_turn_overflows() {
        for steps in 1..=STEPS {
            turn_of(steps);
        }
    }

    #[test]
    #[should_panic(expected = "a column")]
    fn a_turn_that_is_too_long_is_seen() {
        turn_of(4 * STEPS);
    }

    /// Powers from powers, and the last step, whose columns are summed over up to 8 lanes.
    #[test]
    fn no_product_overflows() {
        with_bounds(|cpu| {
            let power = [(); 5].map(|()| cpu.limb(CARRIED));
            // r^2, r^3 and r^4 come in base 2^64, with up to 4 at 2^128.
            let scalar = split(cpu, cpu.words(&[[0; 16]; 2]), cpu.limb(4 << 24));
            assert!(scalar.iter().all(|&limb| cpu.seen(limb) <= JOINED));
            for x in [power, scalar] {
                for y in [power, scalar] {
                    let limbs = multiply(cpu, x, y);
                    assert!(limbs.iter().all(|&limb| cpu.seen(limb) <= CARRIED));
                }
                let a = add(cpu, [(); 5].map(|()| cpu.limb(JOINED)), whole(cpu, &[[0; 16]; 2]));
                let columns = product(cpu, a, x);
                assert!(columns.iter().all(|&column| 8 * cpu.seen(column) < 1 << 62));
                assert!(factors(cpu, x).iter().all(|&factor| cpu.seen(factor) < 1 << 32));
            }
        });
    }

    /// Four products, of which one is with an accumulator, before a carry; and what a tag is made of.
    #[test]
    fn no_lane_overflows() {
        with_bounds(|cpu| {
            let power = [(); 5].map(|()| cpu.limb(CARRIED));
            let h = [(); 5].map(|()| cpu.limb(CARRIED));
            let mut sums = multiply_add(
                cpu,
                [cpu.splat(0); 5],
                add(cpu, h, whole(cpu, &[[0; 16]; 2])),
                factor(cpu, power),
            );
            for _ in 1..4 {
                sums = multiply_add(cpu, sums, whole(cpu, &[[0; 16]; 2]), factor(cpu, power));
            }
            assert!(sums.iter().all(|&column| cpu.seen(column) < 1 << 61), "a column");
            let h = carry(cpu, sums);
            assert!(h.iter().all(|&limb| cpu.seen(limb) <= CARRIED), "a carried limb");
            tags(cpu, h, cpu.words(&[[0; 16]; 2]));
        });
    }

    /// Tags of limbs at the edges, as the accumulator of a single message gives them.
    #[test]
    fn tags_at_the_edges() {
        let edges = [0, 1, 5, MASK - 5, MASK - 4, MASK - 1, MASK, MASK + 1, CARRIED as u64];
        let words = [0, 1, u64::MAX - 1, u64::MAX];
        let mut places = [0; 5];
        for i in 0..edges.len().pow(5) {
            let mut i = i;
            for place in &mut places {
                *place = edges[i % edges.len()];
                i /= edges.len();
            }
            for s in words.map(|s0| words.map(|s1| [s0, s1])).concat() {
                let [low, high] = tags(Plain, places.map(|limb| [limb; 2]), s.map(|word| [word; 2]));
                let expected = crate::kernel::poly1305::tag(join_columns(places), s);
                assert_eq!(u128::from(low[0]) | u128::from(high[1]) << 64, expected, "{places:x?} {s:x?}");
            }
        }
    }

    /// Lanes that are arrays.
    #[derive(Clone, Copy)]
    struct Plain;

    impl Lanes<2> for Plain {
        type Vector = [u64; 2];
        const BY_8: Way = Way::P2Sse2By8;

        fn splat(self, x: u64) -> [u64; 2] {
            [x; 2]
        }

        fn load(self, x: &[u64; 2]) -> [u64; 2] {
            *x
        }

        fn store(self, a: [u64; 2]) -> [u64; 2] {
            a
        }

        fn words(self, blocks: &[[u8; 16]; 2]) -> [[u64; 2]; 2] {
            let [a, b] = blocks.map(u128::from_le_bytes);
            [[a as u64, b as u64], [(a >> 64) as u64, (b >> 64) as u64]]
        }

        fn add(self, a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
            [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
        }

        fn sub(self, a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
            [a[0].wrapping_sub(b[0]), a[1].wrapping_sub(b[1])]
        }

        fn and(self, a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
            [a[0] & b[0], a[1] & b[1]]
        }

        fn or(self, a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
            [a[0] | b[0], a[1] | b[1]]
        }

        fn mul(self, a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
            let low = |x: u64| x & u64::from(u32::MAX);
            [low(a[0]) * low(b[0]), low(a[1]) * low(b[1])]
        }

        fn shl(self, a: [u64; 2], bits: u32) -> [u64; 2] {
            a.map(|x| x << bits)
        }

        fn shr(self, a: [u64; 2], bits: u32) -> [u64; 2] {
            a.map(|x| x >> bits)
        }

        fn sum(self, a: [u64; 2]) -> u64 {
            a[0].wrapping_add(a[1])
        }

        fn in_memory<T>(self, x: &T) -> &T {
            x
        }

        fn wipe<const M: usize>(self, _: &mut [[u64; 2]; M]) {}
    }

    impl Factors<Plain, 2> for &[[[u64; 2]; 15]] {
        fn hidden(self, _: Plain) -> Self {
            self
        }

        fn factor(self, _: Plain, step: usize, n: usize) -> [u64; 2] {
            self[step][n]
        }
    }

    /// A number below p = 2^130 - 5: 2^128 times the first and the second.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Residue(u8, u128);

    impl Residue {
        fn plus(self, other: Residue) -> Residue {
            let (low, carry) = self.1.overflowing_add(other.1);
            let sum = Residue(self.0 + other.0 + u8::from(carry), low);
            if (sum.0, sum.1) < (3, u128::MAX - 4) {
                return sum;
            }
            // Less p: plus 5, less 2^130.
            let (low, carry) = sum.1.overflowing_add(5);
            Residue(sum.0 + u8::from(carry) - 4, low)
        }

        fn times(self, mut factor: u128) -> Residue {
            let (mut sum, mut power) = (Residue(0, 0), self);
            while factor != 0 {
                if factor & 1 == 1 {
                    sum = sum.plus(power);
                }
                power = power.plus(power);
                factor >>= 1;
            }
            sum
        }

        fn of(limbs: [u64; 5]) -> Residue {
            let add = |sum: Residue, &limb: &u64| sum.times(1 << 26).plus(Residue(0, limb.into()));
            limbs.iter().rev().fold(Residue(0, 0), add)
        }

        fn product(a: [u64; 5], b: Residue) -> Residue {
            let add = |sum: Residue, &limb: &u64| sum.times(1 << 26).plus(b.times(limb.into()));
            a.iter().rev().fold(Residue(0, 0), add)
        }
    }

    /// Limbs that are 0, 1 or the highest, in every combination, as accumulator, as blocks and as powers, against
    /// numbers of 130 bits.
    #[test]
    fn limbs_at_the_edges() {
        let most = CARRIED as u64;
        let choices = |mut i: usize, most: u64| {
            [(); 5].map(|()| {
                let limb = [0, 1, most][i % 3];
                i /= 3;
                limb
            })
        };
        for i in 0..243 {
            for j in [0, 1, 2, 80, 81, 121, 161, 200, 241, 242, (i * 7 + 5) % 243] {
                let (a, b) = (choices(i, (1 << 27) + most), choices(j, most));
                let (m, c) = (choices(j, MASK), choices(i, most));
                let lanes = |x: [u64; 5]| x.map(|limb| [limb; 2]);
                let product = Residue::product(a, Residue::of(b));
                let limbs = multiply(Plain, lanes(a), lanes(b));
                assert!(limbs.iter().all(|limb| limb[0] <= most));
                assert_eq!(Residue::of(limbs.map(|limb| limb[0])), product, "{a:x?} {b:x?}");

                let powers = [factors(Plain, lanes(b)), factors(Plain, lanes(c))];
                let mut sums = Sums::zero(Plain);
                let mut expected = Residue::product(a, Residue::of(c));
                for _ in 1..STEPS {
                    sums.add(Plain, lanes(m), &powers[..], 0);
                    expected = expected.plus(Residue::product(m, Residue::of(b)));
                }
                sums.add(Plain, lanes(a), &powers[..], 1);
                let limbs = carry(Plain, sums.columns(Plain));
                assert!(limbs.iter().all(|limb| limb[1] <= most));
                assert_eq!(Residue::of(limbs.map(|limb| limb[1])), expected, "{a:x?} {b:x?} {c:x?} {m:x?}");
            }
        }
    }
}
