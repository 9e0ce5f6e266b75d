//! The trait of an instruction set for SipHash of many messages, one in each lane of a vector.

#![allow(unsafe_code)]

use super::quad::quad_start;
use crate::job::plain::{Plain, zero};
use crate::job::siphash::Word;
use core::ptr::with_exposed_provenance;

/// The operations on vectors of N words. A value is a proof that the CPU has the instruction set.
///
/// Everything in this file and in `ragged/` is `#[inline(always)]`. So it becomes part of the function that enables the
/// instructions ([`Lanes::call`]). The compiler would compile a closure or a plain function without them.
pub trait Lanes<W: Word, const N: usize>: Copy {
    /// A register of N words.
    type Vector: Copy;
    /// Four words of one message.
    type Quad: Plain;
    /// If each message is a separate slice, vectors are profitable from this number of messages on.
    const SLICES: usize;
    /// Whether [`Lanes::restart`] and [`Lanes::transpose`] handle late lanes at so little cost that tiles without late
    /// lanes share their path.
    const RESTARTS_ALWAYS: bool;

    /// Runs `work` inside a function that enables the instructions.
    fn call<F: Work>(self, work: F);
    /// `word` in every lane.
    fn splat(self, word: W) -> Self::Vector;
    /// Stores the words of all lanes.
    fn store(self, a: Self::Vector, words: &mut [W; N]);
    /// Stores two words of each lane as one integer.
    fn store_double(self, low: Self::Vector, high: Self::Vector, integers: &mut [W::Double; N]);
    /// Sum in each lane.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Difference in each lane.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Exclusive or.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// And.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `!not & b`.
    fn and_not(self, not: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Or.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Shifts each lane to the left by the bits in the other's lane, fewer than 128. The result is 0 from the word's
    /// width on.
    fn shl(self, a: Self::Vector, bits: Self::Vector) -> Self::Vector;
    /// Shifts each lane to the right, likewise.
    fn shr(self, a: Self::Vector, bits: Self::Vector) -> Self::Vector;
    /// Rotates each lane to the left by a constant.
    fn rotl(self, a: Self::Vector, bits: u32) -> Self::Vector;
    /// [`Word::fold`] in each lane.
    fn fold(self, a: Self::Vector) -> Self::Vector;
    /// The words of messages of SIZE bytes: 4, 8 or 16. They fill the first SIZE / W::SIZE vectors, or one vector if a
    /// message is shorter than a word.
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; N]) -> [Self::Vector; 4];
    /// The words of at most N messages, with any values in the lanes after them.
    #[inline(always)]
    fn few_integers<const SIZE: usize>(self, integers: &[[u8; SIZE]]) -> [Self::Vector; 4] {
        let mut padded = [[0; SIZE]; N];
        copy(&mut padded, integers);
        self.integers(&padded)
    }
    /// Stores the words of the first lanes, at most N.
    #[inline(always)]
    fn store_few(self, a: Self::Vector, words: &mut [W]) {
        let mut all = [W::ZERO; N];
        self.store(a, &mut all);
        copy(words, &all);
    }

    /// One number for each lane.
    fn numbers(self, numbers: &[u32; N]) -> Self::Vector;
    /// `choices[late]` in the lanes where `late`, a signed number, is not negative, and `a` elsewhere. Where `late` is
    /// 4 or more, any value.
    fn restart(self, a: Self::Vector, choices: &[W; N], late: Self::Vector) -> Self::Vector;
    /// The quads that end one word after `ends`, less 4 `rel` words.
    ///
    /// # Safety
    /// Each quad lies in memory that may be read.
    #[inline(always)]
    unsafe fn quads(self, ends: &[usize; N], rel: usize) -> [Self::Quad; N] {
        const { assert!(size_of::<Self::Quad>() == 4 * W::SIZE) };
        let mut rows = [zero(); N];
        for (row, &end) in rows.iter_mut().zip(ends) {
            let start = with_exposed_provenance::<Self::Quad>(quad_start::<W>(end, rel));
            // SAFETY: the caller ensures that these four words may be read, and any bits are a quad.
            *row = unsafe { start.read_unaligned() };
        }
        rows
    }
    /// The same quads with zeros in place of everything outside the messages. `first` is the word of its quad where a
    /// message begins: below 0 if in an earlier quad, 4 or more if in a later one.
    ///
    /// # Safety
    /// `ends[i]` is the tail of a message of `lengths[i]` bytes that may be read: `length % SIZE` bytes before its end.
    /// `first` fits these lengths and this `rel`, as defined above.
    unsafe fn quads_within(
        self,
        ends: &[usize; N],
        lengths: &[u32; N],
        rel: usize,
        first: Self::Vector,
    ) -> [Self::Quad; N];
    /// The first words of all quads, the second words, and so on; 0 where a word's index is below the lane's `first`, a
    /// signed number.
    fn transpose(self, rows: [Self::Quad; N], first: Self::Vector) -> [Self::Vector; 4];
}

/// The work of [`Lanes::call`]: like a closure, but its code is sure to become part of the function.
pub trait Work {
    /// Runs it.
    fn run(self);
}

/// Copies as many elements as fit.
#[inline(always)]
pub fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}
