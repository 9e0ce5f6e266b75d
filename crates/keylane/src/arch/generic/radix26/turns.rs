//! Turns: the products of many vectors of blocks are added up, then carried once.

use super::limbs::{WHOLE, add, carry, from_base_64, split, split_blocks, times_5};
use super::order::{KEPT_STEPS, Order, STEPS};
use super::powers::{KeptSteps, Vectors, further_steps};
use super::vectors::Vectors26;
use crate::job::poly1305::last_block;
use crate::job::wipe::wipe_table;

/// The turns of a message. An instruction set may override them with better ones.
pub trait Turns<const N: usize>: Vectors26<N> {
    /// All steps after the first vector, up to four in a turn.
    #[inline(always)]
    fn turns_of_4(
        self,
        a: [Self::Vector; 5],
        rest: &mut Rest<'_, N>,
        kept_steps: &KeptSteps,
    ) -> [Self::Vector; 5] {
        turns::<_, _, N, KEPT_STEPS>(self, a, rest, kept_steps)
    }

    /// All steps after the first vector, up to eight in a turn.
    #[inline(always)]
    fn turns_of_8(
        self,
        a: [Self::Vector; 5],
        rest: &mut Rest<'_, N>,
        kept_steps: &KeptSteps,
    ) -> [Self::Vector; 5] {
        let mut table = [[self.splat(0); 15]; STEPS];
        fill(self, kept_steps, &mut table);
        let a = turns::<_, _, N, STEPS>(self, a, rest, self.in_memory(&table));
        table.iter_mut().for_each(|vectors| self.wipe(vectors));
        a
    }
}

/// Fills the table for a long message in place: it is too large for a second copy on the stack.
#[inline(always)]
fn fill<L: Vectors26<N>, const N: usize>(cpu: L, kept_steps: &KeptSteps, table: &mut Vectors<L::Vector>) {
    let mut more = further_steps(cpu, kept_steps);
    for (step, vectors) in table.iter_mut().enumerate() {
        let numbers = cpu.in_memory(if step < KEPT_STEPS { kept_steps } else { &more });
        for (n, vector) in vectors.iter_mut().enumerate() {
            *vector = numbers.factor(cpu, step % KEPT_STEPS, n);
        }
    }
    wipe_table(&mut more);
}

/// All steps after the first vector. The first turn is the one with fewer than `MOST` steps. The accumulator is carried
/// beside the first step of the next turn, which does not wait for it.
#[inline(always)]
fn turns<L: Vectors26<N>, F: Factors<L, N>, const N: usize, const MOST: usize>(
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
            sums.add(cpu, split_blocks(cpu, blocks), factors.hidden(cpu), step);
        }
        sums.add(cpu, a, factors.hidden(cpu), more);
        a = add(cpu, carry(cpu, sums.columns(cpu)), rest.next(cpu));
    }
    let Some((blocks, after)) = rest.vectors.split_first() else { return a };
    rest.vectors = after;
    let mut sums = Sums::zero(cpu);
    sums.add(cpu, split_blocks(cpu, blocks), factors.hidden(cpu), MOST - 2);
    loop {
        for (blocks, step) in rest.take(MOST - 2).iter().zip((0..MOST - 2).rev()) {
            sums.add(cpu, split_blocks(cpu, blocks), factors.hidden(cpu), step);
        }
        sums.add(cpu, a, factors.hidden(cpu), MOST - 1);
        let columns = sums.columns(cpu);
        // At the end of a turn there is one vector left, which may have the tail, or whole turns and one vector.
        let Some(([m0, m1], after)) = rest.vectors.split_first_chunk() else {
            return add(cpu, carry(cpu, columns), rest.next(cpu));
        };
        rest.vectors = after;
        let h = carry(cpu, columns);
        sums = Sums::zero(cpu);
        sums.add(cpu, split_blocks(cpu, m1), factors.hidden(cpu), MOST - 2);
        a = cpu.carried(add(cpu, h, split_blocks(cpu, m0)));
    }
}

