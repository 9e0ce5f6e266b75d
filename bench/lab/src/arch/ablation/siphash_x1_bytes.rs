//! SipHash, one message at a time, with words assembled from bytes.
//!
//! id        siphash_x1_bytes        slot  siphash-x1-ablation        requires  nothing
//! does      a word is the OR of eight bytes, each shifted to its place, as in the macro of the reference
//! bounds    those of siphash_x1_base: compilers recognise the pattern and emit one load
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash-ref]; [Redis-study] asked this question

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
