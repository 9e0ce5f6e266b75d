//! Kernels for every CPU, in safe Rust.

#![forbid(unsafe_code)]

pub mod halfsiphash_x1;
pub mod halfsiphash_x2;
pub mod interleave;
pub mod poly1305_x1_u32;
pub mod poly1305_x1_u64;
pub mod poly1305_x2_u64;
pub mod siphash_x1;
pub mod siphash_x2;

use crate::buffer::Block;
use crate::kernel::poly1305::{Batch, State};

/// Poly1305 of the target: the fastest portable kernel that needs no call through the table.
#[cfg(not(target_pointer_width = "64"))]
pub use poly1305_x1_u32::absorb as poly1305_inline;
#[cfg(target_pointer_width = "64")]
pub use poly1305_x1_u64::absorb as poly1305_inline;

/// A Poly1305 batch, one message after the other.
#[inline(always)]
fn one_by_one(job: Batch<'_>, absorb: impl Fn(&mut State, &[[u8; 16]], &[u8])) {
    for ((key, message), tag) in job.keys.iter().zip(job.messages).zip(job.tags) {
        let mut state = State::new(*key);
        let (blocks, tail) = u128::split(message);
        absorb(&mut state, blocks, tail);
        *tag = state.tag();
        state.wipe();
    }
}
