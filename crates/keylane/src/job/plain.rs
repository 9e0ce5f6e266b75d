//! Memory as another type. [`cast`] reads and writes integers and vectors through references. Only `ragged` differs: it
//! reads messages at addresses that it keeps.

#![allow(unsafe_code)]

use super::poly1305::key::Key;
use core::any::TypeId;
use core::marker::PhantomData;

/// Memory without padding, for which every bit pattern is a valid value.
///
/// # Safety
/// Implement it only for types with both properties.
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

// SAFETY: four 64-bit integers in C order: no padding, no forbidden values.
unsafe impl Plain for Key {}

// SAFETY: an array has no padding between its elements, and no values beyond theirs.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// The value with all bits 0.
#[inline(always)]
pub fn zero<T: Plain>() -> T {
    // SAFETY: T is `Plain`, so every bit pattern is a valid value.
    unsafe { core::mem::zeroed() }
}

/// The same bits as another type: a load, a store, or nothing.
#[inline(always)]
pub fn cast<A: Plain, B: Plain>(a: &A) -> B {
    const { assert!(size_of::<A>() == size_of::<B>()) };
    // SAFETY: `a` refers to as many bytes as B has, all of them initialised. Both types are `Plain`, so they are a
    // valid value of B. The read needs no alignment.
    unsafe { (&raw const *a).cast::<B>().read_unaligned() }
}

/// Values as their bytes.
#[inline(always)]
pub fn bytes<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: the same memory for the same lifetime. T is `Plain`, so every byte of it is initialised, and bytes need no
    // alignment.
    unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Chunk `i` of M bytes.
#[inline(always)]
pub fn chunk<const M: usize>(bytes: &[u8], i: usize) -> &[u8; M] {
    bytes.as_chunks().0.get(i).unwrap_or(&[0; M])
}

#[cfg(target_endian = "little")]
macro_rules! as_bytes {
    ($($name:ident, $int:ty;)*) => {$(
        /// Integers as their bytes, which are little-endian in memory on this CPU.
        #[inline(always)]
        pub fn $name(integers: &[$int]) -> &[[u8; size_of::<$int>()]] {
            // SAFETY: the same memory for the same lifetime, as elements of the same size that need no alignment. Every
            // byte of an integer is initialised.
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

/// Messages that are slices of bytes already, or of text, as such.
#[inline]
pub fn as_slices<M>(messages: &[M]) -> Option<&[&[u8]]> {
    let message = without_lifetimes::<M>();
    if message != TypeId::of::<&'static [u8]>() && message != TypeId::of::<&'static str>() {
        return None;
    }
    // SAFETY: M is `&[u8]` or `&str` of some lifetime, and a `&str` is a `&[u8]` whose bytes are UTF-8. `messages` cannot
    // outlive it, so neither does the result. This is the same slice.
    Some(unsafe { core::slice::from_raw_parts(messages.as_ptr().cast(), messages.len()) })
}

/// The identity of a type, in which lifetimes have no part.
#[inline]
fn without_lifetimes<T: ?Sized>() -> TypeId {
    trait Identity {
        fn identity(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Identity for PhantomData<T> {
        #[inline]
        fn identity(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let value = PhantomData::<T>;
    let value: &dyn Identity = &value;
    // SAFETY: only the lifetime of the type behind the reference becomes longer, which has no influence on its methods.
    // `identity` stores nothing, so nothing outlives the reference.
    let value = unsafe { core::mem::transmute::<&dyn Identity, &(dyn Identity + 'static)>(value) };
    value.identity()
}
