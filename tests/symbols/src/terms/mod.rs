//! SipHash, HalfSipHash and ChaCha20 on terms.
//!
//! * `arena`: terms in a normal form. Terms with equal ids are equal for all keys and messages.
//! * `word`: a word that is a term, for the library's generic code.
//! * `lanes`, `vectors32`: the traits of an instruction set for SipHash and for ChaCha20.
//! * `specification`: what kernels are compared with.
//! * `batch`, `one`, `keystream`: runs kernels and compares.

mod arena;
pub mod batch;
pub mod keystream;
pub mod lanes;
pub mod one;
pub mod specification;
pub mod vectors32;
mod word;

pub use arena::{count, forget};
pub use word::{Symbol, Two};
