//! The scalar functions of Poly1305 on numbers: their own text, in a module where `u64` and `u128` name the types below.
//!
//! build.rs takes the functions out of the library's source. One thing changes: `x as u64` becomes `x.low_64()`, because
//! Rust has no casts of other types.

use super::Number;
use std::ops::{Add, BitAnd, BitOr, Mul, Shl, Shr};

/// A word of 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct U64(pub Number);

/// A word of 128 bits.
#[derive(Clone, Copy, Debug)]
pub struct U128(pub Number);

/// The carry of an addition.
#[derive(Clone, Copy, Debug)]
pub struct Carry {
    /// The exact sum, its low bits and the carry.
    sum: Number,
    low: Number,
    carry: Number,
}

/// `+` and `*` of integers panic or wrap if the result does not fit, so it must. [`Number::left`] keeps a small multiple
/// exact that does not fit, where `<<` of an integer would lose bits.
fn fits(x: Number, bits: u32) -> Number {
    x.at_most(u128::MAX >> (128 - bits))
}

macro_rules! operations {
    ($word:ident, $bits:literal) => {
        impl Add for $word {
            type Output = $word;
            fn add(self, other: $word) -> $word {
                $word(fits(self.0.plus(other.0), $bits))
            }
        }

        impl Mul for $word {
            type Output = $word;
            fn mul(self, other: $word) -> $word {
                $word(fits(self.0.times(other.0, $bits), $bits))
            }
        }

        impl Mul<$word> for u64 {
            type Output = $word;
            fn mul(self, other: $word) -> $word {
                $word(Number::constant(self)) * other
            }
        }

        impl Shr<u32> for $word {
            type Output = $word;
            fn shr(self, bits: u32) -> $word {
                $word(self.0.right(bits, $bits))
            }
        }

        impl Shl<u32> for $word {
            type Output = $word;
            fn shl(self, bits: u32) -> $word {
                $word(fits(self.0.left(bits, $bits), $bits))
            }
        }

        impl BitAnd<u64> for $word {
            type Output = $word;
            fn bitand(self, mask: u64) -> $word {
                $word(self.0.and(Number::constant(mask), $bits))
            }
        }

        impl BitOr for $word {
            type Output = $word;
            fn bitor(self, other: $word) -> $word {
                $word(self.0.or(other.0, $bits))
            }
        }

        impl $word {
            fn overflowing_add(self, other: $word) -> ($word, Carry) {
                let sum = self.0.plus(other.0);
                let [low, carry] = sum.wrapped($bits);
                ($word(low), Carry { sum, low, carry })
            }

            #[allow(dead_code)]
            fn low_64(self) -> U64 {
                U64(self.0.and(Number::constant(u64::MAX), $bits))
            }
        }
    };
}
operations!(U64, 64);
operations!(U128, 128);

impl From<U64> for U128 {
    fn from(x: U64) -> U128 {
        U128(x.0)
    }
}

impl From<Carry> for U64 {
    fn from(x: Carry) -> U64 {
        U64(x.carry)
    }
}

/// The carries of two additions to the same word, where the second adds at most 1: they are not both 1 if both summands and
/// the 1 are together below 2^65. The sum of the carries is then one of them.
impl BitOr for Carry {
    type Output = Carry;
    fn bitor(self, second: Carry) -> Carry {
        let one = second.sum.minus(self.low).at_most(1);
        let sum = self.sum.plus(one).at_most((1 << 65) - 1);
        Carry { sum, low: second.low, carry: self.carry.plus(second.carry) }
    }
}

#[allow(non_camel_case_types, dead_code, unused_imports, clippy::all, reason = "the library's text")]
mod text {
    use super::{U64 as u64, U128 as u128};
    include!(concat!(env!("OUT_DIR"), "/scalar.rs"));
}

/// A word up to `max`.
pub fn any(max: u64) -> U64 {
    U64(Number::any(max.into()))
}

fn any_words<const N: usize>() -> [U64; N] {
    std::array::from_fn(|_| any(u64::MAX))
}

/// A block of 128 bits.
fn any_block() -> U128 {
    let [low, high] = any_words();
    U128::from(low) | U128::from(high) << 64
}

/// The words of any r: the bits of two words that [`keylane::job::poly1305::Key`] keeps.
pub fn any_r() -> [Number; 2] {
    text::key::clamped(any_words()).map(|word| word.0)
}

/// The limbs in base 2^26 of an accumulator.
pub fn limbs26(h: [Number; 3]) -> [Number; 5] {
    text::limbs26::from_base_64(h.map(U64)).map(|limb| limb.0)
}

