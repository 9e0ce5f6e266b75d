//! What is timed: loops over an engine's calls, compiled for each engine.

pub mod batch;
pub mod one;

use crate::engine::SipHash;

/// The work of an engine of any type. Every [`SipHash`] can do it.
pub trait Work {
    /// The tag of a message. Not timed.
    fn hash(&self, message: &[u8]) -> u64;
    /// One message after the other. What it gives depends on every tag.
    fn one(&self, input: &one::Input<'_>) -> u64;
    /// Many messages in calls of `size` each.
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
