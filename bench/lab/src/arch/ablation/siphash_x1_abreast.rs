//! SipHash, one message at a time, with both halves of a round abreast.
//!
//! id        siphash_x1_abreast        slot  siphash-x1-ablation        requires  nothing
//! does      additions, rotations and xors in pairs, v1's before v3's; a barrier after each step keeps the order
//! bounds    the chain and the operations of siphash_x1_base: where two operations are ready, the older goes first, so
//!           the order decides which of them waits
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [Apple-SipHash]

use super::order;
use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_abreast", lanes 1, requires [], |job: Wholes<'_>| scalar::many::<Abreast>(job)
}

struct Abreast;

impl Parts for Abreast {
    #[inline(always)]
    fn round(v: [u64; 4]) -> [u64; 4] {
        order::abreast(v)
    }
}
