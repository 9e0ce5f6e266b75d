//! SipHash, 4 messages at a time, two in a NEON register, rotated by SHA-3 instructions, and two in general registers.
//! Two such groups run together.
//!
//! id        siphash_x4_sha3_hybrid        slot  siphash-xn        requires  neon sha3
//! does      what siphash_x4_neon_hybrid does
//! bounds    14 vector operations a round and two a word for 2 messages. For the 2 others, 20 scalar ones a round and four
//!           a word
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash], with vectors and scalars side by side as [HybridKeccak] does it

use super::halves::{General, Halves};
use super::neon::Register;
use super::{Neon, Sha3};
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages: 2 in a vector and 2 in general registers, two such groups at a time.
    pub MANY: Xn<u64> = "siphash_x4_sha3_hybrid", lanes 4, requires ["neon", "sha3"],
    suits |uarch| !uarch.slow_rotated_operand,
    from FROM_MESSAGES,
    |job: Batch<'_, u64>| {
        let half = Register { neon: Neon::here(), rotation: Sha3::here() };
        vertical::batch::<_, u64, 4, 2>(Halves(half, General), job);
    }
}
