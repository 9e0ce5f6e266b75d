//! The SipHash family below the API: the state, the round, and the jobs of kernels.
//!
//! SipHash-c-d (Aumasson and Bernstein 2012) has four words v0..v3, made from the key. It absorbs a message word m by
//!
//! ```text
//! v3 ^= m;  c rounds;  v0 ^= m
//! ```
//!
//! The last word holds the message's last `len % SIZE` bytes and, in its top byte, `len % 256`. Then come `v2 ^= 0xff`,
//! d rounds, and the tag `v0 ^ v1 ^ v2 ^ v3`.
//!
//! A tag of twice the width starts from `v1 ^ 0xee` and ends with `v2 ^= 0xee`. Its second half comes after `v1 ^=
//! 0xdd` and d more rounds.
//!
//! HalfSipHash is the same on 32-bit words, with other constants, and its tag is `v1 ^ v3`. So everything here is
//! generic over the word: `u64` is SipHash, `u32` HalfSipHash.

mod batch;
mod layout;
pub mod rounds;
mod state;
mod word;

pub use batch::{Batch, Long, SmallBatch, X1Long, Xn};
pub use layout::{Layout, Messages, RawView, fault, fault_of_one, viewed, viewed_by_branch, viewed_in_one};
pub(crate) use rounds::by_rounds;
pub use rounds::{Counted, Fixed, Rounds};
#[cfg_attr(
    not(target_arch = "aarch64"),
    allow(unused_imports, reason = "rows of AArch64 rotate separately")
)]
pub use state::{Fused, Rotation, Separate, State};
pub use word::{Tag, Tags, Word};
