//! Two fast hashes whose state begins at a random seed.

use std::hash::{BuildHasher, Hasher};

/// FNV-1a of 64 bits.
#[derive(Clone)]
pub struct Fnv1a(pub u64);

impl Hasher for Fnv1a {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Jenkins' one-at-a-time. Its 32 bits stand in both halves of a hash: std's map reads either end.
#[derive(Clone)]
pub struct Jenkins(pub u32);

impl Hasher for Jenkins {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let sum = self.0.wrapping_add(u32::from(*byte)).wrapping_mul(1 + (1 << 10));
            self.0 = sum ^ sum >> 6;
        }
    }

    fn finish(&self) -> u64 {
        let product = self.0.wrapping_mul(1 + (1 << 3));
        let hash = u64::from((product ^ product >> 11).wrapping_mul(1 + (1 << 15)));
        hash << 32 | hash
    }
}

/// Makes hashers that begin at one state.
pub struct Seeded<H>(pub H);

impl<H: Hasher + Clone> BuildHasher for Seeded<H> {
    type Hasher = H;

    fn build_hasher(&self) -> H {
        self.0.clone()
    }
}
