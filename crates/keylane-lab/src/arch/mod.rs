//! The kernels, and the only place of this crate where `unsafe` may stand.

pub mod ablation;
pub mod bitslice;
pub mod poly1305;
pub mod siphash_x1_steps;
