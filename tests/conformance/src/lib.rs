//! Checks every kernel of keylane against the specification and every published answer.
//!
//! The checks are in this library, so that several programs can run them over their own rows; `tests/rows.rs`
//! runs them over the table. They use no file and no clock: the published answers are compiled in, and random
//! input comes from a fixed seed.
//!
//! * [`vectors`]: the published answers of `tests/testdata/`.
//! * [`variants`]: the hash variants, and their tags by keylane-ref.
//! * [`input`]: the bytes to hash.
//! * [`modp`]: a second Poly1305, by additions modulo 2^130 - 5.
//! * [`packets`]: packets of the AEAD by keylane-ref.
//! * [`check`]: compares answers, counts comparisons, and keeps the differences.
//! * [`rows`]: the checks of each slot's kernels.
//! * [`walk`]: runs all of them over the table.
//! * `guards`: whether kernels stay inside the memory of their jobs (needs memory pages).
//! * `parallel`: child processes beside each other (not on wasm either).
//! * `secret`: whether time depends on a key or a message (not on wasm either).
//! * `stack`: what calls leave on the stack, and how much of it they use (on Linux).
//! * [`public`]: the public API behind one trait, for tests of many variants.
//! * [`fingerprint`]: fingerprints of many answers, to compare machines.
//! * [`target`]: the target that the suite is built for.

pub mod check;
pub mod fingerprint;
#[cfg(not(target_family = "wasm"))]
pub mod guards;
pub mod input;
pub mod modp;
pub mod packets;
#[cfg(not(target_family = "wasm"))]
pub mod parallel;
pub mod public;
pub mod rows;
#[cfg(not(target_family = "wasm"))]
pub mod secret;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub mod stack;
pub mod target;
pub mod variants;
pub mod vectors;
pub mod walk;

/// The examples of these pages, compiled and run together with the documentation's.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/BATCHES.md")]
    struct Batches;
    #[doc = include_str!("../../../docs/AEAD.md")]
    struct Aead;
}
