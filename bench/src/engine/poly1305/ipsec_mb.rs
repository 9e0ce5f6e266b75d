//! Intel's library for IPsec, with jobs of one message and with bursts of jobs.

use super::Engine;

#[cfg(not(engine = "ipsec-mb"))]
pub(super) fn engines() -> Vec<Engine> {
    Vec::new()
}

#[cfg(not(engine = "ipsec-mb"))]
pub(super) fn bursts() -> Vec<Engine> {
    Vec::new()
}

#[cfg(engine = "ipsec-mb")]
pub(super) use present::{bursts, engines};

#[cfg(engine = "ipsec-mb")]
mod present {
    use super::Engine;
    use crate::engine::Side;
    use crate::engine::poly1305::Poly1305;
    use crate::foreign::poly1305::IpsecMb;

    pub(in super::super) fn engines() -> Vec<Engine> {
        vec![Engine::poly1305("ipsec-mb", Side::Peer, Jobs(IpsecMb::new()))]
    }

    pub(in super::super) fn bursts() -> Vec<Engine> {
        vec![Engine::poly1305("ipsec-mb burst", Side::Peer, Bursts(IpsecMb::new()))]
    }

    struct Jobs(IpsecMb);

    impl Poly1305 for Jobs {
        type Tag = [u8; 16];

        #[inline(always)]
        fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
            self.0.job(key, message)
        }
    }

    struct Bursts(IpsecMb);

    impl Poly1305 for Bursts {
        type Tag = [u8; 16];

        #[inline(always)]
        fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
            self.0.job(key, message)
        }

        #[inline(always)]
        fn macs(&self, keys: &[[u8; 32]], messages: &[&[u8]], tags: &mut [[u8; 16]]) {
            self.0.burst(keys, messages, tags);
        }
    }
}
