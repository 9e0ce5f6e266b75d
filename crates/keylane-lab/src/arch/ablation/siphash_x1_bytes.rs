//! SipHash, one message at a time, words put together from bytes.
//!
//! id        siphash_x1_bytes        slot  siphash-x1-ablation        requires  nothing
//! does      a word is the or of eight bytes, each shifted to its place, as the reference's macro has it
//! bounds    those of siphash_x1_base: compilers know the pattern, and make one load of it
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash-ref]; the question is that of [Redis-study]

use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_bytes", lanes 1, requires [], |job: Wholes<'_>| scalar::many::<Bytes>(job)
}

struct Bytes;

impl Parts for Bytes {
    #[inline(always)]
    fn word(bytes: &[u8; 8]) -> u64 {
        bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }
}
