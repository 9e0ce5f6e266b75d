//! [`Lanes`] for vectors of 128 bits, made of operations that both SSE2 and WebAssembly's SIMD have. A register holds
//! four words of 32 bits; two registers hold four words of 64.
//!
//! Neither instruction set can load some lanes of a vector and skip others, or look words up in a register. So quads at
//! the edge of a message are read word by word, with zeros outside the message. And a late lane's state is chosen by
//! comparing with each possible number of late words.

#![allow(unsafe_code)]

use super::lanes::{Lanes, Work};
use super::quad::quad_within;
use crate::job::plain::{Plain, cast, chunk};

/// The operations on vectors of 128 bits. A value is a proof that the CPU has them.
pub trait Simd128: Copy {
    /// A register.
    type V: Plain;

    /// Runs `work` inside a function that enables the instructions.
    fn call<F: Work>(self, work: F);
    /// `a` in every word.
    fn splat32(self, a: u32) -> Self::V;
    /// `a` in every word.
    fn splat64(self, a: u64) -> Self::V;
    /// And.
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    /// `!not & b`.
    fn and_not(self, not: Self::V, b: Self::V) -> Self::V;
    /// Or.
    fn or(self, a: Self::V, b: Self::V) -> Self::V;
    /// Exclusive or.
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// Sum of each byte.
    fn add8(self, a: Self::V, b: Self::V) -> Self::V;
    /// Sum of each word.
    fn add32(self, a: Self::V, b: Self::V) -> Self::V;
    /// Sum of each word.
    fn add64(self, a: Self::V, b: Self::V) -> Self::V;
    /// Difference of each word.
    fn sub32(self, a: Self::V, b: Self::V) -> Self::V;
    /// Difference of each word.
    fn sub64(self, a: Self::V, b: Self::V) -> Self::V;
    /// Rotates each word to the left by a constant.
    fn rotl32(self, a: Self::V, bits: u32) -> Self::V;
    /// Rotates each word to the left by a constant.
    fn rotl64(self, a: Self::V, bits: u32) -> Self::V;
    /// All ones in the words that are equal.
    fn equal32(self, a: Self::V, b: Self::V) -> Self::V;
    /// All ones in the bytes where `a` is greater, as signed numbers.
    fn greater8(self, a: Self::V, b: Self::V) -> Self::V;
    /// All ones in the words where `a` is greater, as signed numbers.
    fn greater32(self, a: Self::V, b: Self::V) -> Self::V;
    /// a0 b0 a1 b1.
    fn low32(self, a: Self::V, b: Self::V) -> Self::V;
    /// a2 b2 a3 b3.
    fn high32(self, a: Self::V, b: Self::V) -> Self::V;
    /// a0 b0.
    fn low64(self, a: Self::V, b: Self::V) -> Self::V;
    /// a1 b1.
    fn high64(self, a: Self::V, b: Self::V) -> Self::V;
    /// a0 a0 a2 a2.
    fn even32(self, a: Self::V) -> Self::V;

    /// Sets bit 0x20 in the bytes from `A` to `Z`. A shift of the range makes `Z` the greatest signed byte.
    #[inline(always)]
    fn fold8(self, a: Self::V) -> Self::V {
        let bytes = |byte: u8| u32::from_ne_bytes([byte; 4]);
        let moved = self.add8(a, self.splat32(bytes(0x7f - b'Z')));
        let capital = self.greater8(moved, self.splat32(bytes(0x7e - b'Z' + b'A')));
        self.or(a, self.and(capital, self.splat32(bytes(0x20))))
    }

    /// `a` where a bit of `mask` is set, `b` elsewhere.
    #[inline(always)]
    fn choose(self, mask: Self::V, a: Self::V, b: Self::V) -> Self::V {
        self.or(self.and(mask, a), self.and_not(mask, b))
    }

    /// Compares words that are signed numbers of 32 bits.
    #[inline(always)]
    fn greater64(self, a: Self::V, b: Self::V) -> Self::V {
        self.even32(self.greater32(a, b))
    }

    /// Words 0 to 3 of four quads.
    #[inline(always)]
    fn transpose32(self, [a, b, c, d]: [Self::V; 4]) -> [Self::V; 4] {
        let (low0, low1) = (self.low32(a, b), self.low32(c, d));
        let (high0, high1) = (self.high32(a, b), self.high32(c, d));
        [self.low64(low0, low1), self.high64(low0, low1), self.low64(high0, high1), self.high64(high0, high1)]
    }
}

