//! Poly1305 in double precision, eight blocks of one message at a time, four of them in the lanes of an AVX
//! register.
//!
//! id        poly1305_p8_fma        slot  poly1305-x1        requires  avx2 fma
//! does      h <- h r^8 + m r^4 + m'  (mod 2^130 - 5) in each of four lanes, in base 2^22, partly reduced; at the end
//!           the sum h0 r^4 + h1 r^3 + h2 r^2 + h3 r
//! bounds    after a step limbs are below 2^21 + 2^9 at their places, of either sign; no sum reaches 2^53 (the test
//!           below checks this). 72 multiply-adds and 66 additions for eight blocks: 36 cycles at two of each per
//!           cycle. The chain of 6 multiply-adds and 8 additions takes 48 cycles. Measured 87, 3/4 of the time of
//!           poly1305_x1_u64 (Zen 4)
//! timing    no secret-dependent branch or index. AVX additions and multiplications have a fixed time on x86-64 CPUs
//!           of Intel and AMD, except for subnormal numbers; here a number is 0 or at least 2^-130
//! origin    written here after [Poly1305-AES], [GollGueron] and [OpenSSL-survey]
//!
//! The powers of r have limbs without zero bits at the top, so both factors must be small. With n limbs of w
//! = 132 / n bits, of either sign, a product has 2 w - 2 bits. A sum has n products, n - 1 of them times 20,
//! since 2^132 = 20 (mod p). Base 2^26.4, n = 5, needs 50.8 + 6.4 = 57.2 bits: too many. Base 2^22, n = 6,
//! needs 42 + 6.7 = 48.7 of the available 53. So there are six limbs and 36 products, each one multiply-add.
//! The remaining room takes a second set of products, with the limbs of a message, which are twice as large:
//! 50.3 bits.
//!
//! A sum has 28 bits above its limb, so the part taken at a cut is larger than a limb, and carries go around
//! twice. Each time all six cuts happen at once. The second four blocks are added after the first pass, so
//! the second pass makes them small too.
//!
//! Lanes are blocks, not limbs: no product needs a shuffle. Lane i sums the blocks whose number is i modulo 4
//! as a polynomial in r^4. (Unpacking 64-bit words puts block 2 into lane 1 and block 1 into lane 2.) The
//! products of the first four blocks and r^4 do not wait for h. Messages shorter than twelve blocks, and the
//! rests of longer ones, are absorbed in base 2^44.

#![allow(unsafe_code)]

use super::poly1305_x1_base44::absorb;
use super::radix;
use super::real::{Real, WRAP, lift, place, power, rounder};
use core::arch::x86_64::*;
use core::hint::black_box;
use core::mem::transmute;
use core::ops::{Add, Mul, Sub};
use keylane::job::poly1305::{Blocks, State, X1};
use keylane::kernel;

kernel! {
    /// One message.
    pub ONE: X1 = "poly1305_p8_fma", lanes 8, requires ["avx2", "fma"], |job: Blocks<'_>| one(job)
}

/// The width of a limb.
const WIDTH: u32 = 22;

/// Four numbers. A value proves that the CPU has AVX2 and FMA: only functions that enable both make one, or
/// derive it from another value.
#[derive(Clone, Copy)]
struct Quad(__m256d);

impl Add for Quad {
    type Output = Quad;

    #[inline(always)]
    fn add(self, other: Quad) -> Quad {
        // SAFETY: `self` is the proof.
        Quad(unsafe { _mm256_add_pd(self.0, other.0) })
    }
}

impl Sub for Quad {
    type Output = Quad;

    #[inline(always)]
    fn sub(self, other: Quad) -> Quad {
        // SAFETY: `self` is the proof.
        Quad(unsafe { _mm256_sub_pd(self.0, other.0) })
    }
}

impl Mul for Quad {
    type Output = Quad;

    #[inline(always)]
    fn mul(self, other: Quad) -> Quad {
        // SAFETY: `self` is the proof.
        Quad(unsafe { _mm256_mul_pd(self.0, other.0) })
    }
}

