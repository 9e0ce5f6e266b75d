//! SipHash, 4 messages at a time in two NEON registers, two such groups together.
//!
//! id        siphash_x4_neon        slot  siphash-xn        requires  neon
//! does      4 states stepped together, word by word (vertical.rs), each message right-aligned in its lane
//!           (ragged/), two lanes in each register (halves.rs, neon.rs)
//! bounds    17 operations a round and two a word for 2 messages: rotations by 13, 17 and 21 are two shifts, by 16
//!           a look-up, by 32 a reversal. A round is a chain of 6 operations, 12 cycles, which four registers fill
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]

use super::Neon;
use super::halves::Halves;
use super::neon::Register;
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages: 4 in two registers, two such groups at a time.
    pub MANY: Xn<u64> = "siphash_x4_neon", lanes 4, requires ["neon"],
    from FROM_MESSAGES,
    |job: Batch<'_, u64>| {
        let half = Register { neon: Neon::here(), rotation: Neon::here() };
        vertical::batch::<_, u64, 4, 2>(Halves(half, half), job);
    }
}
