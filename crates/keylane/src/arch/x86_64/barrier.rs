//! Values that the compiler may not see through.

#![allow(unsafe_code)]

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
