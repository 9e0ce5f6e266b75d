//! Peers in C: Intel's library for IPsec, OpenSSL, libsodium and AWS-LC.

use super::Engine;

#[cfg(not(feature = "peers"))]
pub(super) fn engines() -> Vec<Engine> {
    Vec::new()
}

#[cfg(feature = "peers")]
pub(super) fn engines() -> Vec<Engine> {
    use super::KEY;
    use crate::engine::Side;
    use crate::foreign;

    #[cfg(engine = "libsodium")]
    foreign::libsodium::init();
    vec![
        #[cfg(engine = "ipsec-mb")]
        Engine::aead("ipsec-mb", Side::Peer, foreign::aead::IpsecMb::new(&KEY)),
        #[cfg(engine = "openssl-newest")]
        Engine::aead("OpenSSL newest", Side::Peer, foreign::aead::OpenSsl::new(&KEY)),
        #[cfg(engine = "libsodium")]
        Engine::aead("libsodium", Side::Peer, foreign::aead::Libsodium::new(&KEY)),
        Engine::aead("AWS-LC", Side::Peer, foreign::aead::AwsLc::new(&KEY)),
    ]
}
