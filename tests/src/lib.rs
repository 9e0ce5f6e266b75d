//! Every kernel of keylane against the specification and every published answer.
//!
//! The checks themselves are here, so that more than one program can run them over its own rows;
//! `tests/rows.rs` runs them over the table. They touch no file and no clock: the published answers
//! are compiled in, and random input comes from a fixed seed.
//!
//! * [`vectors`]: the published answers of `testdata/`.
//! * [`variants`]: the hashes that there are, and their tags by keylane-ref.
//! * [`input`]: the bytes that are hashed.
//! * [`modp`]: Poly1305 a second time, by adding modulo 2^130 - 5.
//! * [`check`]: comparing, counting, and remembering what differed.
//! * [`rows`]: the checks of each slot's kernels.
//! * [`walk`]: all of them over the table.
//! * `guards`: whether they stay inside what they are given (where memory has pages).
//! * `secret`: whether time depends on a key or a message (likewise).
//! * `stack`: what calls leave on the stack and use of it (on Linux).
//! * [`public`]: the public API seen through one trait, for tests of many variants.
//! * [`fingerprint`]: numbers for many answers, to be compared between machines.
//! * [`proven`]: which row was last proven where.
//! * [`target`]: what the suite is built for.

pub mod check;
pub mod fingerprint;
#[cfg(not(target_family = "wasm"))]
pub mod guards;
pub mod input;
pub mod modp;
pub mod proven;
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

/// The README's examples, compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
