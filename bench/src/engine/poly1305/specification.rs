//! keylane-ref: not timed. The answers of every other engine are compared with it.

use super::Poly1305;
use crate::work::poly1305::Work;

/// The specification.
pub fn specification() -> Box<dyn Work> {
    Box::new(Specification)
}

struct Specification;

impl Poly1305 for Specification {
    type Tag = [u8; 16];

    fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        keylane_ref::poly1305(key, message)
    }
}
