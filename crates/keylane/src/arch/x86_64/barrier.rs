//! Vectors that are opaque to the compiler.

#![allow(unsafe_code)]

use core::arch::x86_64::__m256i;

/// `x`, with lanes of a size that the compiler does not know. A compiler that knows that 32 bits are enough removes the
/// mask that marks a multiplication as one of 32 bits. In another basic block it no longer knows the size. Without the
/// mask it then multiplies 64 bits in three steps.
#[inline]
#[target_feature(enable = "avx2")]
pub fn lanes_barrier(x: __m256i) -> __m256i {
    // Miri knows no assembly and does not change the multiplication.
    #[cfg(not(miri))]
    let x = {
        let mut x = x;
        // SAFETY: there is no instruction; `x` leaves the register unchanged.
        unsafe {
            core::arch::asm!("/* {0} */", inout(ymm_reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    };
    x
}
