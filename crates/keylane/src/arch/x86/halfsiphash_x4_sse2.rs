//! HalfSipHash, 4 messages at a time in the lanes of an SSE2 register; on 64 bits, 2 registers together.
//!
//! id        halfsiphash_x4_sse2        slot  halfsiphash-xn        requires  sse2
//! does      4 states stepped together, word by word (vertical.rs), each message right-aligned in its
//!           lane (ragged/), in vectors of 128 bits (lanes128.rs)
//! bounds    24 operations a round and two a word for 4 messages: a rotation is two shifts and an or;
//!           by 16 it is two shuffles. A scalar round has 14 a message
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]
//!
//! Two registers where there are 16. 32-bit x86 has 8, which two registers' states alone would fill.

use super::Sse2;
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

/// How many registers of messages are stepped together.
const VECTORS: usize = if cfg!(target_arch = "x86") { 1 } else { 2 };

kernel! {
    /// Many messages, 4 in a register.
    pub MANY: Xn<u32> = "halfsiphash_x4_sse2", lanes 4, requires ["sse2"],
    from FROM_MESSAGES,
    |job: Batch<'_, u32>| vertical::batch::<_, u32, 4, VECTORS>(Sse2::here(), job)
}
