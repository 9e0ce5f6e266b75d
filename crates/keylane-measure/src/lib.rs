//! How keylane measures: in cycles, although no cycle counter is available, and in pairs, since other
//! programs share the machine.
//!
//! * [`data`] makes messages.
//! * [`clock`] converts CPU time into cycles.
//! * [`sample`] takes and compares samples; [`canary`] waits while the machine is busy.
//! * [`record`] stores figures, under the name that [`cpu`] gives and from a [`commit`].
//! * `page` shows them in a browser, behind the feature `page`.
//!
//! The method and its limits: docs/BENCHMARKS.md.

pub mod canary;
pub mod chain;
pub mod clock;
pub mod commit;
pub mod cpu;
pub mod data;
#[cfg(feature = "page")]
pub mod page;
pub mod record;
pub mod sample;
