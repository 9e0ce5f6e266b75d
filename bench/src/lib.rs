//! keylane's kernels timed beside other implementations: the method and the engines.
//!
//! * [`clock`] turns CPU time into cycles, [`sample`] compares, [`data`] makes the messages.
//! * [`engine`] has the implementations, each behind [`engine::SipHash`] and each checked before it is
//!   timed. Those in C are in [`foreign`].
//! * [`work`] is what is timed: loops over calls, compiled once for each engine.

pub mod chain;
pub mod clock;
pub mod data;
pub mod engine;
pub mod foreign;
pub mod sample;
pub mod work;
