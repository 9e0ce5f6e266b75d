//! Functions of other libraries, behind safe ones.
//!
//! build.rs decides which of them are in this program, by `engine = "gcc"` and the like.

#![allow(unsafe_code)]

#[cfg(feature = "aead")]
pub mod aead;
pub mod poly1305;

/// SipHash and HalfSipHash with fixed rounds, compiled from the files in c.
pub trait Reference {
    /// The tag of a message.
    fn one(key: &[u8; 16], message: &[u8]) -> u64;
    /// The tags of integers, up to the length of the shorter slice.
    fn u32s(key: &[u8; 16], integers: &[u32], tags: &mut [u64]);
    /// The tags of integers, up to the length of the shorter slice.
    fn u64s(key: &[u8; 16], integers: &[u64], tags: &mut [u64]);
    /// The tags of rows, up to the length of the shorter slice.
    fn rows16(key: &[u8; 16], rows: &[[u8; 16]], tags: &mut [u64]);
    /// The tags of integers, up to the length of the shorter slice, on a little-endian machine.
    #[cfg(target_endian = "little")]
    fn u128s(key: &[u8; 16], integers: &[u128], tags: &mut [u64]);
    /// The tags of messages in Arrow's layout: one more offset than tags, in ascending order. Panics if an
    /// offset lies outside the bytes.
    fn offsets(key: &[u8; 16], bytes: &[u8], offsets: &[i32], tags: &mut [u64]);
    /// The 128-bit tags of integers, up to the length of the shorter slice, on a little-endian machine.
    #[cfg(target_endian = "little")]
    fn u64s_wide(key: &[u8; 16], integers: &[u64], tags: &mut [u128]);
    /// The tags of integers by HalfSipHash, up to the length of the shorter slice.
    fn half_u64s(key: &[u8; 8], integers: &[u64], tags: &mut [u32]);
}

/// Whether `n` messages lie inside `len` bytes. The first offset is that of the first message.
#[cfg(any(engine = "gcc", engine = "clang"))]
fn are_inside(offsets: &[i32], n: usize, len: usize) -> bool {
    let ascend = offsets.windows(2).fold(true, |all, pair| all & (pair[0] <= pair[1]));
    let ends = offsets.first().is_some_and(|&first| first >= 0)
        && offsets.last().is_some_and(|&last| last as usize <= len);
    ascend && ends && n < offsets.len()
}

