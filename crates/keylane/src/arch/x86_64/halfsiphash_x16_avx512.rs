//! HalfSipHash, 16 messages at a time in the lanes of an AVX-512 register, 4 registers together.
//!
//! id        halfsiphash_x16_avx512        slot  halfsiphash-xn        requires  avx512f avx512bw avx512vl bmi2
//! does      16 states stepped together, word by word (vertical.rs), each message right-aligned in its
//!           lane (ragged/)
//! bounds    14 operations a round and one a word for 16 messages. A u64 is two words and the length:
//!           5.4 operations in 1-3, 9 in 2-4; a CPU does two or four of them in a cycle
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]
//!
//! The notes of siphash_x8_avx512 apply.

use super::{Avx2, Avx512};
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::siphash::{Batch, Counted, SmallBatch, State, Xn};

kernel! {
    /// Many messages, 16 in a vector, 4 vectors at a time.
    pub MANY: Xn<u32> = "halfsiphash_x16_avx512", lanes 16,
    requires ["avx512f", "avx512bw", "avx512vl", "bmi2"],
    suits |uarch| !uarch.prefers_256_bit,
    from Method::HalfsiphashX16Avx512.threshold(),
    register_entry SmallBatch { of_4: small_batch, of_8: small_batch, of_16: small_batch },
    |job: Batch<'_, u32>| vertical::batch::<_, u32, 16, 4>(Avx512::here(), job)
}

/// Eight messages fill a vector of 256 bits. CPUs do two operations on those in the time of one on 512 bits, or three in
/// the time of two.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn small_batch<const SIZE: usize>(
    initial: &State<u32>,
    rounds: Counted,
    integers: &[[u8; SIZE]],
    tags: &mut [u32],
) {
    if integers.len() == 8 {
        vertical::small_batch::<_, u32, 8, SIZE>(Avx2::here(), initial, rounds, integers, tags);
    } else {
        vertical::small_batch::<_, u32, 16, SIZE>(Avx512::here(), initial, rounds, integers, tags);
    }
}
