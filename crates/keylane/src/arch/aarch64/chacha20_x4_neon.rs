//! ChaCha20 of many messages, 4 blocks at a time in the lanes of NEON registers.
//!
//! id        chacha20_x4_neon        slot  chacha20-xn        requires  neon
//! does      four blocks word by word, of one message or of several, then a transpose (arch/generic/chacha20.rs)
//! bounds    those of chacha20_p4_neon. A message of 64 bytes has two blocks
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.4]

use super::Neon;
use crate::arch::generic::chacha20;
use crate::job::chacha20::{Streams, Xn};
use crate::job::kernel::kernel;

kernel! {
    /// Many messages.
    pub MANY: Xn = "chacha20_x4_neon", lanes 4, requires ["neon"], |job: Streams<'_>| many(job)
}

#[inline]
#[target_feature(enable = "neon")]
fn many(job: Streams<'_>) {
    let cpu = Neon::here();
    chacha20::many::<_, _, 4, 4>(cpu, cpu, job);
}
