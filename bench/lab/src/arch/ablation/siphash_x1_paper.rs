//! SipHash, one message at a time, with the steps of a round in the order of the paper's macro.
//!
//! id        siphash_x1_paper        slot  siphash-x1-ablation        requires  nothing
//! does      a half of a round ends before the next begins; a barrier after each step keeps the order
//! bounds    the chain and the operations of siphash_x1_base: where two operations are ready, the older goes first, so
//!           the order decides which of them waits
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash-ref]

use super::order;
use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_paper", lanes 1, requires [], |job: Wholes<'_>| scalar::many::<Paper>(job)
}

struct Paper;

impl Parts for Paper {
    #[inline(always)]
    fn round(v: [u64; 4]) -> [u64; 4] {
        order::paper(v)
    }
}