impl Real for Quad {
    #[inline(always)]
    fn mul_add(self, y: Quad, z: Quad) -> Quad {
        // SAFETY: `self` is the proof.
        Quad(unsafe { _mm256_fmadd_pd(self.0, y.0, z.0) })
    }

    #[inline(always)]
    fn cut(self, cut: i32) -> (Quad, Quad) {
        let rounder = self.like(rounder(cut));
        let taken = (self + rounder) - rounder;
        (self - taken, taken)
    }

    #[inline(always)]
    fn like(self, constant: f64) -> Quad {
        // SAFETY: `self` is the proof.
        Quad(unsafe { _mm256_set1_pd(constant) })
    }
}

/// The same number in each lane.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn splat(x: f64) -> Quad {
    Quad(_mm256_set1_pd(x))
}

/// A number in lane 0.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn first(x: f64) -> Quad {
    Quad(_mm256_setr_pd(x, 0.0, 0.0, 0.0))
}

/// a, c, b and d, each in its lane.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn lanes(a: Quad, b: Quad, c: Quad, d: Quad) -> Quad {
    let (ac, bd) = (_mm256_blend_pd::<0b0010>(a.0, c.0), _mm256_blend_pd::<0b1000>(b.0, d.0));
    Quad(_mm256_blend_pd::<0b1100>(ac, bd))
}

/// The sum of the lanes of a limb.
#[inline(always)]
fn sum(x: Quad, at: i32) -> i64 {
    // SAFETY: both have 32 bytes, and any bits are a number.
    let lanes = unsafe { transmute::<__m256d, [f64; 4]>(x.0) };
    lanes.into_iter().map(|lane| lift(lane, at)).sum()
}

/// Four blocks, each in its lane.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn message(&[a, b, c, d]: &[[u8; 16]; 4]) -> [Quad; 6] {
    // SAFETY: both have 32 bytes, of any value.
    let ab = unsafe { transmute::<[[u8; 16]; 2], __m256i>([a, b]) };
    // SAFETY: as above.
    let cd = unsafe { transmute::<[[u8; 16]; 2], __m256i>([c, d]) };
    let (low, high) = (_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
    let mask = _mm256_set1_epi64x((1 << WIDTH) - 1);
    let place = |limb, at, bit| {
        let offset = power(52 + at);
        let bits = _mm256_or_si256(limb, _mm256_set1_epi64x((offset.to_bits() | bit) as i64));
        Quad(_mm256_sub_pd(_mm256_castsi256_pd(bits), _mm256_set1_pd(offset)))
    };
    let middle = _mm256_or_si256(_mm256_srli_epi64::<44>(low), _mm256_slli_epi64::<20>(high));
    [
        place(_mm256_and_si256(low, mask), 0, 0),
        place(_mm256_and_si256(_mm256_srli_epi64::<22>(low), mask), 22, 0),
        place(_mm256_and_si256(middle, mask), 44, 0),
        place(_mm256_and_si256(_mm256_srli_epi64::<2>(high), mask), 66, 0),
        place(_mm256_and_si256(_mm256_srli_epi64::<24>(high), mask), 88, 0),
        // The byte 1 after each block is 2^128 = 2^18 * 2^110.
        place(_mm256_srli_epi64::<46>(high), 110, 1 << 18),
    ]
}

/// The limbs of low + 2^128 high.
#[inline(always)]
fn number(low: u128, high: u64) -> [f64; 6] {
    let [a, b, c, d, e, f] = radix::limbs(low, high, WIDTH);
    [place(a, 0), place(b, 22), place(c, 44), place(d, 66), place(e, 88), place(f, 110)]
}

/// The rest of each limb, and the part taken at the place of the next.
#[inline(always)]
fn cut<R: Real>([d0, d1, d2, d3, d4, d5]: [R; 6]) -> [(R, R); 6] {
    [d0.cut(22), d1.cut(44), d2.cut(66), d3.cut(88), d4.cut(110), d5.cut(132)]
}

