//! Poly1305, 8 blocks of one message at a time, base 2^44, in AVX-512 registers of 512 bits.
//!
//! id        poly1305_p8_avx512ifma        slot  poly1305-pn
//! requires  avx512f avx512bw avx512vl avx512ifma avx512vbmi avx512vbmi2 bmi2
//! does      A <- A r^8k + M1 r^8(k-1) + ... + Mk in each lane (blocks44.rs)
//! bounds    limbs: radix44.rs, checked by tests/symbols. Long messages, operations for 8 blocks: 12 multiplications,
//!           2 shuffles and 5 more to cut blocks into limbs, 3 additions of Karatsuba's method, and about 2 of a
//!           turn's end: 24. 8 cycles at two multiplications and four others a cycle (Zen 5), 16 where each
//!           takes two passes (Zen 4: measured 16.3).
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.5]
//!
//! Registers of 256 bits take the messages that are too short for the wide ones. On a CPU that does 512 bits in two
//! passes (Zen 4) these are most messages. Before its first block, a message waits for the chain of its powers, and a
//! wide register makes each link of the chain longer.
//!
//! What lost:
//!
//! * Turns of 8 groups by Karatsuba's method, with the rest in turns of two. One loop for any number up to 16 is as
//!   fast, and 5 % faster at 4 KiB.
//! * Turns of four groups without Karatsuba's method.
//! * Masked loads at the edges.
//! * A closure around anything here: it stays a call and costs 200 cycles.

use super::blocks44;
use super::ifma::{Ifma, Zmm};
use super::poly1305_p4_avx512ifma;
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::poly1305::{Key, Message, Pn, Powers, State};

kernel! {
    /// One long message.
    pub LONG: Pn = "poly1305_p8_avx512ifma", lanes 8,
    requires ["avx512f", "avx512bw", "avx512vl", "avx512ifma", "avx512vbmi", "avx512vbmi2", "bmi2"],
    suits |uarch| !uarch.prefers_256_bit,
    from Method::P8Avx512Ifma.threshold(),
    |job: Message<'_>| match job {
        Message::Whole { key, message, tag } => *tag = mac(key, message),
        Message::Piece { state, powers, blocks } => piece(state, powers, blocks),
    }
}

/// The tag of a message; poly1305_x8_avx512ifma uses it for long ones.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2")]
pub fn mac(key: &Key, message: &[u8]) -> u128 {
    if message.len() < Method::P8Avx512IfmaZmm.threshold() {
        return poly1305_p4_avx512ifma::mac(key, message);
    }
    blocks44::mac(Zmm(Ifma::here()), key, message, Method::P8Avx512IfmaKaratsuba.threshold())
}

/// Absorbs blocks in the middle of a message; poly1305_x8_avx512ifma uses it for long packets.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2")]
pub fn piece(state: &mut State, powers: &mut Powers, blocks: &[[u8; 16]]) {
    if 16 * blocks.len() < Method::P8Avx512IfmaZmm.threshold() && !blocks44::are_for_zmm(powers) {
        return poly1305_p4_avx512ifma::piece(state, powers, blocks);
    }
    blocks44::piece(Zmm(Ifma::here()), state, powers, blocks, Method::P8Avx512IfmaKaratsuba.threshold());
}
