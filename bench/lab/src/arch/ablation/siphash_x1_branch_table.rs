//! SipHash, one message at a time, with the tail by a branch table of overlapping loads.
//!
//! id        siphash_x1_branch_table  slot  siphash-x1-ablation        requires  nothing
//! does      jumps by the length to one of eight cases; each has one load, or two that overlap, and no branch
//! bounds    those of siphash_x1_base, while the jump is predicted; a misprediction costs about twenty cycles
//! timing    no secret-dependent branch, index or variable-latency instruction; the jump depends on the length
//! origin    written here after [Apple-SipHash]
//!
//! Each load ends in `opaque`, so the compiler can merge neither the loads nor the cases.

use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::job::siphash::Word;
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_branch_table", lanes 1, requires [], |job: Wholes<'_>| scalar::many::<BranchTable>(job)
}

struct BranchTable;

impl Parts for BranchTable {
    #[inline(always)]
    fn tail(_message: &[u8], rest: &[u8]) -> u64 {
        let two = |bytes: Option<&[u8; 2]>| bytes.map_or(0, |&x| u64::from(u16::from_le_bytes(x)).opaque());
        let four = |bytes: Option<&[u8; 4]>| bytes.map_or(0, |&x| u64::from(u32::from_le_bytes(x)).opaque());
        match rest.len() {
            1 => rest.first().map_or(0, |&byte| u64::from(byte).opaque()),
            2 => two(rest.first_chunk()),
            3 => two(rest.first_chunk()) | two(rest.last_chunk()) << 8,
            4 => four(rest.first_chunk()),
            5 => four(rest.first_chunk()) | four(rest.last_chunk()) << 8,
            6 => four(rest.first_chunk()) | four(rest.last_chunk()) << 16,
            7 => four(rest.first_chunk()) | four(rest.last_chunk()) << 24,
            _ => 0,
        }
    }
}
