//! ChaCha20 of one message, 4 blocks at a time in the lanes of NEON registers.
//!
//! id        chacha20_p4_neon        slot  chacha20-pn        requires  neon
//! does      four blocks word by word, then a transpose (arch/generic/chacha20.rs)
//! bounds    four blocks are 320 additions, 320 xors and 320 rotations, half of them of two shifts: 1120 operations,
//!           with 80 of the transpose and the output 600 cycles at two a cycle
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.4]

use super::Neon;
use crate::arch::generic::chacha20;
use crate::job::chacha20::{Pn, Stream};
use crate::job::kernel::kernel;

kernel! {
    /// One message.
    pub ONE: Pn = "chacha20_p4_neon", lanes 4, requires ["neon"], |job: Stream<'_>| one(job)
}

#[inline]
#[target_feature(enable = "neon")]
fn one(job: Stream<'_>) {
    let Stream { key, mut run } = job;
    chacha20::one::<_, 4>(Neon::here(), key, &mut run, 0);
}
