//! Requests memory before it is needed.

#![allow(unsafe_code)]

/// Requests the cache line of a value's first byte. Does nothing where there is no such instruction.
///
/// ```
/// keylane_map::table::prefetch(&[7u64; 8]);
/// ```
#[inline(always)]
pub fn prefetch<T: ?Sized>(value: &T) {
    let address = (&raw const *value).cast::<i8>();
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    // SAFETY: a hint, which reads nothing and cannot fail; SSE is part of x86-64.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address);
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: a hint, which reads nothing and cannot fail.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{0}]", in(reg) address, options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(any(
        all(target_arch = "x86_64", target_feature = "sse2"),
        all(target_arch = "aarch64", not(miri))
    )))]
    let _ = address;
}
