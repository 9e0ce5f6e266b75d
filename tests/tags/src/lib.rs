//! The comparisons of tags as functions, whose machine code `cargo xtask codegen --verify` judges. They take the tags
//! from outside, so the compiler knows nothing about them.

#![no_std]

use core::hint::black_box;
use keylane::job::siphash::Tag as _;
use keylane::poly1305;

/// [`poly1305::Tag::verify`], which packets of ChaCha20-Poly1305 use too.
#[inline(never)]
pub fn compare_poly1305(a: &poly1305::Tag, b: &poly1305::Tag) -> bool {
    a.verify(b).is_ok()
}

/// What `verify` of SipHash compares by, for tags of 64 bits. Those of HalfSipHash are the same function.
#[inline(never)]
pub fn compare_siphash64(a: u64, b: u64) -> bool {
    keylane::job::siphash::Tag::<u64>::eq_constant_time(a, b)
}

/// The same for tags of 128 bits.
#[inline(never)]
pub fn compare_siphash128(a: u128, b: u128) -> bool {
    a.eq_constant_time(b)
}

/// The same for HalfSipHash's tags of 32 bits.
#[inline(never)]
pub fn compare_halfsiphash32(a: u32, b: u32) -> bool {
    a.eq_constant_time(b)
}

/// A comparison that ends at the first difference. The judge must refuse it on every target.
#[inline(never)]
pub fn planted(a: &[u8; 16], b: &[u8; 16]) -> bool {
    // Opaque, or the compiler compares all bytes at once.
    a.iter().zip(b).all(|(a, b)| black_box(*a) == *b)
}
