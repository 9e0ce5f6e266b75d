//! Values that the compiler may not see through.

#![allow(unsafe_code)]

use core::arch::x86_64::__m256i;

/// `x`, of which the compiler knows no more than that it is in a register: it cannot regroup the
/// operations that made it with those that use it.
#[inline(always)]
pub fn value_barrier(x: u64) -> u64 {
    // Miri knows no assembly, and reorders nothing.
    #[cfg(not(miri))]
    let x = {
        let mut x = x;
        // SAFETY: there is no instruction; `x` comes out of the register in which it went in.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    };
    x
}

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

/// `x` in memory, of which the compiler knows nothing: it reads each element by a load, where it would
/// take a register apart by two operations each.
#[inline(always)]
pub fn in_memory<T>(x: &T) -> &T {
    let address = &raw const *x;
    #[cfg(not(miri))]
    let address = {
        let mut address = address;
        // SAFETY: there is no instruction; the address comes out of the register in which it went in.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) address, options(readonly, nostack, preserves_flags));
        }
        address
    };
    // SAFETY: the address is that of `x`, which is borrowed for as long.
    unsafe { &*address }
}
