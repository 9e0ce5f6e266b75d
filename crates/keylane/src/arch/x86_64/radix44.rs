//! Arithmetic modulo p = 2^130 - 5 in base 2^44, a number in each lane.
//!
//! x = x0 + 2^44 x1 + 2^88 x2. The limbs have equal width, so the part at 2^132 returns times 20, since 2^132 = 4 *
//! 2^130 = 20 (mod p). The instructions multiply 52 bits by 52 and add the low or the high 52 bits of the product to 64
//! bits. A limb of 44 bits leaves room to add limbs before a product, and to add many products before a carry. A high
//! half belongs 52 bits up, which is 8 bits above the next limb.
//!
//! A carry leaves at most [`CARRIED`]. tests/symbols checks the bounds by running the same functions for all keys and
//! messages of a length at once.

/// A number in each lane: limbs.
pub type Limbs<V> = [V; 3];

/// 44 bits.
const LIMB: u64 = (1 << 44) - 1;

/// The largest limb after a carry: 44 bits, plus 20 times a carry of at most 19 bits.
#[cfg_attr(not(test), allow(dead_code))]
pub const CARRIED: u64 = LIMB + 20 * (1 << 19);

/// The most products in a sum that [`Vectors44::fold`] takes, by the schoolbook method: one of a sum of two numbers, the
/// others of blocks.
#[cfg_attr(not(test), allow(dead_code))]
pub const SCHOOLBOOK_PRODUCTS: usize = 4;

/// The most products in a sum that [`Vectors44::fold_karatsuba`] takes, by Karatsuba's method: one of a sum of two
/// numbers, the others of blocks.
pub const KARATSUBA_PRODUCTS: usize = 16;

/// A number as a multiplier: its limbs, and 20 times the upper two.
#[derive(Clone, Copy)]
pub struct Multiplier<V> {
    limbs: Limbs<V>,
    twenty: [V; 2],
}

/// Sums of products before a carry: the low and the high halves at each limb.
#[derive(Clone, Copy)]
pub struct Sums<V> {
    low: Limbs<V>,
    high: Limbs<V>,
}

/// Sums of Karatsuba's products: of the limbs 0, 1, 2 with each other, and of the sums 0 + 1, 0 + 2, 1 + 2.
#[derive(Clone, Copy)]
pub struct Karatsuba<V> {
    low: [V; 6],
    high: [V; 6],
}

/// The operations on vectors of 64-bit lanes.
pub trait Vectors44: Copy {
    /// One value for each lane.
    type V: Copy;

