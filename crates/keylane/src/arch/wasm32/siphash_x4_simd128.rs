//! SipHash, 4 messages at a time in the lanes of two WebAssembly vectors.
//!
//! id        siphash_x4_simd128        slot  siphash-xn        requires  simd128
//! does      4 states stepped together, word by word (vertical.rs), each message right-aligned in its
//!           lane (ragged/), in vectors of 128 bits (lanes128.rs)
//! bounds    20 operations a round and two a word for 2 messages: rotations by 13, 17 and 21 are two shifts
//!           and an or, by 16 and 32 a shuffle. That is 10 a message; a scalar round has 14
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]

use super::Wasm128;
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages, 4 in two vectors.
    pub MANY: Xn<u64> = "siphash_x4_simd128", lanes 4, requires ["simd128"],
    from FROM_MESSAGES,
    |job: Batch<'_, u64>| vertical::batch::<_, u64, 4, 1>(Wasm128::here(), job)
}
