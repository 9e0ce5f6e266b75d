//! Poly1305, 4 messages at a time, each under its own key, base 2^26, in the lanes of two NEON registers.
//!
//! id        poly1305_x4_neon        slot  poly1305-xn        requires  neon
//! does      h <- (h + m) r for a message in each lane, four blocks in a turn of two products, each of two
//!           blocks, with r^2 and r (arch/generic/messages26.rs)
//! bounds    a turn of 64 bytes of 4 messages is 200 multiplications and 235 other operations, half of them to bring
//!           the blocks into the lanes and take them apart. Four in a cycle, of which two multiplications (Neoverse
//!           V2): 6.8 cycles a block, where two messages in general registers take 7.75; half as many (N1): 13.6,
//!           where they take 31. Limbs: arch/generic/radix26.rs
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.5] and [NeonCrypto]
//!
//! First in its slot for the cores with slow 64-bit multipliers, where 4 messages of 64 bytes are as fast either way
//! and of 256 bytes take two thirds of the time. On wide cores both ways take as long up to a kibibyte, and behind
//! that `poly1305_p4_neon` is the better one: there the thresholds leave all shorter messages to `poly1305_x2_u64`.
//!
//! Lost: turns of one product of four blocks, with r^3 and r^4 (a carry less, but 36 factors that are read and
//! narrowed in each turn: no faster in the model); by count, Karatsuba's method, whose 20 sums and 15 factors, a
//! vector each, do not fit the registers.

use super::messages26::Twice;
use super::{Neon, poly1305_p4_neon};
use crate::arch::generic::groups::{self, Costs, Group};
use crate::arch::generic::messages26;
use crate::arch::portable::{poly1305_x1_u64, poly1305_x2_u64, scalar};
use crate::job::kernel::kernel;
use crate::job::poly1305::{Batch, Key, Xn};
use crate::job::thresholds::Method;

kernel! {
    /// Many messages.
    pub MANY: Xn = "poly1305_x4_neon", lanes 4, requires ["neon"], |job: Batch<'_>| many(job)
}

/// In cycles of a model of Neoverse V2: alone in poly1305_x1_u64 or poly1305_p4_neon. On Neoverse N1 all are 2.1 to 2.5
/// times as many.
const COSTS: Costs =
    Costs { alone: |turns| (10 + 60 * turns).min(200 + 21 * turns), together: |turns| 170 + 112 * turns };

#[inline]
#[target_feature(enable = "neon")]
fn many(job: Batch<'_>) {
    let longest = job.messages.iter().map(|message| message.len()).max().unwrap_or(0);
    if longest < Method::X4Neon.from() {
        return poly1305_x2_u64::many(job);
    }
    groups::each(job, &COSTS, |key, message| alone(key, message), |group| four(group));
}

/// The tag of a message that is not worth a lane.
#[inline(never)]
#[target_feature(enable = "neon")]
fn alone(key: &Key, message: &[u8]) -> u128 {
    if message.len() < Method::P4Neon.from() {
        return scalar::tag(key, message, poly1305_x1_u64::absorb);
    }
    poly1305_p4_neon::whole(key, message)
}

#[inline]
#[target_feature(enable = "neon")]
fn four(group: &Group<'_, 4>) -> [[u8; 16]; 4] {
    messages26::four(Twice(Neon::here()), group)
}
