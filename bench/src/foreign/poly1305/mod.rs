//! Poly1305 in C and, if compiled separately, in Rust.

pub mod stream;

/// libsodium's `crypto_onetimeauth`. The library must have been initialised.
#[cfg(engine = "libsodium")]
#[inline(always)]
pub fn libsodium(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    use std::ffi::{c_int, c_ulonglong};

    unsafe extern "C" {
        fn crypto_onetimeauth(tag: *mut u8, message: *const u8, len: c_ulonglong, key: *const u8) -> c_int;
    }

    let mut tag = [0; 16];
    // SAFETY: it writes 16 bytes of the tag, and reads 32 of the key and `len` of the message. It always
    // returns 0.
    unsafe {
        crypto_onetimeauth(tag.as_mut_ptr(), message.as_ptr(), message.len() as c_ulonglong, key.as_ptr());
    }
    tag
}

/// Debian's OpenSSL: a context of `EVP_MAC`, reused for every message.
#[cfg(engine = "openssl")]
pub use evp::EvpMac;

#[cfg(engine = "openssl")]
mod evp {
    use std::ffi::{c_char, c_int, c_void};
    use std::ptr::{NonNull, null, null_mut};

    unsafe extern "C" {
        fn EVP_MAC_fetch(library: *mut c_void, name: *const c_char, properties: *const c_char)
        -> *mut c_void;
        fn EVP_MAC_free(mac: *mut c_void);
        fn EVP_MAC_CTX_new(mac: *mut c_void) -> *mut c_void;
        fn EVP_MAC_CTX_free(context: *mut c_void);
        fn EVP_MAC_init(context: *mut c_void, key: *const u8, len: usize, parameters: *const c_void)
        -> c_int;
        fn EVP_MAC_update(context: *mut c_void, bytes: *const u8, len: usize) -> c_int;
        fn EVP_MAC_final(context: *mut c_void, tag: *mut u8, written: *mut usize, size: usize) -> c_int;
    }

    /// A context.
    pub struct EvpMac(NonNull<c_void>);

    impl EvpMac {
        /// A context for Poly1305.
        #[expect(clippy::new_without_default, reason = "it may panic")]
        pub fn new() -> Self {
            // SAFETY: it reads the name up to its zero. The other arguments may be null.
            let mac = unsafe { EVP_MAC_fetch(null_mut(), c"POLY1305".as_ptr(), null()) };
            assert!(!mac.is_null(), "OpenSSL has no Poly1305");
            // SAFETY: `mac` has just been fetched.
            let context = unsafe { EVP_MAC_CTX_new(mac) };
            // SAFETY: `mac` has just been fetched, and the context holds its own reference to it.
            unsafe { EVP_MAC_free(mac) };
            EvpMac(NonNull::new(context).expect("memory for a context of OpenSSL's"))
        }

        /// The tag of a message.
        #[inline(always)]
        pub fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
            let (mut tag, mut written) = ([0; 16], 0);
            // SAFETY: the context is alive. Nobody else uses it, since it is neither `Send` nor `Sync`. The
            // call reads 32 bytes of the key.
            unsafe { EVP_MAC_init(self.0.as_ptr(), key.as_ptr(), key.len(), null()) };
            // SAFETY: as above. It reads `len` bytes of the message.
            unsafe { EVP_MAC_update(self.0.as_ptr(), message.as_ptr(), message.len()) };
            // SAFETY: as above. It writes at most `tag.len()` bytes of the tag.
            unsafe { EVP_MAC_final(self.0.as_ptr(), tag.as_mut_ptr(), &mut written, tag.len()) };
            tag
        }
    }

    impl Drop for EvpMac {
        fn drop(&mut self) {
            // SAFETY: the context came from `EVP_MAC_CTX_new` and is not used again.
            unsafe { EVP_MAC_CTX_free(self.0.as_ptr()) };
        }
    }
}

/// Whether the newest OpenSSL's Poly1305 state fits into the memory that [`openssl`] has for it.
#[cfg(engine = "openssl-newest")]
pub fn openssl_fits() -> bool {
    unsafe extern "C" {
        safe fn keylane_bench_openssl_fits() -> std::ffi::c_int;
    }

    keylane_bench_openssl_fits() != 0
}

/// The newest OpenSSL, by `Poly1305_Init`, `Poly1305_Update` and `Poly1305_Final`.
#[cfg(engine = "openssl-newest")]
#[inline(always)]
pub fn openssl(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    unsafe extern "C" {
        fn keylane_bench_openssl(key: *const u8, message: *const u8, len: usize, tag: *mut u8);
    }

    let mut tag = [0; 16];
    // SAFETY: it writes 16 bytes of the tag and reads 32 of the key and `len` of the message.
    unsafe { keylane_bench_openssl(key.as_ptr(), message.as_ptr(), message.len(), tag.as_mut_ptr()) };
    tag
}

