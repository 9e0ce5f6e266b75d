//! ChaCha20 of one message, 4 blocks at a time in the lanes of SSE2 registers.
//!
//! id        chacha20_p4_sse2        slot  chacha20-pn        requires  sse2
//! does      four blocks word by word, then a transpose (arch/generic/chacha20.rs)
//! bounds    four blocks are 320 additions, 320 xors and 320 rotations, of two shuffles or of two shifts and an or:
//!           1520 operations, with 80 of the transpose and the output 533 cycles at three a cycle
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.4]

use super::Sse2;
use crate::arch::generic::chacha20;
use crate::arch::generic::words128::FourWords;
use crate::job::chacha20::{Pn, Stream};
use crate::job::kernel::kernel;

kernel! {
    /// One message.
    pub ONE: Pn = "chacha20_p4_sse2", lanes 4, requires ["sse2"], |job: Stream<'_>| one(job)
}

#[inline]
#[target_feature(enable = "sse2")]
fn one(job: Stream<'_>) {
    let Stream { key, mut run } = job;
    chacha20::one::<_, 4>(FourWords(Sse2::here()), key, &mut run, 0);
}
