//! Poly1305, 8 blocks of one message at a time in the lanes of AVX-512 registers, base 2^26.
//!
//! id        poly1305_p8_avx512f        slot  poly1305-pn        requires  avx512f avx512bw avx512vl bmi2
//! does      in each lane, h <- (h + m1) r^32 + m2 r^24 + m3 r^16 + m4 r^8  (mod 2^130 - 5), from 28 KiB on
//!           with eight steps; then the sum over the lanes times r^8, ..., r (arch/generic/radix26/)
//! bounds    a step of 128 bytes is 52 operations: 13 cycles at four a cycle (Zen 5), 26 at two (Zen 4:
//!           measured 29, 0.25 cycles a byte)
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.5] and [NeonCrypto]
//!
//! For CPUs with AVX-512 but without IFMA. The multiplication itself broadcasts numbers of the table, and 32 registers
//! hold all values. CPUs that are faster with 256 bits use poly1305_p4_avx2.

use super::Avx512;
use crate::arch::generic::radix26;
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::poly1305::{Message, Pn, Powers, State};

kernel! {
    /// One long message, 8 blocks at a time.
    pub LONG: Pn = "poly1305_p8_avx512f", lanes 8, requires ["avx512f", "avx512bw", "avx512vl", "bmi2"],
    suits |uarch| !uarch.prefers_256_bit,
    from Method::P8Avx512F.threshold(), |job: Message<'_>| long(job)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn long(job: Message<'_>) {
    radix26::long::<8>(job, |state, powers, blocks, tail| absorb(state, powers, blocks, tail));
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn absorb(state: &mut State, powers: Option<&mut Powers>, blocks: &[[u8; 16]], tail: &[u8]) {
    radix26::absorb(Avx512::here(), state, powers, blocks, tail);
}
