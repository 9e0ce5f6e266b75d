//! The field F_p with p = 2^130 - 5, and polynomials over it that are known at one random point.

use super::points;
use std::cell::Cell;
use std::ops::{Add, Mul, Sub};

/// An element of F_p: five digits of 26 bits, below p.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fp([u64; 5]);

const DIGIT: u64 = (1 << 26) - 1;
const P: [u64; 5] = [DIGIT - 4, DIGIT, DIGIT, DIGIT, DIGIT];

impl Fp {
    /// 0.
    pub const ZERO: Fp = Fp([0; 5]);

    /// The element with these digits, each below 2^64.
    fn reduced(mut digits: [u128; 5]) -> Fp {
        // 2^130 = 5. The first carry out of the top is below 2^39, so it makes digit 0 at most 2^42. The second is at
        // most 1. If there is a third, all digits became 0, so there is no fourth.
        for _ in 0..4 {
            let mut carry = 0;
            for digit in &mut digits {
                *digit += carry;
                carry = *digit >> 26;
                *digit &= u128::from(DIGIT);
            }
            digits[0] += 5 * carry;
        }
        let digits = digits.map(|digit| digit as u64);
        let is_below_p = digits[1..] != P[1..] || digits[0] < P[0];
        Fp(if is_below_p { digits } else { [digits[0] - P[0], 0, 0, 0, 0] })
    }

    /// An integer modulo p.
    pub fn new(x: u128) -> Fp {
        Fp::reduced(
            [0, 26, 52, 78, 104].map(|at| x >> at & if at < 104 { u128::from(DIGIT) } else { u128::MAX }),
        )
    }

    /// A number of 130 bits, from its low 128 and the two above, or `None` if it is not below p.
    pub fn below_p(low: u128, high: u8) -> Option<Fp> {
        let is_below_p = high < 3 || low < u128::MAX - 4;
        is_below_p.then(|| Fp::new(low) + Fp::new(1 << 127) * Fp::new(2 * u128::from(high)))
    }

    /// 2^k.
    pub fn power_of_two(k: u32) -> Fp {
        if k < 128 { Fp::new(1 << k) } else { Fp::new(1 << 127) * Fp::power_of_two(k - 127) }
    }

    /// 1 / x, which is x^(p - 2); 0 for 0.
    pub fn inverse(self) -> Fp {
        // p - 2 = 2^130 - 7: all bits of 130 but those of 6.
        (0..130).rev().fold(Fp::new(1), |x, bit| if bit == 1 || bit == 2 { x * x } else { x * x * self })
    }
}

impl Add for Fp {
    type Output = Fp;
    fn add(self, other: Fp) -> Fp {
        Fp::reduced(std::array::from_fn(|i| (self.0[i] + other.0[i]).into()))
    }
}

impl Sub for Fp {
    type Output = Fp;
    fn sub(self, other: Fp) -> Fp {
        Fp::reduced(std::array::from_fn(|i| (self.0[i] + 2 * P[i] - other.0[i]).into()))
    }
}

impl Mul for Fp {
    type Output = Fp;
    fn mul(self, other: Fp) -> Fp {
        let mut digits = [0; 5];
        for (i, &x) in self.0.iter().enumerate() {
            for (j, &y) in other.0.iter().enumerate() {
                let product = u128::from(x) * u128::from(y);
                digits[(i + j) % 5] += if i + j < 5 { product } else { 5 * product };
            }
        }
        Fp::reduced(digits)
    }
}

thread_local! {
    /// How many values were compared on this thread, and the sum of their degrees.
    static COMPARED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// A polynomial over F_p: its value at the run's random point, and a bound of its degree.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    at: Fp,
    degree: u32,
}

impl Value {
    /// 0.
    pub const ZERO: Value = Value { at: Fp::ZERO, degree: 0 };

    /// A constant.
    pub fn constant(at: Fp) -> Value {
        Value { at, degree: 0 }
    }

    /// A new variable.
    pub fn variable() -> Value {
        Value { at: points::random(), degree: 1 }
    }

    /// The bound of the degree.
    pub fn degree(self) -> u32 {
        self.degree
    }

    /// This polynomial times 2^k.
    pub fn shifted(self, k: u32) -> Value {
        self * Value::constant(Fp::power_of_two(k))
    }

    /// This polynomial divided by 2^k.
    pub fn divided(self, k: u32) -> Value {
        self * Value::constant(Fp::power_of_two(k).inverse())
    }

    /// Whether two polynomials are equal. Two different ones are taken for equal with a probability of at most degree / p
    /// (Schwartz and Zippel); [`failure_bound`] adds that up.
    pub fn is(self, other: Value) -> bool {
        let degree = u64::from(self.degree.max(other.degree));
        COMPARED.set((COMPARED.get().0 + 1, COMPARED.get().1 + degree));
        self.at == other.at
    }
}

impl Add for Value {
    type Output = Value;
    fn add(self, other: Value) -> Value {
        Value { at: self.at + other.at, degree: self.degree.max(other.degree) }
    }
}

impl Sub for Value {
    type Output = Value;
    fn sub(self, other: Value) -> Value {
        Value { at: self.at - other.at, degree: self.degree.max(other.degree) }
    }
}

impl Mul for Value {
    type Output = Value;
    fn mul(self, other: Value) -> Value {
        Value { at: self.at * other.at, degree: self.degree + other.degree }
    }
}

/// The comparisons of this thread so far, and the binary logarithm of the probability that one of them took two different
/// polynomials for equal: the sum of their degrees, divided by p.
pub fn failure_bound() -> (u64, f64) {
    let (comparisons, degrees) = COMPARED.get();
    (comparisons, (degrees.max(1) as f64).log2() - 130.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic() {
        let p_minus_1 = Fp::below_p(u128::MAX - 5, 3).unwrap();
        assert_eq!(Fp::below_p(u128::MAX - 4, 3), None);
        assert_eq!(p_minus_1 + Fp::new(1), Fp::ZERO);
        assert_eq!(Fp::ZERO - Fp::new(1), p_minus_1);
        assert_eq!(p_minus_1 * p_minus_1, Fp::new(1));
        assert_eq!(Fp::power_of_two(130), Fp::new(5));
        assert_eq!(Fp::new(u128::MAX), Fp::power_of_two(128) - Fp::new(1));
        for x in [Fp::new(2), p_minus_1, Fp::new(0x1234_5678_9abc_def0_1122_3344_5566_7788)] {
            assert_eq!(x * x.inverse(), Fp::new(1));
            assert_eq!((x + p_minus_1) - p_minus_1, x);
        }
    }
}
