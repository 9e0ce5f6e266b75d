//! Overwriting of secrets, in a way the compiler may not leave out.

#![allow(unsafe_code)]

use core::ptr::write_volatile;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

/// A plain value that has an all-zero state: integers and arrays of them.
pub trait Zero: Copy {
    /// The value whose every byte is zero.
    const ZERO: Self;

    /// Writes `ZERO`, in a way the compiler may not leave out.
    fn overwrite(&mut self);
}

macro_rules! zero {
    ($($int:ty),*) => {
        $(impl Zero for $int {
            const ZERO: Self = 0;

            #[inline(always)]
            fn overwrite(&mut self) {
                // SAFETY: `self` is an exclusive reference, so it is valid for a write and aligned,
                // and an integer needs no drop.
                unsafe { write_volatile(self, 0) }
            }
        })*
    };
}
zero!(u8, u32, u64, u128);

impl<T: Zero, const N: usize> Zero for [T; N] {
    const ZERO: Self = [T::ZERO; N];

    #[inline(always)]
    fn overwrite(&mut self) {
        // One by one: a volatile write of the whole array is copied from a constant.
        self.iter_mut().for_each(T::overwrite);
    }
}

/// Overwrites `secret` with zeros. Copies that moves have left behind, and registers, are beyond
/// its reach (SECURITY.md).
#[inline(always)]
pub fn wipe<T: Zero>(secret: &mut T) {
    secret.overwrite();
    compiler_fence(SeqCst);
}
