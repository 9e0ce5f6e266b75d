//! Poly1305, one block at a time, in double precision, for CPUs that multiply doubles fastest.
//!
//! id        poly1305_x1_f64        slot  poly1305-x1        requires  nothing
//! does      h <- (h + m) r  (mod 2^130 - 5), h in base 2^32 and r in halves of 14 bits, partly reduced
//! bounds    after a block |h0|, |h1|, |h2| < 2^33.4 and |h3| < 2^34.5 at their places; no sum reaches 2^53 (the test
//!           below checks this). 33 multiplications, 24 additions, 8 cuts of three operations and 16 additions: three
//!           times the time of poly1305_x1_u64 on Zen 4
//! timing    no secret-dependent branch or index. SSE2 additions and multiplications have a fixed time on x86-64 CPUs
//!           of Intel and AMD, except for subnormal numbers; here a number is 0 or at least 2^-96
//! origin    written here after [Poly1305-AES] and [OpenSSL-survey]
//!
//! A significand has 53 bits. Limbs of 32 bits for both h and r would give products of 64: too many. So one
//! factor is split into halves; here it is r, once per message. Let ri = ai + bi, where ai has the lowest 14
//! bits of the limb and bi the upper 14. Let s1 = 5 * 2^-130 r1 and so on. (r1, r2 and r3 are multiples of 4,
//! so these are multiples of 2^(32 i - 128).) There are two sets of sums, one with the a's and one with the
//! b's:
//!
//! ```text
//! d0 = h0 r0 + h1 s3 + h2 s2 + h3 s1   at 1, or 2^14 for the b's
//! d1 = h0 r1 + h1 r0 + h2 s3 + h3 s2   at 2^32
//! d2 = h0 r2 + h1 r1 + h2 r0 + h3 s3   at 2^64
//! d3 = h0 r3 + h1 r2 + h2 r1 + h3 r0   at 2^96
//! ```
//!
//! Each of the eight sums is cut at the place of the next limb, d3 at 2^130, and the upper part is added there. The
//! cuts do not wait for each other. Each limb of r has four zero bits at the top, so a carry is at most as large as a
//! limb, and one pass is enough.

use super::real::{Real, WRAP, canonical, number, place};
use keylane::job::poly1305::{Blocks, Key, State, X1, last_block};
use keylane::kernel;

kernel! {
    /// One message.
    pub ONE: X1 = "poly1305_x1_f64", lanes 1, requires [], |job: Blocks<'_>| one(job)
}

/// The number of low bits of a limb of r in its first half.
const HALF: u32 = 14;

/// One half of r: r0 to r3, and s1 to s3.
pub struct Half<R> {
    /// r0 to r3.
    pub r: [R; 4],
    /// s1 to s3.
    pub s: [R; 3],
}

/// Both halves, the lower one first.
pub struct Multiplier<R> {
    /// The halves.
    pub halves: [Half<R>; 2],
}

impl Multiplier<f64> {
    /// The multiplier of a key, whose limbs are cut above `bits` bits.
    #[inline(always)]
    pub fn new(key: &Key, bits: u32) -> Self {
        let r = key.r.map(|word| [word & 0xffff_ffff, word >> 32]);
        let [[r0, r1], [r2, r3]] = r;
        let half = |of: &dyn Fn(u64) -> u64| Half {
            r: [place(of(r0), 0), place(of(r1), 32), place(of(r2), 64), place(of(r3), 96)],
            s: [
                place(of(r1 + (r1 >> 2)), -96),
                place(of(r2 + (r2 >> 2)), -64),
                place(of(r3 + (r3 >> 2)), -32),
            ],
        };
        Multiplier { halves: [half(&|limb| limb & ((1 << bits) - 1)), half(&|limb| limb >> bits << bits)] }
    }
}

impl<R: Real> Half<R> {
    /// The products, each cut at the place of the next limb: the rest, and the part taken away.
    #[inline(always)]
    fn times(&self, [h0, h1, h2, h3]: [R; 4]) -> [(R, R); 4] {
        let ([r0, r1, r2, r3], [s1, s2, s3]) = (self.r, self.s);
        // With a block added, h0, h1, h2 < 2^33.9 and h3 < 2^35.4 at their places, the latter at the start of
        // a job. A half of ri has 14 bits, one of si at most 14.4. So the largest sum, d0, is below 2^47.9 +
        // 2 * 2^48.3 + 2^49.8 < 2^50.8.
        let d0 = h3.mul_add(s1, h2.mul_add(s2, h1.mul_add(s3, h0 * r0)));
        let d1 = h3.mul_add(s2, h2.mul_add(s3, h1.mul_add(r0, h0 * r1)));
        let d2 = h3.mul_add(s3, h2.mul_add(r0, h1.mul_add(r1, h0 * r2)));
        let d3 = h3.mul_add(r0, h2.mul_add(r1, h1.mul_add(r2, h0 * r3)));
        [d0.cut(32), d1.cut(64), d2.cut(96), d3.cut(130)]
    }
}

