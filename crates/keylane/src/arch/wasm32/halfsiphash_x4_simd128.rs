//! HalfSipHash, 4 messages at a time in the lanes of a WebAssembly vector, 2 vectors together.
//!
//! id        halfsiphash_x4_simd128        slot  halfsiphash-xn        requires  simd128
//! does      4 states stepped together, word by word (vertical.rs), each message right-aligned in its
//!           lane (ragged/), in vectors of 128 bits (lanes128.rs)
//! bounds    20 operations a round and two a word for 4 messages: rotations by 8 and 16 are a shuffle, the
//!           others two shifts and an or. A scalar round has 14 a message
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [SipHash]

use super::Wasm128;
use crate::arch::generic::vertical;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Xn};

kernel! {
    /// Many messages, 4 in a vector, 2 vectors at a time.
    pub MANY: Xn<u32> = "halfsiphash_x4_simd128", lanes 4, requires ["simd128"],
    from FROM_MESSAGES,
    |job: Batch<'_, u32>| vertical::batch::<_, u32, 4, 2>(Wasm128::here(), job)
}
