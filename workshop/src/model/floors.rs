//! What a kernel of a kind cannot go below.
//!
//! An entry is one line: instruction set, slot, kernels, work, cycles a unit, and why. A chain binds every core; a
//! sum of operations over units is that of the widest core in the table of the instruction set that has the
//! instructions: neoverse-v2 (6 ALUs, 2 multipliers, 4 vector units) and icelake-server (4 ALUs, 1
//! multiplier, 3 vector units of 256 bits or 2 of 512). A kernel without an entry shows no floor; an entry
//! without a kernel is an error. c is the number of rounds a word.

use crate::listing::Isa::{self, Aarch64, X86_64};

/// One floor.
pub struct Floor {
    pub isa: Isa,
    pub slot: &'static str,
    pub kernels: &'static [&'static str],
    pub work: &'static str,
    pub cycles: f64,
    pub why: &'static str,
}

const fn floor(
    isa: Isa,
    slot: &'static str,
    kernels: &'static [&'static str],
    work: &'static str,
    cycles: f64,
    why: &'static str,
) -> Floor {
    Floor { isa, slot, kernels, work, cycles, why }
}

const LONG: &str = "siphash-x1-long";
const STEPS: &str = "siphash-x1-steps";
const MANY: &str = "siphash-xn";
const HALF: &str = "halfsiphash-xn";
const POLY: &str = "poly1305-x1";
const POLY_LONG: &str = "poly1305-pn";
const POLY_MANY: &str = "poly1305-xn";
const SCALAR: &[&str] = &["siphash_x1", "siphash_x2", "halfsiphash_x1", "halfsiphash_x2"];
const AHEAD_OF: &[&str] = &["siphash_x1_fused", "siphash_x1_separate"];
const U64: &[&str] = &["poly1305_x1_u64", "poly1305_x2_u64"];
const U32: &[&str] = &["poly1305_x1_u32"];

const INJECTED: &str = "the chain with the injection on it, 4c + 1";
const AHEAD: &str = "the chain, 4c";
const FUSED: &str = "10c + 2 operations, 6 ALUs";
const SEPARATE: &str = "14c + 2 operations, 4 ALUs";
const SHA3: &str = "14c + 2 operations, 4 vector units";
const SHA3_HYBRID: &str = "14c + 2 operations for two messages of four, 4 vector units";
const NEON: &str = "17c + 2 operations, 4 vector units";
const NEON_HYBRID: &str = "17c + 2 operations for two messages of four, 4 vector units";
const AVX2: &str = "20c + 2 operations, 3 vector units";
const SSE2: &str = "21c + 2 operations, 3 vector units";
const SSE2_HALF: &str = "24c + 2 operations, 3 vector units";
const AVX512: &str = "14c + 1 operations, 2 vector units";
const BASE26: &str =
    "the 15 products of a vector and their 15 sums alone, 3 vector units of 256 bits or 2 of 512";
const BASE44: &str = "the 12 products of a vector alone, 2 multipliers";
const ACCUMULATOR: &str = "the chain of the accumulator: product 4, sums 4, fold 2, sum 1";
const PRODUCTS: &str = "the products alone, on all multipliers";

