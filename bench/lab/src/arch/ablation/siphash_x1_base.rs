//! SipHash, one message at a time: the base that the other ablations are compared with.
//!
//! id        siphash_x1_base        slot  siphash-x1-ablation        requires  nothing
//! does      words by loads, rotations by one instruction, the tail by one load that ends at the end of the message,
//!           `v3 ^= m` after the round: the form of keylane's siphash_x1
//! bounds    a chain of 4c + 1 cycles per word; 14c + 2 operations and a load
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash]

use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_base", lanes 1, requires [], |job: Wholes<'_>| scalar::many::<Base>(job)
}

struct Base;

impl Parts for Base {}
