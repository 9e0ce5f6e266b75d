//! SipHash, 4 messages at a time, two in a NEON register and two in general ones, two such groups together.
//!
//! id        siphash_x4_neon_hybrid        slot  siphash-xn        requires  neon
//! does      what siphash_x4_neon does, with the upper two lanes in general registers
//! bounds    17 vector operations a round and two a word for 2 messages. For the 2 others, 20 scalar ones and four,
//!           where an xor with a rotated operand is one operation
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash], with vectors and scalars side by side as [HybridKeccak] does it
//!
//! The general registers hold four states and little else: values needed once in a word or a tile stay in memory.

use super::Neon;
use super::halves::{General, Halves};
use super::neon::Register;
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages: 2 in a vector and 2 in general registers, two such groups at a time.
    pub MANY: Xn<u64> = "siphash_x4_neon_hybrid", lanes 4, requires ["neon"],
    suits |uarch| !uarch.slow_rotated_operand,
    from FROM_MESSAGES,
    |job: Batch<'_, u64>| {
        let half = Register { neon: Neon::here(), rotation: Neon::here() };
        vertical::batch::<_, u64, 4, 2>(Halves(half, General), job);
    }
}