/// Binds the functions whose names end in the suffix.
#[cfg(any(engine = "gcc", engine = "clang"))]
macro_rules! reference {
    ($(#[$doc:meta])* $name:ident, $suffix:literal) => {
        $(#[$doc])*
        pub struct $name;

        const _: () = {
            unsafe extern "C" {
                #[link_name = concat!("siphash_one_", $suffix)]
                fn one(key: *const u8, message: *const u8, len: usize) -> u64;
                #[link_name = concat!("siphash_u32s_", $suffix)]
                fn u32s(key: *const u8, integers: *const u32, tags: *mut u64, n: usize);
                #[link_name = concat!("siphash_u64s_", $suffix)]
                fn u64s(key: *const u8, integers: *const u64, tags: *mut u64, n: usize);
                #[link_name = concat!("siphash_rows16_", $suffix)]
                fn rows16(key: *const u8, rows: *const u8, tags: *mut u64, n: usize);
                #[link_name = concat!("siphash_offsets_", $suffix)]
                fn offsets(key: *const u8, bytes: *const u8, offsets: *const i32, tags: *mut u64, n: usize);
                #[cfg(target_endian = "little")]
                #[link_name = concat!("siphash_u64s_wide_", $suffix)]
                fn u64s_wide(key: *const u8, integers: *const u64, tags: *mut u64, n: usize);
                #[link_name = concat!("siphash_half_u64s_", $suffix)]
                fn half_u64s(key: *const u8, integers: *const u64, tags: *mut u32, n: usize);
            }

            impl Reference for $name {
                #[inline(always)]
                fn one(key: &[u8; 16], message: &[u8]) -> u64 {
                    // SAFETY: it reads 16 bytes of the key and `len` bytes of the message.
                    unsafe { one(key.as_ptr(), message.as_ptr(), message.len()) }
                }

                #[inline(always)]
                fn u32s(key: &[u8; 16], integers: &[u32], tags: &mut [u64]) {
                    let n = integers.len().min(tags.len());
                    // SAFETY: it reads 16 bytes of the key and `n` integers and writes `n` tags. Both slices
                    // have at least `n` elements, and a `&mut` overlaps nothing.
                    unsafe { u32s(key.as_ptr(), integers.as_ptr(), tags.as_mut_ptr(), n) }
                }

                #[inline(always)]
                fn u64s(key: &[u8; 16], integers: &[u64], tags: &mut [u64]) {
                    let n = integers.len().min(tags.len());
                    // SAFETY: it reads 16 bytes of the key and `n` integers and writes `n` tags. Both slices
                    // have at least `n` elements, and a `&mut` overlaps nothing.
                    unsafe { u64s(key.as_ptr(), integers.as_ptr(), tags.as_mut_ptr(), n) }
                }

                #[inline(always)]
                fn rows16(key: &[u8; 16], rows: &[[u8; 16]], tags: &mut [u64]) {
                    let n = rows.len().min(tags.len());
                    // SAFETY: it reads 16 bytes of the key and of each of `n` rows, and writes `n` tags. Both
                    // slices have at least `n` elements, and a `&mut` overlaps nothing.
                    unsafe { rows16(key.as_ptr(), rows.as_ptr().cast(), tags.as_mut_ptr(), n) }
                }

                #[cfg(target_endian = "little")]
                #[inline(always)]
                fn u128s(key: &[u8; 16], integers: &[u128], tags: &mut [u64]) {
                    let n = integers.len().min(tags.len());
                    // SAFETY: it reads 16 bytes of the key and of each of `n` integers, and writes `n` tags.
                    // Both slices have at least `n` elements, and a `&mut` overlaps nothing.
                    unsafe { rows16(key.as_ptr(), integers.as_ptr().cast(), tags.as_mut_ptr(), n) }
                }

                #[inline(always)]
                fn offsets(key: &[u8; 16], bytes: &[u8], list: &[i32], tags: &mut [u64]) {
                    let n = tags.len();
                    assert!(are_inside(list, n, bytes.len()), "offsets outside of the bytes");
                    // SAFETY: it reads 16 bytes of the key, `n + 1` offsets, and the bytes between the first and the
                    // last of them. `are_inside` has checked that these exist. It writes `n` tags, and a `&mut`
                    // overlaps nothing.
                    unsafe { offsets(key.as_ptr(), bytes.as_ptr(), list.as_ptr(), tags.as_mut_ptr(), n) }
                }

                #[cfg(target_endian = "little")]
                #[inline(always)]
                fn u64s_wide(key: &[u8; 16], integers: &[u64], tags: &mut [u128]) {
                    let n = integers.len().min(tags.len());
                    // SAFETY: it reads 16 bytes of the key and `n` integers, and writes two words, the lower
                    // first, for each of `n` tags. Both slices have at least `n` elements, and a `&mut`
                    // overlaps nothing.
                    unsafe { u64s_wide(key.as_ptr(), integers.as_ptr(), tags.as_mut_ptr().cast(), n) }
                }

                #[inline(always)]
                fn half_u64s(key: &[u8; 8], integers: &[u64], tags: &mut [u32]) {
                    let n = integers.len().min(tags.len());
                    // SAFETY: it reads 8 bytes of the key and `n` integers and writes `n` tags. Both slices
                    // have at least `n` elements, and a `&mut` overlaps nothing.
                    unsafe { half_u64s(key.as_ptr(), integers.as_ptr(), tags.as_mut_ptr(), n) }
                }
            }
        };
    };
}

/// By gcc.
#[cfg(engine = "gcc")]
pub mod gcc {
    use super::{Reference, are_inside};

    reference! {
        /// 1-2, -O2.
        Sip12O2, "12_gcc_o2"
    }
    reference! {
        /// 1-2, -O3 for this CPU.
        Sip12O3Native, "12_gcc_o3_native"
    }
    reference! {
        /// 1-3, -O2.
        Sip13O2, "13_gcc_o2"
    }
    reference! {
        /// 2-4, -O2.
        Sip24O2, "24_gcc_o2"
    }
    reference! {
        /// 1-3, -O3 for this CPU.
        Sip13O3Native, "13_gcc_o3_native"
    }
    reference! {
        /// 2-4, -O3 for this CPU.
        Sip24O3Native, "24_gcc_o3_native"
    }
}

/// By clang.
#[cfg(engine = "clang")]
pub mod clang {
    use super::{Reference, are_inside};

    reference! {
        /// 1-2, -O2.
        Sip12O2, "12_clang_o2"
    }
    reference! {
        /// 1-2, -O3 for this CPU.
        Sip12O3Native, "12_clang_o3_native"
    }
    reference! {
        /// 1-3, -O2.
        Sip13O2, "13_clang_o2"
    }
    reference! {
        /// 2-4, -O2.
        Sip24O2, "24_clang_o2"
    }
    reference! {
        /// 1-3, -O3 for this CPU.
        Sip13O3Native, "13_clang_o3_native"
    }
    reference! {
        /// 2-4, -O3 for this CPU.
        Sip24O3Native, "24_clang_o3_native"
    }
}

/// libsodium.
#[cfg(engine = "libsodium")]
pub mod libsodium {
    use std::ffi::{c_int, c_ulonglong};

    unsafe extern "C" {
        safe fn sodium_init() -> c_int;
        fn crypto_shorthash(tag: *mut u8, message: *const u8, len: c_ulonglong, key: *const u8) -> c_int;
        fn crypto_shorthash_siphashx24(
            tag: *mut u8,
            message: *const u8,
            len: c_ulonglong,
            key: *const u8,
        ) -> c_int;
    }

    /// Initialises the library. May be called again.
    pub fn init() {
        assert!(sodium_init() >= 0, "libsodium cannot be initialised");
    }

    /// `crypto_shorthash`: SipHash-2-4.
    #[inline(always)]
    pub fn shorthash(key: &[u8; 16], message: &[u8]) -> u64 {
        let mut tag = [0; 8];
        // SAFETY: it writes 8 bytes of the tag, and reads 16 of the key and `len` of the message. It always
        // returns 0.
        unsafe {
            crypto_shorthash(tag.as_mut_ptr(), message.as_ptr(), message.len() as c_ulonglong, key.as_ptr());
        }
        u64::from_le_bytes(tag)
    }

    /// `crypto_shorthash_siphashx24`: SipHash-2-4 with tags of 128 bits.
    #[inline(always)]
    pub fn shorthash_double(key: &[u8; 16], message: &[u8]) -> u128 {
        let mut tag = [0; 16];
        // SAFETY: it writes 16 bytes of the tag, and reads 16 of the key and `len` of the message. It always
        // returns 0.
        unsafe {
            crypto_shorthash_siphashx24(
                tag.as_mut_ptr(),
                message.as_ptr(),
                message.len() as c_ulonglong,
                key.as_ptr(),
            );
        }
        u128::from_le_bytes(tag)
    }
}

/// highwayhash, through its C functions.
#[cfg(engine = "highwayhash")]
pub mod highwayhash {
    use std::ffi::c_char;

    unsafe extern "C" {
        fn SipHashC(key: *const u64, bytes: *const c_char, size: u64) -> u64;
        fn SipHash13C(key: *const u64, bytes: *const c_char, size: u64) -> u64;
    }

    /// SipHash-2-4.
    #[inline(always)]
    pub fn siphash24(key: &[u64; 2], message: &[u8]) -> u64 {
        // SAFETY: it reads two words of the key and `size` bytes of the message.
        unsafe { SipHashC(key.as_ptr(), message.as_ptr().cast(), message.len() as u64) }
    }

    /// SipHash-1-3.
    #[inline(always)]
    pub fn siphash13(key: &[u64; 2], message: &[u8]) -> u64 {
        // SAFETY: it reads two words of the key and `size` bytes of the message.
        unsafe { SipHash13C(key.as_ptr(), message.as_ptr().cast(), message.len() as u64) }
    }
}
