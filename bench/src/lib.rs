//! Times keylane's kernels and other implementations: the engines and the suites. `keylane-measure` does the
//! measuring.
//!
//! * [`engine`] has the implementations, each behind [`engine::SipHash`] and each checked before it is
//!   timed. Those in C are in [`foreign`].
//! * [`work`] is the code timed: loops over calls, compiled once for each engine.
//! * [`suite`] defines which works are compared over which data. [`table`] prints the results, [`record`]
//!   stores them, and [`compare`] compares two records.
//!
//! The method, its limits and how to read the tables: docs/BENCHMARKS.md.

pub mod compare;
pub mod engine;
pub mod foreign;
pub mod pair;
pub mod record;
pub mod setup;
pub mod suite;
pub mod table;
pub mod turns;
pub mod work;
