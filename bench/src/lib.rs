//! keylane's kernels timed beside other implementations: the engines and the suites, measured by `keylane-measure`.
//!
//! * [`engine`] has the implementations, each behind [`engine::SipHash`] and each checked before it is
//!   timed. Those in C are in [`foreign`].
//! * [`work`] is what is timed: loops over calls, compiled once for each engine.
//! * [`suite`] says which works are compared over which data; [`table`] prints and [`record`] keeps
//!   what comes out, and [`compare`] tells records apart.
//!
//! The method, its limits and how to read the tables: docs/BENCHMARKS.md.

pub mod compare;
pub mod engine;
pub mod foreign;
pub mod record;
pub mod setup;
pub mod suite;
pub mod table;
pub mod work;
