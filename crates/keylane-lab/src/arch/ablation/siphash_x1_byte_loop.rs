//! SipHash, one message at a time, the tail by a loop over its bytes.
//!
//! id        siphash_x1_byte_loop        slot  siphash-x1-ablation        requires  nothing
//! does      the last 0 to 7 bytes, the last one first, each below those before
//! bounds    up to 7 turns of a load, a shift and an or, beside the chain of the state; how often the loop turns is
//!           guessed, and a wrong guess costs some twenty cycles
//! timing    no secret-dependent branch, index or variable-latency instruction; the loop counts the length
//! origin    written here
//!
//! Each byte passes through a register of which the compiler knows nothing, so that it makes no vector code of the
//! loop.

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
