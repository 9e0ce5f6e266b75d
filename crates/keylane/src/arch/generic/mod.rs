//! The algorithms that kernels of several instruction sets share, each written once over a trait of vectors.
//!
//! * `vertical`, `ragged`: SipHash and HalfSipHash of many messages, one in each lane. `lanes` is the trait of an
//!   instruction set, `lanes128` implements it for vectors of 128 bits, `engine` has the rounds, `quad` and `tile`
//!   the loads.
//! * `dup`: SipHash of one long message, with the next word injected beside the round.
//! * `radix26`: Poly1305 of one message, many blocks at a time. `messages26`: of four messages, one in each lane.
//! * `chacha20`: ChaCha20 of one message or of many, many blocks at a time. `words128` implements its trait of vectors
//!   for 128 bits.
//! * `groups`: chooses the messages of a Poly1305 batch that share a vector.
//!
//! These files are compiled on every target, though not every target has a kernel that uses them.

pub mod chacha20;
pub mod dup;
#[cfg(target_endian = "little")]
pub mod engine;
pub mod groups;
#[cfg(target_endian = "little")]
pub mod lanes;
#[cfg(target_endian = "little")]
pub mod lanes128;
pub mod messages26;
pub mod parts26;
#[cfg(target_endian = "little")]
pub mod quad;
pub mod radix26;
#[cfg(target_endian = "little")]
pub mod ragged;
#[cfg(target_endian = "little")]
pub mod tile;
#[cfg(target_endian = "little")]
pub mod vertical;
#[cfg(target_endian = "little")]
pub mod words128;