/// Shifts each word by the bits in the other's word.
macro_rules! shift {
    ($a:expr, $bits:expr, $word:ty, $shift:ident) => {{
        let (mut a, bits): ([$word; 4], [$word; 4]) = (cast(&$a), cast(&$bits));
        for (a, bits) in a.iter_mut().zip(bits) {
            *a = a.$shift(bits as u32).unwrap_or(0);
        }
        cast(&a)
    }};
}

/// Operations that are one operation on the register.
macro_rules! one {
    ($($name:ident = $operation:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, a: T::V, b: T::V) -> T::V {
            Simd128::$operation(self, a, b)
        }
    )*};
}

/// Operations that are the same operation on both registers.
macro_rules! both {
    ($($name:ident = $operation:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, [a0, a1]: [T::V; 2], [b0, b1]: [T::V; 2]) -> [T::V; 2] {
            [Simd128::$operation(self, a0, b0), Simd128::$operation(self, a1, b1)]
        }
    )*};
}

impl<T: Simd128> Lanes<u32, 4> for T {
    type Vector = T::V;
    type Quad = T::V;
    type Prepared = ();
    const RESTARTS_ALWAYS: bool = false;

    one! {
        add = add32;
        sub = sub32;
        xor = xor;
        and = and;
        and_not = and_not;
        or = or;
    }

    #[inline(always)]
    fn call<F: Work>(self, work: F) {
        Simd128::call(self, work);
    }

    #[inline(always)]
    fn splat(self, word: u32) -> T::V {
        self.splat32(word)
    }

    #[inline(always)]
    fn load(self, words: &[u32; 4]) -> T::V {
        cast(words)
    }

    #[inline(always)]
    fn store(self, a: T::V, words: &mut [u32; 4]) {
        *words = cast(&a);
    }

    #[inline(always)]
    fn store_double(self, low: T::V, high: T::V, integers: &mut [u64; 4]) {
        *integers = cast(&[self.low32(low, high), self.high32(low, high)]);
    }

    #[inline(always)]
    fn shl(self, a: T::V, bits: T::V) -> T::V {
        shift!(a, bits, u32, checked_shl)
    }

    #[inline(always)]
    fn shr(self, a: T::V, bits: T::V) -> T::V {
        shift!(a, bits, u32, checked_shr)
    }

    #[inline(always)]
    fn rotl(self, a: T::V, bits: u32) -> T::V {
        self.rotl32(a, bits)
    }

    #[inline(always)]
    fn fold(self, a: T::V) -> T::V {
        self.fold8(a)
    }

    #[inline(always)]
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; 4]) -> [T::V; 4] {
        let bytes = integers.as_flattened();
        let load = |i| cast::<[u8; 16], T::V>(chunk(bytes, i));
        let zero = self.splat32(0);
        match SIZE {
            4 => [load(0), zero, zero, zero],
            8 => {
                // Words 0 of messages 0 2, then their words 1; the same of messages 1 3.
                let (even, odd) = (self.low32(load(0), load(1)), self.high32(load(0), load(1)));
                [self.low32(even, odd), self.high32(even, odd), zero, zero]
            }
            _ => self.transpose32([load(0), load(1), load(2), load(3)]),
        }
    }

    #[inline(always)]
    fn numbers(self, numbers: &[u32; 4]) -> T::V {
        cast(numbers)
    }

    #[inline(always)]
    fn restart(self, a: T::V, choices: &[u32; 4], late: T::V) -> T::V {
        let mut new = a;
        for (j, &choice) in (0..).zip(choices) {
            new = self.choose(self.equal32(late, self.splat32(j)), self.splat32(choice), new);
        }
        new
    }

    #[inline(always)]
    unsafe fn quads_within(
        self,
        ends: &[usize; 4],
        lengths: &[u32; 4],
        rel: usize,
        _first: T::V,
    ) -> [T::V; 4] {
        let mut rows = [self.splat32(0); 4];
        for ((row, &end), &length) in rows.iter_mut().zip(ends).zip(lengths) {
            // SAFETY: the caller ensures the condition for each message.
            *row = cast(&unsafe { quad_within::<u32>(end, length, rel) });
        }
        rows
    }

    #[inline(always)]
    fn transpose(self, rows: [T::V; 4], first: T::V) -> [T::V; 4] {
        let mut words = self.transpose32(rows);
        for (i, word) in (1..).zip(&mut words) {
            *word = Simd128::and(self, self.greater32(self.splat32(i), first), *word);
        }
        words
    }
}

impl<T: Simd128> Lanes<u64, 4> for T {
    type Vector = [T::V; 2];
    type Quad = [T::V; 2];
    type Prepared = ();
    const RESTARTS_ALWAYS: bool = false;

