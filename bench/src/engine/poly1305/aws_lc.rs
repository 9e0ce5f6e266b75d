//! AWS-LC's `CRYPTO_poly1305_init`, `_update` and `_finish`.

use super::{Engine, Poly1305};
use crate::engine::Side;
use crate::foreign::poly1305::aws_lc;

pub(super) fn engines() -> Vec<Engine> {
    vec![Engine::poly1305("AWS-LC", Side::Peer, AwsLc)]
}

struct AwsLc;

impl Poly1305 for AwsLc {
    type Tag = [u8; 16];

    #[inline(always)]
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        aws_lc(key, message)
    }
}
