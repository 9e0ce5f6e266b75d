//! keylane's kernels timed beside other implementations: the method.
//!
//! * [`clock`] turns CPU time into cycles, [`sample`] compares, [`data`] makes the messages.

pub mod chain;
pub mod clock;
pub mod data;
pub mod sample;
