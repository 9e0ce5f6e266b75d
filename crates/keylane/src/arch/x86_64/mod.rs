//! What x86-64 has beyond the portable code.

#[cfg(not(any(miri, target_env = "sgx")))]
pub mod cpuid;
