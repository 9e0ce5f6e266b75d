//! The interface of the crate `siphasher` 1.x, with keylane behind it.
//!
//! A program that uses `siphasher` gets this crate by `[patch.crates-io]`, without a change to its code. Names, hashes
//! and serialised hashers are the same. Two things differ:
//!
//! * `Debug` of a hasher shows neither its key nor its state.
//! * A serialised hasher that no hasher can have is an error.
//!
//! As in `siphasher`, hashers can be copied, so they are not wiped. keylane's own types are.

#![no_std]

mod hasher;
pub mod sip;
pub mod sip128;

/// The crates that serialise.
#[cfg(feature = "serde")]
pub mod reexports {
    pub use serde;
    #[cfg(feature = "serde_json")]
    pub use serde_json;
}

/// What most users need.
pub mod prelude {
    pub use crate::sip128::Hasher128 as _;
    pub use crate::{sip, sip128};
    pub use core::hash::Hasher as _;
}
