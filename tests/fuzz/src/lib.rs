//! What keylane's fuzz targets do with an input. It is a library, so that both the fuzzers under a sanitizer
//! (`tests/fuzz-targets`) and every run of the tests use it.
//!
//! An input is a case: steps that use kernels and the public API in some order. All results are compared with
//! keylane-ref, or with the documented rules. [`TARGETS`] lists all targets.

pub mod aead;
pub mod batch;
pub mod capi;
pub mod cli;
#[cfg(feature = "column")]
pub mod column;
pub mod corpus;
pub mod hash;
pub mod input;
pub mod mac;
pub mod poly1305_batch;
pub mod poly1305_one;
pub mod poly1305_xn;
pub mod siphash_batch;
pub mod siphash_x1_long;
pub mod siphash_xn;
pub mod steps;

use arbitrary::{Arbitrary, Unstructured};
use input::Encode;
use std::fmt::Debug;

/// A fuzz target.
pub struct Target {
    /// Its name, also the name of its file in `tests/fuzz-targets/fuzz_targets`.
    pub name: &'static str,
    /// Runs an input. Panics if an answer is wrong.
    pub run: fn(&[u8]),
    /// Inputs of known cases: published answers, and some of each kind.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

macro_rules! targets {
    ($($(#[$condition:meta])? $name:ident: $case:ty, $run:ident, $seeds:ident;)*) => {
        /// Every target.
        pub const TARGETS: &[Target] = &[$($(#[$condition])? Target {
            name: stringify!($name),
            run: |input| {
                if let Ok(case) = <$case>::arbitrary_take_rest(Unstructured::new(input)) {
                    case.$run();
                }
            },
            seeds: || {
                let mut seeds = Vec::new();
                <$case>::$seeds(&mut |case| seeds.push(written(case, |input| {
                    let read = <$case>::arbitrary_take_rest(Unstructured::new(input));
                    assert_eq!(read.as_ref(), Ok(case), "a seed that does not decode to its case");
                })));
                seeds
            },
        }),*];
    };
}

targets! {
    siphash_x1_long: siphash_x1_long::Case<'_>, run, seeds;
    siphash_xn: siphash_xn::Case<'_>, run_siphash, seeds_siphash;
    halfsiphash_xn: siphash_xn::Case<'_>, run_halfsiphash, seeds_halfsiphash;
    poly1305_x1: poly1305_one::Case<'_>, run_x1, seeds;
    poly1305_pn: poly1305_one::Case<'_>, run_pn, seeds;
    poly1305_xn: poly1305_xn::Case<'_>, run, seeds;
    siphash_batch: siphash_batch::Case<'_>, run, seeds;
    poly1305_batch: poly1305_batch::Case<'_>, run, seeds;
    aead: aead::Case<'_>, run, seeds;
    key_file: cli::KeyFile<'_>, run, seeds;
    checklist: cli::Checklist<'_>, run, seeds;
    capi: capi::Case<'_>, run, seeds;
    #[cfg(feature = "column")]
    csv: column::Csv<'_>, run, seeds;
}

/// Encodes a case as an input.
fn written(case: &(impl Encode + Debug), check: impl FnOnce(&[u8])) -> Vec<u8> {
    let mut input = Vec::new();
    case.encode(&mut input);
    check(&input);
    input
}
