//! Overwrites secrets, in a way that the compiler may not remove.

#![allow(unsafe_code)]

use super::poly1305::key::Key;
use core::mem::zeroed;
use core::ptr::{from_mut, write_volatile};
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

/// A plain value that can be all zeros: integers and arrays of them.
pub trait Zero: Copy {
    /// The value whose bytes are all zero.
    const ZERO: Self;

    /// Writes `ZERO`, in a way that the compiler may not remove.
    fn overwrite(&mut self);
}

macro_rules! zero {
    ($($int:ty),*) => {
        $(impl Zero for $int {
            const ZERO: Self = 0;

            #[inline(always)]
            fn overwrite(&mut self) {
                // SAFETY: `self` is an exclusive reference, so it is valid for a write and aligned. An integer needs no
                // drop.
                unsafe { write_volatile(self, 0) }
            }
        })*
    };
}
zero!(u8, u32, u64, u128);

/// Sixteen bytes that the target writes at once, if it can.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
type Register = core::arch::x86_64::__m128i;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
type Register = core::arch::aarch64::uint64x2_t;
#[cfg(not(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon")
)))]
type Register = u128;

impl Zero for Key {
    const ZERO: Self = Key { r: [0; 2], s: [0; 2] };

    #[inline(always)]
    fn overwrite(&mut self) {
        const { assert!(size_of::<Key>() == size_of::<[Register; 2]>()) }
        const { assert!(align_of::<Key>() >= align_of::<[Register; 2]>()) }
        // SAFETY: zeros are a value of a vector and of an integer.
        let zeros: Register = unsafe { zeroed() };
        // SAFETY: a key is as large as this array and aligned for it, as asserted. Both are integers without padding,
        // so they have the same valid values.
        let halves: &mut [Register; 2] = unsafe { &mut *from_mut(self).cast() };
        for half in halves {
            // SAFETY: `half` is an exclusive reference, so it is valid for a write and aligned. Neither a vector nor an
            // integer needs a drop.
            unsafe { write_volatile(half, zeros) }
        }
    }
}

#[cfg(any(
    target_arch = "x86",
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
macro_rules! zero_vector {
    ($($vector:ty),*) => {
        $(impl Zero for $vector {
            // SAFETY: all zeros is a value of a vector of integers.
            const ZERO: Self = unsafe { core::mem::zeroed() };

            #[inline(always)]
            fn overwrite(&mut self) {
                // SAFETY: `self` is an exclusive reference, so it is valid for a write and aligned. A vector needs no
                // drop.
                unsafe { write_volatile(self, Self::ZERO) }
            }
        })*
    };
}
#[cfg(target_arch = "x86")]
zero_vector!(core::arch::x86::__m128i);
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
zero_vector!(core::arch::x86_64::__m128i, core::arch::x86_64::__m256i, core::arch::x86_64::__m512i);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
zero_vector!(core::arch::wasm32::v128);
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
zero_vector!(
    core::arch::aarch64::uint32x2_t,
    core::arch::aarch64::uint32x4_t,
    core::arch::aarch64::uint64x2_t
);

impl<T: Zero, const N: usize> Zero for [T; N] {
    const ZERO: Self = [T::ZERO; N];

    #[inline(always)]
    fn overwrite(&mut self) {
        // One by one: a volatile write of the whole array would be copied from a constant.
        self.iter_mut().for_each(T::overwrite);
    }
}

/// Overwrites `secret` with zeros. It cannot reach registers, nor copies that moves left behind (SECURITY.md).
#[inline(always)]
pub fn wipe<T: Zero>(secret: &mut T) {
    secret.overwrite();
    compiler_fence(SeqCst);
}

/// Overwrites a table with zeros, in stores as wide as the caller's instructions allow.
#[inline(always)]
pub fn wipe_table<T: Zero>(secret: &mut T) {
    #[cfg(all(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        *secret = T::ZERO;
        // SAFETY: there is no instruction. The compiler must assume that `secret` is read here, so it cannot remove the
        // zeros.
        unsafe { core::arch::asm!("/* {0} */", in(reg) secret, options(nostack, preserves_flags)) }
    }
    #[cfg(not(all(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    wipe(secret);
}

/// The bytes that [`scrub_stack`] overwrites: more than the frames of a kernel for one message take.
const SCRUBBED: usize = 2048;

/// Overwrites the stack directly below the caller's frame. A call that has returned may have left secrets there, in
/// registers that the compiler saved.
#[inline(never)]
pub fn scrub_stack() {
    let mut room = [0u64; SCRUBBED / 8];
    wipe_table(&mut room);
}
