//! HalfSipHash, 4 messages at a time in the lanes of a NEON register, 4 registers together.
//!
//! id        halfsiphash_x4_neon        slot  halfsiphash-xn        requires  neon
//! does      4 states stepped together, word by word (vertical.rs), each message right-aligned in its lane
//!           (ragged/)
//! bounds    17 operations a round and two a word for 4 messages: rotations by 5, 7 and 13 are two shifts, by 8 a
//!           look-up, by 16 a reversal. A round is a chain of 6 operations, 12 cycles, which four registers fill
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]

use super::Neon;
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages, 4 in a vector, 4 vectors at a time.
    pub MANY: Xn<u32> = "halfsiphash_x4_neon", lanes 4, requires ["neon"],
    from FROM_MESSAGES,
    |job: Batch<'_, u32>| vertical::batch::<_, u32, 4, 4>(Neon::here(), job)
}
