//! Which kernel runs. The only layer that names kernels.
//!
//! * [`table`]: every kernel of every slot, best first.
//! * [`plan`]: asks whether a row takes a batch, or the caller's loop.
//! * [`select`]: chooses the row of a slot that runs.
//! * [`selftest`]: the known answers that a row must give before it may be chosen.
//! * [`words`]: the slots of SipHash and of HalfSipHash.
//! * `environment`: the choice by `KEYLANE_KERNEL`. `loader`: its value at the start. `errors`: why a choice fails.

pub mod environment;
pub mod errors;
#[cfg(feature = "std")]
mod loader;
pub mod plan;
pub mod select;
pub mod selftest;
pub mod table;
pub mod words;
