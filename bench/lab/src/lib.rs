//! Kernels kept for study. They have the same [`Kernel`](keylane::job::kernel::Kernel) type and pass the same
//! conformance tests as keylane's own, but are never selected: keylane's table does not contain them.
//!
//! * [`bitslice`]: the jobs of bitsliced kernels. docs/research/BITSLICE.md explains them.
//! * [`ablation`]: the job of kernels that each change one thing of a base kernel. docs/research/ABLATIONS.md
//!   explains them.
//! * [`steps`]: the job of a kernel that can switch each of its optimisations off.
//! * [`table`]: the rows.
//! * `arch`: the kernels. docs/research/RADIX.md compares those of Poly1305.

#![deny(unsafe_code, missing_docs)]

pub mod ablation;
mod arch;
pub mod bitslice;
pub mod steps;
pub mod table;
