//! Limbs that are floating-point numbers, with exact arithmetic.
//!
//! A limb at 2^at is a floating-point number that is a multiple of 2^at. The exponent holds the place, so
//! products land where they belong and carries need no shifts. A number is exact as long as it has no more
//! bits, from its place to its top, than the significand of the format.
//!
//! To cut a number at 2^cut, add a large constant and subtract it again. The sum has no room for bits below
//! 2^cut, so it is rounded to a multiple of 2^cut. The rest is within +-2^(cut - 1).
//!
//! A kernel's arithmetic is written once, over [`Real`]. The kernel runs it on floating-point numbers. The
//! tests run it on grids, which are pairs of a place and a bound: this proves that only cuts round.

use super::radix;
use core::ops::{Add, Mul, Sub};

/// A number in floating point.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// x y + z.
    fn mul_add(self, y: Self, z: Self) -> Self;
    /// Cuts a number at 2^cut. Returns the rest, within half of 2^cut and of either sign, and the multiple of
    /// 2^cut taken from the number.
    fn cut(self, cut: i32) -> (Self, Self);
    /// A constant.
    fn like(self, constant: f64) -> Self;
}

impl Real for f64 {
    /// Two operations: not every CPU has a fused one.
    #[inline(always)]
    fn mul_add(self, y: f64, z: f64) -> f64 {
        self * y + z
    }

    #[inline(always)]
    fn cut(self, cut: i32) -> (f64, f64) {
        let taken = (self + rounder(cut)) - rounder(cut);
        (self - taken, taken)
    }

    #[inline(always)]
    fn like(self, constant: f64) -> f64 {
        constant
    }
}

/// 2^exponent.
pub const fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// 3/2 * 2^(52 + cut). Adding a number within +-2^(51 + cut) does not change its exponent, and at this
/// exponent only the multiples of 2^cut are representable.
pub const fn rounder(cut: i32) -> f64 {
    1.5 * power(52 + cut)
}

/// The factor of a carry out of bit 130, since 2^130 = 5 (mod p).
pub const WRAP: f64 = 5.0 * power(-130);

/// limb * 2^at, for limbs below 2^52. Combines the bits of 2^(52 + at) and of the limb, then subtracts 2^(52
/// + at).
#[inline(always)]
pub const fn place(limb: u64, at: i32) -> f64 {
    f64::from_bits(power(52 + at).to_bits() | limb) - power(52 + at)
}

/// x / 2^at, for multiples of 2^at within +-2^(51 + at): the inverse of [`place`].
#[inline(always)]
pub fn lift(x: f64, at: i32) -> i64 {
    (x + rounder(at)).to_bits().wrapping_sub(rounder(at).to_bits()) as i64
}

/// The limbs of low + 2^128 high in base 2^32.
#[inline(always)]
pub fn number(low: u128, high: u64) -> [f64; 4] {
    let [a, b, c, d] = radix::limbs(low, high, 32);
    [place(a, 0), place(b, 32), place(c, 64), place(d, 96)]
}

/// Converts an accumulator in base 2^32 into a canonical one. Its limbs may have any sign and are within
/// +-2^(36 + at).
#[inline(always)]
pub fn canonical([a, b, c, d]: [f64; 4]) -> [u64; 3] {
    radix::canonical([lift(a, 0), lift(b, 32), lift(c, 64), lift(d, 96)], 32)
}

/// Grids, for the tests.
#[cfg(test)]
pub mod grid {
    use super::Real;
    use core::ops::{Add, Mul, Sub};

    /// The multiples of 2^at within +-2^at `most`, in a format of BITS bits.
    #[derive(Clone, Copy, Debug)]
    pub struct Grid<const BITS: u32> {
        at: i32,
        most: u128,
    }

    impl<const BITS: u32> Grid<BITS> {
        pub fn new(at: i32, most: u128) -> Self {
            assert!(most <= 1 << BITS, "{most:#x} * 2^{at} is not exact in {BITS} bits");
            Grid { at, most }
        }

        /// All integers with absolute value up to `most`, at 2^at.
        pub fn up_to(most: u64, at: i32) -> Self {
            Grid::new(at, most.into())
        }

        /// The bound in units of another 2^at, which must not be higher than the grid's.
        fn most_at(self, at: i32) -> u128 {
            assert!(at <= self.at && self.most.leading_zeros() > (self.at - at) as u32, "{self:?} at {at}");
            self.most << (self.at - at)
        }

        fn sum(self, other: Self) -> Self {
            // Zero fits any place.
            if self.most == 0 || other.most == 0 {
                return if self.most == 0 { other } else { self };
            }
            let at = self.at.min(other.at);
            Grid::new(at, self.most_at(at) + other.most_at(at))
        }

        fn product(self, other: Self) -> Self {
            Grid::new(self.at + other.at, self.most.checked_mul(other.most).expect("128 bits"))
        }

        /// Whether every number of this grid is one of the other.
        pub fn within(self, other: Self) -> bool {
            self.at >= other.at && self.most_at(other.at) <= other.most
        }
    }

    impl<const BITS: u32> Add for Grid<BITS> {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            self.sum(other)
        }
    }

    impl<const BITS: u32> Sub for Grid<BITS> {
        type Output = Self;

        fn sub(self, other: Self) -> Self {
            self.sum(other)
        }
    }

    impl<const BITS: u32> Mul for Grid<BITS> {
        type Output = Self;

        fn mul(self, other: Self) -> Self {
            self.product(other)
        }
    }

    impl<const BITS: u32> Real for Grid<BITS> {
        fn mul_add(self, y: Self, z: Self) -> Self {
            self * y + z
        }

        fn cut(self, cut: i32) -> (Self, Self) {
            let steps = (cut - self.at) as u32;
            assert!(self.most < 1 << (BITS - 2 + steps), "{self:?} leaves the rounder of {cut}");
            let half = 1 << (steps - 1);
            (Grid::new(self.at, self.most.min(half)), Grid::new(cut, (self.most + half) >> steps))
        }

        fn like(self, constant: f64) -> Self {
            if constant == 0.0 {
                return Grid::new(0, 0);
            }
            let bits = constant.to_bits();
            let (exponent, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1) | 1 << 52);
            let zeros = fraction.trailing_zeros();
            Grid::new(exponent - 1075 + zeros as i32, (fraction >> zeros).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for at in [0, 32, 64, 96] {
            for limb in [0, 1, 0xffff_ffff, (1 << 36) - 1, (1 << 51) - 1] {
                assert_eq!(lift(place(limb, at), at), limb as i64);
                assert_eq!(lift(-place(limb, at), at), -(limb as i64));
            }
        }
    }

    /// Ties go to the even neighbour; everything else to the nearest.
    #[test]
    fn cuts() {
        let unit = power(32);
        for (x, taken) in [(0.5, 0.0), (0.75, 1.0), (1.5, 2.0), (-0.5, 0.0), (-0.75, -1.0), (-2.25, -2.0)] {
            assert_eq!((x * unit).cut(32), ((x - taken) * unit, taken * unit));
        }
    }
}
