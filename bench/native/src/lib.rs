//! RustCrypto's Poly1305 behind a C function, so that a program can contain it twice: compiled for every CPU,
//! and for this CPU.

#![allow(unsafe_code)]

mod tag;

/// The tag of a message.
///
/// # Safety
/// `key` is 32 bytes, `message` is `len` bytes, and `tag` is 16 bytes that nothing else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn keylane_bench_rustcrypto_native(
    key: *const u8,
    message: *const u8,
    len: usize,
    tag: *mut u8,
) {
    // SAFETY: the caller passes 32 bytes.
    let key: &[u8; 32] = unsafe { &*key.cast() };
    // SAFETY: the caller passes `len` bytes.
    let message = unsafe { std::slice::from_raw_parts(message, len) };
    // SAFETY: the caller passes 16 bytes that nothing else uses.
    let tag: &mut [u8; 16] = unsafe { &mut *tag.cast() };
    *tag = tag::tag(key, message);
}
