//! keylane-ref: not timed, but every other engine's answers are compared with it.

use super::{Rounds, SipHash};
use crate::work::Work;

/// The specification under a key.
pub fn specification(rounds: Rounds, key: [u8; 16]) -> Box<dyn Work> {
    Box::new(Specification { rounds: rounds.numbers(), key })
}

struct Specification {
    rounds: (u32, u32),
    key: [u8; 16],
}

impl SipHash for Specification {
    fn hash(&self, message: &[u8]) -> u64 {
        keylane_ref::siphash64(self.rounds.0, self.rounds.1, &self.key, message)
    }
}
