//! Four lanes of 64 bits as two halves, each in a NEON register or in two general registers.
//!
//! A half in two general registers is two scalar streams: adds, and xors with a rotated operand. They need no port that
//! vectors need. So a core with ports for both steps more messages in a cycle than with either form alone. The two
//! streams of a half never meet, nor do the halves.

use super::{Plain, cast, chunk};
use crate::job::plain::zero;
// LLVM would merge two streams into a vector, where a rotation is two operations.
use crate::arch::generic::lanes::{Lanes, Work};
use crate::arch::generic::quad::{quad_start, quad_within};
use crate::job::barrier::value_barrier as hidden;
use crate::job::siphash::Word;
use core::arch::aarch64::uint64x2_t;
use core::hint::select_unpredictable;
use core::ptr::with_exposed_provenance;

/// The operations on two lanes, as in [`Lanes`].
pub trait Half: Copy {
    /// Two words, in memory order.
    type Two: Plain;

    /// `word` in both lanes.
    fn splat(self, word: u64) -> Self::Two;
    /// Sums.
    fn add(self, a: Self::Two, b: Self::Two) -> Self::Two;
    /// Differences.
    fn sub(self, a: Self::Two, b: Self::Two) -> Self::Two;
    /// Exclusive or.
    fn xor(self, a: Self::Two, b: Self::Two) -> Self::Two;
    /// And.
    fn and(self, a: Self::Two, b: Self::Two) -> Self::Two;
    /// `!not & b`.
    fn and_not(self, not: Self::Two, b: Self::Two) -> Self::Two;
    /// Or.
    fn or(self, a: Self::Two, b: Self::Two) -> Self::Two;
    /// Shifts to the left by fewer than 128 bits.
    fn shl(self, a: Self::Two, bits: Self::Two) -> Self::Two;
    /// Shifts to the right by fewer than 128 bits.
    fn shr(self, a: Self::Two, bits: Self::Two) -> Self::Two;
    /// Rotates to the left by a constant.
    fn rotl(self, a: Self::Two, bits: u32) -> Self::Two;
    /// [`Word::fold`].
    fn fold(self, a: Self::Two) -> Self::Two;
    /// The low and the high word of each lane, side by side.
    fn zip(self, low: Self::Two, high: Self::Two) -> [Self::Two; 2];
    /// The words of two messages of SIZE bytes, 4, 8 or 16.
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; 2]) -> [Self::Two; 2];
    /// `choices[late]` where `late` is from 0 to 3, `a` where it is negative.
    fn restart(self, a: Self::Two, choices: &[u64; 4], late: Self::Two) -> Self::Two;
    /// The words of two quads; 0 where a word's index is below `first`.
    fn transpose(self, rows: &[Quad; 2], first: Self::Two) -> [Self::Two; 4];
}

/// A half that proves an instruction set.
pub trait Vector: Half {
    /// The same as [`Lanes::call`].
    fn call<F: Work>(self, work: F);
}

/// Four words of a message in the form of either kind of half. The compiler removes the unused load.
#[derive(Clone, Copy)]
pub struct Quad {
    /// Words 0 and 1, words 2 and 3.
    pub pairs: [uint64x2_t; 2],
    /// The same words.
    pub words: [u64; 4],
}

// SAFETY: two arrays of 32 bytes, of vectors of integers and of integers: no padding, no forbidden values.
unsafe impl Plain for Quad {}

impl Quad {
    /// Reads the quad of a message whose tail begins at `end`, `rel` quads before its last.
    ///
    /// # Safety
    /// The quad may be read.
    #[inline(always)]
    unsafe fn read(end: usize, rel: usize) -> Quad {
        let start = with_exposed_provenance::<[u64; 4]>(quad_start::<u64>(end, rel));
        // SAFETY: the caller ensures that these 32 bytes may be read.
        let pairs = unsafe { start.cast::<[uint64x2_t; 2]>().read_unaligned() };
        // SAFETY: the same bytes.
        let words = unsafe { start.read_unaligned() };
        Quad { pairs, words }
    }

