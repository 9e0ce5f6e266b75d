//! Identifies this core by its register MIDR_EL1.

#![allow(unsafe_code)]

/// The designer of this core and its part number: fields of MIDR_EL1, where they can be read. The cores of one CPU may
/// differ; this is the core that runs the call.
pub fn identity() -> Option<(u8, u16)> {
    register().map(|midr| ((midr >> 24) as u8, (midr >> 4 & 0xfff) as u16))
}

/// Linux emulates reads of the register, and announces it.
#[cfg(all(target_os = "linux", not(miri)))]
fn register() -> Option<u64> {
    // SAFETY: the C library answers from its own data and touches no memory of ours.
    let capabilities = unsafe { libc::getauxval(libc::AT_HWCAP) };
    if capabilities & libc::HWCAP_CPUID == 0 {
        return None;
    }
    let midr;
    // SAFETY: the kernel has announced that it emulates this register; nothing else is touched. Not `pure`: a pure
    // block could move before the question.
    unsafe {
        core::arch::asm!("mrs {}, midr_el1", out(reg) midr, options(nomem, nostack, preserves_flags));
    }
    Some(midr)
}

/// On other systems only the operating system may read the register.
#[cfg(not(all(target_os = "linux", not(miri))))]
fn register() -> Option<u64> {
    None
}
