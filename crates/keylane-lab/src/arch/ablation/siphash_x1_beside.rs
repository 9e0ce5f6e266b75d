//! SipHash, one message at a time, the next word injected beside the round.
//!
//! id        siphash_x1_beside        slot  siphash-x1-ablation        requires  nothing
//! does      v3 ^ m' = (rotl(b, 37) ^ m' ^ rotl(x, 21)) ^ v0, where the last round of a word begins with v3 = b and
//!           makes x = v2 + v3; m' is the next word
//! bounds    4c cycles a word in a chain, one less than siphash_x1_base, for two operations more
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here; the step is that of keylane's siphash_x1_dup
//!
//! `cargo xtask codegen` measures the chain.

use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_beside", lanes 1, requires [], |job: Wholes<'_>| scalar::many::<Beside>(job)
}

struct Beside;

impl Parts for Beside {
    const BESIDE: bool = true;
}
