//! SipHash, 4 messages at a time in two NEON registers, two such groups together, rotated by SHA-3 instructions.
//!
//! id        siphash_x4_sha3        slot  siphash-xn        requires  neon sha3
//! does      what siphash_x4_neon does
//! bounds    14 operations a round and two a word for 2 messages: rotations by 13, 17 and 21 are one xar with zero
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]
//!
//! The rotation by 16 stays a look-up: cores with one port for xar would do four of them in a round.

use super::halves::Halves;
use super::neon::Register;
use super::{Neon, Sha3};
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages: 4 in two registers, two such groups at a time.
    pub MANY: Xn<u64> = "siphash_x4_sha3", lanes 4, requires ["neon", "sha3"],
    from FROM_MESSAGES,
    |job: Batch<'_, u64>| {
        let half = Register { neon: Neon::here(), rotation: Sha3::here() };
        vertical::batch::<_, u64, 4, 2>(Halves(half, half), job);
    }
}
