//! ChaCha20-Poly1305 and ChaCha20 in C.

#[cfg(feature = "peers")]
use crate::work::aead::Aead;
#[cfg(any(engine = "libsodium", engine = "openssl-newest", engine = "ipsec-mb"))]
use std::ffi::{c_int, c_void};
#[cfg(feature = "peers")]
use std::ptr::NonNull;

/// Binds the calls of c/aead.h that have the name.
#[cfg(any(engine = "libsodium", engine = "openssl-newest", engine = "ipsec-mb"))]
macro_rules! library {
    ($(#[$doc:meta])* $type:ident, $name:literal) => {
        $(#[$doc])*
        pub struct $type(NonNull<c_void>);

        const _: () = {
            unsafe extern "C" {
                #[link_name = concat!("keylane_bench_aead_", $name, "_new")]
                fn new(key: *const u8) -> *mut c_void;
                #[link_name = concat!("keylane_bench_aead_", $name, "_free")]
                fn free(key: *mut c_void);
                #[link_name = concat!("keylane_bench_aead_", $name, "_seal")]
                fn seal(
                    key: *mut c_void,
                    nonce: *const u8,
                    aad: *const u8,
                    aad_len: usize,
                    data: *mut u8,
                    len: usize,
                    tag: *mut u8,
                );
                #[link_name = concat!("keylane_bench_aead_", $name, "_open")]
                fn open(
                    key: *mut c_void,
                    nonce: *const u8,
                    aad: *const u8,
                    aad_len: usize,
                    data: *mut u8,
                    len: usize,
                    tag: *const u8,
                ) -> c_int;
            }

            impl $type {
                /// Prepares a key.
                pub fn new(key: &[u8; 32]) -> Self {
                    // SAFETY: it reads 32 bytes of the key.
                    let key = unsafe { new(key.as_ptr()) };
                    $type(NonNull::new(key).expect("memory for a key"))
                }
            }

            impl Aead for $type {
                #[inline(always)]
                fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> [u8; 16] {
                    let mut tag = [0; 16];
                    let (nonce, len) = (nonce.as_ptr(), data.len());
                    // SAFETY: the key is alive. Nobody else uses it, since it is neither `Send` nor `Sync`. It reads
                    // 12 bytes of the nonce and the AAD, and writes `len` bytes of the data and 16 of the tag.
                    unsafe {
                        seal(
                            self.0.as_ptr(),
                            nonce,
                            aad.as_ptr(),
                            aad.len(),
                            data.as_mut_ptr(),
                            len,
                            tag.as_mut_ptr(),
                        );
                    }
                    tag
                }

                #[inline(always)]
                fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> bool {
                    let (nonce, len) = (nonce.as_ptr(), data.len());
                    // SAFETY: the key is alive. Nobody else uses it, since it is neither `Send` nor `Sync`. It reads
                    // 12 bytes of the nonce, 16 of the tag and the AAD, and writes `len` bytes of the data.
                    let is_right = unsafe {
                        open(
                            self.0.as_ptr(),
                            nonce,
                            aad.as_ptr(),
                            aad.len(),
                            data.as_mut_ptr(),
                            len,
                            tag.as_ptr(),
                        )
                    };
                    is_right == 1
                }
            }

            impl Drop for $type {
                fn drop(&mut self) {
                    // SAFETY: the key came from `new` and is not used again.
                    unsafe { free(self.0.as_ptr()) };
                }
            }
        };
    };
}

#[cfg(engine = "libsodium")]
library! {
    /// libsodium. It must have been initialised.
    Libsodium, "libsodium"
}

#[cfg(engine = "openssl-newest")]
library! {
    /// The newest OpenSSL's `EVP_chacha20_poly1305`.
    OpenSsl, "openssl"
}

#[cfg(engine = "ipsec-mb")]
library! {
    /// Intel's library.
    IpsecMb, "ipsec_mb"
}

/// AWS-LC's `EVP_AEAD`, which the crate aws-lc-rs calls.
#[cfg(feature = "peers")]
pub struct AwsLc(NonNull<aws_lc_sys::EVP_AEAD_CTX>);

#[cfg(feature = "peers")]
impl AwsLc {
    /// Prepares a key.
    pub fn new(key: &[u8; 32]) -> Self {
        // SAFETY: it takes nothing and returns a constant.
        let algorithm = unsafe { aws_lc_sys::EVP_aead_chacha20_poly1305() };
        // SAFETY: `algorithm` is a constant. It reads 32 bytes of the key.
        let context = unsafe { aws_lc_sys::EVP_AEAD_CTX_new(algorithm, key.as_ptr(), key.len(), 16) };
        AwsLc(NonNull::new(context).expect("memory for a key"))
    }
}

#[cfg(feature = "peers")]
impl Aead for AwsLc {
    #[inline(always)]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> [u8; 16] {
        let (mut tag, mut written) = ([0; 16], 0);
        let place = data.as_mut_ptr();
        // SAFETY: the context is alive. It reads 12 bytes of the nonce and the AAD, replaces all data in place, which
        // the call allows, and writes at most 16 bytes of the tag.
        let done = unsafe {
            aws_lc_sys::EVP_AEAD_CTX_seal_scatter(
                self.0.as_ptr(),
                place,
                tag.as_mut_ptr(),
                &raw mut written,
                tag.len(),
                nonce.as_ptr(),
                nonce.len(),
                place,
                data.len(),
                std::ptr::null(),
                0,
                aad.as_ptr(),
                aad.len(),
            )
        };
        assert!(done == 1 && written == tag.len(), "AWS-LC does not encrypt");
        tag
    }

    #[inline(always)]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> bool {
        let place = data.as_mut_ptr();
        // SAFETY: the context is alive. It reads 12 bytes of the nonce, 16 of the tag and the AAD, and replaces all data
        // in place, which the call allows.
        let is_right = unsafe {
            aws_lc_sys::EVP_AEAD_CTX_open_gather(
                self.0.as_ptr(),
                place,
                nonce.as_ptr(),
                nonce.len(),
                place,
                data.len(),
                tag.as_ptr(),
                tag.len(),
                aad.as_ptr(),
                aad.len(),
            )
        };
        is_right == 1
    }
}

