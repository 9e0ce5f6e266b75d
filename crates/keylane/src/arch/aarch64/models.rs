//! NEON and the SHA-3 instructions beside the models of the traits.

use super::halves::{General, Halves};
use super::messages26::Twice;
use super::neon::Register;
use super::{Neon, Sha3};
use crate::arch::models::{chacha20, lanes, messages26, radix26, with_instructions};

with_instructions! {
    /// Four lanes in two registers, and with half of them in general registers.
    lanes64, ["neon"], {
        let half = Register { neon: Neon::here(), rotation: Neon::here() };
        lanes::lanes::<_, u64, 4>(Halves(half, half));
        lanes::lanes::<_, u64, 4>(Halves(half, General));
    }
}
with_instructions! {
    /// The same with the SHA-3 instructions.
    lanes64_sha3, ["neon", "sha3"], {
        let half = Register { neon: Neon::here(), rotation: Sha3::here() };
        lanes::lanes::<_, u64, 4>(Halves(half, half));
        lanes::lanes::<_, u64, 4>(Halves(half, General));
    }
}
with_instructions! { lanes32, ["neon"], { lanes::lanes::<_, u32, 4>(Neon::here()) } }
with_instructions! { vectors32, ["neon"], { chacha20::vectors32::<_, 4>(Neon::here()) } }
with_instructions! { vectors26, ["neon"], { radix26::vectors26::<_, 2>(Neon::here()) } }
with_instructions! {
    /// Four messages, in two registers.
    message_vectors, ["neon"], {
        radix26::vectors26::<_, 4>(Twice(Neon::here()));
        messages26::message_vectors(Twice(Neon::here()));
    }
}
