//! The rows with AVX-512, which a machine without it proves in Bochs.
//!
//! Bochs emulates a whole machine, some 300 times slower than the real one. Bochs 2.7 gets some instructions wrong,
//! so the rows that use them cannot be proven in it.

/// The target of `cargo xtask cross` that proves them.
pub const TARGET: &str = "x86_64-unknown-linux-gnu-bochs";

/// The kernels that it proves.
pub const KERNELS: [&str; 6] = [
    "halfsiphash_x16_avx512",
    "poly1305_p4_avx512ifma",
    "poly1305_p8_avx512f",
    "poly1305_p8_avx512ifma",
    "siphash_x1_avx512_halves",
    "siphash_x8_avx512",
];

/// The slot and kernel of the rows that it cannot prove, and the instruction that it gets wrong.
pub const WRONG: [(&str, &str, &str); 2] = [
    // Zero if all bits of the mask are set.
    ("poly1305-xn", "poly1305_x8_avx512ifma", "vpcompressb"),
    // Every bit inverted, in a zmm register.
    ("siphash-xn", "siphash_x512_avx512_bitslice", "vgf2p8affineqb"),
];
