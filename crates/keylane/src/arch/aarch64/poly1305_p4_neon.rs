//! Poly1305, 4 blocks of one message at a time in the lanes of NEON registers, base 2^26.
//!
//! id        poly1305_p4_neon        slot  poly1305-pn        requires  neon
//! does      in each of two lanes, h <- (h + m1) r^8 + m2 r^6 + m3 r^4 + m4 r^2  (mod 2^130 - 5); in long
//!           messages eight steps, two steps to an instruction; then the sum of the lanes times r^2 and r
//!           (arch/generic/radix26/, and radix26.rs for the pairs of steps)
//! bounds    a turn of 16 blocks is 120 multiplications, 40 additions, 48 operations that take blocks apart, and
//!           70 after them: 278, 17.4 a block. At four a cycle, two of them multiplications (Neoverse V2): 4.35
//!           cycles a block; in LLVM's model of it 4.5, 0.28 a byte. At half as many (N1): 8.7, in the model 9.6
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.5] and [NeonCrypto]
//!
//! Karatsuba's method is profitable here: multiplications run on half of the vector units or fewer, additions on all.
//! No product is widened by hand, and no sum is a separate instruction. So the other operations cost no more than the
//! multiplications.

use super::Neon;
use crate::arch::generic::radix26;
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::poly1305::{Key, Message, Pn, Powers, State};

kernel! {
    /// One long message, 4 blocks at a time.
    pub LONG: Pn = "poly1305_p4_neon", lanes 4, requires ["neon"], from Method::P4Neon.threshold(),
    |job: Message<'_>| long(job)
}

#[inline]
#[target_feature(enable = "neon")]
fn long(job: Message<'_>) {
    radix26::long::<2>(job, |state, powers, blocks, tail| absorb(state, powers, blocks, tail));
}

/// The tag of a message; poly1305_x4_neon uses it for long ones.
#[inline(never)]
#[target_feature(enable = "neon")]
pub fn mac(key: &Key, message: &[u8]) -> u128 {
    let mut tag = 0;
    long(Message::Whole { key, message, tag: &mut tag });
    tag
}

#[inline(never)]
#[target_feature(enable = "neon")]
fn absorb(state: &mut State, powers: Option<&mut Powers>, blocks: &[[u8; 16]], tail: &[u8]) {
    radix26::absorb(Neon::here(), state, powers, blocks, tail);
}
