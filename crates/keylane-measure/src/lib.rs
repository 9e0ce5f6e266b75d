//! How keylane measures: in cycles, although no cycle counter is available, and in pairs, since other
//! programs share the machine.
//!
//! * [`data`] makes messages.
//! * [`clock`] converts CPU time into cycles.
//! * [`sample`] takes and compares samples.
//! * [`record`] stores figures, under the name that [`cpu`] gives.
//!
//! The method and its limits: docs/BENCHMARKS.md.

pub mod chain;
pub mod clock;
pub mod cpu;
pub mod data;
pub mod record;
pub mod sample;
