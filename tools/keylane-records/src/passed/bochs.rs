//! The rows with AVX-512 or GFNI, which a machine without them runs in Bochs.
//!
//! Bochs emulates a whole machine, some 200 times slower than the real one.

/// The target of `cargo xtask cross` that runs them.
pub const TARGET: &str = "x86_64-unknown-linux-gnu-bochs";

/// The kernels that it runs.
pub const KERNELS: [&str; 13] = [
    "chacha20_p16_avx512",
    "chacha20_p8_avx512",
    "chacha20_x16_avx512",
    "chacha20_x8_avx512",
    "halfsiphash_x16_avx512",
    "poly1305_p4_avx512ifma",
    "poly1305_p8_avx512f",
    "poly1305_p8_avx512ifma",
    "poly1305_x8_avx512ifma",
    "siphash_x1_avx512_halves",
    "siphash_x256_gfni_bitslice",
    "siphash_x512_avx512_bitslice",
    "siphash_x8_avx512",
];
