//! The vectors of WebAssembly's SIMD, in modules compiled with it: there is no detection.
//!
//! [`Wasm128`] is a proof of the instructions (`proof.rs`).

#![allow(unsafe_code)]

pub mod chacha20_p4_simd128;
pub mod chacha20_x4_simd128;
pub mod halfsiphash_x4_simd128;
#[cfg(test)]
mod models;
pub mod siphash_x4_simd128;

use crate::arch::generic::lanes::Work;
use crate::arch::generic::lanes128::Simd128;
use crate::job::plain::{Plain, plain};
use crate::job::proof::{instructions, proof};
use core::arch::wasm32::*;

proof! {
    /// The engine has vectors of 128 bits.
    pub Wasm128: "simd128"
}

plain!(v128);

/// Not inlined, so each piece of work is a separate function.
#[inline(never)]
#[target_feature(enable = "simd128")]
fn call<F: Work>(work: F) {
    work.run();
}

impl Wasm128 {
    instructions! {
        fn left32(a: v128, bits: u32) -> v128 = i32x4_shl;
        fn left64(a: v128, bits: u32) -> v128 = i64x2_shl;
        fn right32(a: v128, bits: u32) -> v128 = u32x4_shr;
        fn right64(a: v128, bits: u32) -> v128 = u64x2_shr;
        fn swap32(a: v128, same: v128) -> v128 = i32x4_shuffle::<1, 0, 3, 2>;
        fn swap16(a: v128, same: v128) -> v128 = i16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>;
        fn turn16(a: v128, same: v128) -> v128 = i16x8_shuffle::<3, 0, 1, 2, 7, 4, 5, 6>;
        fn turn8(a: v128, same: v128) -> v128 =
            i8x16_shuffle::<3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14>;
        fn even32_of(a: v128, same: v128) -> v128 = i32x4_shuffle::<0, 0, 2, 2>;
        fn but_not(b: v128, not: v128) -> v128 = v128_andnot;
    }
}

/// A rotation by whole bytes is a shuffle; any other is two shifts and an or.
impl Simd128 for Wasm128 {
    type V = v128;

    instructions! {
        fn splat32(a: u32) -> v128 = u32x4_splat;
        fn splat64(a: u64) -> v128 = u64x2_splat;
        fn and(a: v128, b: v128) -> v128 = v128_and;
        fn or(a: v128, b: v128) -> v128 = v128_or;
        fn xor(a: v128, b: v128) -> v128 = v128_xor;
        fn add8(a: v128, b: v128) -> v128 = i8x16_add;
        fn add32(a: v128, b: v128) -> v128 = i32x4_add;
        fn add64(a: v128, b: v128) -> v128 = i64x2_add;
        fn sub32(a: v128, b: v128) -> v128 = i32x4_sub;
        fn sub64(a: v128, b: v128) -> v128 = i64x2_sub;
        fn equal32(a: v128, b: v128) -> v128 = i32x4_eq;
        fn greater8(a: v128, b: v128) -> v128 = i8x16_gt;
        fn greater32(a: v128, b: v128) -> v128 = i32x4_gt;
        fn low32(a: v128, b: v128) -> v128 = i32x4_shuffle::<0, 4, 1, 5>;
        fn high32(a: v128, b: v128) -> v128 = i32x4_shuffle::<2, 6, 3, 7>;
        fn low64(a: v128, b: v128) -> v128 = i64x2_shuffle::<0, 2>;
        fn high64(a: v128, b: v128) -> v128 = i64x2_shuffle::<1, 3>;
    }

    #[inline(always)]
    fn call<F: Work>(self, work: F) {
        call(work);
    }

    #[inline(always)]
    fn and_not(self, not: v128, b: v128) -> v128 {
        self.but_not(b, not)
    }

    #[inline(always)]
    fn even32(self, a: v128) -> v128 {
        self.even32_of(a, a)
    }

    #[inline(always)]
    fn rotl32(self, a: v128, bits: u32) -> v128 {
        match bits {
            8 => self.turn8(a, a),
            16 => self.swap16(a, a),
            _ => self.or(self.left32(a, bits), self.right32(a, 32 - bits)),
        }
    }

    #[inline(always)]
    fn rotl64(self, a: v128, bits: u32) -> v128 {
        match bits {
            16 => self.turn16(a, a),
            32 => self.swap32(a, a),
            _ => self.or(self.left64(a, bits), self.right64(a, 64 - bits)),
        }
    }
}
