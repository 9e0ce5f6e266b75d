//! ChaCha20 of one message with AVX-512: 16 blocks at a time in registers of 512 bits, or up to 8 in those of 256 bits,
//! or up to 4 in rows, which are shorter for 2.
//!
//! id        chacha20_p16_avx512        slot  chacha20-pn        requires  avx512f avx512bw avx512vl bmi2
//! does      sixteen or eight blocks word by word, then a transpose; up to 4 in the quarters of four vectors, up to
//!           2 in the halves of four shorter ones (arch/generic/chacha20.rs)
//! bounds    sixteen blocks are 320 additions, 320 xors and 320 rotations at two a cycle (Zen 4, two passes each, and
//!           Intel), with 96 of the transpose and the output 528 cycles: 0.52 cycles a byte
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.4]
//!
//! A few blocks cost the latency of the rounds, which is shortest in rows. In 256 bits a call for eight blocks takes
//! two thirds of one for sixteen on a CPU that does 512 bits in two passes. CPUs that are faster with 256 bits use
//! chacha20_p8_avx512.

use super::Avx512;
use super::words32::{YmmAvx512, Zmm};
use crate::arch::generic::chacha20;
use crate::job::chacha20::{Key, Pn, Run, Stream};
use crate::job::kernel::kernel;

kernel! {
    /// One message.
    pub ONE: Pn = "chacha20_p16_avx512", lanes 16, requires ["avx512f", "avx512bw", "avx512vl", "bmi2"],
    suits |uarch| !uarch.prefers_256_bit,
    |job: Stream<'_>| one(job)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn one(job: Stream<'_>) {
    let Stream { key, mut run } = job;
    loop {
        match run.blocks() {
            0 => return,
            1 | 2 => two(key, &mut run),
            3 | 4 => four(key, &mut run),
            5..=8 => eight(key, &mut run),
            _ => sixteen(key, &mut run),
        }
    }
}

/// Up to two blocks.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn two(key: &Key, run: &mut Run<'_>) {
    chacha20::few::<_, 8, 1>(YmmAvx512(Avx512::here()), key, run);
}

/// Up to four blocks.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn four(key: &Key, run: &mut Run<'_>) {
    chacha20::few::<_, 16, 1>(Zmm(Avx512::here()), key, run);
}

/// Up to eight blocks.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn eight(key: &Key, run: &mut Run<'_>) {
    chacha20::one::<_, 8>(YmmAvx512(Avx512::here()), key, run, 0);
}

/// Sixteen blocks at a time, until at most eight are left.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn sixteen(key: &Key, run: &mut Run<'_>) {
    chacha20::one::<_, 16>(Zmm(Avx512::here()), key, run, 8);
}
