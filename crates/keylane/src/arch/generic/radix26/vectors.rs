//! The trait of an instruction set for Poly1305 in base 2^26.

use crate::job::limits::Method;

/// The operations on vectors of N lanes of 64 bits. A value is a proof that the CPU has the instruction set.
///
/// Everything in this folder that has a vector is `#[inline(always)]`. So it becomes part of the function that enables
/// the instructions.
pub trait Vectors26<const N: usize>: Copy {
    /// A register.
    type Vector: Copy;
    /// The method whose threshold decides when turns of eight steps, with a table of whole vectors, are profitable.
    const BY_8: Method;

    /// The number in every lane.
    fn splat(self, x: u64) -> Self::Vector;
    /// One number for each lane.
    fn load(self, x: &[u64; N]) -> Self::Vector;
    /// The numbers of all lanes.
    fn store(self, a: Self::Vector) -> [u64; N];
    /// The low and the high words of blocks: block i in lane 2 i, block i + N / 2 in lane 2 i + 1.
    fn words(self, blocks: &[[u8; 16]; N]) -> [Self::Vector; 2];
    /// Sum in each lane.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Difference in each lane.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// And.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Or.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The product of the low halves of each lane.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `sum` plus such a product.
    #[inline(always)]
    fn mul_add(self, sum: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.add(sum, self.mul(a, b))
    }
    /// Shifts each lane to the left.
    fn shl(self, a: Self::Vector, bits: u32) -> Self::Vector;
    /// Shifts each lane to the right.
    fn shr(self, a: Self::Vector, bits: u32) -> Self::Vector;
    /// The sum over the lanes.
    fn sum(self, a: Self::Vector) -> u64;
    /// `x`, opaque to the compiler: it reads `x` where it is used and keeps no copy in registers.
    fn in_memory<T>(self, x: &T) -> &T;
    /// The accumulator at the head of a loop: the same. Symbols forget here what came before.
    #[inline(always)]
    fn carried(self, x: [Self::Vector; 5]) -> [Self::Vector; 5] {
        x
    }
    /// Overwrites vectors with zeros, in a way that the compiler may not remove.
    fn wipe<const M: usize>(self, secret: &mut [Self::Vector; M]);
}