impl<R: Real> Multiplier<R> {
    /// (h + m) r.
    #[inline(always)]
    fn absorb(&self, [h0, h1, h2, h3]: [R; 4], [m0, m1, m2, m3]: [R; 4]) -> [R; 4] {
        let h = [h0 + m0, h1 + m1, h2 + m2, h3 + m3];
        // The rests of two sums are below 2 * 2^31, those of d3 below 2 * 2^33. The part taken from the a's
        // is small, that from the b's below 2^(50.8 + 14 - 32) = 2^32.8.
        let [low, high] = &self.halves;
        joined(low.times(h), high.times(h))
    }
}

/// The limbs of a number from the cut sums of both halves: each sum's rest, and the part taken away for the next limb.
#[inline(always)]
pub fn joined<R: Real>(low: [(R, R); 4], high: [(R, R); 4]) -> [R; 4] {
    let ([(a0, c0), (a1, c1), (a2, c2), (a3, c3)], [(b0, e0), (b1, e1), (b2, e2), (b3, e3)]) = (low, high);
    [
        (c3 + e3).mul_add(c3.like(WRAP), a0 + b0),
        (a1 + b1) + (c0 + e0),
        (a2 + b2) + (c1 + e1),
        (a3 + b3) + (c2 + e2),
    ]
}

/// Absorbs whole blocks, then `tail` as the last block unless it is empty.
fn one(job: Blocks<'_>) {
    let State { h: [h0, h1, h2], key } = *job.state;
    let r = Multiplier::new(&key, HALF);
    let mut h = number(u128::from(h0) | u128::from(h1) << 64, h2);
    for &block in job.blocks {
        h = r.absorb(h, number(u128::from_le_bytes(block), 1));
    }
    if !job.tail.is_empty() {
        h = r.absorb(h, number(last_block(job.tail), 0));
    }
    job.state.h = canonical(h);
}

#[cfg(test)]
pub mod tests {
    use super::super::real::grid::Grid;
    use super::*;

    /// The largest limbs of an accumulator at the start of a job, and of a whole block.
    pub const ENTRY: [u64; 4] = [u32::MAX as u64, u32::MAX as u64, u32::MAX as u64, (1 << 35) - 1];
    pub const BLOCK: [u64; 4] = [u32::MAX as u64, u32::MAX as u64, u32::MAX as u64, (1 << 33) - 1];
    /// Those of an accumulator after a block.
    const AFTER: [u64; 4] = [0x2_9000_0000, 0x2_8000_0000, 0x2_7000_0000, 0x5_6000_0000];

    /// Limbs up to these.
    pub fn grids(most: [u64; 4]) -> [Grid<53>; 4] {
        let [a, b, c, d] = most;
        [Grid::up_to(a, 0), Grid::up_to(b, 32), Grid::up_to(c, 64), Grid::up_to(d, 96)]
    }

    /// The largest multiplier, cut above `bits` bits: ri < 2^28, and si < 5/4 * 2^28.
    pub fn largest(bits: u32) -> Multiplier<Grid<53>> {
        let (low, r) = ((1 << bits) - 1, (1 << 28) - 1);
        let half = |shift: i32, r: u64, s: u64| Half {
            r: [0, 32, 64, 96].map(|at| Grid::up_to(r, at + shift)),
            s: [-96, -64, -32].map(|at| Grid::up_to(s, at + shift)),
        };
        Multiplier { halves: [half(0, low, low), half(bits as i32, r >> bits, (r + (r >> 2)) >> bits)] }
    }

    #[test]
    fn no_number_is_rounded() {
        let multiplier = largest(HALF);
        for h in [ENTRY, AFTER] {
            let after = multiplier.absorb(grids(h), grids(BLOCK));
            assert!(after.into_iter().zip(grids(AFTER)).all(|(h, most)| h.within(most)), "{after:x?}");
        }
    }
}
