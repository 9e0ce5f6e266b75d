//! The operations that bitslicing needs from an instruction set.

/// An instruction set. A value of the type proves that it may be used: kernels get one from a function that
/// enables the features. Every method is inlined into the kernel's entry.
pub trait Isa: Copy {
    /// A vector in memory, as words.
    type Plane: Copy + Default + 'static;
    /// A vector in a register.
    type Vector: Copy;

    /// Loads a vector.
    fn load(self, plane: &Self::Plane) -> Self::Vector;
    /// Stores a vector.
    fn store(self, plane: &mut Self::Plane, vector: Self::Vector);
    /// The vector with `word` in all its words.
    fn splat(self, word: u64) -> Self::Vector;
    /// `a ^ b`.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a ^ b ^ c`.
    fn xor3(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// A full adder. Returns sum and carry.
    fn add(self, a: Self::Vector, b: Self::Vector, carry: Self::Vector) -> (Self::Vector, Self::Vector);

    /// A full adder with an operand `c` that is the same in all lanes. `change` is `c` XORed with the
    /// constant of the bit below. `n` represents the carry, in any form that suits the instruction set; it is
    /// all zeros at bit 0. Returns the sum and the next `n`.
    fn add_constant(
        self,
        x: Self::Vector,
        c: u64,
        change: u64,
        n: Self::Vector,
    ) -> (Self::Vector, Self::Vector);

    /// Splits the words of 64 vectors into vectors.
    fn cut(words: &[u64]) -> &[Self::Plane];
    /// The same, for writing.
    fn cut_mut(words: &mut [u64]) -> &mut [Self::Plane];
}

/// An instruction set that transposes words into bits and back. It chooses the order of the lanes.
pub trait Transpose: Isa {
    /// Transposes words into planes: plane o is bit o of each word. Every word is XORed with `flip` on the
    /// way. `between` is overwritten.
    fn planes(
        self,
        words: &[Self::Plane],
        flip: u64,
        between: &mut [Self::Plane; 64],
        planes: &mut [Self::Plane; 64],
    );
    /// Transposes planes into words.
    fn words(self, planes: &[Self::Plane; 64], between: &mut [Self::Plane; 64], words: &mut [Self::Plane]);
}