    /// Reads the same quad, with zeros in place of everything outside the message.
    ///
    /// # Safety
    /// `end` is `length % 8` bytes before the end of a message of that length, which may be read.
    #[inline(always)]
    unsafe fn read_within(end: usize, length: u32, rel: usize) -> Quad {
        // SAFETY: the caller ensures the condition.
        let words = unsafe { quad_within(end, length, rel) };
        Quad { pairs: cast(&words), words }
    }
}

/// Two lanes in two general registers.
#[derive(Clone, Copy)]
pub struct General;

macro_rules! each {
    ($($name:ident($a:ident, $b:ident) = $result:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, [a0, a1]: [u64; 2], [b0, b1]: [u64; 2]) -> [u64; 2] {
            #[inline(always)]
            fn one($a: u64, $b: u64) -> u64 {
                $result
            }
            [one(a0, b0), one(a1, b1)]
        }
    )*};
}

impl Half for General {
    type Two = [u64; 2];

    each! {
        add(a, b) = hidden(a.wrapping_add(b));
        sub(a, b) = a.wrapping_sub(b);
        xor(a, b) = a ^ b;
        and(a, b) = a & b;
        and_not(a, b) = !a & b;
        or(a, b) = a | b;
        shl(a, b) = a.checked_shl(b as u32).unwrap_or(0);
        shr(a, b) = a.checked_shr(b as u32).unwrap_or(0);
    }

    #[inline(always)]
    fn splat(self, word: u64) -> [u64; 2] {
        [word; 2]
    }

    #[inline(always)]
    fn rotl(self, [a, b]: [u64; 2], bits: u32) -> [u64; 2] {
        [a.rotate_left(bits), b.rotate_left(bits)]
    }

    #[inline(always)]
    fn fold(self, [a, b]: [u64; 2]) -> [u64; 2] {
        [hidden(a.fold()), hidden(b.fold())]
    }

    #[inline(always)]
    fn zip(self, [a0, b0]: [u64; 2], [a1, b1]: [u64; 2]) -> [[u64; 2]; 2] {
        [[a0, a1], [b0, b1]]
    }

    #[inline(always)]
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; 2]) -> [[u64; 2]; 2] {
        let bytes = integers.as_flattened();
        match SIZE {
            4 => {
                let [a, b]: [u32; 2] = cast(chunk::<8>(bytes, 0));
                [[a.into(), b.into()], [0; 2]]
            }
            8 => [cast(chunk::<16>(bytes, 0)), [0; 2]],
            _ => self.zip(cast(chunk::<16>(bytes, 0)), cast(chunk::<16>(bytes, 1))),
        }
    }

    #[inline(always)]
    fn restart(self, [a, b]: [u64; 2], choices: &[u64; 4], [c, d]: [u64; 2]) -> [u64; 2] {
        let due = |late: u64| choices[late as usize % 4];
        [select_unpredictable((c as i64) < 0, a, due(c)), select_unpredictable((d as i64) < 0, b, due(d))]
    }

    #[inline(always)]
    fn transpose(self, [a, b]: &[Quad; 2], [c, d]: [u64; 2]) -> [[u64; 2]; 4] {
        let mut words = [[0; 2]; 4];
        for (i, word) in words.iter_mut().enumerate() {
            *word = [
                hidden(select_unpredictable(c as i64 > i as i64, 0, a.words[i])),
                hidden(select_unpredictable(d as i64 > i as i64, 0, b.words[i])),
            ];
        }
        words
    }
}

/// Two halves. The first one proves the instruction set.
#[derive(Clone, Copy)]
pub struct Halves<A, B>(pub A, pub B);

impl<A: Vector, B: Half> Halves<A, B> {
    /// Four words.
    #[inline(always)]
    fn four([a, b, c, d]: [u64; 4]) -> (A::Two, B::Two) {
        (cast(&[a, b]), cast(&[c, d]))
    }
}

