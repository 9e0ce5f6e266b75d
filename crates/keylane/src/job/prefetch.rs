//! Requests memory before it is needed.

#![allow(unsafe_code)]

/// Requests the cache line at any address. Does nothing where there is no such instruction.
#[inline(always)]
pub fn prefetch(address: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    // SAFETY: a hint, which reads nothing and cannot fail; SSE is part of x86-64.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(core::ptr::with_exposed_provenance(address));
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

/// How many bytes of a message are its beginning.
pub const BEGINNING: usize = 512;

/// Requests the beginnings of messages, one message after the other. Kernels that read several messages side by side need
/// it: they read more streams than a CPU prefetches by itself.
#[inline(always)]
pub fn prefetch_beginnings<'a>(messages: impl Iterator<Item = &'a [u8]>) {
    for message in messages {
        let start = message.as_ptr().expose_provenance();
        for at in (0..message.len().min(BEGINNING)).step_by(64) {
            prefetch(start.wrapping_add(at));
        }
    }
}
