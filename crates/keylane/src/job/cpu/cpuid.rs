//! Identifies this CPU by the instruction CPUID.

#![allow(unsafe_code)]

use core::arch::x86_64::{__cpuid, CpuidResult};

/// Vendor, family and model. Family and model include their extensions, as in manuals and `/proc/cpuinfo`.
pub fn identity() -> ([u8; 12], u32, u32) {
    let CpuidResult { ebx, ecx, edx, .. } = cpuid(0);
    let mut vendor = [0; 12];
    for (bytes, register) in vendor.chunks_exact_mut(4).zip([ebx, edx, ecx]) {
        bytes.copy_from_slice(&register.to_le_bytes());
    }
    let (family, model) = family_and_model(cpuid(1).eax);
    (vendor, family, model)
}

/// The extended family counts if the family is 15, the extended model if the family is 6 or 15.
fn family_and_model(signature: u32) -> (u32, u32) {
    let field = |shift: u32, mask: u32| signature >> shift & mask;
    let (model, family) = (field(4, 0xf), field(8, 0xf));
    let (extended_model, extended_family) = (field(16, 0xf), field(20, 0xff));
    match family {
        6 => (family, extended_model << 4 | model),
        15 => (family + extended_family, extended_model << 4 | model),
        _ => (family, model),
    }
}

/// One leaf. Every x86-64 CPU has leaves 0 and 1.
fn cpuid(leaf: u32) -> CpuidResult {
    // SAFETY: x86-64 has the instruction, which writes registers only. This file is compiled for no target where it
    // traps (mod.rs).
    #[allow(unused_unsafe, reason = "a safe function in newer versions of Rust")]
    unsafe {
        __cpuid(leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::family_and_model;

    #[test]
    fn signatures() {
        // Xeon of 2017, Zen 4, Zen 5, and a CPU without extensions.
        assert_eq!(family_and_model(0x0005_0654), (6, 0x55));
        assert_eq!(family_and_model(0x00a1_0f11), (0x19, 0x11));
        assert_eq!(family_and_model(0x00b0_0f21), (0x1a, 0x02));
        assert_eq!(family_and_model(0x0000_0543), (5, 4));
    }
}
