//! What an instruction set gives to Poly1305 in base 2^26.

use crate::job::thresholds::Method;

/// Proof that the CPU has an instruction set, and what its vectors of N lanes of 64 bits can do.
///
/// Everything in this file that has a vector is `#[inline(always)]`, so that it becomes part of the function
/// that enables the instructions.
pub trait Vectors26<const N: usize>: Copy {
    /// A register.
    type Vector: Copy;
    /// From where on a table of whole vectors, for turns of eight steps, is worth being made.
    const BY_8: Method;

    /// A number in every lane.
    fn splat(self, x: u64) -> Self::Vector;
    /// A number for each lane.
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
    /// Product of the low halves of each lane.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// A sum, and such a product.
    #[inline(always)]
    fn mul_add(self, sum: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        self.add(sum, self.mul(a, b))
    }
    /// Each lane to the left.
    fn shl(self, a: Self::Vector, bits: u32) -> Self::Vector;
    /// Each lane to the right.
    fn shr(self, a: Self::Vector, bits: u32) -> Self::Vector;
    /// The sum over the lanes.
    fn sum(self, a: Self::Vector) -> u64;
    /// `x`, of which the compiler knows nothing, so that it reads it where it is used instead of keeping it.
    fn in_memory<T>(self, x: &T) -> &T;
    /// Overwrites vectors with zeros, in a way the compiler may not leave out.
    fn wipe<const M: usize>(self, secret: &mut [Self::Vector; M]);
}
