//! Whole connections between keylane and others.

mod memory;
mod openssl;

use rcgen::{CertifiedKey, KeyPair};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion};
use std::sync::Arc;

/// Only the suites of ChaCha20-Poly1305.
fn only_chacha20(mut provider: CryptoProvider) -> Arc<CryptoProvider> {
    provider.cipher_suites.retain(|suite| keylane_rustls::is_chacha20(suite.suite()));
    Arc::new(provider)
}

fn ours() -> Arc<CryptoProvider> {
    only_chacha20(keylane_rustls::provider(ring::default_provider()))
}

fn theirs() -> Arc<CryptoProvider> {
    only_chacha20(ring::default_provider())
}

/// A certificate that its clients know.
fn identity() -> CertifiedKey<KeyPair> {
    rcgen::generate_simple_self_signed(["localhost".into()]).expect("a certificate")
}

fn name() -> ServerName<'static> {
    "localhost".try_into().expect("a name")
}

fn client(
    provider: Arc<CryptoProvider>,
    version: &'static SupportedProtocolVersion,
    identity: &CertifiedKey<KeyPair>,
) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(identity.cert.der().clone()).expect("a root");
    let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(&[version]);
    Arc::new(builder.expect("a version").with_root_certificates(roots).with_no_client_auth())
}

fn server(
    provider: Arc<CryptoProvider>,
    version: &'static SupportedProtocolVersion,
    identity: &CertifiedKey<KeyPair>,
) -> Arc<ServerConfig> {
    let key = PrivatePkcs8KeyDer::from(identity.signing_key.serialize_der());
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(&[version]);
    let builder = builder.expect("a version").with_no_client_auth();
    Arc::new(builder.with_single_cert(vec![identity.cert.der().clone()], key.into()).expect("a certificate"))
}

/// Bytes that look random, without one below 128: OpenSSL's programs take some letters as commands.
fn bytes(len: usize) -> Vec<u8> {
    let mut x = 1u64;
    (0..len)
        .map(|_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 56) as u8 | 0x80
        })
        .collect()
}
