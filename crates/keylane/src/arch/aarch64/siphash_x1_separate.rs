//! SipHash, one long message, the next word injected beside the round, rotations and xors as separate instructions.
//!
//! id        siphash_x1_separate        slot  siphash-x1-long        requires  nothing
//! does      v3 ^ m' = (rotl(b, 37) ^ m' ^ rotl(x, 21)) ^ v0, where the last round of a word begins with
//!           v3 = b, makes x = v2 + v3, and ends with v0; m' is the next word
//! bounds    4c cycles a word instead of 4c + 1, for one more xor and one more rotation: 14 operations a
//!           round and 4 a word, which six ALUs do in the shadow of the chain
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash]; the separate rotations are those of [Apple-SipHash]
//!
//! `arch/generic/dup.rs` explains the method. On Apple's CPUs `eor x, y, z, ror #n` is two chained operations,
//! whichever operand is ready last [applecpu]: a chain through it has 6c cycles. LLVM would fuse each rotation with its
//! only xor, so a barrier hides the rotated words. One word for each turn of the loop is enough: the loop's overhead
//! runs in parallel with the chain.
//!
//! What lost: where the rotated operand is free, this has more operations than siphash_x1_fused and no shorter chain.

use crate::arch::generic::dup;
use crate::job::kernel::kernel;
use crate::job::siphash::{Long, Separate, X1Long};

kernel! {
    /// Whole words of one long message.
    pub LONG: X1Long = "siphash_x1_separate", lanes 1, requires [], suits |uarch| uarch.slow_rotated_operand,
    |job: Long<'_>| dup::long::<Separate, 1, 1>(job)
}
