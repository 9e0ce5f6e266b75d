//! keylane-ref: not timed. The answers of every other engine are compared with it.

use super::{Form, Rounds, SipHash, U64s};
use crate::work::{U64Work, Work};
use keylane_ref::{fold, halfsiphash32, siphash64, siphash128};

/// The specification under a key.
pub fn specification(rounds: Rounds, key: [u8; 16], form: Form) -> Box<dyn Work> {
    Box::new(Specification { rounds: rounds.numbers(), key, form })
}

/// The specification of SipHash with 128-bit tags.
pub fn double_specification(rounds: Rounds, key: [u8; 16]) -> Box<dyn U64Work<u128>> {
    Box::new(Specification { rounds: rounds.numbers(), key, form: Form::Exact })
}

/// The specification of HalfSipHash under the first half of a key.
pub fn half_specification(rounds: Rounds, key: [u8; 16]) -> Box<dyn U64Work<u32>> {
    Box::new(Specification { rounds: rounds.numbers(), key, form: Form::Exact })
}

struct Specification {
    rounds: (u32, u32),
    key: [u8; 16],
    form: Form,
}

impl SipHash for Specification {
    fn hash(&self, message: &[u8]) -> u64 {
        let (c, d) = self.rounds;
        match self.form {
            Form::Exact | Form::Slices => siphash64(c, d, &self.key, message),
            Form::Folded => siphash64(c, d, &self.key, &fold(message)),
        }
    }
}

impl U64s<u128> for Specification {
    fn u64s(&self, integers: &[u64], tags: &mut [u128]) {
        let (c, d) = self.rounds;
        for (tag, integer) in tags.iter_mut().zip(integers) {
            *tag = siphash128(c, d, &self.key, &integer.to_le_bytes());
        }
    }
}

impl U64s<u32> for Specification {
    fn u64s(&self, integers: &[u64], tags: &mut [u32]) {
        let (c, d) = self.rounds;
        let (key, _) = self.key.split_first_chunk().expect("8 bytes of 16");
        for (tag, integer) in tags.iter_mut().zip(integers) {
            *tag = halfsiphash32(c, d, key, &integer.to_le_bytes());
        }
    }
}
