//! Vectors of which the compiler may not know too much.

#![allow(unsafe_code)]

use core::arch::x86_64::__m256i;

/// `x`, of which the compiler does not know how large its lanes are. Where it knows that 32 bits are enough, it leaves
/// out the mask that makes a multiplication one of 32 bits; in another block of the program it no longer knows,
/// and multiplies 64 bits in three steps.
#[inline]
#[target_feature(enable = "avx2")]
pub fn lanes_barrier(x: __m256i) -> __m256i {
    // Miri knows no assembly, and multiplies as it is told.
    #[cfg(not(miri))]
    let x = {
        let mut x = x;
        // SAFETY: there is no instruction; `x` comes out of the register in which it went in.
        unsafe {
            core::arch::asm!("/* {0} */", inout(ymm_reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    };
    x
}
