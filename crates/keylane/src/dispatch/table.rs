//! The table: every kernel of every slot, best first. Everything else walks it.
//!
//! The last row of a slot requires nothing, so every CPU can run one. A new kernel is its file, its record, its `mod`
//! line and its row here (docs/ADDING_A_KERNEL.md). `cargo xtask tables` writes the rows of each slot, and the first
//! sentence of the slot's comment, into docs/ARCHITECTURE.md.

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
use crate::arch::aarch64::*;
use crate::arch::portable::*;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::arch::wasm32::*;
#[cfg(any(target_arch = "x86", all(target_arch = "x86_64", target_feature = "sse2")))]
use crate::arch::x86::*;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::arch::x86_64::*;
use crate::dispatch::select::{AnySlot, Slot};
use crate::job::{chacha20, poly1305, siphash};

/// A slot: the rows of the target's architecture, then the portable rows. Those are `word64` on targets with
/// pointers of 64 bits, and `word32` on others.
macro_rules! slot {
    (
        $(x86_64: $($x86_64:path),*;)?
        $(x86: $($x86:path),*;)?
        $(aarch64: $($aarch64:path),*;)?
        $(wasm32: $($wasm32:path),*;)?
        word64: $($word64:path),*;
        word32: $($word32:path),*;
    ) => {
        Slot::new(&[
            $($(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))] &$x86_64,)*)?
            $($(#[cfg(target_arch = "x86")] &$x86,)*)?
            $($(#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))] &$aarch64,)*)?
            $($(#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))] &$wasm32,)*)?
            $(#[cfg(target_pointer_width = "64")] &$word64,)*
            $(#[cfg(not(target_pointer_width = "64"))] &$word32,)*
        ])
    };
}

/// SipHash: whole words of one message of at least 512 bytes.
pub static SIPHASH_X1_LONG: Slot<siphash::X1Long> = slot! {
    x86_64: siphash_x1_dup::LONG;
    aarch64: siphash_x1_fused::LONG, siphash_x1_separate::LONG;
    word64: siphash_x1::LONG;
    word32: siphash_x1::LONG;
};

/// SipHash: many messages under one key.
pub static SIPHASH_XN: Slot<siphash::Xn<u64>> = slot! {
    x86_64: siphash_x8_avx512::MANY, siphash_x4_avx2::MANY, siphash_x4_sse2::MANY;
    x86: siphash_x4_sse2::MANY;
    aarch64: siphash_x4_sha3_hybrid::MANY, siphash_x4_sha3::MANY, siphash_x4_neon_hybrid::MANY, siphash_x4_neon::MANY;
    wasm32: siphash_x4_simd128::MANY;
    word64: siphash_x2::MANY, siphash_x1::MANY;
    word32: siphash_x1::MANY, siphash_x2::MANY;
};

/// HalfSipHash: many messages under one key.
pub static HALFSIPHASH_XN: Slot<siphash::Xn<u32>> = slot! {
    x86_64: halfsiphash_x16_avx512::MANY, halfsiphash_x8_avx2::MANY, halfsiphash_x4_sse2::MANY;
    x86: halfsiphash_x4_sse2::MANY;
    aarch64: halfsiphash_x4_neon::MANY;
    wasm32: halfsiphash_x4_simd128::MANY;
    word64: halfsiphash_x2::MANY, halfsiphash_x1::MANY;
    word32: halfsiphash_x1::MANY, halfsiphash_x2::MANY;
};

/// Poly1305: blocks of one message of at least 145 bytes (129 outside x86-64) if no row of `poly1305-pn` wants it.
pub static POLY1305_X1: Slot<poly1305::X1> = slot! {
    word64: poly1305_x1_u64::ONE, poly1305_x1_u32::ONE;
    word32: poly1305_x1_u32::ONE, poly1305_x1_u64::ONE;
};

/// Poly1305: one long message, or a long piece of one, many blocks at a time. The portable rows leave every message to
/// `POLY1305_X1`.
pub static POLY1305_PN: Slot<poly1305::Pn> = slot! {
    x86_64: poly1305_p8_avx512ifma::LONG, poly1305_p4_avx512ifma::LONG, poly1305_p8_avx512f::LONG, poly1305_p4_avx2::LONG,
        poly1305_p2_sse2::LONG;
    x86: poly1305_p2_sse2::LONG;
    aarch64: poly1305_p4_neon::LONG;
    word64: poly1305_x1_u64::LONG, poly1305_x1_u32::LONG;
    word32: poly1305_x1_u32::LONG, poly1305_x1_u64::LONG;
};

/// Poly1305: many messages, a key each.
pub static POLY1305_XN: Slot<poly1305::Xn> = slot! {
    x86_64: poly1305_x8_avx512ifma::MANY, poly1305_x4_avx2::MANY;
    aarch64: poly1305_x4_neon::MANY;
    word64: poly1305_x2_u64::MANY, poly1305_x1_u64::MANY, poly1305_x1_u32::MANY;
    word32: poly1305_x1_u32::MANY, poly1305_x2_u64::MANY, poly1305_x1_u64::MANY;
};

/// Poly1305: the tags of many packets of ChaCha20-Poly1305.
pub static POLY1305_PARTS: Slot<poly1305::Parts> = slot! {
    x86_64: poly1305_x8_avx512ifma::PARTS, poly1305_x4_avx2::PARTS;
    word64: poly1305_x2_u64::PARTS;
    word32: poly1305_x2_u64::PARTS;
};

/// ChaCha20: the key stream of one message, many blocks at a time.
pub static CHACHA20_PN: Slot<chacha20::Pn> = slot! {
    x86_64: chacha20_p16_avx512::ONE, chacha20_p8_avx512::ONE, chacha20_p8_avx2::ONE, chacha20_p4_sse2::ONE;
    x86: chacha20_p4_sse2::ONE;
    aarch64: chacha20_p4_neon::ONE;
    wasm32: chacha20_p4_simd128::ONE;
    word64: chacha20_x1::ONE;
    word32: chacha20_x1::ONE;
};

/// ChaCha20: the key streams of many messages.
pub static CHACHA20_XN: Slot<chacha20::Xn> = slot! {
    x86_64: chacha20_x16_avx512::MANY, chacha20_x8_avx512::MANY, chacha20_x8_avx2::MANY, chacha20_x4_sse2::MANY;
    x86: chacha20_x4_sse2::MANY;
    aarch64: chacha20_x4_neon::MANY;
    wasm32: chacha20_x4_simd128::MANY;
    word64: chacha20_x1::MANY;
    word32: chacha20_x1::MANY;
};

/// ChaCha20-Poly1305: one packet, encrypted and authenticated in one pass, if a row wants it.
pub static CHACHA20POLY1305_PN: Slot<chacha20::Sealing> = slot! {
    x86_64: chacha20_p8_avx2::SEALING;
    word64: chacha20_x1::SEALING;
    word32: chacha20_x1::SEALING;
};

/// Every slot, in the order of `kernels::list`.
pub static SLOTS: [&dyn AnySlot; 10] = [
    &SIPHASH_X1_LONG,
    &SIPHASH_XN,
    &HALFSIPHASH_XN,
    &POLY1305_X1,
    &POLY1305_PN,
    &POLY1305_XN,
    &POLY1305_PARTS,
    &CHACHA20_PN,
    &CHACHA20_XN,
    &CHACHA20POLY1305_PN,
];
