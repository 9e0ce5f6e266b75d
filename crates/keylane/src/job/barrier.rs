//! Values that are opaque to the compiler. The barriers exist on the architectures with vector kernels and stable
//! inline assembly; elsewhere they do nothing. Miri knows no assembly and reorders nothing.

#![allow(unsafe_code)]

/// Returns `x`, but the compiler knows only that it is in a register. It cannot merge the operations that made `x` with
/// those that use it. Does nothing where registers have fewer bits.
#[inline(always)]
pub fn value_barrier(x: u64) -> u64 {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    let x = {
        let mut x = x;
        // SAFETY: there is no instruction; `x` leaves the register unchanged.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    };
    x
}

/// Returns `x`, but the compiler knows only that it is in memory. It then loads each element, where it would otherwise
/// take a register apart with two operations for each.
#[inline(always)]
pub fn in_memory<T>(x: &T) -> &T {
    let address = &raw const *x;
    #[cfg(all(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    let address = {
        let mut address = address;
        // SAFETY: there is no instruction; the address leaves the register unchanged.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) address, options(readonly, nostack, preserves_flags));
        }
        address
    };
    // SAFETY: the address is that of `x`, which is borrowed for the same lifetime.
    unsafe { &*address }
}
