//! SipHash, 4 messages at a time in the lanes of an AVX2 register, 2 registers together.
//!
//! id        siphash_x4_avx2        slot  siphash-xn        requires  avx2 bmi2
//! does      4 states stepped together, word by word (vertical.rs), each message right-aligned in its
//!           lane (ragged/)
//! bounds    20 operations a round and two a word for 4 messages: a rotation is two shifts and an or,
//!           but one shuffle of bytes for 16 and one of words for 32. A u64 takes 24 of them in 1-3 and
//!           39 in 2-4: 6 and 9.8 cycles at four a cycle
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]
//!
//! Two registers: their states and the temporaries of a round fill the 16. The index of the byte shuffle is opaque to
//! the compiler, which would otherwise make two word shuffles out of it.
//!
//! AVX2 has no masked load of bytes. So if each message is a separate slice, general instructions read it, and
//! `hash_many` gains less here than `hash_offsets` does.

use super::Avx2;
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::siphash::{Batch, Counted, SmallBatch, State, Xn};

kernel! {
    /// Many messages, 4 in a vector, 2 vectors at a time.
    pub MANY: Xn<u64> = "siphash_x4_avx2", lanes 4, requires ["avx2", "bmi2"],
    from Method::SiphashX4Avx2.threshold(),
    register_entry SmallBatch { of_4: small_batch, of_8: small_batch, of_16: small_batch },
    |job: Batch<'_, u64>| vertical::batch::<_, u64, 4, 2>(Avx2::here(), job)
}

#[target_feature(enable = "avx2,bmi2")]
fn small_batch<const SIZE: usize>(
    initial: &State<u64>,
    rounds: Counted,
    integers: &[[u8; SIZE]],
    tags: &mut [u64],
) {
    vertical::small_batch::<_, u64, 4, SIZE>(Avx2::here(), initial, rounds, integers, tags);
}