/// Carries once around.
#[inline(always)]
fn carry<R: Real>(d: [R; 6]) -> [R; 6] {
    let [(d0, c0), (d1, c1), (d2, c2), (d3, c3), (d4, c4), (d5, c5)] = cut(d);
    [c5.mul_add(c5.like(WRAP), d0), d1 + c0, d2 + c1, d3 + c2, d4 + c3, d5 + c4]
}

/// Carries once around and adds m.
#[inline(always)]
fn carry_and_add<R: Real>(d: [R; 6], [m0, m1, m2, m3, m4, m5]: [R; 6]) -> [R; 6] {
    let [(d0, c0), (d1, c1), (d2, c2), (d3, c3), (d4, c4), (d5, c5)] = cut(d);
    let d0 = d0 + c5.mul_add(c5.like(WRAP), m0);
    [d0, d1 + (c0 + m1), d2 + (c1 + m2), d3 + (c2 + m3), d4 + (c3 + m4), d5 + (c4 + m5)]
}

/// A power of r, and 5 * 2^-130 times all its limbs except the lowest.
#[derive(Clone, Copy)]
struct Multiplier<R> {
    r: [R; 6],
    s: [R; 5],
}

impl<R: Real> Multiplier<R> {
    #[inline(always)]
    fn new(r: [R; 6]) -> Self {
        let [_, r1, r2, r3, r4, r5] = r;
        Multiplier { r, s: [r1, r2, r3, r4, r5].map(|limb| limb * limb.like(WRAP)) }
    }

    /// h r + d, as uncarried sums.
    #[inline(always)]
    fn add_to(&self, [d0, d1, d2, d3, d4, d5]: [R; 6], [h0, h1, h2, h3, h4, h5]: [R; 6]) -> [R; 6] {
        let ([r0, r1, r2, r3, r4, r5], [s1, s2, s3, s4, s5]) = (self.r, self.s);
        let sum = |d, [a0, a1, a2, a3, a4, a5]: [R; 6]| {
            let sum = h2.mul_add(a2, h1.mul_add(a1, h0.mul_add(a0, d)));
            h5.mul_add(a5, h4.mul_add(a4, h3.mul_add(a3, sum)))
        };
        // Limbs of r are below 2^21 + 2^9 at their places. So are those of h, unless h is a message: then
        // they are below 2^22. At the place of the sum, a product with si counts 20 times. So the sum for an
        // h and a message is below 101 * 2^42.1 + 101 * 2^43.1 < 2^50.4.
        [
            sum(d0, [r0, s5, s4, s3, s2, s1]),
            sum(d1, [r1, r0, s5, s4, s3, s2]),
            sum(d2, [r2, r1, r0, s5, s4, s3]),
            sum(d3, [r3, r2, r1, r0, s5, s4]),
            sum(d4, [r4, r3, r2, r1, r0, s5]),
            sum(d5, [r5, r4, r3, r2, r1, r0]),
        ]
    }

    /// h r, as uncarried sums.
    #[inline(always)]
    fn times(&self, h: [R; 6]) -> [R; 6] {
        self.add_to(h.map(|limb| limb.like(0.0)), h)
    }

    /// h r, carried.
    #[inline(always)]
    fn multiply(&self, h: [R; 6]) -> [R; 6] {
        carry(carry(self.times(h)))
    }
}

/// h r^8 + m r^4 + m'.
#[inline(always)]
fn absorb_two<R: Real>([by_r4, by_r8]: &[Multiplier<R>; 2], h: [R; 6], [m, next]: [[R; 6]; 2]) -> [R; 6] {
    // In the first pass the part taken is below 2^28.4, and from the top limb, times 20, below 2^30.2 (d5
    // contains no si). So in the second pass it is below 2^9.
    carry(carry_and_add(by_r8.add_to(by_r4.times(m), h), next))
}

/// With fewer groups of four blocks, the powers of r cost more than they save.
const GROUPS: usize = 3;

/// Absorbs whole blocks, then the tail as the last block unless it is empty.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn one(job: Blocks<'_>) {
    let (groups, rest) = job.blocks.as_chunks::<4>();
    let rest = match groups {
        [start, groups @ ..] if groups.len() + 1 >= GROUPS => {
            vertical(job.state, start, groups);
            rest
        }
        _ => job.blocks,
    };
    absorb(job.state, rest, job.tail);
}

