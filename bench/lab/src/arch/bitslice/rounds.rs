//! The rounds of a bitsliced group, written once for every instruction set.
//!
//! With t1, t3, s0 and s2 for the values in the middle of a round,
//!
//! ```text
//! s0 = v0 + v1    t1 = rotl(v1, 13) ^ s0
//! s2 = v2 + v3    t3 = rotl(v3, 16) ^ s2
//! v0' = rotl(s0, 32) + t3     v3' = rotl(t3, 21) ^ v0'
//! y = s2 + t1     v1' = rotl(t1, 17) ^ y     v2' = rotl(y, 32)
//! ```
//!
//! one pass over the bits does all four additions: s0, s2 and y at bit o, v0' at bit o - 32. The sum v0' lags because
//! its operand rotl(s0, 32) needs the upper half of s0 first. A rotation is only another index. The index wraps at 13,
//! 16, 17, 21, 32, 47 and 53, so the pass is split there; within a piece every distance is constant. So loops stay
//! loops: code unrolled 64 times does not fit into the instruction caches.

use super::isa::Isa;
use crate::bitslice::{Plan, Planes, State};
use core::mem::swap;

/// The index of bit o - R in a rotated word. A piece that begins at LO lies wholly below R or wholly from R
/// on.
#[inline(always)]
fn back<const LO: usize, const R: usize>(o: usize) -> usize {
    if LO >= R { o - R } else { o + 64 - R }
}

/// Complements a plane.
#[inline(always)]
fn complement<I: Isa>(isa: I, plane: &mut I::Plane) {
    let vector = isa.xor(isa.load(plane), isa.splat(!0));
    isa.store(plane, vector);
}

/// Complements the planes of the bits that are set in `byte`.
#[inline(always)]
fn flip_low<I: Isa>(isa: I, planes: &mut [I::Plane], byte: u8) {
    for (bit, plane) in planes.iter_mut().take(8).enumerate() {
        if byte >> bit & 1 == 1 {
            complement(isa, plane);
        }
    }
}

/// Computes the planes of the tags from those of the first words.
#[inline(always)]
pub fn compute<I: Isa>(isa: I, plan: &Plan, state: &mut State<I::Plane>) {
    let State { x, v1: [v1, v1_next], v2: [v2_low, v2_high], v3, t3: [before, t3], s0, high } = state;
    let (mut v1, mut v1_next, mut v2_low, mut v2_high) = (v1, v1_next, v2_low, v2_high);
    let (mut before, mut t3) = (before, t3);
    let Plan { c, d, eight_bytes, double, .. } = *plan;
    let end = if eight_bytes { 2 * c } else { c };
    let rounds = if double { end + 2 * d } else { end + d };

    First { isa, plan, x, v1, v2_low, v2_high, v3, t3: before, carries: [isa.splat(0); 3] }.run();
    swap(&mut v2_low, &mut v2_high);
    for round in 1..rounds {
        // 8 << 56 is bit 59. A flip of v0 is a flip of `before` at bit 59 - 21, and a flip of v3 flips v0 as
        // well.
        if eight_bytes && round == c {
            complement(isa, &mut v3[59]);
            complement(isa, &mut before[38]);
        }
        if round == end {
            if eight_bytes {
                complement(isa, &mut before[38]);
            }
            flip_low(isa, v2_low, if double { 0xee } else { 0xff });
        }
        if double && round == end + d {
            for (o, v2) in v2_low.iter().chain(&*v2_high).enumerate() {
                let v0_v3 = isa.load(&before[(o + 43) & 63]);
                isa.store(&mut x[o], isa.xor3(v0_v3, isa.load(&v1[o]), isa.load(v2)));
            }
            flip_low(isa, v1, 0xdd);
        }
        // v0 ^= m is deferred to the round that reads v0 next.
        let inject = round == c;
        let zero = isa.splat(0);
        if round + 1 < rounds {
            let v3 = &mut *v3;
            let (t3, s0) = (&mut *t3, &mut *s0);
            let (v1, v1_next, before) = (&*v1, &mut *v1_next, &*before);
            let (v2_low, v2_high) = (&mut *v2_low, &mut *v2_high);
            let carries = [zero; 4];
            let x = &*x;
            if inject {
                Round { isa, plan, x, before, v1, v2_low, v2_high, v3, t3, s0, v1_next, carries }
                    .run::<true>();
            } else {
                Round { isa, plan, x, before, v1, v2_low, v2_high, v3, t3, s0, v1_next, carries }
                    .run::<false>();
            }
        } else {
            let tags = if double { &mut *high } else { &mut *x };
            let carries = [zero; 3];
            let (t1, t3, s0) = (&mut *v1_next, &mut *t3, &mut *s0);
            let (v1, v3, before) = (&*v1, &*v3, &*before);
            let (v2_low, v2_high) = (&*v2_low, &*v2_high);
            if inject {
                Last { isa, plan, tags, before, v1, v2_low, v2_high, v3, t1, t3, y: s0, carries }
                    .run::<true>();
            } else {
                Last { isa, plan, tags, before, v1, v2_low, v2_high, v3, t1, t3, y: s0, carries }
                    .run::<false>();
            }
        }
        swap(&mut v1, &mut v1_next);
        // Rotates y by 32.
        swap(&mut v2_low, &mut v2_high);
        swap(&mut before, &mut t3);
    }
}

