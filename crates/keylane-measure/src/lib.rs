//! How keylane measures: in cycles, though nothing counts them, and in pairs, since machines are shared.
//!
//! [`data`] makes messages, [`clock`] turns CPU time into cycles, [`sample`] compares, [`record`] is how figures
//! are kept, under the name that [`cpu`] gives.
//! The method and its limits: docs/BENCHMARKS.md.

pub mod chain;
pub mod clock;
pub mod cpu;
pub mod data;
pub mod record;
pub mod sample;
