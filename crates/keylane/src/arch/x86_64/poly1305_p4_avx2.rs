//! Poly1305, 4 blocks of one message at a time in the lanes of AVX2 registers, base 2^26.
//!
//! id        poly1305_p4_avx2        slot  poly1305-pn        requires  avx2 bmi2
//! does      in each lane, h <- (h + m) r^4, or two or four such steps at a time, with all 25 products
//!           (arch/generic/radix26/school.rs); from 5 KiB on, and for pieces, eight or four steps at a time with 15
//!           products; then the sum over the lanes times r^4, ..., r (arch/generic/radix26/)
//! bounds    a step of 64 bytes is 15 multiplications, 25 additions and 13 operations that take blocks apart:
//!           53, 13.25 cycles at four a cycle. Measured: 15, and some 20 more at the end of a turn,
//!           0.27 cycles a byte at 1 MiB, 0.34 at 8 KiB (Zen 4). With all products a step is 25
//!           multiplications, 25 sums and 13 operations that take blocks apart: 63, 15.75 cycles at four a cycle.
//!           A turn of one step waits for its carry instead: some 30
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
use crate::arch::generic::radix26::{self, school};
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::poly1305::{Key, Message, Pn, Powers, State};

kernel! {
    /// One long message, 4 blocks at a time.
    pub LONG: Pn = "poly1305_p4_avx2", lanes 4, requires ["avx2", "bmi2"], from Method::P4Avx2.threshold(),
    register_entry mac, |job: Message<'_>| long(job)
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn long(job: Message<'_>) {
    match job {
        Message::Whole { key, message, tag } => {
            let Key { r: [r0, r1], s: [s0, s1] } = key.in_words();
            *tag = mac(r0, r1, s0, s1, message);
        }
        Message::Piece { .. } => by_karatsuba(job),
    }
}

/// The tag of a message; poly1305_x4_avx2 uses it for long ones. Every case is a call at the end, so none saves registers
/// for another. A short message reads one threshold: the whole choice would delay it.
#[target_feature(enable = "avx2,bmi2")]
pub fn mac(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
    match Method::P4Avx2By2.known() {
        Some(from) if message.len() < from => by_1(r0, r1, s0, s1, message),
        _ => longer(r0, r1, s0, s1, message),
    }
}

/// The same for a longer message, or before the thresholds are known.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn longer(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
    let is_shorter = |method: Method| method.known().map(|from| message.len() < from);
    match (is_shorter(Method::P4Avx2By2), is_shorter(Method::P4Avx2By4), is_shorter(Method::P4Avx2By8)) {
        (Some(true), ..) => by_1(r0, r1, s0, s1, message),
        (Some(false), Some(true), _) => by_2(r0, r1, s0, s1, message),
        (Some(false), Some(false), Some(true)) => by_4(r0, r1, s0, s1, message),
        (Some(false), Some(false), Some(false)) => by_8(r0, r1, s0, s1, message),
        _ => read_and_mac(r0, r1, s0, s1, message),
    }
}

/// The same before the thresholds are known.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn read_and_mac(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
    let _ = [Method::P4Avx2By2, Method::P4Avx2By4, Method::P4Avx2By8].map(Method::threshold);
    mac(r0, r1, s0, s1, message)
}

/// Makes a function for turns of some groups. Not inlined: each has all registers to itself.
macro_rules! turns_of {
    ($($name:ident = $groups:literal;)*) => {$(
        #[inline(never)]
        #[target_feature(enable = "avx2,bmi2")]
        fn $name(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
            school::mac::<_, $groups>(Avx2::here(), [r0, r1], [s0, s1], message)
        }
    )*};
}
turns_of! {
    by_1 = 1;
    by_2 = 2;
    by_4 = 4;
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn by_8(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
    let (mut key, mut tag) = (Key { r: [r0, r1], s: [s0, s1] }, 0);
    by_karatsuba(Message::Whole { key: &key, message, tag: &mut tag });
    key.wipe();
    tag
}

/// Absorbs a piece of a message.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
pub fn piece(state: &mut State, powers: &mut Powers, blocks: &[[u8; 16]]) {
    by_karatsuba(Message::Piece { state, powers, blocks });
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn by_karatsuba(job: Message<'_>) {
    radix26::long::<4>(job, |state, powers, blocks, tail| absorb(state, powers, blocks, tail));
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
fn absorb(state: &mut State, powers: Option<&mut Powers>, blocks: &[[u8; 16]], tail: &[u8]) {
    radix26::absorb(Avx2::here(), state, powers, blocks, tail);
}
