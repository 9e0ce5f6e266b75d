//! Poly1305, 4 messages at a time, each under its own key, base 2^26, in the lanes of two NEON registers.
//!
//! id        poly1305_x4_neon        slot  poly1305-xn        requires  neon
//! does      h <- (h + m) r for a message in each lane, four blocks in a turn of two products, each of two
//!           blocks, with r^2 and r (arch/generic/messages26.rs)
//! bounds    a turn of 64 bytes of 4 messages is 200 multiplications and 235 other operations, half of them to load
//!           the lanes and take blocks apart. At four a cycle, two of them multiplications (Neoverse V2): 6.8 cycles
//!           a block, where two messages in general registers take 7.75. At half as many (N1): 13.6, where they
//!           take 31. Limbs: arch/generic/radix26/
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.5] and [NeonCrypto]
//!
//! First in its slot for the cores with slow 64-bit multipliers. There, 4 messages of 64 bytes are as fast either way,
//! and messages of 256 bytes take two thirds of the time. On wide cores both methods take equally long up to a kibibyte,
//! and `poly1305_p4_neon` is better beyond. So their thresholds leave all shorter messages to `poly1305_x2_u64`.
//!
//! What lost:
//!
//! * Turns of one product of four blocks, with r^3 and r^4: one carry less, but each turn reads and narrows 36 factors.
//!   In the model it is no faster.
//! * Karatsuba's method, by a count of registers: 20 sums and 15 factors, a vector each, do not fit.

use super::messages26::Twice;
use super::{Neon, poly1305_p4_neon};
use crate::arch::generic::groups::{self, Costs, Group};
use crate::arch::generic::messages26;
use crate::arch::portable::{poly1305_x1_u64, poly1305_x2_u64, scalar};
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::poly1305::{Batch, Key, Xn};

kernel! {
    /// Many messages.
    pub MANY: Xn = "poly1305_x4_neon", lanes 4, requires ["neon"], from 64, |job: Batch<'_>| many(job)
}

/// Costs in cycles of a model of Neoverse V2. A single message runs in poly1305_x1_u64 or poly1305_p4_neon. On Neoverse
/// N1 all costs are 2.1 to 2.5 times as high.
const COSTS: Costs =
    Costs { single: |turns| (10 + 60 * turns).min(200 + 21 * turns), group: |turns| 170 + 112 * turns };

#[inline]
#[target_feature(enable = "neon")]
fn many(job: Batch<'_>) {
    let longest = job.messages.iter().map(|message| message.len()).max().unwrap_or(0);
    if longest < Method::X4Neon.threshold() {
        return poly1305_x2_u64::many(job);
    }
    groups::run(job, &COSTS, |key, message| tag_of_one(key, message), |group| four(group));
}

/// The tag of a message that does better by itself than in a lane.
#[inline(never)]
#[target_feature(enable = "neon")]
fn tag_of_one(key: &Key, message: &[u8]) -> u128 {
    if message.len() < Method::P4Neon.threshold() {
        return scalar::tag(key, message, poly1305_x1_u64::absorb);
    }
    poly1305_p4_neon::mac(key, message)
}

#[inline]
#[target_feature(enable = "neon")]
fn four(group: &Group<'_, 4>) -> [[u8; 16]; 4] {
    messages26::four(Twice(Neon::here()), group)
}