/// The first round. v0, v1 and v2 are constants, so v0 + v1 is constant too, and the other three additions
/// have a constant operand.
struct First<'a, I: Isa> {
    isa: I,
    plan: &'a Plan,
    x: &'a Planes<I::Plane>,
    v1: &'a mut Planes<I::Plane>,
    v2_low: &'a mut [I::Plane; 32],
    v2_high: &'a mut [I::Plane; 32],
    v3: &'a mut Planes<I::Plane>,
    t3: &'a mut Planes<I::Plane>,
    carries: [I::Vector; 3],
}

impl<I: Isa> First<'_, I> {
    #[inline(always)]
    fn run(mut self) {
        self.bits::<0, 16>();
        self.bits::<16, 21>();
        self.bits::<21, 32>();
        self.bits::<32, 64>();
        for o in 0..21 {
            let t3 = self.isa.load(&self.t3[o + 43]);
            let v0 = self.isa.load(&self.v3[o]);
            self.isa.store(&mut self.v3[o], self.isa.xor(v0, t3));
        }
    }

    #[inline(always)]
    fn bits<const LO: usize, const HI: usize>(&mut self) {
        let (isa, plan) = (self.isa, self.plan);
        let [mut c2, mut cy, mut c0] = self.carries;
        for o in LO..HI {
            let (s2, y, v0);
            (s2, c2) = isa.add_constant(isa.load(&self.x[o]), plan.v2.bits[o], plan.v2.changes[o], c2);
            let t3 = isa.xor(isa.load(&self.x[back::<LO, 16>(o)]), s2);
            isa.store(&mut self.t3[o], t3);
            (y, cy) = isa.add_constant(s2, plan.v1.bits[o], plan.v1.changes[o], cy);
            isa.store(if LO < 32 { &mut self.v2_low[o] } else { &mut self.v2_high[o - 32] }, y);
            isa.store(&mut self.v1[o], isa.xor(y, isa.splat(plan.v1_rotated[o])));
            (v0, c0) = isa.add_constant(t3, plan.v0.bits[o], plan.v0.changes[o], c0);
            let v3 = if LO >= 21 { isa.xor(v0, isa.load(&self.t3[back::<LO, 21>(o)])) } else { v0 };
            isa.store(&mut self.v3[o], v3);
        }
        self.carries = [c2, cy, c0];
    }
}