/// Absorbs four blocks, then the groups of four after them.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn vertical(state: &mut State, start: &[[u8; 16]; 4], groups: &[[[u8; 16]; 4]]) {
    let join = |low, high| u128::from(low) | u128::from(high) << 64;
    let [low, high] = state.key.r;
    let r1 = carry(number(join(low, high), 0).map(|limb| splat(limb)));
    let by_r1 = Multiplier::new(r1);
    let r2 = by_r1.multiply(r1);
    let r3 = by_r1.multiply(r2);
    let r4 = Multiplier::new(r2).multiply(r2);
    let by_r4 = Multiplier::new(r4);
    let multipliers = [by_r4, Multiplier::new(by_r4.multiply(r4))];

    let [h0, h1, h2] = state.h;
    let m = message(start);
    let [a0, a1, a2, a3, a4, a5] = number(join(h0, h1), h2).map(|limb| first(limb));
    let [m0, m1, m2, m3, m4, m5] = m;
    let mut h = carry([a0 + m0, a1 + m1, a2 + m2, a3 + m3, a4 + m4, a5 + m5]);
    let (pairs, left) = groups.as_chunks::<2>();
    for [group, next] in pairs {
        // Load the multipliers from memory each time: 22 of them do not fit into 16 registers. If the
        // compiler spills them itself, they straddle cache lines.
        h = absorb_two(black_box(&multipliers), h, [message(group), message(next)]);
    }
    for group in left {
        h = carry(carry_and_add(by_r4.times(h), message(group)));
    }

    let mut powers = r4;
    for ((power, (&r3, &r2)), &r1) in powers.iter_mut().zip(r3.iter().zip(&r2)).zip(&r1) {
        *power = lanes(*power, r3, r2, r1);
    }
    let [h0, h1, h2, h3, h4, h5] = Multiplier::new(powers).multiply(h);
    let sums = [sum(h0, 0), sum(h1, 22), sum(h2, 44), sum(h3, 66), sum(h4, 88), sum(h5, 110)];
    state.h = radix::canonical(sums, WIDTH);
}

#[cfg(test)]
mod tests {
    use super::super::real::grid::Grid;
    use super::*;

    /// The largest limb of a number of 132 bits, and after a carry around.
    const ENTRY: [u64; 6] = [(1 << 22) - 1; 6];
    const AFTER: [u64; 6] = [(1 << 21) + (1 << 9); 6];

    fn grids(most: [u64; 6]) -> [Grid<53>; 6] {
        let mut at = [0, 22, 44, 66, 88, 110].into_iter();
        most.map(|most| Grid::up_to(most, at.next().expect("six")))
    }

    fn is_within(limbs: [Grid<53>; 6]) -> bool {
        limbs.into_iter().zip(grids(AFTER)).all(|(limb, most)| limb.within(most))
    }

    #[test]
    fn no_number_is_rounded() {
        let by_power = Multiplier::new(grids(AFTER));
        let step = absorb_two(&[by_power; 2], grids(AFTER), [grids(ENTRY); 2]);
        let last = carry(carry_and_add(by_power.times(grids(AFTER)), grids(ENTRY)));
        for after in [step, last, by_power.multiply(grids(AFTER))] {
            assert!(is_within(after), "{after:x?}");
        }
        // r, and the sum of the accumulator and the first blocks at the start.
        let twice = grids(ENTRY.map(|limb| 2 * limb));
        for after in [carry(grids(ENTRY)), carry(twice)] {
            assert!(is_within(after), "{after:x?}");
        }
        // The sum of four lanes is below 16 p, as `canonical` requires. The lower limbs add less than 3.
        let [.., top] = AFTER;
        assert!(4 * top + 3 < 1 << (134 - 110));
        // 131 bits fit into 132.
        assert!(radix::limbs::<6>(u128::MAX, 7, WIDTH).iter().all(|limb| limb >> WIDTH == 0));
    }
}
