//! SipHash, one message at a time, with the tail by a switch.
//!
//! id        siphash_x1_switch        slot  siphash-x1-ablation        requires  nothing
//! does      loads the last 0 to 7 bytes by code for each number of bytes, like the `switch` of the reference
//! bounds    those of siphash_x1_base, while the jump is predicted; a misprediction costs about twenty cycles
//! timing    no secret-dependent branch, index or variable-latency instruction; the switch depends on the length
//! origin    written here after [SipHash-ref]; [Redis-tail] and [Apple-SipHash] argue against it
//!
//! Each case ends in `opaque`, so the compiler cannot merge the cases.

use super::scalar::{self, Parts};
use crate::ablation::{Wholes, X1};
use keylane::job::siphash::Word;
use keylane::kernel;

kernel! {
    /// Messages, one after the other.
    pub MANY: X1 = "siphash_x1_switch", lanes 1, requires [], |job: Wholes<'_>| scalar::many::<Switch>(job)
}

struct Switch;

impl Parts for Switch {
    #[inline(always)]
    fn tail(_message: &[u8], rest: &[u8]) -> u64 {
        let word = |bytes| u64::from_le_bytes(bytes).opaque();
        match *rest {
            [a] => word([a, 0, 0, 0, 0, 0, 0, 0]),
            [a, b] => word([a, b, 0, 0, 0, 0, 0, 0]),
            [a, b, c] => word([a, b, c, 0, 0, 0, 0, 0]),
            [a, b, c, d] => word([a, b, c, d, 0, 0, 0, 0]),
            [a, b, c, d, e] => word([a, b, c, d, e, 0, 0, 0]),
            [a, b, c, d, e, f] => word([a, b, c, d, e, f, 0, 0]),
            [a, b, c, d, e, f, g] => word([a, b, c, d, e, f, g, 0]),
            _ => 0,
        }
    }
}
