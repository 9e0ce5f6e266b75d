//! HalfSipHash, one message at a time, for every CPU.
//!
//! id        halfsiphash_x1        slot  halfsiphash-xn        requires  nothing
//! does      one state, word by word (interleave.rs; one message alone is inlined from siphash_x1.rs)
//! bounds    4c + 1 cycles a word of 4 bytes
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [HalfSipHash]

use super::interleave;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages, one after the other.
    pub MANY: Xn<u32> = "halfsiphash_x1", lanes 1, requires [],
    from FROM_MESSAGES,
    |job: Batch<'_, u32>| interleave::one_by_one(job)
}
