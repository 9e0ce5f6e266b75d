//! SipHash, one message at a time, with every rotation by two shifts and an OR.
//!
//! id        siphash_x1_shifts        slot  siphash-x1-ablation        requires  nothing
//! does      rotl(x, r) is x << r | x >> 64 - r. The result of the second shift passes through `opaque`, so the
//!           compiler cannot merge the three operations into a rotation
//! bounds    12 more operations per round than siphash_x1_base: 26c + 2 per word. A rotation then takes two cycles,
//!           one of them in parallel with the addition: a chain of 6c + 1 cycles per word
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash-ref]; [Redis-study] and [Go-maps] asked this question
//!
//! `cargo xtask codegen` checks that the shifts are still there.

use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::job::siphash::Word;
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_shifts", lanes 1, requires [], |job: Wholes<'_>| scalar::many::<Shifts>(job)
}

struct Shifts;

impl Parts for Shifts {
    #[inline(always)]
    fn rotl(x: u64, bits: u32) -> u64 {
        x << bits | (x >> (64 - bits)).opaque()
    }
}
