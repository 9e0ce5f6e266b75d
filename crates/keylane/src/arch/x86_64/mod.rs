//! What x86-64 has beyond the portable code.
//!
//! [`Sse2`], [`Avx2`] and [`Avx512`] are proofs: a value exists only where a function that enables the
//! instructions has made it, and its methods are the instructions. So arithmetic on vectors needs one
//! `unsafe`, in `instructions!`. Memory is read and written through references, by [`cast`], but for
//! the rows of messages, which are read at addresses that `ragged.rs` keeps.

#![allow(unsafe_code)]

mod avx2;
mod avx512;
pub mod barrier;
mod blocks44;
#[cfg(not(any(miri, target_env = "sgx")))]
pub mod cpuid;
#[cfg(target_feature = "sse2")]
pub mod fold;
pub mod halfsiphash_x16_avx512;
pub mod halfsiphash_x8_avx2;
mod ifma;
pub mod poly1305_p2_sse2;
pub mod poly1305_p4_avx2;
pub mod poly1305_p4_avx512ifma;
pub mod poly1305_p8_avx512f;
pub mod poly1305_p8_avx512ifma;
pub mod poly1305_x4_avx2;
pub mod poly1305_x8_avx512ifma;
mod radix26;
mod radix44;
mod ragged;
pub mod siphash_x1_dup;
pub mod siphash_x4_avx2;
pub mod siphash_x8_avx512;
mod vertical;

use crate::kernel::poly1305::Key;
use core::arch::x86_64::{__m128i, __m256i, __m512i, _MM_HINT_T0, _mm_prefetch};
use core::ptr::with_exposed_provenance;

/// The CPU has SSE2.
#[derive(Clone, Copy)]
pub struct Sse2(());

impl Sse2 {
    /// A proof, for functions that enable the same instructions.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn here() -> Self {
        Sse2(())
    }
}

/// The CPU has AVX2 and BMI2.
#[derive(Clone, Copy)]
pub struct Avx2(());

impl Avx2 {
    /// A proof, for functions that enable the same instructions.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    pub fn here() -> Self {
        Avx2(())
    }
}

/// The CPU has AVX-512 F, BW and VL, and BMI2.
#[derive(Clone, Copy)]
pub struct Avx512(());

impl Avx512 {
    /// A proof, for functions that enable the same instructions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    pub fn here() -> Self {
        Avx512(())
    }
}

/// Methods of a proof, each one instruction. They are `#[inline(always)]`, as all that calls them is:
/// so they become part of the one function that enables the instructions, and an intrinsic does not
/// stay a call.
macro_rules! instructions {
    ($(fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty = $intrinsic:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($arg: $type),*) -> $result {
            // SAFETY: the intrinsic's one condition is that the CPU has the instruction. `self` was
            // made by `here`, which only code that itself runs with the instructions could call.
            unsafe { ($intrinsic)($($arg),*) }
        }
    )*};
}
use instructions;

/// Memory without padding, of which every pattern of bits is a value.
///
/// # Safety
/// Only for types of which both is true.
unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($type:ty),*) => {$(
        // SAFETY: an integer or a vector of integers has neither padding nor forbidden values.
        unsafe impl Plain for $type {}
    )*};
}
plain!(u8, u32, u64, u128, usize, i32, i64, __m128i, __m256i, __m512i);

// SAFETY: four integers of 64 bits, in the order of C: no padding, no forbidden values.
unsafe impl Plain for Key {}

// SAFETY: an array has no padding between its elements, and no values but theirs.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// The same bits as another type: a load, a store, or nothing.
#[inline(always)]
fn cast<A: Plain, B: Plain>(a: &A) -> B {
    const { assert!(size_of::<A>() == size_of::<B>()) };
    // SAFETY: `a` is a reference to as many bytes as B has, all of them initialised and any of them
    // a value of B, since both types are `Plain`; no alignment is asked for.
    unsafe { (&raw const *a).cast::<B>().read_unaligned() }
}

/// The `i`-th M bytes.
#[inline(always)]
fn chunk<const M: usize>(bytes: &[u8], i: usize) -> &[u8; M] {
    bytes.as_chunks().0.get(i).unwrap_or(&[0; M])
}

macro_rules! as_bytes {
    ($($name:ident, $int:ty;)*) => {$(
        /// Integers as their bytes, which stand in memory in little-endian order on this CPU.
        #[inline(always)]
        fn $name(integers: &[$int]) -> &[[u8; size_of::<$int>()]] {
            // SAFETY: the same memory for the same lifetime, as elements of the same size and of no
            // alignment; each byte of an integer is initialised.
            unsafe { core::slice::from_raw_parts(integers.as_ptr().cast(), integers.len()) }
        }
    )*};
}
as_bytes! {
    u32s, u32;
    u64s, u64;
    u128s, u128;
}

/// Asks for the line of memory at an address, any address.
#[inline(always)]
fn prefetch(address: usize) {
    // SAFETY: a hint, which reads nothing and cannot fail; SSE is part of x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(with_exposed_provenance(address)) }
}
