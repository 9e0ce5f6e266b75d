//! SipHash, one long message, the next word injected beside the round, rotations and xors apart.
//!
//! id        siphash_x1_separate        slot  siphash-x1-long        requires  nothing
//! does      v3 ^ m' = (rotl(b, 37) ^ m' ^ rotl(x, 21)) ^ v0, where the last round of a word begins with
//!           v3 = b, makes x = v2 + v3, and ends with v0; m' is the next word
//! bounds    4c cycles a word instead of 4c + 1, for one xor and one rotation more: 14 operations a round
//!           and 4 a word, which six ALUs do in the shadow of the chain
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash]; the separate rotations are those of [Apple-SipHash]
//!
//! `arch/generic/dup.rs` has the why and the how. On Apple's CPUs `eor x, y, z, ror #n` is two operations, one behind
//! the other, whichever operand comes last [applecpu]: a chain through it has 6c cycles. LLVM
//! makes one of each rotation whose result goes into a xor alone, so the rotated words are hidden from it. One
//! word a turn is enough: what the loop itself costs is in the shadow too.
//!
//! What lost: wherever the rotated operand is free, this has more operations than siphash_x1_fused and no
//! shorter chain.

use crate::arch::generic::dup;
use crate::job::kernel::kernel;
use crate::job::siphash::{Long, Separate, X1Long};

kernel! {
    /// Whole words of one long message.
    pub LONG: X1Long = "siphash_x1_separate", lanes 1, requires [], suits |uarch| uarch.slow_rotated_operand,
    |job: Long<'_>| dup::long::<Separate, 1, 1>(job)
}
