//! Numbers of five limbs in base 2^26, one in each lane: splitting, sums, products, carries, and joining.

use super::vectors::Vectors26;

pub const MASK: u64 = (1 << 26) - 1;
/// 2^128 in the limb at 2^104.
pub const WHOLE: u64 = 1 << 24;

/// The limbs of N whole blocks.
#[inline(always)]
pub fn split_blocks<L: Vectors26<N>, const N: usize>(cpu: L, blocks: &[[u8; 16]; N]) -> [L::Vector; 5] {
    split(cpu, cpu.words(blocks), cpu.splat(WHOLE))
}

/// The limbs of 128-bit numbers, with `pad` in the highest.
#[inline(always)]
pub fn split<L: Vectors26<N>, const N: usize>(
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

/// Sums of limbs.
#[inline(always)]
pub fn add<L: Vectors26<N>, const N: usize>(cpu: L, a: [L::Vector; 5], b: [L::Vector; 5]) -> [L::Vector; 5] {
    let ([a0, a1, a2, a3, a4], [b0, b1, b2, b3, b4]) = (a, b);
    [cpu.add(a0, b0), cpu.add(a1, b1), cpu.add(a2, b2), cpu.add(a3, b3), cpu.add(a4, b4)]
}

#[inline(always)]
pub fn times_5<L: Vectors26<N>, const N: usize>(cpu: L, a: L::Vector) -> L::Vector {
    cpu.add(a, cpu.shl(a, 2))
}

/// Limbs of at most 2^26 + 2^13 from columns below 2^61. Two carry chains run at the same time, from the lowest column
/// and from the fourth.
#[inline(always)]
pub fn carry<L: Vectors26<N>, const N: usize>(
    cpu: L,
    [c0, c1, c2, c3, c4]: [L::Vector; 5],
) -> [L::Vector; 5] {
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

/// A number as a factor: its limbs, and 5 times the upper four.
pub type Factor<V> = [V; 9];

/// Makes a factor of a number.
#[inline(always)]
pub fn factor<L: Vectors26<N>, const N: usize>(
    cpu: L,
    [r0, r1, r2, r3, r4]: [L::Vector; 5],
) -> Factor<L::Vector> {
    [r0, r1, r2, r3, r4, times_5(cpu, r1), times_5(cpu, r2), times_5(cpu, r3), times_5(cpu, r4)]
}

/// What holds or makes the parts of a [`Factor`].
pub trait AsFactor<V> {
    /// Part `N`: a limb, or 5 times a limb.
    fn part<const N: usize>(&self) -> V;
}

impl<V: Copy> AsFactor<V> for Factor<V> {
    #[inline(always)]
    fn part<const N: usize>(&self) -> V {
        self[N % 9]
    }
}

/// `columns` plus x times the number with these factors, in each lane. The products take the parts of the factor
/// one after the other:
///
/// ```text
/// r0:  c0 += x0 r0   c1 += x1 r0   c2 += x2 r0   c3 += x3 r0   c4 += x4 r0
/// s4:  c0 += x1 s4   c1 += x2 s4   c2 += x3 s4   c3 += x4 s4
/// s3:  c0 += x2 s3   c1 += x3 s3   c2 += x4 s3
/// ...
/// ```
///
/// So five sums, five limbs, one part and one product are live: 12 of 16 registers.
#[inline(always)]
pub fn multiply_add<L: Vectors26<N>, const N: usize>(
    cpu: L,
    columns: [L::Vector; 5],
    x: [L::Vector; 5],
    by: &impl AsFactor<L::Vector>,
) -> [L::Vector; 5] {
    let ([c0, c1, c2, c3, c4], [x0, x1, x2, x3, x4]) = (columns, x);
    let sum = |column, x, factor| cpu.mul_add(column, x, factor);
    let r0 = by.part::<0>();
    let (c0, c1, c2) = (sum(c0, x0, r0), sum(c1, x1, r0), sum(c2, x2, r0));
    let (c3, c4) = (sum(c3, x3, r0), sum(c4, x4, r0));
    let s4 = by.part::<8>();
    let (c0, c1, c2, c3) = (sum(c0, x1, s4), sum(c1, x2, s4), sum(c2, x3, s4), sum(c3, x4, s4));
    let s3 = by.part::<7>();
    let (c0, c1, c2) = (sum(c0, x2, s3), sum(c1, x3, s3), sum(c2, x4, s3));
    let s2 = by.part::<6>();
    let (c0, c1) = (sum(c0, x3, s2), sum(c1, x4, s2));
    let s1 = by.part::<5>();
    let c0 = sum(c0, x4, s1);
    let r1 = by.part::<1>();
    let (c1, c2, c3, c4) = (sum(c1, x0, r1), sum(c2, x1, r1), sum(c3, x2, r1), sum(c4, x3, r1));
    let r2 = by.part::<2>();
    let (c2, c3, c4) = (sum(c2, x0, r2), sum(c3, x1, r2), sum(c4, x2, r2));
    let r3 = by.part::<3>();
    let (c3, c4) = (sum(c3, x0, r3), sum(c4, x1, r3));
    let r4 = by.part::<4>();
    [c0, c1, c2, c3, sum(c4, x0, r4)]
}

/// Product in each lane, as columns. The rows come one after the other: with one product, `multiply_add` spills more.
#[inline(always)]
pub fn product<L: Vectors26<N>, const N: usize>(
    cpu: L,
    [a0, a1, a2, a3, a4]: [L::Vector; 5],
    r: [L::Vector; 5],
) -> [L::Vector; 5] {
    let [r0, r1, r2, r3, r4, s1, s2, s3, s4] = factor(cpu, r);
    let mut columns = [cpu.splat(0); 5];
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

/// The tags of the numbers in the lanes, (h mod p) + s mod 2^128, in words. The limbs of h must be carried.
#[inline(always)]
pub fn tags<L: Vectors26<N>, const N: usize>(
    cpu: L,
    [h0, h1, h2, h3, h4]: [L::Vector; 5],
    [s0, s1]: [L::Vector; 2],
) -> [L::Vector; 2] {
    // Two limbs join to one of 52 bits, and carries are at most 2.
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
    // h + 5 q + s, where 2^130 q vanishes modulo 2^128.
    let x0 = cpu.add(cpu.add(x0, times_5(cpu, q)), cpu.and(s0, mask));
    let middle = cpu.and(cpu.or(cpu.shr(s0, 52), cpu.shl(s1, 12)), mask);
    let x1 = cpu.add(cpu.add(x1, middle), cpu.shr(x0, 52));
    let x2 = cpu.add(cpu.add(x2, cpu.shr(s1, 40)), cpu.shr(x1, 52));
    let (x0, x1) = (cpu.and(x0, mask), cpu.and(x1, mask));
    [cpu.or(x0, cpu.shl(x1, 52)), cpu.or(cpu.shr(x1, 12), cpu.shl(x2, 40))]
}

/// The limbs of a number in base 2^64 whose highest word is at most 7. The highest limb is below 2^27.
#[inline(always)]
pub fn from_base_64([h0, h1, h2]: [u64; 3]) -> [u64; 5] {
    [h0 & MASK, h0 >> 26 & MASK, (h0 >> 52 | h1 << 12) & MASK, h1 >> 14 & MASK, h1 >> 40 | h2 << 24]
}

/// The sum of the lanes as a canonical accumulator.
#[inline(always)]
pub fn leave<L: Vectors26<N>, const N: usize>(cpu: L, [c0, c1, c2, c3, c4]: [L::Vector; 5]) -> [u64; 3] {
    join_columns([cpu.sum(c0), cpu.sum(c1), cpu.sum(c2), cpu.sum(c3), cpu.sum(c4)])
}

/// A canonical accumulator from columns below 2^62.
#[inline(always)]
pub fn join_columns(columns: [u64; 5]) -> [u64; 3] {
    // The part at 2^130 and above returns times 5. h2 <= 3 + 1.
    let [h0, h1, h2] = gather(columns);
    let low = u128::from(h0) | u128::from(h1) << 64;
    let (low, carry) = low.overflowing_add(u128::from(5 * (h2 >> 2)));
    [low as u64, (low >> 64) as u64, (h2 & 3) + u64::from(carry)]
}

/// The number of columns below 2^62, in base 2^64. Its highest word is below 2^39.
#[inline(always)]
pub fn gather(columns: [u64; 5]) -> [u64; 3] {
    let [c0, c1, c2, c3, c4] = columns.map(u128::from);
    let low = c0 + (c1 << 26) + (c2 << 52);
    let high = (low >> 64) + (c3 << 14) + (c4 << 40);
    [low as u64, high as u64, (high >> 64) as u64]
}
