//! Limbs that are integers.
//!
//! A kernel's arithmetic is written once, over [`Limb`]. The kernel runs it on integers. The tests run it on
//! upper bounds: this proves that no sum overflows, whatever the key and the message.

use core::ops::Add;

/// An integer type for factors, and a wider type for sums of products.
pub trait Limb: Copy + Add<Output = Self> {
    /// The type of sums, twice as wide.
    type Sum: Copy + Add<Output = Self::Sum>;

    /// The product.
    fn times(self, other: Self) -> Self::Sum;
    /// Converts to a sum.
    fn widen(self) -> Self::Sum;
    /// Converts a sum that fits into a limb.
    fn narrow(sum: Self::Sum) -> Self;
    /// Splits a sum into its lowest bits and the number above them, which has at most 64 bits.
    fn split(sum: Self::Sum, bits: u32) -> (Self, Self::Sum);
}

impl Limb for u32 {
    type Sum = u64;

    #[inline(always)]
    fn times(self, other: u32) -> u64 {
        u64::from(self) * u64::from(other)
    }

    #[inline(always)]
    fn widen(self) -> u64 {
        self.into()
    }

    #[inline(always)]
    fn narrow(sum: u64) -> u32 {
        sum as u32
    }

    #[inline(always)]
    fn split(sum: u64, bits: u32) -> (u32, u64) {
        (sum as u32 & ((1 << bits) - 1), sum >> bits)
    }
}

impl Limb for u64 {
    type Sum = u128;

    #[inline(always)]
    fn times(self, other: u64) -> u128 {
        u128::from(self) * u128::from(other)
    }

    #[inline(always)]
    fn widen(self) -> u128 {
        self.into()
    }

    #[inline(always)]
    fn narrow(sum: u128) -> u64 {
        sum as u64
    }

    #[inline(always)]
    fn split(sum: u128, bits: u32) -> (u64, u128) {
        (sum as u64 & ((1 << bits) - 1), u128::from((sum >> bits) as u64))
    }
}

/// Upper bounds.
#[cfg(test)]
pub mod most {
    use super::Limb;
    use core::ops::Add;

    /// An upper bound of a limb that has BITS bits.
    #[derive(Clone, Copy, Debug)]
    pub struct Most<const BITS: u32>(pub u64);

    /// An upper bound of a sum that has twice as many bits.
    #[derive(Clone, Copy, Debug)]
    pub struct Sum<const BITS: u32>(u128);

    impl<const BITS: u32> Most<BITS> {
        fn new(most: u128) -> Self {
            assert!(most >> BITS == 0, "a limb of {BITS} bits overflows: {most:#x}");
            Most(u64::try_from(most).expect("at most 64 bits"))
        }
    }

    impl<const BITS: u32> Sum<BITS> {
        fn new(most: Option<u128>) -> Self {
            let most = most.expect("no overflow of 128 bits");
            assert!(BITS == 64 || most >> (2 * BITS) == 0, "a sum of {BITS}-bit limbs overflows: {most:#x}");
            Sum(most)
        }
    }

    impl<const BITS: u32> Add for Most<BITS> {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Most::new(u128::from(self.0) + u128::from(other.0))
        }
    }

    impl<const BITS: u32> Add for Sum<BITS> {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Sum::new(self.0.checked_add(other.0))
        }
    }

    impl<const BITS: u32> Limb for Most<BITS> {
        type Sum = Sum<BITS>;

        fn times(self, other: Self) -> Sum<BITS> {
            Sum::new(u128::from(self.0).checked_mul(other.0.into()))
        }

        fn widen(self) -> Sum<BITS> {
            Sum(self.0.into())
        }

        fn narrow(sum: Sum<BITS>) -> Self {
            Most::new(sum.0)
        }

        fn split(sum: Sum<BITS>, bits: u32) -> (Self, Sum<BITS>) {
            let above = sum.0 >> bits;
            assert!(above >> 64 == 0, "a carry overflows: {above:#x}");
            (Most::new(sum.0.min((1 << bits) - 1)), Sum(above))
        }
    }

    /// Whether no limb exceeds its bound.
    pub fn within<const BITS: u32, const N: usize>(limbs: [Most<BITS>; N], bounds: [u64; N]) -> bool {
        limbs.iter().zip(bounds).all(|(limb, bound)| limb.0 <= bound)
    }
}
