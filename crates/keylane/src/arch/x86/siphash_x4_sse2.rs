//! SipHash, 4 messages at a time in the lanes of two SSE2 registers.
//!
//! id        siphash_x4_sse2        slot  siphash-xn        requires  sse2
//! does      4 states stepped together, word by word (vertical.rs), each message right-aligned in its
//!           lane (ragged/), in vectors of 128 bits (lanes128.rs)
//! bounds    21 operations a round and two a word for 2 messages: rotations by 13, 17 and 21 are two shifts
//!           and an or, by 16 two shuffles, by 32 one. That is 10.5 a message; a scalar round has 14
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]
//!
//! For 32-bit x86, where the scalar kernel needs two registers for a word and three instructions for most operations.
//! On 64-bit x86, messages of different lengths are faster in general registers (siphash_x2). SSE2 has neither masked
//! loads nor table look-ups, so finding words and starting late lanes takes many operations.

use super::Sse2;
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages, 4 in two registers.
    pub MANY: Xn<u64> = "siphash_x4_sse2", lanes 4, requires ["sse2"],
    suits |_uarch| cfg!(target_arch = "x86"),
    from FROM_MESSAGES,
    |job: Batch<'_, u64>| vertical::batch::<_, u64, 4, 1>(Sse2::here(), job)
}
