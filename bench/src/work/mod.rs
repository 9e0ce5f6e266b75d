//! The code timed: loops over an engine's calls, compiled for each engine.

#[cfg(feature = "aead")]
pub mod aead;
pub mod batch;
pub mod hash;
pub mod one;
pub mod poly1305;

use hash::{SipHash, U64s};

/// The work of an engine of any type. Every [`SipHash`] can do it.
pub trait Work {
    /// The tag of a message. Not timed.
    fn hash(&self, message: &[u8]) -> u64;
    /// Hashes one message after the other. The result depends on every tag.
    fn one(&self, input: &one::Input<'_>) -> u64;
    /// Hashes many messages in calls of `size` each.
    fn batch(&self, input: &batch::Input<'_>, size: usize, tags: &mut [u64]);
}

impl<E: SipHash> Work for E {
    fn hash(&self, message: &[u8]) -> u64 {
        SipHash::hash(self, message)
    }

    fn one(&self, input: &one::Input<'_>) -> u64 {
        one::run(self, input)
    }

    fn batch(&self, input: &batch::Input<'_>, size: usize, tags: &mut [u64]) {
        batch::run(self, input, size, tags);
    }
}

/// The work of an engine of any type that hashes integers to tags of another width than 64 bits.
pub trait U64Work<T> {
    /// Hashes many integers in calls of `size` each.
    fn batch(&self, integers: &[u64], size: usize, tags: &mut [T]);
}

impl<T, E: U64s<T>> U64Work<T> for E {
    fn batch(&self, integers: &[u64], size: usize, tags: &mut [T]) {
        batch::each(integers, size, tags, |some, tags| self.u64s(some, tags));
    }
}
