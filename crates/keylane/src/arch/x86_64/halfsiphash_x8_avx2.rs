//! HalfSipHash, 8 messages at a time in the lanes of an AVX2 register, 2 registers together.
//!
//! id        halfsiphash_x8_avx2        slot  halfsiphash-xn        requires  avx2 bmi2
//! does      8 states stepped together, word by word (vertical.rs), each message right-aligned in its
//!           lane (ragged/)
//! bounds    18 operations a round and two a word for 8 messages: rotations by 8 and 16 are a shuffle of
//!           bytes, the others two shifts and an or. A u64 is two words and the length: 14 operations in
//!           1-3, 23 in 2-4; a CPU does up to four of them in a cycle
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]
//!
//! The notes of siphash_x4_avx2 apply; the rotations by 8 and by 16 are both byte shuffles.

use super::Avx2;
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::Method;
use crate::job::siphash::{Batch, Counted, SmallBatch, State, Xn};

kernel! {
    /// Many messages, 8 in a vector, 2 vectors at a time.
    pub MANY: Xn<u32> = "halfsiphash_x8_avx2", lanes 8, requires ["avx2", "bmi2"],
    from Method::HalfsiphashX8Avx2.threshold(),
    register_entry SmallBatch { of_4: small_batch, of_8: small_batch, of_16: small_batch },
    |job: Batch<'_, u32>| vertical::batch::<_, u32, 8, 2>(Avx2::here(), job)
}

#[target_feature(enable = "avx2,bmi2")]
fn small_batch<const SIZE: usize>(
    initial: &State<u32>,
    rounds: Counted,
    integers: &[[u8; SIZE]],
    tags: &mut [u32],
) {
    vertical::small_batch::<_, u32, 8, SIZE>(Avx2::here(), initial, rounds, integers, tags);
}
