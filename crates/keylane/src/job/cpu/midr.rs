//! Which CPU this is, by its register MIDR_EL1.

#![allow(unsafe_code)]

/// Who designed this core, and which design it is: the fields of MIDR_EL1, where they can be read. Cores of
/// one CPU may differ; this is the one that runs.
pub fn identity() -> Option<(u8, u16)> {
    register().map(|midr| ((midr >> 24) as u8, (midr >> 4 & 0xfff) as u16))
}

/// Linux answers for the register, and says so.
#[cfg(all(target_os = "linux", not(miri)))]
fn register() -> Option<u64> {
    // SAFETY: a question to the C library, which touches no memory of ours.
    let capabilities = unsafe { libc::getauxval(libc::AT_HWCAP) };
    if capabilities & libc::HWCAP_CPUID == 0 {
        return None;
    }
    let midr;
    // SAFETY: the kernel has said that it answers for this register; nothing else is touched. Not `pure`: what is
    // pure may be done before the question.
    unsafe {
        core::arch::asm!("mrs {}, midr_el1", out(reg) midr, options(nomem, nostack, preserves_flags));
    }
    Some(midr)
}

/// Elsewhere the register is the operating system's alone.
#[cfg(not(all(target_os = "linux", not(miri))))]
fn register() -> Option<u64> {
    None
}
