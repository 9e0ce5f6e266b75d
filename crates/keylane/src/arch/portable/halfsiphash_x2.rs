//! HalfSipHash, two messages at a time, for every CPU.
//!
//! id        halfsiphash_x2        slot  halfsiphash-xn        requires  nothing
//! does      two states stepped together, word by word (interleave.rs)
//! bounds    those of siphash_x2 on words of half the size: twice the rounds for each byte
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [HalfSipHash]

use super::interleave;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages, two at a time.
    pub MANY: Xn<u32> = "halfsiphash_x2", lanes 2, requires [],
    from FROM_MESSAGES,
    |job: Batch<'_, u32>| interleave::batch::<u32, 2>(job)
}
