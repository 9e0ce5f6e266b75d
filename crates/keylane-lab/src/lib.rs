//! Kernels kept for study: the same [`Kernel`](keylane::job::kernel::Kernel) type and the same conformance
//! tests as keylane's own, but never selected: keylane's table does not know them.
//!
//! * [`bitslice`]: the jobs of a bitsliced kernel. docs/research/BITSLICE.md explains them.
//! * [`ablation`]: the job of a kernel that differs from another in one thing: docs/research/ABLATIONS.md.
//! * [`steps`]: the job of a kernel whose optimisations can be left out one by one.
//! * [`table`]: the rows.
//! * `arch`: the kernels. docs/research/RADIX.md compares those of Poly1305.

#![deny(unsafe_code, missing_docs)]

pub mod ablation;
mod arch;
pub mod bitslice;
pub mod steps;
pub mod table;