/// Operations that are the same for both halves.
macro_rules! both {
    ($($name:ident)*) => {$(
        #[inline(always)]
        fn $name(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
            (self.0.$name(a.0, b.0), self.1.$name(a.1, b.1))
        }
    )*};
}

impl<A: Vector, B: Half> Lanes<u64, 4> for Halves<A, B> {
    type Vector = (A::Two, B::Two);
    type Quad = Quad;
    type Prepared = ();
    const RESTARTS_ALWAYS: bool = false;

    both! { add sub xor and and_not or shl shr }

    #[inline(always)]
    fn call<F: Work>(self, work: F) {
        self.0.call(work);
    }

    #[inline(always)]
    fn splat(self, word: u64) -> Self::Vector {
        (self.0.splat(word), self.1.splat(word))
    }

    #[inline(always)]
    fn load(self, words: &[u64; 4]) -> Self::Vector {
        let [a, b]: [[u64; 2]; 2] = cast(words);
        (cast(&a), cast(&b))
    }

    #[inline(always)]
    fn store(self, (a, b): Self::Vector, words: &mut [u64; 4]) {
        let ([a0, a1], [b0, b1]) = (cast(&a), cast(&b));
        *words = [a0, a1, b0, b1];
    }

    #[inline(always)]
    fn store_double(self, low: Self::Vector, high: Self::Vector, integers: &mut [u128; 4]) {
        let ([a0, a1], [b0, b1]) = (cast(&self.0.zip(low.0, high.0)), cast(&self.1.zip(low.1, high.1)));
        *integers = [a0, a1, b0, b1];
    }

    #[inline(always)]
    fn rotl(self, (a, b): Self::Vector, bits: u32) -> Self::Vector {
        (self.0.rotl(a, bits), self.1.rotl(b, bits))
    }

    #[inline(always)]
    fn fold(self, (a, b): Self::Vector) -> Self::Vector {
        (self.0.fold(a), self.1.fold(b))
    }

    #[inline(always)]
    fn integers<const SIZE: usize>(self, &[a, b, c, d]: &[[u8; SIZE]; 4]) -> [Self::Vector; 4] {
        let ([a0, a1], [b0, b1]) = (self.0.integers(&[a, b]), self.1.integers(&[c, d]));
        let zero = self.splat(0);
        [(a0, b0), (a1, b1), zero, zero]
    }

    #[inline(always)]
    fn numbers(self, &[a, b, c, d]: &[u32; 4]) -> Self::Vector {
        Self::four([a.into(), b.into(), c.into(), d.into()])
    }

    #[inline(always)]
    fn restart(self, a: Self::Vector, choices: &[u64; 4], late: Self::Vector) -> Self::Vector {
        (self.0.restart(a.0, choices, late.0), self.1.restart(a.1, choices, late.1))
    }

    #[inline(always)]
    unsafe fn quads(self, ends: &[usize; 4], rel: usize) -> [Quad; 4] {
        let mut rows = [zero(); 4];
        for (row, &end) in rows.iter_mut().zip(ends) {
            // SAFETY: the caller ensures that this quad may be read.
            *row = unsafe { Quad::read(end, rel) };
        }
        rows
    }

    #[inline(always)]
    unsafe fn quads_within(
        self,
        ends: &[usize; 4],
        lengths: &[u32; 4],
        rel: usize,
        _first: Self::Vector,
    ) -> [Quad; 4] {
        let mut rows = [zero(); 4];
        for ((row, &end), &length) in rows.iter_mut().zip(ends).zip(lengths) {
            // SAFETY: the caller ensures the condition for each message.
            *row = unsafe { Quad::read_within(end, length, rel) };
        }
        rows
    }

    #[inline(always)]
    fn transpose(self, [a, b, c, d]: [Quad; 4], first: Self::Vector) -> [Self::Vector; 4] {
        let a = self.0.transpose(&[a, b], first.0);
        let b = self.1.transpose(&[c, d], first.1);
        [(a[0], b[0]), (a[1], b[1]), (a[2], b[2]), (a[3], b[3])]
    }
}
