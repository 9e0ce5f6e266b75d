//! Poly1305, 4 blocks of one message at a time in the lanes of AVX2 registers, base 2^26.
//!
//! id        poly1305_p4_avx2        slot  poly1305-pn        requires  avx2 bmi2
//! does      in each lane, h <- (h + m1) r^16 + m2 r^12 + m3 r^8 + m4 r^4  (mod 2^130 - 5), from 9 KiB on
//!           with eight steps; then the sum over the lanes times r^4, ..., r (arch/generic/radix26/)
//! bounds    a step of 64 bytes is 15 multiplications, 25 additions and 13 operations that take blocks apart:
//!           53, 13.25 cycles at four a cycle. Measured: 15, and some 20 more at the end of a turn,
//!           0.27 cycles a byte at 1 MiB, 0.34 at 8 KiB (Zen 4)
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.5] and [NeonCrypto]
//!
//! The number of operations does not limit the loop; the number that may wait does. The carry is a chain of some 25
//! cycles, whose operations fill the schedulers. So it runs beside the first step of the next turn. The other steps are
//! a separate loop that the compiler does not unroll: unrolled, it would interleave steps and spill 50 vectors.
//!
//! What lost:
//!
//! * Turns of four steps, unrolled, with 12 accumulators (0.298 cycles a byte).
//! * The carry placed between the products of a step by hand (0.267, but the step is twice in the source).
//! * Powers by scalar multiplication in base 2^44: 20 to 30 cycles more at 256 bytes. Now r^2, r^3 and r^4 are computed
//!   like blocks, and the other powers in vectors.

use super::Avx2;
use crate::arch::generic::radix26;
use crate::job::kernel::kernel;
use crate::job::poly1305::{Key, Message, Pn, Powers, State};
use crate::job::thresholds::Method;

kernel! {
    /// One long message, 4 blocks at a time.
    pub LONG: Pn = "poly1305_p4_avx2", lanes 4, requires ["avx2", "bmi2"], from Method::P4Avx2.from(),
    |job: Message<'_>| long(job)
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn long(job: Message<'_>) {
    radix26::long::<4>(job, |state, powers, blocks, tail| absorb(state, powers, blocks, tail));
}

/// The tag of a message; poly1305_x4_avx2 uses it for long ones.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
pub fn whole(key: &Key, message: &[u8]) -> u128 {
    let mut tag = 0;
    long(Message::Whole { key, message, tag: &mut tag });
    tag
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn absorb(state: &mut State, powers: Option<&mut Powers>, blocks: &[[u8; 16]], tail: &[u8]) {
    radix26::absorb(Avx2::here(), state, powers, blocks, tail);
}
