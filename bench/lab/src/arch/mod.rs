//! The kernels. Only here may this crate use `unsafe`.

pub mod ablation;
pub mod bitslice;
pub mod poly1305;
pub mod siphash_x1_steps;