/// v0 at bit o: v3 ^ rotl(before, 21), XORed with the message's word if that is still pending.
#[inline(always)]
fn v0<I: Isa, const LO: usize, const INJECT: bool>(
    isa: I,
    plan: &Plan,
    v3: I::Vector,
    before: &Planes<I::Plane>,
    x: &Planes<I::Plane>,
    o: usize,
) -> I::Vector {
    let before = isa.load(&before[back::<LO, 21>(o)]);
    if INJECT {
        let word = isa.xor(isa.load(&x[o]), isa.splat(plan.v3[o]));
        isa.xor3(before, v3, word)
    } else {
        isa.xor(before, v3)
    }
}

/// A round that is neither the first nor the last.
struct Round<'a, I: Isa> {
    isa: I,
    plan: &'a Plan,
    x: &'a Planes<I::Plane>,
    before: &'a Planes<I::Plane>,
    v1: &'a Planes<I::Plane>,
    /// The halves of v2, then of y.
    v2_low: &'a mut [I::Plane; 32],
    v2_high: &'a mut [I::Plane; 32],
    v3: &'a mut Planes<I::Plane>,
    t3: &'a mut Planes<I::Plane>,
    /// The lower half of s0.
    s0: &'a mut [I::Plane; 32],
    /// rotl(t1, 17), to which y is added.
    v1_next: &'a mut Planes<I::Plane>,
    carries: [I::Vector; 4],
}

impl<I: Isa> Round<'_, I> {
    #[inline(always)]
    fn run<const INJECT: bool>(mut self) {
        self.bits::<0, 13, INJECT>();
        self.bits::<13, 16, INJECT>();
        self.bits::<16, 17, INJECT>();
        self.bits::<17, 21, INJECT>();
        self.bits::<21, 32, INJECT>();
        self.bits::<32, 47, INJECT>();
        self.bits::<47, 53, INJECT>();
        self.bits::<53, 64, INJECT>();
        let isa = self.isa;
        let mut c0 = self.carries[3];
        for o in 32..64 {
            let v0;
            (v0, c0) = isa.add(isa.load(&self.s0[o - 32]), isa.load(&self.t3[o]), c0);
            isa.store(&mut self.v3[o], isa.xor(v0, isa.load(&self.t3[o - 21])));
        }
        for o in 0..17 {
            let v1 = isa.xor(isa.load(&self.v1_next[o]), isa.load(&self.v2_low[o]));
            isa.store(&mut self.v1_next[o], v1);
        }
        for o in 0..21 {
            let v3 = isa.xor(isa.load(&self.v3[o]), isa.load(&self.t3[o + 43]));
            isa.store(&mut self.v3[o], v3);
        }
    }

    #[inline(always)]
    fn bits<const LO: usize, const HI: usize, const INJECT: bool>(&mut self) {
        let isa = self.isa;
        let [mut cs, mut c2, mut cy, mut c0] = self.carries;
        for o in LO..HI {
            let (s0, s2, y);
            let v3 = isa.load(&self.v3[o]);
            let v0 = v0::<I, LO, INJECT>(isa, self.plan, v3, self.before, self.x, o);
            (s0, cs) = isa.add(v0, isa.load(&self.v1[o]), cs);
            let t1 = isa.xor(isa.load(&self.v1[back::<LO, 13>(o)]), s0);
            isa.store(&mut self.v1_next[back::<LO, 47>(o)], t1);
            let v2 = if LO < 32 { &mut self.v2_low[o] } else { &mut self.v2_high[o - 32] };
            (s2, c2) = isa.add(isa.load(v2), v3, c2);
            let t3 = isa.xor(isa.load(&self.v3[back::<LO, 16>(o)]), s2);
            isa.store(&mut self.t3[o], t3);
            (y, cy) = isa.add(s2, t1, cy);
            isa.store(v2, y);
            if LO >= 17 {
                let v1 = isa.xor(isa.load(&self.v1_next[o]), y);
                isa.store(&mut self.v1_next[o], v1);
            }
            if LO < 32 {
                isa.store(&mut self.s0[o], s0);
            } else {
                let (v0, low) = (isa.load(&self.t3[o - 32]), o - 32);
                let sum;
                (sum, c0) = isa.add(s0, v0, c0);
                // v3' needs rotl(t3, 21). Its bits below 21 do not exist yet.
                let v3 = if LO >= 53 { isa.xor(sum, isa.load(&self.t3[o - 53])) } else { sum };
                isa.store(&mut self.v3[low], v3);
            }
        }
        self.carries = [cs, c2, cy, c0];
    }
}

