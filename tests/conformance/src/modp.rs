//! A second Poly1305, by additions modulo p = 2^130 - 5.
//!
//! keylane-ref computes the same on big integers, so each answer to an edge case has two independent
//! derivations.

use std::ops::{Add, Mul, Sub};

/// A number in `0..p`: `low` + 2^128 `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residue {
    low: u128,
    high: u8,
}

/// p.
const P: Residue = Residue { low: u128::MAX - 4, high: 3 };

impl Residue {
    /// 0.
    pub const ZERO: Residue = Residue::new(0, 0);

    /// `low` + 2^128 `high`, where `high` is at most 7.
    pub const fn new(low: u128, high: u8) -> Self {
        let mut x = Residue { low, high };
        // At most two iterations: 8 * 2^128 is less than 3 p.
        while x.high > P.high || (x.high == P.high && x.low >= P.low) {
            let (low, borrow) = x.low.overflowing_sub(P.low);
            x = Residue { low, high: x.high - P.high - borrow as u8 };
        }
        x
    }

    /// A block of at most 16 bytes, as the number of its bytes followed by a byte 1.
    pub fn block(bytes: &[u8]) -> Self {
        let mut padded = [0; 17];
        padded[..bytes.len()].copy_from_slice(bytes);
        padded[bytes.len()] = 1;
        let (low, high) = padded.split_first_chunk().expect("17 bytes");
        Residue::new(u128::from_le_bytes(*low), high[0])
    }

    /// The 16 bytes of the whole block that stands for this number, if it is in 2^128..2^129.
    pub fn as_block(self) -> Option<[u8; 16]> {
        (self.high == 1).then(|| self.low.to_le_bytes())
    }

    /// The number modulo 2^128.
    pub fn low(self) -> u128 {
        self.low
    }

    /// x^(p - 2), which is 1 / x since p is prime. For 0 it is 0.
    pub fn inverse(self) -> Self {
        let exponent = Residue { low: P.low - 2, high: P.high };
        let one = Residue::new(1, 0);
        exponent.bits().fold(one, |power, bit| if bit { power * power * self } else { power * power })
    }

    /// The 130 bits, highest first.
    fn bits(self) -> impl Iterator<Item = bool> {
        let high = (0..2).rev().map(move |i| self.high >> i & 1 == 1);
        high.chain((0..128).rev().map(move |i| self.low >> i & 1 == 1))
    }
}

impl Add for Residue {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (low, carry) = self.low.overflowing_add(other.low);
        Residue::new(low, self.high + other.high + u8::from(carry))
    }
}

impl Sub for Residue {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let (low, borrow) = P.low.overflowing_sub(other.low);
        self + Residue { low, high: P.high - other.high - u8::from(borrow) }
    }
}

impl Mul for Residue {
    type Output = Self;

    /// Multiplies by doubling and adding.
    fn mul(self, other: Self) -> Self {
        let step = |sum: Self, bit| if bit { sum + sum + other } else { sum + sum };
        self.bits().fold(Residue::ZERO, step)
    }
}

/// r and s of a key.
pub fn key(bytes: &[u8; 32]) -> (Residue, u128) {
    let (r, s) = bytes.split_at(16);
    let [r, s] = [r, s].map(|half| u128::from_le_bytes(half.try_into().expect("16 bytes")));
    (Residue::new(r & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff, 0), s)
}

/// The accumulator after a message.
pub fn absorb(h: Residue, r: Residue, message: &[u8]) -> Residue {
    message.chunks(16).fold(h, |h, block| (h + Residue::block(block)) * r)
}

/// The tag of a message.
pub fn poly1305(key_bytes: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let (r, s) = key(key_bytes);
    absorb(Residue::ZERO, r, message).low().wrapping_add(s).to_le_bytes()
}
