//! Tests whether time depends on a secret: every entry point and every row, with secret keys, messages and
//! tags.
//!
//! The jobs depend on lengths alone, as the time of keylane's calls must. Three tools look for a dependency
//! on secrets:
//! * memcheck treats every secret as undefined ([`memcheck`]) and reports each branch on one and each
//!   address computed from one (`tests/taint.rs`).
//! * `cargo xtask steps` compares the steps of the same jobs with different secrets.
//! * A clock times them (`timing`).
//!
//! Rows with planted leaks ([`planted`]) prove that the tools detect leaks.

mod calls;
pub mod memcheck;
pub mod planted;
mod rows;
mod source;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub mod timing;

pub use calls::{public_calls, public_calls_of};
pub use rows::Secretive;
pub use source::{Secrets, Work};
