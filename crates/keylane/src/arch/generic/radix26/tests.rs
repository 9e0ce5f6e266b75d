//! Tests products and tags with limbs at their bounds. tests/symbols checks the bounds themselves.

use super::limbs::*;
use super::order::STEPS;
use super::powers::{factors, multiply};
use super::turns::{Factors, Sums};
use super::vectors::Vectors26;
use crate::job::limits::Method;

/// The largest limb after a carry, as at the head of mod.rs.
const CARRIED: u64 = (1 << 26) + (1 << 13);

/// Tags of limbs at the edges, as the accumulator of a single message can have them.
#[test]
fn tags_at_the_edges() {
    let edges = [0, 1, 5, MASK - 5, MASK - 4, MASK - 1, MASK, MASK + 1, CARRIED];
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
            let expected = crate::job::poly1305::tag(join_columns(places), s);
            assert_eq!(u128::from(low[0]) | u128::from(high[1]) << 64, expected, "{places:x?} {s:x?}");
        }
    }
}

/// Vectors that are arrays.
#[derive(Clone, Copy)]
struct Plain;

impl Vectors26<2> for Plain {
    type Vector = [u64; 2];
    const BY_8: Method = Method::P2Sse2By8;

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

/// A number below p = 2^130 - 5: the first times 2^128, plus the second.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Residue(u8, u128);

impl Residue {
    fn plus(self, other: Residue) -> Residue {
        let (low, carry) = self.1.overflowing_add(other.1);
        let sum = Residue(self.0 + other.0 + u8::from(carry), low);
        if (sum.0, sum.1) < (3, u128::MAX - 4) {
            return sum;
        }
        // Minus p: plus 5, minus 2^130.
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

/// Limbs that are 0, 1 or the highest, in every combination, as accumulator, as blocks and as powers. The results are
/// compared with numbers of 130 bits.
#[test]
fn limbs_at_the_edges() {
    let most = CARRIED;
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

            let by = |power| factor(Plain, lanes(power));
            let columns = multiply_add(Plain, [[0; 2]; 5], lanes(m), &by(c));
            let limbs = carry(Plain, multiply_add(Plain, columns, lanes(a), &by(b)));
            assert!(limbs.iter().all(|limb| limb[0] <= most));
            let both = product.plus(Residue::product(m, Residue::of(c)));
            assert_eq!(Residue::of(limbs.map(|limb| limb[0])), both, "{a:x?} {b:x?} {c:x?} {m:x?}");

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
