//! SipHash, one message at a time, with the tail by two overlapping loads.
//!
//! id        siphash_x1_overlap        slot  siphash-x1-ablation        requires  nothing
//! does      loads the first and last 4 of the last 0 to 7 bytes, or the first and last 2, or one byte
//! bounds    those of siphash_x1_base, while three branches on the length are predicted. 4 to 7 bytes take the same
//!           branches, so fewer are mispredicted than in a switch
//! timing    no secret-dependent branch, index or variable-latency instruction; branches depend on the length
//! origin    written here after [Apple-SipHash]

use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_overlap", lanes 1, requires [], |job: Wholes<'_>| scalar::many::<Overlap>(job)
}

struct Overlap;

impl Parts for Overlap {
    #[inline(always)]
    fn tail(_message: &[u8], rest: &[u8]) -> u64 {
        let bits = 8 * rest.len();
        if let (Some(&low), Some(&high)) = (rest.first_chunk(), rest.last_chunk()) {
            u64::from(u32::from_le_bytes(low)) | u64::from(u32::from_le_bytes(high)) << (bits - 32)
        } else if let (Some(&low), Some(&high)) = (rest.first_chunk(), rest.last_chunk()) {
            u64::from(u16::from_le_bytes(low)) | u64::from(u16::from_le_bytes(high)) << (bits - 16)
        } else {
            rest.first().map_or(0, |&byte| byte.into())
        }
    }
}
