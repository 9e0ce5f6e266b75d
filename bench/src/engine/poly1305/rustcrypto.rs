//! RustCrypto's crate poly1305: compiled as in any release build, and compiled for this CPU.

#[path = "../../../native/src/tag.rs"]
mod tag;

use super::{Engine, Poly1305};
use crate::engine::Side;
#[cfg(feature = "peers")]
use crate::foreign::poly1305::rustcrypto_native;

pub(super) fn engines() -> Vec<Engine> {
    vec![
        Engine::poly1305("RustCrypto", Side::Peer, Portable),
        #[cfg(feature = "peers")]
        Engine::poly1305("RustCrypto native", Side::Peer, Native),
    ]
}

/// For every x86-64 CPU; it detects AVX2 at run time.
struct Portable;

impl Poly1305 for Portable {
    type Tag = [u8; 16];

    #[inline(always)]
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        tag::tag(key, message)
    }
}

/// With all instructions of this CPU.
#[cfg(feature = "peers")]
struct Native;

#[cfg(feature = "peers")]
impl Poly1305 for Native {
    type Tag = [u8; 16];

    #[inline(always)]
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        rustcrypto_native(key, message)
    }
}
