//! Memory as another type: integers and vectors are read and written through references, by [`cast`], but for the
//! rows of messages, which are read at addresses that `ragged.rs` keeps.

#![allow(unsafe_code)]

use super::poly1305::key::Key;

/// Memory without padding, of which every pattern of bits is a value.
///
/// # Safety
/// Only for types of which both is true.
pub unsafe trait Plain: Copy {}

/// Integers and vectors of them.
macro_rules! plain {
    ($($type:ty),*) => {$(
        // SAFETY: an integer or a vector of integers has neither padding nor forbidden values.
        unsafe impl Plain for $type {}
    )*};
}
pub(crate) use plain;
plain!(u8, u32, u64, u128, usize, i32, i64);

// SAFETY: four integers of 64 bits, in the order of C: no padding, no forbidden values.
unsafe impl Plain for Key {}

// SAFETY: an array has no padding between its elements, and no values but theirs.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// The value whose every bit is 0.
#[inline(always)]
pub fn zero<T: Plain>() -> T {
    // SAFETY: every pattern of bits is a value of T, since it is `Plain`.
    unsafe { core::mem::zeroed() }
}

/// The same bits as another type: a load, a store, or nothing.
#[inline(always)]
pub fn cast<A: Plain, B: Plain>(a: &A) -> B {
    const { assert!(size_of::<A>() == size_of::<B>()) };
    // SAFETY: `a` is a reference to as many bytes as B has, all of them initialised and any of them
    // a value of B, since both types are `Plain`; no alignment is asked for.
    unsafe { (&raw const *a).cast::<B>().read_unaligned() }
}

/// The `i`-th M bytes.
#[inline(always)]
pub fn chunk<const M: usize>(bytes: &[u8], i: usize) -> &[u8; M] {
    bytes.as_chunks().0.get(i).unwrap_or(&[0; M])
}

#[cfg(target_endian = "little")]
macro_rules! as_bytes {
    ($($name:ident, $int:ty;)*) => {$(
        /// Integers as their bytes, which stand in memory in little-endian order on this CPU.
        #[inline(always)]
        pub fn $name(integers: &[$int]) -> &[[u8; size_of::<$int>()]] {
            // SAFETY: the same memory for the same lifetime, as elements of the same size and of no
            // alignment; each byte of an integer is initialised.
            unsafe { core::slice::from_raw_parts(integers.as_ptr().cast(), integers.len()) }
        }
    )*};
}
#[cfg(target_endian = "little")]
as_bytes! {
    u32s, u32;
    u64s, u64;
    u128s, u128;
}
