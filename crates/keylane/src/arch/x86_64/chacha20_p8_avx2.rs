//! ChaCha20 of one message, 8 blocks at a time in the lanes of AVX2 registers, or up to 6 in rows.
//!
//! id        chacha20_p8_avx2        slots  chacha20-pn, chacha20poly1305-pn        requires  avx2 bmi2
//! does      eight blocks word by word, then a transpose; from 1 to 6 blocks two in the halves of four vectors, once,
//!           twice or three times (arch/generic/chacha20.rs)
//! bounds    eight blocks are 320 additions, 320 xors and 320 rotations, half of them of two shifts and an or: 1280
//!           operations, with 96 of the transpose and the output 344 cycles at four a cycle, 0.67 cycles a byte
//!           with Poly1305 beside it some 2700 instructions a call, 450 cycles at six a cycle
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.4]
//!
//! A long packet is sealed in one pass: ChaCha20 by vectors, and Poly1305 of the call before in general registers, three
//! blocks after each double round. Where both have units of their own, as on Zen, Poly1305 then costs little.
//!
//! Nine and ten blocks are six and the rest in rows: after eight in lanes, the last one or two would wait for a call of
//! their own.

use super::words32::Ymm;
use super::{Avx2, chacha20_p16_avx512};
use crate::arch::generic::chacha20;
use crate::job::chacha20::{Key, Pn, Run, Seal, Sealing, Stream};
use crate::job::cpu::Features;
use crate::job::kernel::kernel;
use crate::job::limits::STITCHED_BYTES;

kernel! {
    /// One message.
    pub ONE: Pn = "chacha20_p8_avx2", lanes 8, requires ["avx2", "bmi2"], |job: Stream<'_>| one(job)
}

kernel! {
    /// One packet of `STITCHED_BYTES` or more.
    pub SEALING: Sealing = "chacha20_p8_avx2", lanes 8, requires ["avx2", "bmi2"],
        suits |_uarch| !has_avx512(), from STITCHED_BYTES, |job: Seal<'_>| seal(job)
}

/// Whether the CPU runs the rows of AVX-512. Two passes then take less time.
fn has_avx512() -> bool {
    chacha20_p16_avx512::ONE.requires.without(Features::available()).is_empty()
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn seal(job: Seal<'_>) {
    chacha20::seal(Ymm::new(Avx2::here()), job);
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn one(job: Stream<'_>) {
    let Stream { key, mut run } = job;
    loop {
        match run.blocks() {
            0 => return,
            1 | 2 => rows::<1>(key, &mut run),
            3 | 4 => rows::<2>(key, &mut run),
            5 | 6 | 9 | 10 => rows::<3>(key, &mut run),
            7 | 8 => lanes(key, &mut run, 0),
            _ => lanes(key, &mut run, 10),
        }
    }
}

/// Two blocks, G times.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn rows<const G: usize>(key: &Key, run: &mut Run<'_>) {
    chacha20::few::<_, 8, G>(Ymm::new(Avx2::here()), key, run);
}

/// Eight blocks at a time, until at most `rest` are left.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn lanes(key: &Key, run: &mut Run<'_>, rest: usize) {
    chacha20::one::<_, 8>(Ymm::new(Avx2::here()), key, run, rest);
}
