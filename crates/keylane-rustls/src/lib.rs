//! keylane's ChaCha20-Poly1305 in any `CryptoProvider` of rustls.
//!
//! [`provider`] takes the provider that you use, such as rustls's own with ring or aws-lc-rs, and exchanges the cipher of
//! its ChaCha20-Poly1305 suites: records of TLS 1.3 and TLS 1.2, packets and headers of QUIC. Everything else stays as it
//! is: key exchange, signatures, hashes, random numbers, the other suites, and the order of preference.
//!
//! ```
//! use rustls::crypto::ring;
//! use std::sync::Arc;
//!
//! let provider = Arc::new(keylane_rustls::provider(ring::default_provider()));
//! let config = rustls::ClientConfig::builder_with_provider(provider)
//!     .with_safe_default_protocol_versions()?
//!     .with_root_certificates(rustls::RootCertStore::empty())
//!     .with_no_client_auth();
//! # let _ = config;
//! # Ok::<(), rustls::Error>(())
//! ```
//!
//! For the whole process: `keylane_rustls::provider(ring::default_provider()).install_default()`.
//!
//! Both sides of a connection choose the suite. Providers usually prefer AES-GCM, and most servers follow their own
//! list, so put the ChaCha20 suites first if you want them:
//!
//! ```
//! let mut provider = keylane_rustls::provider(rustls::crypto::ring::default_provider());
//! provider.cipher_suites.sort_by_key(|suite| !keylane_rustls::is_chacha20(suite.suite()));
//! # assert!(keylane_rustls::is_chacha20(provider.cipher_suites[0].suite()));
//! ```
//!
//! Forged records and packets are errors of rustls, and leave no plaintext. Keys are wiped when a connection ends.
//!
//! # Features
//! * `tls12` (default): the suites of TLS 1.2. Without it, those of a provider that has them stay as they are.

#![deny(unsafe_code, missing_docs)]

mod keys;
mod quic;
#[cfg(feature = "tls12")]
mod tls12;
mod tls13;

use rustls::crypto::{CipherSuiteCommon, CryptoProvider};
use rustls::{CipherSuite, SupportedCipherSuite, Tls13CipherSuite};

/// Exchanges the cipher of a provider's ChaCha20-Poly1305 suites for keylane's. A suite that the provider lacks is not
/// added.
///
/// rustls keeps suites for the life of the process, so each call leaks some hundred bytes: call it once.
///
/// ```
/// let theirs = rustls::crypto::ring::default_provider();
/// let ours = keylane_rustls::provider(theirs.clone());
/// assert_eq!(ours.cipher_suites, theirs.cipher_suites); // compared by their names
/// ```
#[must_use]
pub fn provider(mut provider: CryptoProvider) -> CryptoProvider {
    for suite in &mut provider.cipher_suites {
        if is_chacha20(suite.suite()) {
            *suite = exchanged(*suite);
        }
    }
    provider
}

/// Whether a suite is one of ChaCha20-Poly1305.
///
/// ```
/// use rustls::CipherSuite;
///
/// assert!(keylane_rustls::is_chacha20(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256));
/// assert!(!keylane_rustls::is_chacha20(CipherSuite::TLS13_AES_128_GCM_SHA256));
/// ```
#[must_use]
pub fn is_chacha20(suite: CipherSuite) -> bool {
    matches!(
        suite,
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256
            | CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
            | CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
    )
}

/// The suite with another cipher.
fn exchanged(suite: SupportedCipherSuite) -> SupportedCipherSuite {
    match suite {
        SupportedCipherSuite::Tls13(suite) => SupportedCipherSuite::Tls13(forever(Tls13CipherSuite {
            common: common(&suite.common),
            hkdf_provider: suite.hkdf_provider,
            aead_alg: &tls13::Algorithm,
            quic: suite.quic.map(|_| &quic::Algorithm as _),
        })),
        #[cfg(feature = "tls12")]
        SupportedCipherSuite::Tls12(suite) => {
            SupportedCipherSuite::Tls12(forever(rustls::Tls12CipherSuite {
                common: common(&suite.common),
                prf_provider: suite.prf_provider,
                kx: suite.kx,
                sign: suite.sign,
                aead_alg: &tls12::Algorithm,
            }))
        }
        // Another crate may have turned on TLS 1.2 in rustls.
        #[cfg(not(feature = "tls12"))]
        #[allow(unreachable_patterns)]
        suite => suite,
    }
}

fn common(common: &CipherSuiteCommon) -> CipherSuiteCommon {
    let CipherSuiteCommon { suite, hash_provider, confidentiality_limit } = *common;
    CipherSuiteCommon { suite, hash_provider, confidentiality_limit }
}

/// A suite in memory that is never freed.
fn forever<T>(suite: T) -> &'static T {
    Box::leak(Box::new(suite))
}

/// The examples of the README, compiled and run together with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
