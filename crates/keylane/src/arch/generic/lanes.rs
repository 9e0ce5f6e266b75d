//! What an instruction set gives to SipHash of many messages, one in each lane of a vector.

#![allow(unsafe_code)]

use super::quad::quad_start;
use crate::job::plain::{Plain, zero};
use crate::job::siphash::Word;
use core::ptr::with_exposed_provenance;

/// Proof that the CPU has an instruction set, and what its vectors of N words can do.
///
/// Everything in this file and in `ragged.rs` is `#[inline(always)]`, so that it becomes part of the
/// function that enables the instructions ([`Lanes::call`]): a closure or a plain function would be
/// compiled without them.
pub trait Lanes<W: Word, const N: usize>: Copy {
    /// A register of N words.
    type Vector: Copy;
    /// Four words of one message.
    type Quad: Plain;
    /// From how many messages on vectors pay where each message is a slice of its own.
    const SLICES: usize;
    /// Whether lanes that begin late cost so little, in [`Lanes::restart`] and [`Lanes::transpose`], that tiles in
    /// which none begins are not told apart.
    const RESTARTS_ALWAYS: bool;

    /// Does a piece of work in a function of its own that enables the instructions.
    fn call<F: Work>(self, work: F);
    /// `word` in every lane.
    fn splat(self, word: W) -> Self::Vector;
    /// The words of all lanes.
    fn store(self, a: Self::Vector, words: &mut [W; N]);
    /// Two words of each lane, as one integer.
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
    /// Each lane to the left by as many bits as the other says, fewer than 128; 0 from the word's width on.
    fn shl(self, a: Self::Vector, bits: Self::Vector) -> Self::Vector;
    /// Each lane to the right, likewise.
    fn shr(self, a: Self::Vector, bits: Self::Vector) -> Self::Vector;
    /// Rotation of each lane to the left by a constant.
    fn rotl(self, a: Self::Vector, bits: u32) -> Self::Vector;
    /// [`Word::fold`] in each lane.
    fn fold(self, a: Self::Vector) -> Self::Vector;
    /// The words of messages of SIZE bytes, 4, 8 or 16: the first SIZE / W::SIZE vectors, or one if
    /// a message is shorter than a word.
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; N]) -> [Self::Vector; 4];
    /// The same of N messages or fewer, and anything in the lanes behind them.
    #[inline(always)]
    fn few_integers<const SIZE: usize>(self, integers: &[[u8; SIZE]]) -> [Self::Vector; 4] {
        let mut padded = [[0; SIZE]; N];
        copy(&mut padded, integers);
        self.integers(&padded)
    }
    /// The words of the first lanes, N or fewer.
    #[inline(always)]
    fn store_few(self, a: Self::Vector, words: &mut [W]) {
        let mut all = [W::ZERO; N];
        self.store(a, &mut all);
        copy(words, &all);
    }

    /// A number for each lane.
    fn numbers(self, numbers: &[u32; N]) -> Self::Vector;
    /// `choices[late]` in the lanes where `late` is not negative, taken as a signed number; `a` elsewhere.
    /// Where `late` is 4 or more, any value.
    fn restart(self, a: Self::Vector, choices: &[W; N], late: Self::Vector) -> Self::Vector;
    /// The rows of four words that end one word behind `ends`, less 4 `rel` words.
    ///
    /// # Safety
    /// Each of them, 4 words, lies in memory that may be read.
    #[inline(always)]
    unsafe fn quads(self, ends: &[usize; N], rel: usize) -> [Self::Quad; N] {
        const { assert!(size_of::<Self::Quad>() == 4 * W::SIZE) };
        let mut rows = [zero(); N];
        for (row, &end) in rows.iter_mut().zip(ends) {
            let start = with_exposed_provenance::<Self::Quad>(quad_start::<W>(end, rel));
            // SAFETY: the caller says that these four words may be read, and any bits are a row.
            *row = unsafe { start.read_unaligned() };
        }
        rows
    }
    /// The same rows with zeros for what lies outside of the messages. `first` is where in its row a
    /// message begins, in words: below 0 if in an earlier one, 4 or more if in a later one.
    ///
    /// # Safety
    /// `ends[i]` stands at the tail of a message of `lengths[i]` bytes that may be read: `length %
    /// SIZE` bytes before its end. `first` is what is said above, for these lengths and this `rel`.
    unsafe fn quads_within(
        self,
        ends: &[usize; N],
        lengths: &[u32; N],
        rel: usize,
        first: Self::Vector,
    ) -> [Self::Quad; N];
    /// The first words of all rows, the second ones, and so on; 0 where a word's index is below the
    /// lane's `first`, a signed number.
    fn transpose(self, rows: [Self::Quad; N], first: Self::Vector) -> [Self::Vector; 4];
}

/// What [`Lanes::call`] does: a closure whose code is sure to become part of the function.
pub trait Work {
    /// Does it.
    fn run(self);
}

/// Copies as much as there is place for.
#[inline(always)]
pub fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}
