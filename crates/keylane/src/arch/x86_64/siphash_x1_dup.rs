//! SipHash, one long message, the next word injected beside the round.
//!
//! id        siphash_x1_dup        slot  siphash-x1-long        requires  nothing
//! does      v3 ^ m' = (rotl(b, 37) ^ m' ^ rotl(x, 21)) ^ v0, where the last round of a word begins with
//!           v3 = b, makes x = v2 + v3, and ends with v0; m' is the next word
//! bounds    4c cycles a word instead of 4c + 1, for one more xor and one more rotation: six ALUs and
//!           three rotations a cycle do them in the shadow of the chain
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash]
//!
//! `arch/generic/dup.rs` explains the method; `cargo xtask codegen` measures the chain. A turn of the loop has four
//! words for c = 1 and two for c = 2: see the figures for Zen 5 below.
//!
//! What lost: on four ALUs, only two with rotations, the added operations displace those of the chain. Zen 4 at 16 KiB,
//! in cycles a byte: 0.73 in 1-3, where siphash_x1 takes 0.63, and 1.37 in 2-4, where it takes 1.25. Other orders of
//! the same steps gave 0.69 to 0.77 and 1.19 to 1.39, so no order serves both.
//!
//! On Zen 5 the same step, in another program, took 0.57 against 0.64 (0.60 with one word a turn), and 1.09 against
//! 1.15. This file has not been timed there.

use crate::arch::generic::dup;
use crate::job::kernel::kernel;
use crate::job::siphash::{Fused, Long, X1Long};

kernel! {
    /// Whole words of one long message.
    pub LONG: X1Long = "siphash_x1_dup", lanes 1, requires [], suits |uarch| uarch.six_alus,
    |job: Long<'_>| dup::long::<Fused, 4, 2>(job)
}