/// The last round, and the tag. v0' cancels out:
/// `v0' ^ v1' ^ v2' ^ v3' = rotl(t1, 17) ^ rotl(t3, 21) ^ y ^ rotl(y, 32)`.
struct Last<'a, I: Isa> {
    isa: I,
    plan: &'a Plan,
    /// On entry, the pending words; at the end, the tags.
    tags: &'a mut Planes<I::Plane>,
    before: &'a Planes<I::Plane>,
    v1: &'a Planes<I::Plane>,
    v2_low: &'a [I::Plane; 32],
    v2_high: &'a [I::Plane; 32],
    v3: &'a Planes<I::Plane>,
    t1: &'a mut Planes<I::Plane>,
    t3: &'a mut Planes<I::Plane>,
    /// The lower half of y, then of y ^ rotl(y, 32).
    y: &'a mut [I::Plane; 32],
    carries: [I::Vector; 3],
}

impl<I: Isa> Last<'_, I> {
    #[inline(always)]
    fn run<const INJECT: bool>(mut self) {
        self.bits::<0, 13, INJECT>();
        self.bits::<13, 16, INJECT>();
        self.bits::<16, 21, INJECT>();
        self.bits::<21, 32, INJECT>();
        self.bits::<32, 64, INJECT>();
        self.lower::<0, 17>();
        self.lower::<17, 21>();
        self.lower::<21, 32>();
    }

    #[inline(always)]
    fn bits<const LO: usize, const HI: usize, const INJECT: bool>(&mut self) {
        let isa = self.isa;
        let [mut cs, mut c2, mut cy] = self.carries;
        for o in LO..HI {
            let (s0, s2, y);
            let v3 = isa.load(&self.v3[o]);
            let v0 = v0::<I, LO, INJECT>(isa, self.plan, v3, self.before, self.tags, o);
            (s0, cs) = isa.add(v0, isa.load(&self.v1[o]), cs);
            let t1 = isa.xor(isa.load(&self.v1[back::<LO, 13>(o)]), s0);
            isa.store(&mut self.t1[o], t1);
            let v2 = if LO < 32 { &self.v2_low[o] } else { &self.v2_high[o - 32] };
            (s2, c2) = isa.add(isa.load(v2), v3, c2);
            let t3 = isa.xor(isa.load(&self.v3[back::<LO, 16>(o)]), s2);
            isa.store(&mut self.t3[o], t3);
            (y, cy) = isa.add(s2, t1, cy);
            if LO < 32 {
                isa.store(&mut self.y[o], y);
            } else {
                let y = isa.xor(y, isa.load(&self.y[o - 32]));
                isa.store(&mut self.y[o - 32], y);
                let tag = isa.xor3(y, isa.load(&self.t1[o - 17]), isa.load(&self.t3[o - 21]));
                isa.store(&mut self.tags[o], tag);
            }
        }
        self.carries = [cs, c2, cy];
    }

    #[inline(always)]
    fn lower<const LO: usize, const HI: usize>(&mut self) {
        let isa = self.isa;
        for o in LO..HI {
            let (t1, t3) = (isa.load(&self.t1[back::<LO, 17>(o)]), isa.load(&self.t3[back::<LO, 21>(o)]));
            isa.store(&mut self.tags[o], isa.xor3(isa.load(&self.y[o]), t1, t3));
        }
    }
}
