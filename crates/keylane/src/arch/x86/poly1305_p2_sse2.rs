//! Poly1305, 2 blocks of one message at a time in the lanes of SSE2 registers, base 2^26.
//!
//! id        poly1305_p2_sse2        slot  poly1305-pn        requires  sse2
//! does      in each lane, h <- (h + m1) r^8 + m2 r^6 + m3 r^4 + m4 r^2  (mod 2^130 - 5), from 3 KiB on with
//!           eight steps; then the sum of the lanes times r^2 and r (arch/generic/radix26/)
//! bounds    a step of 32 bytes is 53 operations, and as many moves as instructions with two operands need:
//!           0.55 cycles a byte (Zen 4), where the scalar kernel takes 0.93
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.5] and [NeonCrypto]
//!
//! For x86-64 without AVX2, and for 32-bit x86. SSE2 needs more than one operation to broadcast a number from memory, so
//! whole vectors are profitable early. 32-bit code has 8 registers, so the sums of a turn are in memory. It takes 0.8 to
//! 1.0 cycles a byte there, where the scalar kernel takes 3.7 (Emerald Rapids).

use super::Sse2;
use crate::arch::generic::radix26;
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::poly1305::{Message, Pn, Powers, State};

kernel! {
    /// One long message, 2 blocks at a time.
    pub LONG: Pn = "poly1305_p2_sse2", lanes 2, requires ["sse2"],
    from Method::P2Sse2.threshold(), |job: Message<'_>| long(job)
}

#[inline]
#[target_feature(enable = "sse2")]
fn long(job: Message<'_>) {
    radix26::long::<2>(job, |state, powers, blocks, tail| absorb(state, powers, blocks, tail));
}

#[inline(never)]
#[target_feature(enable = "sse2")]
fn absorb(state: &mut State, powers: Option<&mut Powers>, blocks: &[[u8; 16]], tail: &[u8]) {
    radix26::absorb(Sse2::here(), state, powers, blocks, tail);
}
