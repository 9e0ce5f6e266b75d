//! SipHash, one message at a time, with the next word XORed into v3 within the round.
//!
//! id        siphash_x1_beside        slot  siphash-x1-ablation        requires  nothing
//! does      v3 ^ m' = (rotl(b, 37) ^ m' ^ rotl(x, 21)) ^ v0, where m' is the next word. The last round of a word
//!           begins with v3 = b and computes x = v2 + v3
//! bounds    a chain of 4c cycles per word, one less than siphash_x1_base, for two more operations
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
