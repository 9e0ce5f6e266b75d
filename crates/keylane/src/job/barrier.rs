//! Values that the compiler may not see through, where keylane has a use for that: on the architectures with
//! vector kernels and stable inline assembly. Miri knows no assembly, and reorders nothing.

#![allow(unsafe_code)]

/// `x`, of which the compiler knows no more than that it is in a register: it cannot regroup the
/// operations that made it with those that use it. Nothing is done where a register has fewer bits.
#[inline(always)]
pub fn value_barrier(x: u64) -> u64 {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
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

/// `x` in memory, of which the compiler knows nothing: it reads each element by a load, where it would
/// take a register apart by two operations each.
#[inline(always)]
pub fn in_memory<T>(x: &T) -> &T {
    let address = &raw const *x;
    #[cfg(all(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
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
