//! ChaCha20 of one message, 4 blocks at a time in the lanes of SIMD registers.
//!
//! id        chacha20_p4_simd128        slot  chacha20-pn        requires  simd128
//! does      four blocks word by word, then a transpose (arch/generic/chacha20.rs)
//! bounds    four blocks are 320 additions, 320 xors and 320 rotations, half of them of two shifts and an or; how many
//!           of them a CPU does in a cycle is the engine's matter
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.4]

use super::Wasm128;
use crate::arch::generic::chacha20;
use crate::arch::generic::words128::FourWords;
use crate::job::chacha20::{Pn, Stream};
use crate::job::kernel::kernel;

kernel! {
    /// One message.
    pub ONE: Pn = "chacha20_p4_simd128", lanes 4, requires ["simd128"], |job: Stream<'_>| one(job)
}

#[inline]
#[target_feature(enable = "simd128")]
fn one(job: Stream<'_>) {
    let Stream { key, mut run } = job;
    chacha20::one::<_, 4>(FourWords(Wasm128::here()), key, &mut run, 0);
}
