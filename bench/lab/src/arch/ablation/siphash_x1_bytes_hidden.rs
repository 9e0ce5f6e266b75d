//! SipHash, one message at a time, with words assembled from bytes in a way hidden from the compiler.
//!
//! id        siphash_x1_bytes_hidden        slot  siphash-x1-ablation        requires  nothing
//! does      as siphash_x1_bytes, but each byte passes through `opaque`, so the compiler cannot recognise the pattern
//! bounds    8 loads, 7 shifts and 7 ORs per word instead of one load: 21 more operations than siphash_x1_base, none
//!           of them in the chain of the state
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash-ref]; [Redis-study] asked this question
//!
//! `cargo xtask codegen` checks that the loads are still there.

use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::job::siphash::Word;
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_bytes_hidden", lanes 1, requires [],
    |job: Wholes<'_>| scalar::many::<BytesHidden>(job)
}

struct BytesHidden;

impl Parts for BytesHidden {
    #[inline(always)]
    fn word(bytes: &[u8; 8]) -> u64 {
        bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte).opaque())
    }
}
