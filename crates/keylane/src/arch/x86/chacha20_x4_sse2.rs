//! ChaCha20 of many messages, 4 blocks at a time in the lanes of SSE2 registers.
//!
//! id        chacha20_x4_sse2        slot  chacha20-xn        requires  sse2
//! does      four blocks word by word, of one message or of several, then a transpose (arch/generic/chacha20.rs)
//! bounds    those of chacha20_p4_sse2. A message of 64 bytes has two blocks
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.4]

use super::Sse2;
use crate::arch::generic::chacha20;
use crate::arch::generic::words128::FourWords;
use crate::job::chacha20::{Streams, Xn};
use crate::job::kernel::kernel;

kernel! {
    /// Many messages.
    pub MANY: Xn = "chacha20_x4_sse2", lanes 4, requires ["sse2"], |job: Streams<'_>| many(job)
}

#[inline]
#[target_feature(enable = "sse2")]
fn many(job: Streams<'_>) {
    let cpu = FourWords(Sse2::here());
    chacha20::many::<_, _, 4, 4>(cpu, cpu, job);
}