#[cfg(feature = "peers")]
impl Drop for AwsLc {
    fn drop(&mut self) {
        // SAFETY: the context came from `EVP_AEAD_CTX_new` and is not used again.
        unsafe { aws_lc_sys::EVP_AEAD_CTX_free(self.0.as_ptr()) };
    }
}

/// The newest OpenSSL's `ChaCha20_ctr32`: the key stream from block 1 on.
#[cfg(all(engine = "openssl-newest", feature = "internals"))]
pub fn openssl_chacha20(key: &[u32; 8], nonce: [u32; 3], data: &mut [u8]) {
    unsafe extern "C" {
        fn keylane_bench_openssl_chacha20(key: *const u32, counter: *const u32, data: *mut u8, len: usize);
    }

    let [n0, n1, n2] = nonce;
    let counter = [1, n0, n1, n2];
    // SAFETY: it reads 8 words of the key and 4 of the counter, and writes `len` bytes of the data.
    unsafe { keylane_bench_openssl_chacha20(key.as_ptr(), counter.as_ptr(), data.as_mut_ptr(), data.len()) };
}

/// libsodium's `crypto_stream_chacha20_ietf_xor_ic`: the key stream from block 1 on.
#[cfg(all(engine = "libsodium", feature = "internals"))]
pub fn libsodium_chacha20(key: &[u8; 32], nonce: &[u8; 12], data: &mut [u8]) {
    use std::ffi::c_ulonglong;

    unsafe extern "C" {
        fn crypto_stream_chacha20_ietf_xor_ic(
            to: *mut u8,
            from: *const u8,
            len: c_ulonglong,
            nonce: *const u8,
            counter: u32,
            key: *const u8,
        ) -> c_int;
    }

    let (place, len) = (data.as_mut_ptr(), data.len() as c_ulonglong);
    // SAFETY: it reads 12 bytes of the nonce and 32 of the key, and replaces `len` bytes in place, which it allows.
    unsafe { crypto_stream_chacha20_ietf_xor_ic(place, place, len, nonce.as_ptr(), 1, key.as_ptr()) };
}

/// AWS-LC's `CRYPTO_chacha_20`: the key stream from block 1 on.
#[cfg(all(feature = "peers", feature = "internals"))]
pub fn aws_lc_chacha20(key: &[u8; 32], nonce: &[u8; 12], data: &mut [u8]) {
    let (place, len) = (data.as_mut_ptr(), data.len());
    // SAFETY: it reads 12 bytes of the nonce and 32 of the key, and replaces `len` bytes in place, which it allows.
    unsafe { aws_lc_sys::CRYPTO_chacha_20(place, place, len, key.as_ptr(), nonce.as_ptr(), 1) };
}
