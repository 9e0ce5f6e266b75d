//! SipHash, 8 messages at a time in the lanes of an AVX-512 register, 4 registers together.
//!
//! id        siphash_x8_avx512        slot  siphash-xn        requires  avx512f avx512bw avx512vl bmi2
//! does      8 states stepped together, word by word (vertical.rs), each message right-aligned in its
//!           lane (ragged/)
//! bounds    14 operations a round and one a word for 8 messages: rotations are one each, and the xor of the
//!           next word joins the previous xor. A u64 takes 8.6 of them in 1-3 and 13.8 in 2-4: 2.2 and
//!           3.5 cycles at four a cycle (Zen 5), twice that at two (Zen 4, which does each in halves,
//!           and Intel)
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]
//!
//! The rotations by half a word are shuffles, which leaves the rotations' ports to the other four. Four registers hide
//! the chain of a CPU that does four operations a cycle; their states and a word for each fill the 32.
//!
//! What lost:
//!
//! * A masked restart for each word.
//! * Reading the next tile after the rounds instead of between them: 23 cycles against 13 for 4..20 bytes (Zen 4).
//! * Constant rounds for each of the usual choices: 5 % faster for u64 in 1-3, no faster elsewhere, and each adds a
//!   sixth to the code.
//! * Scatters for sorted tags.
//!
//! CPUs that are faster with 256 bits use siphash_x4_avx2.

use super::Avx512;
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::siphash::{Batch, Counted, SmallBatch, State, Xn};

kernel! {
    /// Many messages, 8 in a vector, 4 vectors at a time.
    pub MANY: Xn<u64> = "siphash_x8_avx512", lanes 8, requires ["avx512f", "avx512bw", "avx512vl", "bmi2"],
    suits |uarch| !uarch.prefers_256_bit,
    from Method::SiphashX8Avx512.threshold(),
    register_entry SmallBatch { of_4: small_batch, of_8: small_batch, of_16: small_batch },
    |job: Batch<'_, u64>| vertical::batch::<_, u64, 8, 4>(Avx512::here(), job)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn small_batch<const SIZE: usize>(
    initial: &State<u64>,
    rounds: Counted,
    integers: &[[u8; SIZE]],
    tags: &mut [u64],
) {
    vertical::small_batch::<_, u64, 8, SIZE>(Avx512::here(), initial, rounds, integers, tags);
}
