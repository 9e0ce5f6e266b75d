//! SipHash, one message at a time, words put together from bytes behind the compiler's back.
//!
//! id        siphash_x1_bytes_hidden        slot  siphash-x1-ablation        requires  nothing
//! does      as siphash_x1_bytes, but each byte passes through a register of which the compiler knows nothing, so
//!           that it cannot find the pattern
//! bounds    8 loads, 7 shifts and 7 ors a word in place of one load: 21 operations more than siphash_x1_base, none of
//!           them in the chain of the state
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash-ref]; the question is that of [Redis-study]
//!
//! `cargo xtask codegen` looks whether the loads are still there.

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
