//! Poly1305 in C, a message in pieces.

#[cfg(feature = "peers")]
use std::mem::MaybeUninit;
#[cfg(feature = "peers")]
use std::slice::Chunks;

/// libsodium's `crypto_onetimeauth_init`, `_update` and `_final`. The library must have been initialised.
#[cfg(engine = "libsodium")]
pub fn libsodium(key: &[u8; 32], pieces: Chunks<'_, u8>) -> [u8; 16] {
    use std::ffi::{c_int, c_ulonglong};

    /// The size is that of `sodium/crypto_onetimeauth_poly1305.h`.
    #[repr(C, align(16))]
    struct State([u8; 256]);

    unsafe extern "C" {
        fn crypto_onetimeauth_init(state: *mut State, key: *const u8) -> c_int;
        fn crypto_onetimeauth_update(state: *mut State, piece: *const u8, len: c_ulonglong) -> c_int;
        fn crypto_onetimeauth_final(state: *mut State, tag: *mut u8) -> c_int;
    }

    let mut state = MaybeUninit::<State>::uninit();
    let mut tag = [0; 16];
    // SAFETY: it writes the state and reads 32 bytes of the key.
    unsafe { crypto_onetimeauth_init(state.as_mut_ptr(), key.as_ptr()) };
    for piece in pieces {
        // SAFETY: the previous calls have written the state. It reads `len` bytes of the piece.
        unsafe { crypto_onetimeauth_update(state.as_mut_ptr(), piece.as_ptr(), piece.len() as c_ulonglong) };
    }
    // SAFETY: the previous calls have written the state. It writes 16 bytes of the tag.
    unsafe { crypto_onetimeauth_final(state.as_mut_ptr(), tag.as_mut_ptr()) };
    tag
}

/// The newest OpenSSL's `Poly1305_Init`, `Poly1305_Update` and `Poly1305_Final`.
#[cfg(engine = "openssl-newest")]
pub fn openssl(key: &[u8; 32], pieces: Chunks<'_, u8>) -> [u8; 16] {
    /// The size is that of `c/openssl.c`; [`openssl_fits`](super::openssl_fits) checks it.
    #[repr(C, align(64))]
    struct State([u8; 512]);

    unsafe extern "C" {
        fn keylane_bench_openssl_init(state: *mut State, key: *const u8);
        fn keylane_bench_openssl_update(state: *mut State, piece: *const u8, len: usize);
        fn keylane_bench_openssl_final(state: *mut State, tag: *mut u8);
    }

    let mut state = MaybeUninit::<State>::uninit();
    let mut tag = [0; 16];
    // SAFETY: it writes the state and reads 32 bytes of the key.
    unsafe { keylane_bench_openssl_init(state.as_mut_ptr(), key.as_ptr()) };
    for piece in pieces {
        // SAFETY: the previous calls have written the state. It reads `len` bytes of the piece.
        unsafe { keylane_bench_openssl_update(state.as_mut_ptr(), piece.as_ptr(), piece.len()) };
    }
    // SAFETY: the previous calls have written the state. It writes 16 bytes of the tag.
    unsafe { keylane_bench_openssl_final(state.as_mut_ptr(), tag.as_mut_ptr()) };
    tag
}

/// AWS-LC's `CRYPTO_poly1305_init`, `_update` and `_finish`.
#[cfg(feature = "peers")]
#[inline(always)]
pub fn aws_lc<'a>(key: &[u8; 32], pieces: impl IntoIterator<Item = &'a [u8]>) -> [u8; 16] {
    use aws_lc_sys::{CRYPTO_poly1305_finish, CRYPTO_poly1305_init, CRYPTO_poly1305_update, poly1305_state};

    let mut state = MaybeUninit::<poly1305_state>::uninit();
    let mut tag = [0; 16];
    // SAFETY: it writes the state and reads 32 bytes of the key.
    unsafe { CRYPTO_poly1305_init(state.as_mut_ptr(), key.as_ptr()) };
    for piece in pieces {
        // SAFETY: the previous calls have written the state. It reads `len` bytes of the piece.
        unsafe { CRYPTO_poly1305_update(state.as_mut_ptr(), piece.as_ptr(), piece.len()) };
    }
    // SAFETY: the previous calls have written the state. It writes 16 bytes of the tag.
    unsafe { CRYPTO_poly1305_finish(state.as_mut_ptr(), tag.as_mut_ptr()) };
    tag
}
