//! ChaCha20 of many messages with AVX-512, 8 blocks at a time in registers of 256 bits.
//!
//! id        chacha20_x8_avx512        slot  chacha20-xn        requires  avx512f avx512bw avx512vl bmi2
//! does      eight blocks word by word, of one message or of several, then a transpose (arch/generic/chacha20.rs)
//! bounds    those of chacha20_p8_avx512. A message of 64 bytes has two blocks
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.4]
//!
//! For CPUs that are faster with 256 bits: beside AVX2 it has rotations, and registers for all words.

use super::Avx512;
use super::words32::YmmAvx512;
use crate::arch::generic::chacha20;
use crate::job::chacha20::{Streams, Xn};
use crate::job::kernel::kernel;

kernel! {
    /// Many messages.
    pub MANY: Xn = "chacha20_x8_avx512", lanes 8, requires ["avx512f", "avx512bw", "avx512vl", "bmi2"],
    |job: Streams<'_>| many(job)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn many(job: Streams<'_>) {
    let cpu = YmmAvx512(Avx512::here());
    chacha20::many::<_, _, 8, 8>(cpu, cpu, job);
}
