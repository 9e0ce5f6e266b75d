//! SipHash, one message at a time, with both halves of a round abreast, and v3 first in the second.
//!
//! id        siphash_x1_crossed        slot  siphash-x1-ablation        requires  nothing
//! does      as siphash_x1_abreast, but v3's steps before v1's in the second half
//! bounds    the chain and the operations of siphash_x1_base: where two operations are ready, the older goes first, so
//!           the order decides which of them waits
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [libsodium], which took this order in May 2026

use super::order;
use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_crossed", lanes 1, requires [], |job: Wholes<'_>| scalar::many::<Crossed>(job)
}

struct Crossed;

impl Parts for Crossed {
    #[inline(always)]
    fn round(v: [u64; 4]) -> [u64; 4] {
        order::crossed(v)
    }
}
