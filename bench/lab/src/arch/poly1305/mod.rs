//! Poly1305 of one message, in radices used before base 2^64 or besides it.
//!
//! * [`radix`]: from base 2^64 to limbs and back.
//! * [`integer`]: limbs that are integers, and their upper bounds.
//! * [`real`]: limbs that are floating-point numbers, and how many of their bits are used.

pub mod integer;
#[cfg(target_arch = "x86_64")]
pub mod poly1305_p8_fma;
pub mod poly1305_x1_base26;
pub mod poly1305_x1_base44;
// The x87 of a CPU without SSE2 rounds to more bits than the compiler assumes.
#[cfg(any(not(target_arch = "x86"), target_feature = "sse2"))]
pub mod poly1305_x1_f64;
#[cfg(any(not(target_arch = "x86"), target_feature = "sse2"))]
pub mod poly1305_x1_f64_mixed;
pub mod poly1305_x1_u64_small;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub mod poly1305_x1_x87;
pub mod radix;
#[cfg(any(not(target_arch = "x86"), target_feature = "sse2"))]
pub mod real;
