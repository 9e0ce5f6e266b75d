//! SipHash of one message at a time. Each kernel changes one thing of `siphash_x1_base`.

pub mod siphash_x1_abreast;
pub mod siphash_x1_base;
pub mod siphash_x1_beside;
pub mod siphash_x1_branch_table;
pub mod siphash_x1_byte_loop;
pub mod siphash_x1_bytes;
pub mod siphash_x1_bytes_hidden;
pub mod siphash_x1_crossed;
pub mod siphash_x1_overlap;
pub mod siphash_x1_paper;
pub mod siphash_x1_shifts;
pub mod siphash_x1_switch;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod halves;
#[cfg(target_arch = "x86_64")]
pub mod siphash_x1_avx512_halves;
#[cfg(target_arch = "aarch64")]
pub mod siphash_x1_neon_halves;
#[cfg(target_arch = "aarch64")]
pub mod siphash_x1_sha3_halves;
#[cfg(target_arch = "x86_64")]
pub mod siphash_x1_sse2_halves;

mod order;
mod scalar;
