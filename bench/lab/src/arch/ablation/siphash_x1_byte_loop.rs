//! SipHash, one message at a time, with the tail by a loop over its bytes.
//!
//! id        siphash_x1_byte_loop        slot  siphash-x1-ablation        requires  nothing
//! does      combines the last 0 to 7 bytes, from the last to the first, each below the previous ones
//! bounds    up to 7 iterations of a load, a shift and an OR, in parallel with the chain of the state. The number of
//!           iterations is predicted, and a misprediction costs about twenty cycles
//! timing    no secret-dependent branch, index or variable-latency instruction; the loop count depends on the length
//! origin    written here
//!
//! Each byte passes through `opaque`, so the compiler cannot vectorise the loop.

use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::job::siphash::Word;
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_byte_loop", lanes 1, requires [],
    |job: Wholes<'_>| scalar::many::<ByteLoop>(job)
}

struct ByteLoop;

impl Parts for ByteLoop {
    #[inline(always)]
    fn tail(_message: &[u8], rest: &[u8]) -> u64 {
        rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte).opaque())
    }
}
