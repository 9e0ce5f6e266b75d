//! The lowest layer: the types and jobs that the layers above exchange. It names none of them.
//!
//! * [`kernel`]: the type of a kernel ([`kernel::Kernel`], [`kernel::Shape`], the macro `kernel!`).
//! * [`siphash`], [`poly1305`], [`chacha20`]: states, rounds, words and tags, and the jobs that kernels do.
//! * [`limits`]: the length, or the number of messages, from which each method beats the previous one.
//! * [`cpu`]: the features of this CPU, and what it runs fast.
//! * `buffer`: the bytes that wait for a whole word or block.
//! * `wipe`, `barrier`, `plain`, `proof`, `prefetch`, `fold`: the small tools that need `unsafe`.
//! * `dit`: data-independent timing, and `independently!`, which takes it if the feature `dit` is on.

#![cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(unused, reason = "not every target has the kernels that use all of it")
)]

pub mod barrier;
pub mod buffer;
pub mod chacha20;
pub mod cpu;
#[cfg(feature = "dit")]
pub mod dit;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub mod fold;
pub mod kernel;
pub mod limits;
pub mod plain;
pub mod poly1305;
pub mod prefetch;
pub mod proof;
pub mod siphash;
pub mod wipe;

/// A body that runs with data-independent timing, if the feature `dit` is on. Otherwise it is the same code as without
/// this macro.
macro_rules! independently {
    ($($body:tt)*) => {{
        #[cfg(feature = "dit")]
        let result = $crate::job::dit::with(|| { $($body)* });
        #[cfg(not(feature = "dit"))]
        let result = { $($body)* };
        result
    }};
}
pub(crate) use independently;
