//! The table: every kernel of every slot, best first. Everything else walks it.
//!
//! The last row of a slot requires nothing, so every CPU has one. To add a kernel: its file, its
//! `mod` line, its row here (docs/ADDING_A_KERNEL.md).

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
#[allow(unused_imports)]
use crate::arch::aarch64::*;
use crate::arch::portable::*;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::arch::wasm32::*;
#[cfg(any(target_arch = "x86", all(target_arch = "x86_64", target_feature = "sse2")))]
use crate::arch::x86::*;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::arch::x86_64::*;
use crate::kernel::select::{AnySlot, Slot};
use crate::kernel::{poly1305, siphash};

/// Whether the target multiplies 64-bit words: it decides the order of portable rows.
const WIDE: bool = cfg!(target_pointer_width = "64");

/// SipHash, whole words of one long message.
pub static SIPHASH_X1_LONG: Slot<siphash::X1Long> = Slot::new(&[
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    &siphash_x1_dup::LONG,
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    &siphash_x1_fused::LONG,
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    &siphash_x1_separate::LONG,
    &siphash_x1::LONG,
]);

/// SipHash, many messages.
pub static SIPHASH_XN: Slot<siphash::Xn<u64>> = Slot::new(if WIDE {
    &[
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &siphash_x8_avx512::MANY,
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &siphash_x4_avx2::MANY,
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &siphash_x4_sse2::MANY,
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        &siphash_x4_sha3_hybrid::MANY,
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        &siphash_x4_sha3::MANY,
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        &siphash_x4_neon_hybrid::MANY,
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        &siphash_x4_neon::MANY,
        &siphash_x2::MANY,
        &siphash_x1::MANY,
    ]
} else {
    &[
        #[cfg(target_arch = "x86")]
        &siphash_x4_sse2::MANY,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        &siphash_x4_simd128::MANY,
        &siphash_x1::MANY,
        &siphash_x2::MANY,
    ]
});

/// HalfSipHash, many messages.
pub static HALFSIPHASH_XN: Slot<siphash::Xn<u32>> = Slot::new(if WIDE {
    &[
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &halfsiphash_x16_avx512::MANY,
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &halfsiphash_x8_avx2::MANY,
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &halfsiphash_x4_sse2::MANY,
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        &halfsiphash_x4_neon::MANY,
        &halfsiphash_x2::MANY,
        &halfsiphash_x1::MANY,
    ]
} else {
    &[
        #[cfg(target_arch = "x86")]
        &halfsiphash_x4_sse2::MANY,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        &halfsiphash_x4_simd128::MANY,
        &halfsiphash_x1::MANY,
        &halfsiphash_x2::MANY,
    ]
});

/// Poly1305, one message.
pub static POLY1305_X1: Slot<poly1305::X1> = Slot::new(if WIDE {
    &[&poly1305_x1_u64::ONE, &poly1305_x1_u32::ONE]
} else {
    &[&poly1305_x1_u32::ONE, &poly1305_x1_u64::ONE]
});

/// Poly1305, many blocks of one message. The portable rows leave every message to `POLY1305_X1`.
pub static POLY1305_PN: Slot<poly1305::Pn> = Slot::new(if WIDE {
    &[
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &poly1305_p8_avx512ifma::LONG,
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &poly1305_p4_avx512ifma::LONG,
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &poly1305_p8_avx512f::LONG,
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &poly1305_p4_avx2::LONG,
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &poly1305_p2_sse2::LONG,
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        &poly1305_p4_neon::LONG,
        &poly1305_x1_u64::LONG,
        &poly1305_x1_u32::LONG,
    ]
} else {
    &[&poly1305_x1_u32::LONG, &poly1305_x1_u64::LONG]
});

/// Poly1305, many messages.
pub static POLY1305_XN: Slot<poly1305::Xn> = Slot::new(if WIDE {
    &[
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &poly1305_x8_avx512ifma::MANY,
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        &poly1305_x4_avx2::MANY,
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        &poly1305_x4_neon::MANY,
        &poly1305_x2_u64::MANY,
        &poly1305_x1_u64::MANY,
        &poly1305_x1_u32::MANY,
    ]
} else {
    &[&poly1305_x1_u32::MANY, &poly1305_x2_u64::MANY, &poly1305_x1_u64::MANY]
});

/// Every slot, in the order of `kernels::list`.
pub static SLOTS: [&dyn AnySlot; 6] =
    [&SIPHASH_X1_LONG, &SIPHASH_XN, &HALFSIPHASH_XN, &POLY1305_X1, &POLY1305_PN, &POLY1305_XN];
