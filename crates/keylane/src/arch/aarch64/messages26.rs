//! Poly1305 of 4 messages in base 2^26 with NEON: 4 lanes of 64 bits in two registers.
//!
//! Multiplicands are first narrowed into one register. `umlal` then multiplies its low half and `umlal2` its high half.

#![allow(unsafe_code)]

use super::{Neon, cast, instructions};
use crate::arch::generic::messages26::{MARKS, MOVED, MessageVectors, chunk_at, missing};
use crate::arch::generic::radix26::vectors::Vectors26;
use crate::job::barrier::in_memory;
use crate::job::buffer::LeInt;
use crate::job::limits::Method;
use crate::job::poly1305::Key;
use crate::job::wipe::wipe;
use core::arch::aarch64::*;
use core::arch::asm;

/// Two NEON registers side by side.
#[derive(Clone, Copy)]
pub struct Twice(pub Neon);

/// Lanes 0 and 1, and lanes 2 and 3.
type Vector = [uint64x2_t; 2];

impl Twice {
    instructions! {
        fn first_words(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vtrn1q_u64;
        fn second_words(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vtrn2q_u64;
        fn as32(a: uint64x2_t) -> uint32x4_t = vreinterpretq_u32_u64;
        fn even32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vuzp1q_u32;
        fn low_half(a: uint32x4_t) -> uint32x2_t = vget_low_u32;
        fn widening_mul(a: uint32x2_t, b: uint32x2_t) -> uint64x2_t = vmull_u32;
        fn widening_mul_high(a: uint32x4_t, b: uint32x4_t) -> uint64x2_t = vmull_high_u32;
        fn is_greater(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vcgtq_u64;
        fn is_equal(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vceqq_u64;
        fn by_bits(mask: uint64x2_t, set: uint64x2_t, clear: uint64x2_t) -> uint64x2_t = vbslq_u64;
        fn pick_bytes(a: uint8x16_t, indices: uint8x16_t) -> uint8x16_t = vqtbl1q_u8;
        fn or_bytes(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vorrq_u8;
    }

    /// The low halves of the lanes.
    #[inline(always)]
    fn narrow(self, [a0, a1]: Vector) -> uint32x4_t {
        self.even32(self.as32(a0), self.as32(a1))
    }

    /// 16 bytes for each lane, as their low and high words.
    #[inline(always)]
    fn words_of_lanes(self, [a, b, c, d]: [uint64x2_t; 4]) -> [Vector; 2] {
        [[self.first_words(a, b), self.first_words(c, d)], [self.second_words(a, b), self.second_words(c, d)]]
    }

    /// The last block of a message.
    #[inline(always)]
    fn end(self, message: &[u8]) -> uint64x2_t {
        // Also: the number of bytes that the bytes read are too high by.
        let (bytes, by) = match message.last_chunk::<16>() {
            Some(last) => (cast(last), missing(message)),
            None => (cast(&u128::from_short(message)), 0),
        };
        let moved = self.pick_bytes(bytes, cast(chunk_at(&MOVED, by)));
        cast(&self.or_bytes(moved, cast(chunk_at(&MARKS, missing(message)))))
    }
}

/// Operations that are done on both registers.
macro_rules! twice {
    ($($name:ident),*) => {$(
        #[inline(always)]
        fn $name(self, [a0, a1]: Vector, [b0, b1]: Vector) -> Vector {
            [self.0.$name(a0, b0), self.0.$name(a1, b1)]
        }
    )*};
}

impl Vectors26<4> for Twice {
    type Vector = Vector;
    const BY_8: Method = Method::P4NeonBy8;

    twice!(add, sub, and, or);

    #[inline(always)]
    fn splat(self, x: u64) -> Vector {
        [self.0.splat(x); 2]
    }

    #[inline(always)]
    fn load(self, x: &[u64; 4]) -> Vector {
        cast(x)
    }

    #[inline(always)]
    fn store(self, a: Vector) -> [u64; 4] {
        cast(&a)
    }

    #[inline(always)]
    fn words(self, blocks: &[[u8; 16]; 4]) -> [Vector; 2] {
        let [a, b, c, d] = cast(blocks);
        self.words_of_lanes([a, c, b, d])
    }

    #[inline(always)]
    fn mul(self, a: Vector, b: Vector) -> Vector {
        let (a, b) = (self.narrow(a), self.narrow(b));
        [self.widening_mul(self.low_half(a), self.low_half(b)), self.widening_mul_high(a, b)]
    }

    /// In assembly: the compiler would regroup the intrinsics, a product and a sum, into other sums.
    #[inline(always)]
    fn mul_add(self, [mut low, mut high]: Vector, a: Vector, b: Vector) -> Vector {
        // SAFETY: two NEON instructions, which `self` proves. They write only the two registers named as outputs.
        unsafe {
            asm!(
                "umlal {low:v}.2d, {a:v}.2s, {b:v}.2s",
                "umlal2 {high:v}.2d, {a:v}.4s, {b:v}.4s",
                low = inout(vreg) low, high = inout(vreg) high,
                a = in(vreg) self.narrow(a), b = in(vreg) self.narrow(b),
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        [low, high]
    }

    #[inline(always)]
    fn shl(self, [a0, a1]: Vector, bits: u32) -> Vector {
        [self.0.shl(a0, bits), self.0.shl(a1, bits)]
    }

    #[inline(always)]
    fn shr(self, [a0, a1]: Vector, bits: u32) -> Vector {
        [self.0.shr(a0, bits), self.0.shr(a1, bits)]
    }

    #[inline(always)]
    fn sum(self, [a0, a1]: Vector) -> u64 {
        self.0.sum(self.0.add(a0, a1))
    }

    #[inline(always)]
    fn in_memory<T>(self, x: &T) -> &T {
        in_memory(x)
    }

    #[inline(always)]
    fn wipe<const M: usize>(self, secret: &mut [Vector; M]) {
        wipe(secret);
    }
}

impl MessageVectors for Twice {
    const PAIRS: usize = usize::MAX;

    #[inline(always)]
    fn of_lanes(self, numbers: [usize; 4]) -> Vector {
        self.load(&numbers.map(|number| number as u64))
    }

    #[inline(always)]
    fn hidden(self, x: [Vector; 5]) -> [Vector; 5] {
        x
    }

    #[inline(always)]
    fn greater(self, [a0, a1]: Vector, [b0, b1]: Vector) -> Vector {
        [self.is_greater(a0, b0), self.is_greater(a1, b1)]
    }

    #[inline(always)]
    fn equal(self, [a0, a1]: Vector, [b0, b1]: Vector) -> Vector {
        [self.is_equal(a0, b0), self.is_equal(a1, b1)]
    }

    #[inline(always)]
    fn choose(self, [mask0, mask1]: Vector, [a0, a1]: Vector, [b0, b1]: Vector) -> Vector {
        [self.by_bits(mask0, b0, a0), self.by_bits(mask1, b1, a1)]
    }

    #[inline(always)]
    fn words_of(self, [a, b, c, d]: [&[u8; 16]; 4]) -> [Vector; 2] {
        self.words_of_lanes([cast(a), cast(b), cast(c), cast(d)])
    }

    #[inline(always)]
    fn words_of_keys(self, [a, b, c, d]: [&Key; 4]) -> [[Vector; 2]; 2] {
        let r = self.words_of_lanes([cast(&a.r), cast(&b.r), cast(&c.r), cast(&d.r)]);
        [r, self.words_of_lanes([cast(&a.s), cast(&b.s), cast(&c.s), cast(&d.s)])]
    }

    #[inline(always)]
    fn words_of_ends(self, [a, b, c, d]: [&[u8]; 4]) -> [Vector; 2] {
        self.words_of_lanes([self.end(a), self.end(b), self.end(c), self.end(d)])
    }

    #[inline(always)]
    fn tags_of(self, [[low0, low1], [high0, high1]]: [Vector; 2]) -> [[u8; 16]; 4] {
        [
            cast(&self.first_words(low0, high0)),
            cast(&self.second_words(low0, high0)),
            cast(&self.first_words(low1, high1)),
            cast(&self.second_words(low1, high1)),
        ]
    }
}