    /// The same in every lane.
    fn splat(self, x: u64) -> Self::V;
    /// a + b modulo 2^64.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// a - b modulo 2^64.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// The bits of both.
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    /// a 2^bits modulo 2^64.
    fn shl(self, a: Self::V, bits: u32) -> Self::V;
    /// a / 2^bits rounded down.
    fn shr(self, a: Self::V, bits: u32) -> Self::V;
    /// (low + 2^64 high) / 2^bits rounded down, modulo 2^64.
    fn shr_both(self, low: Self::V, high: Self::V, bits: u32) -> Self::V;
    /// sum + a b mod 2^52, where only the low 52 bits of a and b count.
    fn low(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V;
    /// sum + a b / 2^52 rounded down, where only the low 52 bits of a and b count.
    fn high(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V;

    /// e - d - f. Here e is a sum of halves of products (a + b)(x + y), and d and f are those of a x and b y.
    #[inline(always)]
    fn cross(self, e: Self::V, d: Self::V, f: Self::V) -> Self::V {
        self.sub(e, self.add(d, f))
    }

    /// 20 a.
    #[inline(always)]
    fn twenty(self, a: Self::V) -> Self::V {
        self.add(self.shl(a, 4), self.shl(a, 2))
    }

    /// The low and high words of blocks, or of r, as limbs. If `one` is 1, the block counts 2^128 more: the shift moves
    /// that bit to 40 bits above 2^88 at no cost. Limbs are below 2^44 and 2^41.
    #[inline(always)]
    fn split(self, low: Self::V, high: Self::V, one: Self::V) -> Limbs<Self::V> {
        let limb = self.splat(LIMB);
        let middle = self.and(self.shr_both(low, high, 44), limb);
        [self.and(low, limb), middle, self.shr_both(high, one, 24)]
    }

    /// The sum of two numbers.
    #[inline(always)]
    fn sum(self, a: Limbs<Self::V>, b: Limbs<Self::V>) -> Limbs<Self::V> {
        [self.add(a[0], b[0]), self.add(a[1], b[1]), self.add(a[2], b[2])]
    }

    /// A multiplier of `limbs`, which are at most CARRIED: 20 times a limb is below 2^49.
    #[inline(always)]
    fn multiplier(self, limbs: Limbs<Self::V>) -> Multiplier<Self::V> {
        let (zero, twenty) = (self.splat(0), self.splat(20));
        let twenty = [self.low(zero, limbs[1], twenty), self.low(zero, limbs[2], twenty)];
        Multiplier { limbs, twenty }
    }

    /// All sums zero.
    #[inline(always)]
    fn nothing(self) -> Sums<Self::V> {
        let zero = self.splat(0);
        Sums { low: [zero; 3], high: [zero; 3] }
    }

    /// sums + a m, where a is the sum of at most two numbers: limbs below 2^46.
    #[inline(always)]
    fn multiply_add(self, sums: Sums<Self::V>, a: Limbs<Self::V>, m: &Multiplier<Self::V>) -> Sums<Self::V> {
        self.multiply_add_lowest(self.multiply_add_upper(sums, a, m), a, m)
    }

    /// The part of `multiply_add` from limb 0 of a, which is the last one out of a carry.
    #[inline(always)]
    fn multiply_add_lowest(
        self,
        sums: Sums<Self::V>,
        a: Limbs<Self::V>,
        m: &Multiplier<Self::V>,
    ) -> Sums<Self::V> {
        let Sums { low, high } = sums;
        let [r0, r1, r2] = m.limbs;
        Sums {
            low: [self.low(low[0], a[0], r0), self.low(low[1], a[0], r1), self.low(low[2], a[0], r2)],
            high: [self.high(high[0], a[0], r0), self.high(high[1], a[0], r1), self.high(high[2], a[0], r2)],
        }
    }

    /// The part of `multiply_add` from limbs 1 and 2 of a.
    #[inline(always)]
    fn multiply_add_upper(
        self,
        sums: Sums<Self::V>,
        a: Limbs<Self::V>,
        m: &Multiplier<Self::V>,
    ) -> Sums<Self::V> {
        let Sums { low, high } = sums;
        let ([r0, r1, _], [s1, s2]) = (m.limbs, m.twenty);
        Sums {
            low: [
                self.low(self.low(low[0], a[1], s2), a[2], s1),
                self.low(self.low(low[1], a[1], r0), a[2], s2),
                self.low(self.low(low[2], a[1], r1), a[2], r0),
            ],
            high: [
                self.high(self.high(high[0], a[1], s2), a[2], s1),
                self.high(self.high(high[1], a[1], r0), a[2], s2),
                self.high(self.high(high[2], a[1], r1), a[2], r0),
            ],
        }
    }

    /// sums + a m, in two sets of sums: the chains are half as long, for six more additions.
    #[inline(always)]
    fn multiply_add_soon(
        self,
        sums: Sums<Self::V>,
        a: Limbs<Self::V>,
        m: &Multiplier<Self::V>,
    ) -> Sums<Self::V> {
        let x = self.multiply_add_upper(self.nothing(), a, m);
        let y = self.multiply_add_lowest(sums, a, m);
        Sums { low: self.sum(x.low, y.low), high: self.sum(x.high, y.high) }
    }

    /// a m.
    #[inline(always)]
    fn multiply(self, a: Limbs<Self::V>, m: &Multiplier<Self::V>) -> Sums<Self::V> {
        self.multiply_add(self.nothing(), a, m)
    }

    /// a a, where `m` is the multiplier of a: 12 products of halves instead of 18.
    #[inline(always)]
    fn square(self, m: &Multiplier<Self::V>) -> Sums<Self::V> {
        let ([a0, a1, a2], [_, s2]) = (m.limbs, m.twenty);
        let zero = self.splat(0);
        let (d0, d1) = (self.add(a0, a0), self.add(a1, a1));
        Sums {
            low: [
                self.low(self.low(zero, a0, a0), d1, s2),
                self.low(self.low(zero, d0, a1), a2, s2),
                self.low(self.low(zero, d0, a2), a1, a1),
            ],
            high: [
                self.high(self.high(zero, a0, a0), d1, s2),
                self.high(self.high(zero, d0, a1), a2, s2),
                self.high(self.high(zero, d0, a2), a1, a1),
            ],
        }
    }

    /// The limbs of sums of up to [`SCHOOLBOOK_PRODUCTS`] products, not carried: below 2^56. One multiplication moves a
    /// high half up, times 2^8, or times 20 * 2^8 after the last limb. High halves are below 2^44, and the last below
    /// 2^39.7, so these products have no bit above the low 52.
    #[inline(always)]
    fn fold(self, sums: Sums<Self::V>) -> Limbs<Self::V> {
        let (Sums { low, high }, up) = (sums, self.splat(1 << 8));
        [
            self.low(low[0], high[2], self.splat(20 << 8)),
            self.low(low[1], high[0], up),
            self.low(low[2], high[1], up),
        ]
    }

    /// The same number with limbs of at most [`CARRIED`]; those of `a` are below 2^63. All three limbs carry at once: a
    /// carry into a limb is not carried on.
    #[inline(always)]
    fn carry(self, a: Limbs<Self::V>) -> Limbs<Self::V> {
        let limb = self.splat(LIMB);
        [
            self.low(self.and(a[0], limb), self.shr(a[2], 44), self.splat(20)),
            self.add(self.and(a[1], limb), self.shr(a[0], 44)),
            self.add(self.and(a[2], limb), self.shr(a[1], 44)),
        ]
    }

    /// `carry(a)` + b. b is added to the part that is ready first.
    #[inline(always)]
    fn carry_add(self, a: Limbs<Self::V>, b: Limbs<Self::V>) -> Limbs<Self::V> {
        let limb = self.splat(LIMB);
        [
            self.low(self.add(self.and(a[0], limb), b[0]), self.shr(a[2], 44), self.splat(20)),
            self.add(self.add(self.and(a[1], limb), b[1]), self.shr(a[0], 44)),
            self.add(self.add(self.and(a[2], limb), b[2]), self.shr(a[1], 44)),
        ]
    }

    /// The accumulator at the head of a loop: the same. Symbols forget here what came before.
    #[inline(always)]
    fn carried(self, a: Limbs<Self::V>) -> Limbs<Self::V> {
        a
    }

    /// a m, carried.
    #[inline(always)]
    fn product(self, a: Limbs<Self::V>, m: &Multiplier<Self::V>) -> Limbs<Self::V> {
        self.carry(self.fold(self.multiply(a, m)))
    }

    /// Limbs and sums of two limbs: the operands of Karatsuba's products.
    #[inline(always)]
    fn with_sums(self, a: Limbs<Self::V>) -> [Self::V; 6] {
        let [a0, a1, a2] = a;
        [a0, a1, a2, self.add(a0, a1), self.add(a0, a2), self.add(a1, a2)]
    }

    /// Zero plus the bias: limbs 1 and 2 of 2^20 p in the places of 0 + 1 and 0 + 2, as `fold_karatsuba` expects.
    #[inline(always)]
    fn nothing_karatsuba(self) -> Karatsuba<Self::V> {
        let (zero, bias) = (self.splat(0), self.splat(BIAS[1]));
        Karatsuba { low: [zero, zero, zero, bias, bias, zero], high: [zero; 6] }
    }

    /// sums + a m, where m is limbs and sums of two: 12 products of halves instead of 18.
    #[inline(always)]
    fn multiply_add_karatsuba(
        self,
        sums: Karatsuba<Self::V>,
        a: Limbs<Self::V>,
        m: [Self::V; 6],
    ) -> Karatsuba<Self::V> {
        let (Karatsuba { low: l, high: h }, a) = (sums, self.with_sums(a));
        Karatsuba {
            low: [
                self.low(l[0], a[0], m[0]),
                self.low(l[1], a[1], m[1]),
                self.low(l[2], a[2], m[2]),
                self.low(l[3], a[3], m[3]),
                self.low(l[4], a[4], m[4]),
                self.low(l[5], a[5], m[5]),
            ],
            high: [
                self.high(h[0], a[0], m[0]),
                self.high(h[1], a[1], m[1]),
                self.high(h[2], a[2], m[2]),
                self.high(h[3], a[3], m[3]),
                self.high(h[4], a[4], m[4]),
                self.high(h[5], a[5], m[5]),
            ],
        }
    }

    /// The limbs of sums of up to [`KARATSUBA_PRODUCTS`] products, not carried: below 2^63.
    ///
    /// With d_i = a_i m_i and e_ij = (a_i + a_j)(m_i + m_j), the product's limbs are
    ///
    /// ```text
    /// x0 = d0    x1 = e01 - d0 - d1    x2 = e02 - d0 - d2 + d1    x3 = e12 - d1 - d2    x4 = d2
    /// ```
    ///
    /// for low and high halves alike; x3 and x4 return to limbs 0 and 1 times 20. The high half of a difference is
    /// never negative: the halves of a sum are at least the sum of the halves. A low half can be negative, down to
    /// -2^57, and times 20 down to -2^62. The bias, a multiple of p with every limb near 2^62, lifts all three limbs
    /// above 0.
    ///
    /// Without the bias, a negative limb would be carried as 52 bits of another number. That would happen in two of
    /// three cases with extreme limbs, and in nearly all cases with random limbs.
    #[inline(always)]
    fn fold_karatsuba(self, sums: Karatsuba<Self::V>) -> Limbs<Self::V> {
        let Karatsuba { low: l, high: h } = sums;
        let up = self.splat(1 << 8);
        // Each limb with its high half, from the limb below.
        let y0 = self.add(l[0], self.splat(BIAS[0]));
        let y1 = self.low(self.cross(l[3], l[0], l[1]), h[0], up);
        let y2 = self.low(self.add(self.cross(l[4], l[0], l[2]), l[1]), self.cross(h[3], h[0], h[1]), up);
        let y3 = self.low(self.cross(l[5], l[1], l[2]), self.add(self.cross(h[4], h[0], h[2]), h[1]), up);
        let y4 = self.low(l[2], self.cross(h[5], h[1], h[2]), up);
        [
            self.add(y0, self.twenty(y3)),
            self.add(y1, self.twenty(y4)),
            self.low(y2, h[2], self.splat(20 << 8)),
        ]
    }
}

/// 2^20 p: limbs near 2^62.
const BIAS: [u64; 2] = [(LIMB + 1 - 20) << 18, LIMB << 18];

/// The number of these limbs, each below 2^63, in base 2^64. The highest word is below 2^24.
#[inline(always)]
pub fn to_base_64(limbs: [u64; 3]) -> [u64; 3] {
    let [x0, x1, x2] = limbs.map(u128::from);
    let low = x0 + (x1 << 44);
    let high = (low >> 64) + (x2 << 24);
    [low as u64, high as u64, (high >> 64) as u64]
}

/// A number in base 2^64 whose highest word is at most 7, as limbs below 2^44 and 2^43.
#[inline(always)]
pub fn from_base_64([h0, h1, h2]: [u64; 3]) -> [u64; 3] {
    [h0 & LIMB, (h0 >> 44 | h1 << 20) & LIMB, h1 >> 24 | h2 << 40]
}

#[cfg(test)]
mod tests;
