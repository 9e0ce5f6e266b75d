//! Poly1305, 4 messages at a time, each under its own key, base 2^26, in the lanes of AVX2 registers.
//!
//! id        poly1305_x4_avx2        slots  poly1305-xn, poly1305-parts        requires  avx2 bmi2
//! does      h <- (h + m) r for a message in each lane, four blocks in a turn: two products of two blocks
//!           (r^2, r) or, in long messages, one of four (r^4, ..., r)
//! bounds    a turn of 64 bytes of 4 messages is 100 multiplications, 95 additions, 68 operations that load the
//!           lanes and take blocks apart, and 20 of a carry (twice for two products): 283, 71 cycles at four a
//!           cycle. Measured: 95, or 108 with two products (Zen 4). Limbs: arch/generic/radix26/; columns of
//!           four products are below 2^61
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.5]
//!
//! The algorithm is in arch/generic/messages26.rs, that for packets in parts26.rs. Two halves of 128 bits, of messages 0 and 2 and of 1 and 3, are
//! unpacked into words in the lanes. So loading a block of 4 messages takes 2 loads, 2 insertions from memory and 2
//! shuffles.
//!
//! What lost:
//!
//! * Karatsuba's method with 15 multiplications: as fast in the loop, slower before it. Its 60 factors are written and
//!   wiped at one store a cycle.
//! * Powers of two products in memory.

use super::{Avx2, poly1305_p4_avx2};
use crate::arch::generic::groups::{self, Costs, Group};
use crate::arch::generic::{messages26, parts26};
use crate::arch::portable::{poly1305_packet, poly1305_packets, poly1305_x1_u64, poly1305_x2_u64, scalar};
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::poly1305::{Batch, Key, Packets, Parts, Xn};

kernel! {
    /// Many messages.
    pub MANY: Xn = "poly1305_x4_avx2", lanes 4, requires ["avx2", "bmi2"], from Method::X4Avx2.threshold(),
    |job: Batch<'_>| many(job)
}

kernel! {
    /// Many packets of ChaCha20-Poly1305.
    pub PARTS: Parts = "poly1305_x4_avx2", lanes 4, requires ["avx2", "bmi2"], from 4, |job: Packets<'_>| parts(job)
}

/// Messages of at most this many bytes are done two at a time in general registers, unless all have one length of at least 64. The
/// fixed cost of a last turn exceeds what the lanes save.
const SCALAR_UP_TO: usize = 128;

/// Costs in cycles on Zen 4. A single message runs in poly1305_x1_u64 or poly1305_p4_avx2.
const COSTS: Costs =
    Costs { single: |turns| (15 + 60 * turns).min(250 + 20 * turns), group: |turns| 120 + 105 * turns };

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn many(job: Batch<'_>) {
    let len = job.messages.first().map_or(0, |message| message.len());
    let longest = job.messages.iter().map(|message| message.len()).max().unwrap_or(0);
    let equal = job.messages.iter().all(|message| message.len() == len);
    if longest <= SCALAR_UP_TO && !(equal && len >= 64) {
        return poly1305_x2_u64::many(job);
    }
    groups::run(job, &COSTS, |key, message| tag_of_one(key, message), |group| four(group));
}

/// The tag of a message that does better by itself than in a lane.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn tag_of_one(key: &Key, message: &[u8]) -> u128 {
    if message.len() < Method::P4Avx2.threshold() {
        return scalar::tag(key, message, poly1305_x1_u64::absorb);
    }
    let Key { r: [r0, r1], s: [s0, s1] } = key.in_words();
    poly1305_p4_avx2::mac(r0, r1, s0, s1, message)
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn four(group: &Group<'_, 4>) -> [[u8; 16]; 4] {
    messages26::four(Avx2::here(), group)
}

/// Packets: AAD and ciphertext of each. If all are short, they are done two at a time in general registers.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn parts(job: Packets<'_>) {
    if job.packets.iter().all(|[_, text]| text.len() <= 64) {
        return poly1305_packets(job);
    }
    parts26::many(job, &COSTS, |key, packet| alone(key, packet), |keys, parts| four_packets(keys, parts));
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn alone(key: &Key, packet: &[&[u8]; 2]) -> [u8; 16] {
    let from = Method::P4Avx2.threshold();
    poly1305_packet(key, packet, from, |state, powers, blocks| poly1305_p4_avx2::piece(state, powers, blocks))
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn four_packets(keys: [&Key; 4], parts: &parts26::Parts<'_>) -> [[u8; 16]; 4] {
    parts26::four(Avx2::here(), keys, parts)
}
