//! Runs the algorithms of keylane's kernels on symbols instead of numbers.
//!
//! A kernel is written once over a trait of vectors, and an instruction set implements the trait. Here symbols
//! implement it. A run of a kernel on symbols gives its result as a function of the key and the message, and a test
//! compares it with the specification's. If they are equal, the algorithm is right for all keys and messages of that
//! length and shape, not only for those that were tried. docs/CHECKED.md says what that covers and what it rests on.
//!
//! * [`terms`]: SipHash, HalfSipHash and ChaCha20. A word is a term in a normal form; equal terms are equal words.
//! * [`numbers`]: Poly1305. A number is its value modulo 2^130 - 5 at a random point, a range and a degree.
//!
//! The code that runs is the library's own, reached by its feature `internals`. A symbol has no value, so a branch, a
//! comparison or an index that depends on one panics: the test fails.

pub mod numbers;
mod seed;
pub mod terms;

pub use seed::seed;
