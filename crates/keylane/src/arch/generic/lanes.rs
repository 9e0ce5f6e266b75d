//! The trait of an instruction set for SipHash of many messages, one in each lane of a vector.

#![allow(unsafe_code)]

use super::quad::quad_start;
use super::tile::{Column, StartTable, WINDOW, stage};
use crate::job::barrier::in_memory;
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
    /// Where [`Lanes::words`] reads the words of N messages.
    type Prepared: Copy + Default;
    /// Whether [`Lanes::restart`] and [`Lanes::transpose`] handle late lanes at so little cost that tiles without late
    /// lanes share their path.
    const RESTARTS_ALWAYS: bool;

    /// Whether [`Lanes::words_within`] leaves the tail in the top bytes of the last word.
    const JUSTIFIED: bool = true;

    /// Whether [`Lanes::lengths`] returns all bits of the lengths.
    const WHOLE_LENGTHS: bool = false;

    /// Runs `work` inside a function that enables the instructions.
    fn call<F: Work>(self, work: F);
    /// `word` in every lane.
    fn splat(self, word: W) -> Self::Vector;
    /// Loads the words of all lanes.
    fn load(self, words: &[W; N]) -> Self::Vector;
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
    fn masked_integers<const SIZE: usize>(self, integers: &[[u8; SIZE]]) -> [Self::Vector; 4] {
        let mut padded = [[0; SIZE]; N];
        copy(&mut padded, integers);
        self.integers(&padded)
    }
    /// Stores the words of the first lanes, at most N.
    #[inline(always)]
    fn masked_store(self, a: Self::Vector, words: &mut [W]) {
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
    /// The states where lanes start whose messages have `whole` words before the tail, if the group starts with word
    /// `skip` of the window: word i is `starts[i][skip + whole]`.
    #[inline(always)]
    fn begin<const G: usize>(
        self,
        starts: &StartTable<W>,
        whole: [Self::Vector; G],
        skip: usize,
    ) -> [[Self::Vector; 4]; G] {
        let most = WINDOW - 1 - skip;
        let mut states = [[self.splat(W::ZERO); 4]; G];
        for (i, starts) in starts.iter().enumerate() {
            // The choices of lanes that are 0 to 3, and 4 to 7 words late.
            let mut choices = [[W::ZERO; N]; WINDOW / 4];
            for (j, choices) in choices.iter_mut().enumerate() {
                for (late, choice) in choices.iter_mut().take(4).enumerate() {
                    *choice = starts[WINDOW - 1 - 4 * j - late];
                }
            }
            for (v, &whole) in states.iter_mut().zip(&whole) {
                for (j, choices) in choices.iter().enumerate().take(most / 4 + 1) {
                    let late = self.sub(self.splat(W::truncated(most).sub(W::truncated(4 * j))), whole);
                    v[i] = self.restart(v[i], choices, late);
                }
            }
        }
        states
    }
    /// A mask of the bytes of the tail of messages of this length.
    #[inline(always)]
    fn tail_mask(self, length: Self::Vector) -> Self::Vector {
        let mask = self.splat(W::truncated(8 * (W::SIZE - 1)));
        let bits = self.and(self.shl(length, self.splat(W::truncated(3))), mask);
        let ones = self.splat(W::ZERO.sub(W::truncated(1)));
        self.xor(self.shl(ones, bits), ones)
    }
    /// The tails of messages of this length, moved from the top bytes to the bottom.
    #[inline(always)]
    fn lowered(self, tail: Self::Vector, length: Self::Vector) -> Self::Vector {
        let mask = self.splat(W::truncated(8 * (W::SIZE - 1)));
        let bits = self.and(self.shl(length, self.splat(W::truncated(3))), mask);
        self.shr(tail, self.sub(self.splat(W::truncated(8 * W::SIZE)), bits))
    }
    /// The greatest of all lengths. If one is [`WINDOW`] words or longer, any number that is so too.
    #[inline(always)]
    fn longest<const G: usize>(self, lengths: &[Self::Vector; G]) -> usize {
        let mut longest = 0;
        for &lengths in lengths {
            for length in self.to_array(lengths) {
                longest = longest.max(length.to_u64());
            }
        }
        usize::try_from(longest).unwrap_or(usize::MAX)
    }
    /// The smallest of all lengths, which are below 2^31.
    #[inline(always)]
    fn shortest<const G: usize>(self, lengths: &[Self::Vector; G]) -> usize {
        let mut shortest = u64::MAX;
        for &lengths in lengths {
            for length in self.to_array(lengths) {
                shortest = shortest.min(length.to_u64());
            }
        }
        shortest as usize
    }
    /// The words of all lanes.
    #[inline(always)]
    fn to_array(self, a: Self::Vector) -> [W; N] {
        let mut words = [W::ZERO; N];
        self.store(a, &mut words);
        words
    }
    /// The lengths between offsets. Sets `ends` to the beginnings of the tails, counted from `from`. All numbers are
    /// modulo 2^32.
    #[inline(always)]
    fn lengths32(
        self,
        starts: &[i32; N],
        stops: &[i32; N],
        from: usize,
        ends: &mut [u32; N],
    ) -> Self::Vector {
        let mut lengths = [0; N];
        for ((length, end), (&start, &stop)) in lengths.iter_mut().zip(ends).zip(starts.iter().zip(stops)) {
            *length = (stop as u32).wrapping_sub(start as u32);
            *end = (stop as u32).wrapping_sub(from as u32).wrapping_sub(*length % W::SIZE as u32);
        }
        self.numbers(&lengths)
    }
    /// The same.
    #[inline(always)]
    fn lengths64(
        self,
        starts: &[i64; N],
        stops: &[i64; N],
        from: usize,
        ends: &mut [u32; N],
    ) -> Self::Vector {
        let (mut low_starts, mut low_stops) = ([0; N], [0; N]);
        for ((low_start, low_stop), (&start, &stop)) in
            low_starts.iter_mut().zip(&mut low_stops).zip(starts.iter().zip(stops))
        {
            (*low_start, *low_stop) = (start as i32, stop as i32);
        }
        self.lengths32(&low_starts, &low_stops, from, ends)
    }
    /// The low bits of the lengths.
    #[inline(always)]
    fn lengths(self, slices: &[&[u8]; N]) -> Self::Vector {
        let mut lengths = [0; N];
        for (length, slice) in lengths.iter_mut().zip(slices) {
            *length = slice.len() as u32;
        }
        self.numbers(&lengths)
    }
    /// Writes the words of some quads: those that end one word after `base + ends[i]`, less 4 `rel` words. Writes 0
    /// where a word's index is below the lane's `first`, a signed number. Words that are not needed may be left out.
    ///
    /// # Safety
    /// Each quad lies in memory that may be read.
    #[inline(always)]
    unsafe fn read_quads<const G: usize>(
        self,
        base: usize,
        ends: &[u32; N],
        rel: usize,
        first: Self::Vector,
        to: &mut Column<'_, W, N, G>,
    ) {
        let mut tails = [0; N];
        for (tail, &end) in tails.iter_mut().zip(in_memory(ends)) {
            *tail = base.wrapping_add(end as usize);
        }
        // SAFETY: the caller ensures that these quads may be read.
        let rows = unsafe { self.quads(&tails, rel) };
        for (i, word) in (WINDOW - 4 * (rel + 1)..).zip(self.transpose(rows, first)) {
            to.put(i, self.to_array(word));
        }
    }
    /// Prepares to read messages of fewer than [`WINDOW`] whole words, from word `skip` of the window on. It is called
    /// some time before [`Lanes::words`], for loads that would wait for the stores of addresses.
    #[inline(always)]
    fn prepare(
        self,
        _messages: &[&[u8]; N],
        _lengths: Self::Vector,
        _skip: usize,
        _prepared: &mut Self::Prepared,
    ) {
    }
    /// Writes the words of these messages, with zeros for words that a message does not have. Reads no byte outside
    /// them.
    ///
    /// # Safety
    /// `prepared` is what [`Lanes::prepare`] made of these messages, their lengths and the first word that is needed.
    /// If JUSTIFIED and not TINY, each message has at least 4 bytes.
    #[inline(always)]
    unsafe fn words<const G: usize, const TINY: bool>(
        self,
        messages: &[&[u8]; N],
        _prepared: &Self::Prepared,
        to: &mut Column<'_, W, N, G>,
    ) {
        // SAFETY: the caller ensures the condition on the lengths.
        unsafe { stage::<W, N, G, TINY>(messages, to) }
    }
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
