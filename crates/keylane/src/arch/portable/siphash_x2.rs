//! SipHash, two messages at a time, for every CPU.
//!
//! id        siphash_x2        slot  siphash-xn        requires  nothing
//! does      two states stepped together, word by word (interleave.rs)
//! bounds    14 operations a round and message in a chain of 4 cycles: one message leaves a wide core
//!           idle, two fill it; three do not fit into 16 registers
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash]

use super::interleave;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages, two at a time.
    pub MANY: Xn<u64> = "siphash_x2", lanes 2, requires [],
    from FROM_MESSAGES,
    |job: Batch<'_, u64>| interleave::batch::<u64, 2>(job)
}
