//! Poly1305, 4 blocks of one message at a time, base 2^44, in AVX-512 registers of 256 bits.
//!
//! id        poly1305_p4_avx512ifma        slot  poly1305-pn
//! requires  avx512f avx512bw avx512vl avx512ifma avx512vbmi avx512vbmi2 bmi2
//! does      A <- A r^4k + M1 r^4(k-1) + ... + Mk in each lane (blocks44.rs)
//! bounds    limbs: radix44.rs, checked by tests/symbols. Operations for 4 blocks: as many as poly1305_p8_avx512ifma has
//!           for 8. The powers of r take two steps, where that kernel takes three
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.5]
//!
//! For CPUs that lower their clock for 512 bits, and for the shorter messages of all others (poly1305_p8_avx512ifma
//! calls it).

use super::blocks44;
use super::ifma::{Ifma, Ymm};
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::poly1305::{Key, Message, Pn, Powers, State};

kernel! {
    /// One long message.
    pub LONG: Pn = "poly1305_p4_avx512ifma", lanes 4,
    requires ["avx512f", "avx512bw", "avx512vl", "avx512ifma", "avx512vbmi", "avx512vbmi2", "bmi2"],

    from Method::P4Avx512Ifma.threshold(),
    |job: Message<'_>| match job {
        Message::Whole { key, message, tag } => *tag = mac(key, message),
        Message::Piece { state, powers, blocks } => piece(state, powers, blocks),
    }
}

/// The tag of a message; poly1305_p8_avx512ifma uses it for the shorter ones.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2")]
pub fn mac(key: &Key, message: &[u8]) -> u128 {
    blocks44::mac(Ymm(Ifma::here()), key, message, Method::P4Avx512IfmaKaratsuba.threshold())
}

/// Absorbs a piece of a message; poly1305_p8_avx512ifma uses it for the shorter ones.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2")]
pub fn piece(state: &mut State, powers: &mut Powers, blocks: &[[u8; 16]]) {
    blocks44::piece(Ymm(Ifma::here()), state, powers, blocks, Method::P4Avx512IfmaKaratsuba.threshold());
}