/// The limbs in base 2^44 of an accumulator.
pub fn limbs44(h: [Number; 3]) -> [Number; 3] {
    text::limbs44::from_base_64(h.map(U64)).map(|limb| limb.0)
}

/// What the scalar kernels compute from words, and what they should.
pub mod checks {
    use super::super::blocks::begin;
    use super::super::field::Fp;
    use super::super::handles::joined;
    use super::super::{Number, Value};
    use super::{U64, U128, any, any_block, any_r, any_words, text};

    fn value(words: &[U64], bits: u32) -> Value {
        let numbers: Vec<Number> = words.iter().map(|word| word.0).collect();
        joined(&numbers, bits)
    }

    /// Fails unless the words of a result are at most these and the number is the expected one.
    #[track_caller]
    fn is_right(words: &[U64], bits: u32, most: &[u64], expected: Value) {
        for (word, &most) in words.iter().zip(most) {
            word.0.at_most(most.into());
        }
        assert!(value(words, bits).is(expected), "another number than the specification's");
    }

    fn plus_block(h: Value, block: U128, whole: u64) -> Value {
        let pad = Value::constant(Fp::new(whole.into())).shifted(128);
        h + block.0.value() + pad
    }

    const MAX: u64 = u64::MAX;

    /// One block of poly1305_x1_u64 and poly1305_x2_u64, from any accumulator with a highest word of at most 7. Afterwards it is
    /// at most 4, so this is every block of every message. The same for `whole` = 0, which also multiplies powers of r.
    pub fn x1_u64(whole: u64) {
        begin();
        let (r, [h0, h1]) = (any_r().map(U64), any_words());
        let (h, block) = ([h0, h1, any(7)], any_block());
        let expected = plus_block(value(&h, 64), block, whole) * value(&r, 64);
        let h = text::x1_u64::Multiplier::in_registers(r).absorb(h, block, U64(Number::constant(whole)));
        is_right(&h, 64, &[MAX, MAX, 4], expected);
    }

    /// The same for poly1305_x1_u32, whose limbs have 32 bits.
    pub fn x1_u32(whole: u64) {
        const LIMB: u64 = (1 << 32) - 1;
        begin();
        let (r, h) = (any_r().map(U64), [any(LIMB), any(LIMB), any(LIMB), any(LIMB), any(7)]);
        let block = any_block();
        let expected = plus_block(value(&h, 32), block, whole) * value(&r, 64);
        let multiplier = text::x1_u32::Multiplier::new(&text::x1_u32::Key { r });
        let h = multiplier.absorb_limbs(h, block, U64(Number::constant(whole)));
        is_right(&h, 32, &[LIMB, LIMB, LIMB, LIMB, 4], expected);
    }

    /// Words to limbs of 32 bits and back.
    pub fn x1_u32_words() {
        begin();
        let [h0, h1] = any_words();
        let h = [h0, h1, any(7)];
        let limbs = text::x1_u32::limbs(h);
        let most = (1 << 32) - 1;
        is_right(&limbs, 32, &[most, most, most, most, 7], value(&h, 64));
        is_right(&text::x1_u32::words(limbs), 64, &[MAX, MAX, 7], value(&h, 64));
    }

    /// Base 2^26: columns below 2^62 to words, and an accumulator to limbs.
    pub fn base_26() {
        begin();
        let columns: [U64; 5] = std::array::from_fn(|_| any((1 << 62) - 1));
        is_right(&text::limbs26::gather(columns), 64, &[MAX, MAX, (1 << 39) - 1], value(&columns, 26));
        is_right(&text::limbs26::join_columns(columns), 64, &[MAX, MAX, 4], value(&columns, 26));
        let [h0, h1] = any_words();
        let h = [h0, h1, any(7)];
        let most = (1 << 26) - 1;
        is_right(
            &text::limbs26::from_base_64(h),
            26,
            &[most, most, most, most, (1 << 27) - 1],
            value(&h, 64),
        );
    }

    /// Base 2^44: sums of lanes to words, their reduction after a piece, and an accumulator to limbs.
    pub fn base_44() {
        begin();
        let limbs: [U64; 3] = std::array::from_fn(|_| any((1 << 63) - 1));
        is_right(&text::limbs44::to_base_64(limbs), 64, &[MAX, MAX, (1 << 24) - 1], value(&limbs, 44));
        let [h0, h1] = any_words();
        let h = [h0, h1, any((1 << 24) - 1)];
        is_right(&text::blocks44::reduce(h), 64, &[MAX, MAX, 4], value(&h, 64));
        let h = [h0, h1, any(7)];
        let most = (1 << 44) - 1;
        is_right(&text::limbs44::from_base_64(h), 44, &[most, most, (1 << 43) - 1], value(&h, 64));
    }
}
