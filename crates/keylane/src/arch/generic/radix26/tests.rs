//! Proves the bounds of every limb by running this code over polynomials, and tests tags at the edges.

use super::limbs::*;
use super::order::STEPS;
use super::powers::{factors, multiply};
use super::turns::{Factors, Sums};
use super::vectors::Vectors26;
use crate::job::limits::Method;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A number as a polynomial in limbs: a sum of products of at most two limbs, each with a coefficient. Sums,
/// differences and left shifts keep that form and are exact modulo 2^64. An operation that reads bits checks that the
/// number is below 2^64. It makes a new limb, with nothing known except its bound.
type Sum = BTreeMap<[usize; 2], i128>;

/// The limb that is 1.
const ONE: usize = 0;

/// Vectors that compute bounds.
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

    /// The highest value of a number that must not be negative.
    fn most(self, a: usize) -> u128 {
        let limbs = self.limbs.borrow();
        let sum = self.sum_of(a);
        assert!(sum.values().all(|&coefficient| coefficient > 0), "may be negative: {sum:?}");
        sum.iter().map(|(&[i, j], &factor)| limbs[i] * limbs[j] * factor as u128).sum()
    }

    /// The highest value of a number whose bits an operation reads.
    fn seen(self, a: usize) -> u128 {
        let most = self.most(a);
        assert!(most < 1 << 64, "up to 2^{:.2}", (most as f64).log2());
        most
    }
}

impl Vectors26<2> for Bounds<'_> {
    type Vector = usize;
    const BY_8: Method = Method::P2Sse2By8;

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

    /// Bits that leave the 64 are dropped on purpose, where only low bits are read later.
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

/// The bound of limbs after a carry, as at the head of mod.rs.
const CARRIED: u128 = (1 << 26) + (1 << 13);
/// The bound of an accumulator's limbs when it joins.
const JOINED: u128 = 1 << 27;

/// Checks a turn of this many steps, for accumulators that join and for carried ones. All powers are products of
/// carried limbs.
fn turn_of(steps: usize) {
    with_bounds(|cpu| {
        let factors: Vec<Vec<usize>> =
            (0..steps).map(|_| factors(cpu, [(); 5].map(|()| cpu.limb(CARRIED))).to_vec()).collect();
        for before in [JOINED, CARRIED] {
            let mut sums = Sums::zero(cpu);
            for step in (0..steps - 1).rev() {
                sums.add(cpu, split_blocks(cpu, &[[0; 16]; 2]), &*factors, step);
            }
            let a = add(cpu, [(); 5].map(|()| cpu.limb(before)), split_blocks(cpu, &[[0; 16]; 2]));
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
        // r^2, r^3 and r^4 come from base 2^64, with up to 4 at 2^128.
        let scalar = split(cpu, cpu.words(&[[0; 16]; 2]), cpu.limb(4 << 24));
        assert!(scalar.iter().all(|&limb| cpu.seen(limb) <= JOINED));
        for x in [power, scalar] {
            for y in [power, scalar] {
                let limbs = multiply(cpu, x, y);
                assert!(limbs.iter().all(|&limb| cpu.seen(limb) <= CARRIED));
            }
            let a = add(cpu, [(); 5].map(|()| cpu.limb(JOINED)), split_blocks(cpu, &[[0; 16]; 2]));
            let columns = product(cpu, a, x);
            assert!(columns.iter().all(|&column| 8 * cpu.seen(column) < 1 << 62));
            assert!(factors(cpu, x).iter().all(|&factor| cpu.seen(factor) < 1 << 32));
        }
    });
}

/// The turns of `school`: up to four groups, with powers from base 2^64 or carried, after a head that joins or after a
/// carry; then the last step, whose columns are summed over four lanes.
#[test]
fn no_turn_of_all_products_overflows() {
    with_bounds(|cpu| {
        let carried = [(); 5].map(|()| cpu.limb(CARRIED));
        // h2 <= 4 after a block.
        let scalar = split(cpu, cpu.words(&[[0; 16]; 2]), cpu.limb(4 << 24));
        assert!(cpu.seen(scalar[4]) < 5 << 24);
        for power in [carried, scalar].map(|power| factor(cpu, power)) {
            for before in [scalar, carried] {
                let a = add(cpu, before, split_blocks(cpu, &[[0; 16]; 2]));
                for groups in 1..=4 {
                    let mut columns = [cpu.splat(0); 5];
                    for _ in 1..groups {
                        columns = multiply_add(cpu, columns, split_blocks(cpu, &[[0; 16]; 2]), &power);
                    }
                    columns = multiply_add(cpu, columns, a, &power);
                    assert!(columns.iter().all(|&column| cpu.seen(column) < 1 << 60), "a column");
                    let h = carry(cpu, columns);
                    assert!(h.iter().all(|&limb| cpu.seen(limb) <= CARRIED), "a carried limb");
                }
                let columns = multiply_add(cpu, [cpu.splat(0); 5], a, &power);
                assert!(columns.iter().all(|&column| 4 * cpu.seen(column) < 1 << 62), "a sum over the lanes");
            }
        }
    });
}

/// The number of columns at their bound has a highest word below 2^39; `tag` wants it below 2^60.
#[test]
fn the_highest_columns_gather() {
    let [_, _, h2] = gather([(1 << 62) - 1; 5]);
    assert!(h2 < 1 << 39);
}

/// Four products before a carry, one of them with an accumulator; and the parts of a tag.
#[test]
fn no_lane_overflows() {
    with_bounds(|cpu| {
        let power = [(); 5].map(|()| cpu.limb(CARRIED));
        let h = [(); 5].map(|()| cpu.limb(CARRIED));
        let mut sums = multiply_add(
            cpu,
            [cpu.splat(0); 5],
            add(cpu, h, split_blocks(cpu, &[[0; 16]; 2])),
            &factor(cpu, power),
        );
        for _ in 1..4 {
            sums = multiply_add(cpu, sums, split_blocks(cpu, &[[0; 16]; 2]), &factor(cpu, power));
        }
        assert!(sums.iter().all(|&column| cpu.seen(column) < 1 << 61), "a column");
        let h = carry(cpu, sums);
        assert!(h.iter().all(|&limb| cpu.seen(limb) <= CARRIED), "a carried limb");
        tags(cpu, h, cpu.words(&[[0; 16]; 2]));
    });
}

/// Tags of limbs at the edges, as the accumulator of a single message can have them.
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
