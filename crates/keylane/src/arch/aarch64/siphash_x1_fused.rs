//! SipHash, one long message, the next word injected beside the round, each rotation fused with the xor after it.
//!
//! id        siphash_x1_fused        slot  siphash-x1-long        requires  nothing
//! does      v3 ^ m' = (rotl(b, 37) ^ m' ^ rotl(x, 21)) ^ v0, where the last round of a word begins with
//!           v3 = b, makes x = v2 + v3, and ends with v0; m' is the next word
//! bounds    4c cycles a word instead of 4c + 1, for one more xor with a rotated operand: 10 operations a
//!           round and 3 a word, which four ALUs do in the shadow of the chain
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash]
//!
//! `arch/generic/dup.rs` explains the method. `eor x, y, z, ror #n` takes one cycle on the CPUs that this row suits. On
//! Apple's it takes two; siphash_x1_separate is for those. One word for each turn of the loop is enough: the loop's
//! overhead is in the shadow, too.
//!
//! What lost: the added operations displace those of the chain on three ALUs (Neoverse N1) for c = 1. On two
//! (Cortex-A57) they do for every c.

use crate::arch::generic::dup;
use crate::job::kernel::kernel;
use crate::job::siphash::{Fused, Long, X1Long};

kernel! {
    /// Whole words of one long message.
    pub LONG: X1Long = "siphash_x1_fused", lanes 1, requires [], suits |uarch| uarch.free_rotated_operand,
    |job: Long<'_>| dup::long::<Fused, 1, 1>(job)
}
