//! ChaCha20 of many messages, 8 blocks at a time in the lanes of AVX2 registers.
//!
//! id        chacha20_x8_avx2        slot  chacha20-xn        requires  avx2 bmi2
//! does      eight blocks word by word, of one message or of several, then a transpose (arch/generic/chacha20.rs)
//! bounds    those of chacha20_p8_avx2 for eight blocks: 344 cycles. A message of 64 bytes has two
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.4]

use super::Avx2;
use super::words32::Ymm;
use crate::arch::generic::chacha20;
use crate::job::chacha20::{Streams, Xn};
use crate::job::kernel::kernel;

kernel! {
    /// Many messages.
    pub MANY: Xn = "chacha20_x8_avx2", lanes 8, requires ["avx2", "bmi2"], |job: Streams<'_>| many(job)
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn many(job: Streams<'_>) {
    let cpu = Ymm::new(Avx2::here());
    chacha20::many::<_, _, 8, 8>(cpu, cpu, job);
}
