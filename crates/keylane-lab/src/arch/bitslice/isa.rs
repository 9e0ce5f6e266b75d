//! What bitslicing asks of an instruction set.

/// An instruction set, as a value that proves that it may be used: kernels get one from a function
/// that enables the features. Every method is inlined into that kernel's entry.
pub trait Isa: Copy {
    /// A vector in memory: the words of [`Isa::Vector`].
    type Plane: Copy + Default + 'static;
    /// A vector in a register.
    type Vector: Copy;

    /// From memory.
    fn load(self, plane: &Self::Plane) -> Self::Vector;
    /// To memory.
    fn store(self, plane: &mut Self::Plane, vector: Self::Vector);
    /// The vector with `word` in all its words.
    fn splat(self, word: u64) -> Self::Vector;
    /// `a ^ b`.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a ^ b ^ c`.
    fn xor3(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// A full adder: sum and carry.
    fn add(self, a: Self::Vector, b: Self::Vector, carry: Self::Vector) -> (Self::Vector, Self::Vector);

    /// A full adder of which one operand is the same in all lanes: `c` is it, `change` is `c` xored
    /// with that of the bit below, and `n` the carry in whatever form the instruction set likes, all
    /// zeros at bit 0. Sum and next `n`.
    fn add_constant(
        self,
        x: Self::Vector,
        c: u64,
        change: u64,
        n: Self::Vector,
    ) -> (Self::Vector, Self::Vector);

    /// As many words as 64 vectors have, cut into vectors.
    fn cut(words: &[u64]) -> &[Self::Plane];
    /// The same for words that are written.
    fn cut_mut(words: &mut [u64]) -> &mut [Self::Plane];
}

/// An instruction set that turns words into bits and back. The order of the lanes is its own.
pub trait Transpose: Isa {
    /// Plane o of the words: bit o of each. Every word is xored with `flip` on the way. `between` is
    /// overwritten.
    fn planes(
        self,
        words: &[Self::Plane],
        flip: u64,
        between: &mut [Self::Plane; 64],
        planes: &mut [Self::Plane; 64],
    );
    /// The words of the planes.
    fn words(self, planes: &[Self::Plane; 64], between: &mut [Self::Plane; 64], words: &mut [Self::Plane]);
}
