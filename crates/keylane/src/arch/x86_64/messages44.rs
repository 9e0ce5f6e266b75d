//! Poly1305 in base 2^44 of messages in lanes, for poly1305_x8_avx512ifma: the powers of r, a turn of four blocks or two, and
//! the tags. The code around it chooses the blocks of each lane.

#![forbid(unsafe_code)]

use super::radix44::{Limbs, Multiplier, Vectors44};
use crate::job::barrier::in_memory;

/// The operations of a tag.
pub trait Tags44: Vectors44 {
    /// The bits of either.
    fn or(self, a: Self::V, b: Self::V) -> Self::V;
    /// `x`, plus 1 where a < b.
    fn plus_below(self, x: Self::V, a: Self::V, b: Self::V) -> Self::V;
}

/// A method of absorbing blocks.
pub trait Turn<B: Vectors44> {
    /// (a + b0) r^4 + b1 r^3 + b2 r^2 + b3 r.
    fn four(&self, b: B, a: Limbs<B::V>, blocks: [Limbs<B::V>; 4]) -> Limbs<B::V>;
    /// (a + b0) r^2 + b1 r.
    fn two(&self, b: B, a: Limbs<B::V>, blocks: [Limbs<B::V>; 2]) -> Limbs<B::V>;
}

/// Two products of two blocks each.
pub struct Pairs<V> {
    /// r.
    one: Multiplier<V>,
    /// r^2.
    two: Multiplier<V>,
}

impl<V: Copy> Pairs<V> {
    /// The powers of r.
    #[inline(always)]
    pub fn new<B: Vectors44<V = V>>(b: B, r: Limbs<V>) -> Self {
        let one = b.multiplier(r);
        let two = b.multiplier(b.carry(b.fold(b.square(&one))));
        Pairs { one, two }
    }
}

impl<B: Vectors44> Turn<B> for Pairs<B::V> {
    #[inline(always)]
    fn four(&self, b: B, a: Limbs<B::V>, [b0, b1, b2, b3]: [Limbs<B::V>; 4]) -> Limbs<B::V> {
        let a = self.two(b, a, [b0, b1]);
        self.two(b, a, [b2, b3])
    }

    #[inline(always)]
    fn two(&self, b: B, a: Limbs<B::V>, [b0, b1]: [Limbs<B::V>; 2]) -> Limbs<B::V> {
        let sums = b.multiply_add(b.nothing(), b1, &self.one);
        b.carry(b.fold(b.multiply_add(sums, b.sum(a, b0), &self.two)))
    }
}

/// One product of four blocks by Karatsuba's method, with r^4, r^3, r^2 and r. They stay in memory, since the registers
/// are full.
pub struct Fours<'a, V>(pub &'a [[V; 6]; 4]);

/// The powers for [`Fours`]: r^4, r^3, r^2 and r.
#[inline(always)]
pub fn four_powers<B: Vectors44>(b: B, r: Limbs<B::V>) -> [[B::V; 6]; 4] {
    let one = b.multiplier(r);
    let r2 = b.carry(b.fold(b.square(&one)));
    let two = b.multiplier(r2);
    let r3 = b.product(r2, &one);
    let r4 = b.carry(b.fold(b.square(&two)));
    [b.with_sums(r4), b.with_sums(r3), b.with_sums(r2), b.with_sums(r)]
}

impl<B: Vectors44> Turn<B> for Fours<'_, B::V> {
    #[inline(always)]
    fn four(&self, b: B, a: Limbs<B::V>, [b0, b1, b2, b3]: [Limbs<B::V>; 4]) -> Limbs<B::V> {
        let [r4, r3, r2, r1] = in_memory(self.0);
        let sums = b.multiply_add_karatsuba(b.nothing_karatsuba(), b3, *r1);
        let sums = b.multiply_add_karatsuba(sums, b2, *r2);
        let sums = b.multiply_add_karatsuba(sums, b1, *r3);
        b.carry(b.fold_karatsuba(b.multiply_add_karatsuba(sums, b.sum(a, b0), *r4)))
    }

    #[inline(always)]
    fn two(&self, b: B, a: Limbs<B::V>, [b0, b1]: [Limbs<B::V>; 2]) -> Limbs<B::V> {
        let [_, _, r2, r1] = in_memory(self.0);
        let sums = b.multiply_add_karatsuba(b.nothing_karatsuba(), b1, *r1);
        b.carry(b.fold_karatsuba(b.multiply_add_karatsuba(sums, b.sum(a, b0), *r2)))
    }
}

/// Four blocks of each message, from its words. `ones` are 1 for whole blocks.
#[inline(always)]
pub fn blocks<B: Vectors44>(b: B, w: [B::V; 8], ones: [B::V; 4]) -> [Limbs<B::V>; 4] {
    [
        b.split(w[0], w[1], ones[0]),
        b.split(w[2], w[3], ones[1]),
        b.split(w[4], w[5], ones[2]),
        b.split(w[6], w[7], ones[3]),
    ]
}

/// The tags of accumulators with carried limbs, in words: (h mod p) + s mod 2^128, as in `job::poly1305::tag`.
#[inline(always)]
pub fn tags<B: Tags44>(b: B, [x0, x1, x2]: Limbs<B::V>, [s0, s1]: [B::V; 2]) -> [B::V; 2] {
    let (limb, five) = (b.splat((1 << 44) - 1), b.splat(5));
    let x1 = b.add(x1, b.shr(x0, 44));
    let x2 = b.add(x2, b.shr(x1, 44));
    let (x0, x1) = (b.and(x0, limb), b.and(x1, limb));
    // q = h / p, from e = h / 2^130: the carry out of h + 5 (e + 1).
    let carry = b.shr(b.low(x0, b.add(b.shr(x2, 42), b.splat(1)), five), 44);
    let q = b.shr(b.add(x2, b.shr(b.add(x1, carry), 44)), 42);
    let x0 = b.low(x0, q, five);
    let x1 = b.add(x1, b.shr(x0, 44));
    let x2 = b.add(x2, b.shr(x1, 44));
    let (x0, x1) = (b.and(x0, limb), b.and(x1, limb));
    let low = b.add(b.or(x0, b.shl(x1, 44)), s0);
    let high = b.add(b.or(b.shr(x1, 20), b.shl(x2, 24)), s1);
    [low, b.plus_below(high, low, s0)]
}