/// The table.
pub static FLOORS: [Floor; 53] = [
    floor(Aarch64, LONG, &["siphash_x1"], "1-3", 5.0, INJECTED),
    floor(Aarch64, LONG, &["siphash_x1"], "2-4", 9.0, INJECTED),
    floor(Aarch64, LONG, AHEAD_OF, "1-3", 4.0, AHEAD),
    floor(Aarch64, LONG, AHEAD_OF, "2-4", 8.0, AHEAD),
    floor(Aarch64, STEPS, &["siphash_x1_steps"], "2-4, no step", 9.0, INJECTED),
    floor(Aarch64, STEPS, &["siphash_x1_steps"], "2-4, to beside", 8.0, AHEAD),
    floor(Aarch64, MANY, SCALAR, "1-3", 12.0 / 6.0, FUSED),
    floor(Aarch64, MANY, SCALAR, "2-4", 22.0 / 6.0, FUSED),
    floor(Aarch64, HALF, SCALAR, "1-3", 12.0 / 6.0, FUSED),
    floor(Aarch64, HALF, SCALAR, "2-4", 22.0 / 6.0, FUSED),
    floor(Aarch64, MANY, &["siphash_x4_sha3_hybrid"], "1-3", 1.0, SHA3_HYBRID),
    floor(Aarch64, MANY, &["siphash_x4_sha3_hybrid"], "2-4", 30.0 / 4.0 / 4.0, SHA3_HYBRID),
    floor(Aarch64, MANY, &["siphash_x4_sha3"], "1-3", 16.0 / 4.0 / 2.0, SHA3),
    floor(Aarch64, MANY, &["siphash_x4_sha3"], "2-4", 30.0 / 4.0 / 2.0, SHA3),
    floor(Aarch64, MANY, &["siphash_x4_neon_hybrid"], "1-3", 19.0 / 4.0 / 4.0, NEON_HYBRID),
    floor(Aarch64, MANY, &["siphash_x4_neon_hybrid"], "2-4", 36.0 / 4.0 / 4.0, NEON_HYBRID),
    floor(Aarch64, MANY, &["siphash_x4_neon"], "1-3", 19.0 / 4.0 / 2.0, NEON),
    floor(Aarch64, MANY, &["siphash_x4_neon"], "2-4", 36.0 / 4.0 / 2.0, NEON),
    floor(Aarch64, HALF, &["halfsiphash_x4_neon"], "1-3", 19.0 / 4.0 / 4.0, NEON),
    floor(Aarch64, HALF, &["halfsiphash_x4_neon"], "2-4", 36.0 / 4.0 / 4.0, NEON),
    floor(Aarch64, POLY, U64, "long", 11.0, ACCUMULATOR),
    floor(Aarch64, POLY_LONG, &["poly1305_p4_neon"], "long", 30.0 / 2.0 / 4.0, PRODUCTS),
    floor(Aarch64, POLY_MANY, &["poly1305_x4_neon"], "long", 50.0 / 2.0 / 4.0, PRODUCTS),
    floor(Aarch64, POLY_MANY, U64, "long", 10.0 / 2.0, PRODUCTS),
    floor(Aarch64, POLY, U32, "long", 20.0 / 2.0, PRODUCTS),
    floor(X86_64, LONG, &["siphash_x1"], "1-3", 5.0, INJECTED),
    floor(X86_64, LONG, &["siphash_x1"], "2-4", 9.0, INJECTED),
    floor(X86_64, LONG, &["siphash_x1_dup"], "1-3", 4.0, AHEAD),
    floor(X86_64, LONG, &["siphash_x1_dup"], "2-4", 8.0, AHEAD),
    floor(X86_64, MANY, SCALAR, "1-3", 16.0 / 4.0, SEPARATE),
    floor(X86_64, MANY, SCALAR, "2-4", 30.0 / 4.0, SEPARATE),
    floor(X86_64, MANY, &["siphash_x4_avx2"], "1-3", 22.0 / 3.0 / 4.0, AVX2),
    floor(X86_64, MANY, &["siphash_x4_avx2"], "2-4", 42.0 / 3.0 / 4.0, AVX2),
    floor(X86_64, MANY, &["siphash_x8_avx512"], "1-3", 15.0 / 2.0 / 8.0, AVX512),
    floor(X86_64, MANY, &["siphash_x8_avx512"], "2-4", 29.0 / 2.0 / 8.0, AVX512),
    floor(X86_64, HALF, SCALAR, "1-3", 16.0 / 4.0, SEPARATE),
    floor(X86_64, HALF, SCALAR, "2-4", 30.0 / 4.0, SEPARATE),
    floor(X86_64, HALF, &["halfsiphash_x8_avx2"], "1-3", 22.0 / 3.0 / 8.0, AVX2),
    floor(X86_64, HALF, &["halfsiphash_x8_avx2"], "2-4", 42.0 / 3.0 / 8.0, AVX2),
    floor(X86_64, HALF, &["halfsiphash_x16_avx512"], "1-3", 15.0 / 2.0 / 16.0, AVX512),
    floor(X86_64, HALF, &["halfsiphash_x16_avx512"], "2-4", 29.0 / 2.0 / 16.0, AVX512),
    floor(X86_64, MANY, &["siphash_x4_sse2"], "1-3", 23.0 / 3.0 / 2.0, SSE2),
    floor(X86_64, MANY, &["siphash_x4_sse2"], "2-4", 44.0 / 3.0 / 2.0, SSE2),
    floor(X86_64, HALF, &["halfsiphash_x4_sse2"], "1-3", 26.0 / 3.0 / 4.0, SSE2_HALF),
    floor(X86_64, HALF, &["halfsiphash_x4_sse2"], "2-4", 50.0 / 3.0 / 4.0, SSE2_HALF),
    floor(X86_64, POLY, U64, "long", 11.0, ACCUMULATOR),
    floor(X86_64, POLY_MANY, U64, "long", 6.0, PRODUCTS),
    floor(X86_64, POLY, U32, "long", 20.0, PRODUCTS),
    floor(X86_64, POLY_LONG, &["poly1305_p2_sse2"], "long", 30.0 / 3.0 / 2.0, BASE26),
    floor(X86_64, POLY_LONG, &["poly1305_p4_avx2"], "long", 30.0 / 3.0 / 4.0, BASE26),
    floor(X86_64, POLY_LONG, &["poly1305_p8_avx512f"], "long", 30.0 / 2.0 / 8.0, BASE26),
    floor(X86_64, POLY_LONG, &["poly1305_p4_avx512ifma"], "long", 12.0 / 2.0 / 4.0, BASE44),
    floor(X86_64, POLY_LONG, &["poly1305_p8_avx512ifma"], "long", 12.0 / 2.0 / 8.0, BASE44),
];

/// The floor of a kernel at some work.
pub fn of(isa: Isa, slot: &str, kernel: &str, work: &str) -> Option<&'static Floor> {
    let binds = |it: &&Floor| (it.isa, it.slot, it.work) == (isa, slot, work) && it.kernels.contains(&kernel);
    FLOORS.iter().find(binds)
}
