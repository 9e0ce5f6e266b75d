//! SipHash, one long message, the next word injected beside the round.
//!
//! id        siphash_x1_dup        slot  siphash-x1-long        requires  nothing
//! does      v3 ^ m' = (rotl(b, 37) ^ m' ^ rotl(x, 21)) ^ v0, where the last round of a word begins with
//!           v3 = b, makes x = v2 + v3, and ends with v0; m' is the next word
//! bounds    4c cycles a word instead of 4c + 1, for one xor and one rotation more: it takes six ALUs
//!           and three rotations a cycle to do them in the shadow of the chain
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash]
//!
//! `arch/generic/dup.rs` has the why and the how; `cargo xtask codegen` measures the chain. Four words a turn for
//! c = 1 and two for c = 2: see the figures of Zen 5 below.
//!
//! What lost: on four ALUs, two of which rotate, the added operations displace those of the chain. Zen 4,
//! 16 KiB, cycles a byte beside siphash_x1: 1-3 0.73 to 0.63; 2-4 1.37 to 1.25. Other orders of the same
//! steps gave 0.69 to 0.77 and 1.19 to 1.39, so no order serves both. On Zen 5 the same step, in a program
//! of its own, took 0.57 to 0.64 (with one word a turn 0.60) and 1.09 to 1.15; this file has not been
//! timed there.

use crate::arch::generic::dup;
use crate::job::kernel::kernel;
use crate::job::siphash::{Fused, Long, X1Long};

kernel! {
    /// Whole words of one long message.
    pub LONG: X1Long = "siphash_x1_dup", lanes 1, requires [], suits |uarch| uarch.six_alus,
    |job: Long<'_>| dup::long::<Fused, 4, 2>(job)
}