    both! {
        add = add64;
        sub = sub64;
        xor = xor;
        and = and;
        and_not = and_not;
        or = or;
    }

    #[inline(always)]
    fn call<F: Work>(self, work: F) {
        Simd128::call(self, work);
    }

    #[inline(always)]
    fn splat(self, word: u64) -> [T::V; 2] {
        [self.splat64(word); 2]
    }

    #[inline(always)]
    fn load(self, words: &[u64; 4]) -> [T::V; 2] {
        cast(words)
    }

    #[inline(always)]
    fn store(self, a: [T::V; 2], words: &mut [u64; 4]) {
        *words = cast(&a);
    }

    #[inline(always)]
    fn store_double(self, [a, c]: [T::V; 2], [b, d]: [T::V; 2], integers: &mut [u128; 4]) {
        *integers = cast(&[self.low64(a, b), self.high64(a, b), self.low64(c, d), self.high64(c, d)]);
    }

    #[inline(always)]
    fn shl(self, a: [T::V; 2], bits: [T::V; 2]) -> [T::V; 2] {
        shift!(a, bits, u64, checked_shl)
    }

    #[inline(always)]
    fn shr(self, a: [T::V; 2], bits: [T::V; 2]) -> [T::V; 2] {
        shift!(a, bits, u64, checked_shr)
    }

    #[inline(always)]
    fn rotl(self, [a, b]: [T::V; 2], bits: u32) -> [T::V; 2] {
        [self.rotl64(a, bits), self.rotl64(b, bits)]
    }

    #[inline(always)]
    fn fold(self, [a, b]: [T::V; 2]) -> [T::V; 2] {
        [self.fold8(a), self.fold8(b)]
    }

    #[inline(always)]
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; 4]) -> [[T::V; 2]; 4] {
        let bytes = integers.as_flattened();
        let load = |i| cast::<[u8; 16], T::V>(chunk(bytes, i));
        let zero = self.splat32(0);
        match SIZE {
            4 => [[self.low32(load(0), zero), self.high32(load(0), zero)], [zero; 2], [zero; 2], [zero; 2]],
            8 => [[load(0), load(1)], [zero; 2], [zero; 2], [zero; 2]],
            _ => {
                let [a, b, c, d] = [load(0), load(1), load(2), load(3)];
                let words0 = [self.low64(a, b), self.low64(c, d)];
                [words0, [self.high64(a, b), self.high64(c, d)], [zero; 2], [zero; 2]]
            }
        }
    }

    #[inline(always)]
    fn numbers(self, numbers: &[u32; 4]) -> [T::V; 2] {
        let (numbers, zero) = (cast(numbers), self.splat32(0));
        [self.low32(numbers, zero), self.high32(numbers, zero)]
    }

    #[inline(always)]
    fn restart(self, a: [T::V; 2], choices: &[u64; 4], late: [T::V; 2]) -> [T::V; 2] {
        let mut new = a;
        for (new, late) in new.iter_mut().zip(late) {
            for (j, &choice) in (0..).zip(choices) {
                let is_due = self.even32(self.equal32(late, self.splat32(j)));
                *new = self.choose(is_due, self.splat64(choice), *new);
            }
        }
        new
    }

    #[inline(always)]
    unsafe fn quads_within(
        self,
        ends: &[usize; 4],
        lengths: &[u32; 4],
        rel: usize,
        _first: [T::V; 2],
    ) -> [[T::V; 2]; 4] {
        let mut rows = [[self.splat32(0); 2]; 4];
        for ((row, &end), &length) in rows.iter_mut().zip(ends).zip(lengths) {
            // SAFETY: the caller ensures the condition for each message.
            *row = cast(&unsafe { quad_within::<u64>(end, length, rel) });
        }
        rows
    }

    #[inline(always)]
    fn transpose(self, rows: [[T::V; 2]; 4], first: [T::V; 2]) -> [[T::V; 2]; 4] {
        let [a, b, c, d] = rows;
        let mut words = [
            [self.low64(a[0], b[0]), self.low64(c[0], d[0])],
            [self.high64(a[0], b[0]), self.high64(c[0], d[0])],
            [self.low64(a[1], b[1]), self.low64(c[1], d[1])],
            [self.high64(a[1], b[1]), self.high64(c[1], d[1])],
        ];
        for (i, word) in (1..).zip(&mut words) {
            for (word, first) in word.iter_mut().zip(first) {
                *word = Simd128::and(self, self.greater64(self.splat32(i), first), *word);
            }
        }
        words
    }
}
