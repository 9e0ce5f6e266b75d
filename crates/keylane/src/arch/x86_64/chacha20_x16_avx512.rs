//! ChaCha20 of many messages with AVX-512, 16 blocks at a time, or 8 at the end.
//!
//! id        chacha20_x16_avx512        slot  chacha20-xn        requires  avx512f avx512bw avx512vl bmi2
//! does      sixteen blocks word by word, of one message or of several, then a transpose (arch/generic/chacha20.rs)
//! bounds    those of chacha20_p16_avx512 for sixteen blocks: 528 cycles. A message of 64 bytes needs two: the
//!           one-time key and the text
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.4]
//!
//! CPUs that are faster with 256 bits use chacha20_x8_avx512.

use super::Avx512;
use super::words32::{YmmAvx512, Zmm};
use crate::arch::generic::chacha20;
use crate::job::chacha20::{Streams, Xn};
use crate::job::kernel::kernel;

kernel! {
    /// Many messages.
    pub MANY: Xn = "chacha20_x16_avx512", lanes 16, requires ["avx512f", "avx512bw", "avx512vl", "bmi2"],
    suits |uarch| !uarch.prefers_256_bit,
    |job: Streams<'_>| many(job)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn many(job: Streams<'_>) {
    let cpu = Avx512::here();
    chacha20::many::<_, _, 16, 8>(Zmm(cpu), YmmAvx512(cpu), job);
}
