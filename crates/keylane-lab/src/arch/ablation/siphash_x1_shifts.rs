//! SipHash, one message at a time, every rotation by two shifts and an or.
//!
//! id        siphash_x1_shifts        slot  siphash-x1-ablation        requires  nothing
//! does      rotl(x, r) is x << r | x >> 64 - r, the second shift through a register of which the compiler knows
//!           nothing, so that it cannot make a rotation of the three
//! bounds    12 operations a round more than siphash_x1_base: 26c + 2 a word. A rotation then takes two cycles,
//!           of which one is beside the addition: 6c + 1 cycles a word in a chain
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash-ref]; the question is that of [Redis-study] and [Go-maps]
//!
//! `cargo xtask codegen` looks whether the shifts are still there.

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