/// The factors of all steps.
pub trait Factors<L: Vectors26<N>, const N: usize>: Copy {
    /// The same factors, opaque to the compiler.
    fn hidden(self, cpu: L) -> Self;
    /// Factor n of a step.
    fn factor(self, cpu: L, step: usize, n: usize) -> L::Vector;
}

/// Numbers, broadcast to each lane where they are used.
impl<L: Vectors26<N>, const N: usize> Factors<L, N> for &KeptSteps {
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

/// Whole vectors.
impl<L: Vectors26<N>, const N: usize> Factors<L, N> for &Vectors<L::Vector> {
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

/// The multiplier of a step: the 15 factors of a power.
pub trait Power<V>: Copy {
    /// A limb of the multiplicand.
    type Limb: Copy;
    /// Sum of two limbs.
    fn plus(self, a: Self::Limb, b: Self::Limb) -> Self::Limb;
    /// Adds x times factor n.
    fn add(self, sum: &mut V, x: Self::Limb, n: usize);
}

/// The sums of a turn.
pub struct Sums<V> {
    /// `step` updates `squares[4]` last.
    pub squares: [V; 5],
    crosses: [V; 5],
}

impl<V: Copy> Sums<V> {
    /// All sums zero.
    #[inline(always)]
    pub fn zero<L: Vectors26<N, Vector = V>, const N: usize>(cpu: L) -> Self {
        let zero = cpu.splat(0);
        Sums { squares: [zero; 5], crosses: [zero; 5] }
    }

    /// Adds x times one power.
    #[inline(always)]
    pub fn add<L: Vectors26<N, Vector = V>, F: Factors<L, N>, const N: usize>(
        &mut self,
        cpu: L,
        x: [V; 5],
        factors: F,
        step: usize,
    ) {
        self.step(x, Step { cpu, factors, step });
    }

    /// Adds x times one power, for any kind of limbs.
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

    /// The columns, by the formulas at the head of mod.rs.
    #[inline(always)]
    pub fn columns<L: Vectors26<N, Vector = V>, const N: usize>(&self, cpu: L) -> [V; 5] {
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

impl<L: Vectors26<N>, F: Factors<L, N>, const N: usize> Power<L::Vector> for Step<L, F, N> {
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

/// The rest of a message after its first vector.
pub struct Rest<'a, const N: usize> {
    /// The vectors before the one with the tail.
    pub vectors: &'a [[[u8; 16]; N]],
    /// The blocks before `tail` in its vector; none if it is empty.
    pub before: &'a [[u8; 16]],
    /// The message's last bytes, if they do not fill a block.
    pub tail: &'a [u8],
}

impl<'a, const N: usize> Rest<'a, N> {
    /// How many vectors are left.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.vectors.len() + usize::from(!self.tail.is_empty())
    }

    /// Takes `steps` vectors. None of them has the tail.
    #[inline(always)]
    pub fn take(&mut self, steps: usize) -> &'a [[[u8; 16]; N]] {
        let (taken, rest) = self.vectors.split_at_checked(steps).unwrap_or((self.vectors, &[]));
        self.vectors = rest;
        taken
    }

    /// The limbs of the next vector.
    #[inline(always)]
    pub fn next<L: Vectors26<N>>(&mut self, cpu: L) -> [L::Vector; 5] {
        match self.vectors.split_first() {
            Some((blocks, rest)) => {
                self.vectors = rest;
                split_blocks(cpu, blocks)
            }
            None => self.last(cpu),
        }
    }

    /// The limbs of the vector with the tail.
    #[inline(always)]
    fn last<L: Vectors26<N>>(&mut self, cpu: L) -> [L::Vector; 5] {
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

/// The first vector: its first `missing` blocks are zero, and `h` is added to the next one.
#[inline(always)]
pub fn join<L: Vectors26<N>, const N: usize>(
    cpu: L,
    first: &[[u8; 16]],
    missing: usize,
    h: [u64; 3],
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
    let [h0, h1, h2, h3, h4] = from_base_64(h);
    let limb = |h| cpu.and(cpu.splat(h), joins);
    add(cpu, m, [limb(h0), limb(h1), limb(h2), limb(h3), limb(h4)])
}