/// A manager of Intel's library.
#[cfg(engine = "ipsec-mb")]
pub use ipsec_mb::IpsecMb;

#[cfg(engine = "ipsec-mb")]
mod ipsec_mb {
    use std::ffi::c_void;
    use std::ptr::NonNull;

    unsafe extern "C" {
        safe fn keylane_bench_ipsec_mb_new() -> *mut c_void;
        fn keylane_bench_ipsec_mb_free(manager: *mut c_void);
        fn keylane_bench_ipsec_mb_job(
            manager: *mut c_void,
            key: *const u8,
            message: *const u8,
            len: usize,
            tag: *mut u8,
        );
        fn keylane_bench_ipsec_mb_burst(
            manager: *mut c_void,
            keys: *const u8,
            messages: *const Message,
            tags: *mut u8,
            n: u32,
        );
    }

    /// A message in C's layout.
    #[repr(C)]
    struct Message {
        bytes: *const u8,
        len: usize,
    }

    /// The most messages in a burst.
    const BURST: usize = 64;

    /// A manager.
    pub struct IpsecMb(NonNull<c_void>);

    impl IpsecMb {
        /// A manager, which has chosen the best code for this CPU.
        #[expect(clippy::new_without_default, reason = "it may panic")]
        pub fn new() -> Self {
            IpsecMb(NonNull::new(keylane_bench_ipsec_mb_new()).expect("a manager of Intel's library"))
        }

        /// The tag of a message.
        #[inline(always)]
        pub fn job(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
            let mut tag = [0; 16];
            let manager = self.0.as_ptr();
            // SAFETY: the manager is alive. Nobody else uses it, since it is neither `Send` nor `Sync`.
            // It writes 16 bytes of the tag, and reads 32 of the key and `len` of the message. It has finished
            // with all of them when it returns.
            unsafe {
                keylane_bench_ipsec_mb_job(
                    manager,
                    key.as_ptr(),
                    message.as_ptr(),
                    message.len(),
                    tag.as_mut_ptr(),
                );
            }
            tag
        }

        /// The tags of messages, each under its own key, in one burst. Panics if the numbers of the three
        /// differ, or exceed a burst.
        #[inline(always)]
        pub fn burst(&self, keys: &[[u8; 32]], messages: &[&[u8]], tags: &mut [[u8; 16]]) {
            let n = messages.len();
            assert!(n <= BURST && keys.len() == n && tags.len() == n, "a burst of another size");
            let mut list = [const { Message { bytes: std::ptr::null(), len: 0 } }; BURST];
            for (place, message) in list.iter_mut().zip(messages) {
                *place = Message { bytes: message.as_ptr(), len: message.len() };
            }
            let (manager, list) = (self.0.as_ptr(), list.as_ptr());
            // SAFETY: the manager is alive. Nobody else uses it, since it is neither `Send` nor `Sync`.
            // It reads `n` keys of 32 bytes, `n` entries of the list and the bytes that these name. It writes
            // `n` tags of 16 bytes. There are `n` of each. It has finished with all when it returns.
            unsafe {
                keylane_bench_ipsec_mb_burst(
                    manager,
                    keys.as_ptr().cast(),
                    list,
                    tags.as_mut_ptr().cast(),
                    n as u32,
                );
            }
        }
    }

    impl Drop for IpsecMb {
        fn drop(&mut self) {
            // SAFETY: the manager came from `keylane_bench_ipsec_mb_new` and is not used again.
            unsafe { keylane_bench_ipsec_mb_free(self.0.as_ptr()) };
        }
    }
}

/// AWS-LC.
#[cfg(feature = "peers")]
#[inline(always)]
pub fn aws_lc(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    stream::aws_lc(key, [message])
}

/// RustCrypto's, compiled for this CPU (native).
#[cfg(feature = "peers")]
#[inline(always)]
pub fn rustcrypto_native(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    unsafe extern "C" {
        fn keylane_bench_rustcrypto_native(key: *const u8, message: *const u8, len: usize, tag: *mut u8);
    }

    let mut tag = [0; 16];
    // SAFETY: it writes 16 bytes of the tag and reads 32 of the key and `len` of the message.
    unsafe {
        keylane_bench_rustcrypto_native(key.as_ptr(), message.as_ptr(), message.len(), tag.as_mut_ptr())
    };
    tag
}
