//! The lowest floor: kernels, and the only place beside the selector where `unsafe` may stand.
//!
//! A kernel takes a job of the kernel floor and knows nothing of the API above.

#[cfg(target_arch = "x86_64")]
pub mod groups;
pub mod portable;
#[cfg(target_arch = "x86_64")]
pub mod radix26;
pub mod wipe;
#[cfg(target_arch = "x86_64")]
pub mod x86_64;
