//! What x86-64 has beyond the portable code.

pub mod barrier;
#[cfg(not(any(miri, target_env = "sgx")))]
pub mod cpuid;
pub mod siphash_x1_dup;
