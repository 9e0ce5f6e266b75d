//! ChaCha20 of one message with AVX-512, 8 blocks at a time in registers of 256 bits.
//!
//! id        chacha20_p8_avx512        slot  chacha20-pn        requires  avx512f avx512bw avx512vl bmi2
//! does      eight blocks word by word, then a transpose; up to 4 in the halves of vectors, two at a time
//!           (arch/generic/chacha20.rs)
//! bounds    eight blocks are 320 additions, 320 xors and 320 rotations, and 96 of the transpose and the output: 264 cycles
//!           at four a cycle, 0.52 cycles a byte. Rotations have two ports of four (Zen 4): 320 cycles
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.4]
//!
//! For CPUs that are faster with 256 bits: beside AVX2 it has rotations, and registers for all words.

use super::Avx512;
use super::words32::YmmAvx512;
use crate::arch::generic::chacha20;
use crate::job::chacha20::{Key, Pn, Run, Stream};
use crate::job::kernel::kernel;

kernel! {
    /// One message.
    pub ONE: Pn = "chacha20_p8_avx512", lanes 8, requires ["avx512f", "avx512bw", "avx512vl", "bmi2"],
    |job: Stream<'_>| one(job)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn one(job: Stream<'_>) {
    let Stream { key, mut run } = job;
    loop {
        match run.blocks() {
            0 => return,
            1 | 2 => rows::<1>(key, &mut run),
            3 | 4 => rows::<2>(key, &mut run),
            _ => lanes(key, &mut run, 4),
        }
    }
}

/// Two blocks, G times.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn rows<const G: usize>(key: &Key, run: &mut Run<'_>) {
    chacha20::few::<_, 8, G>(YmmAvx512(Avx512::here()), key, run);
}

/// Eight blocks at a time, until at most `rest` are left.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn lanes(key: &Key, run: &mut Run<'_>, rest: usize) {
    chacha20::one::<_, 8>(YmmAvx512(Avx512::here()), key, run, rest);
}
