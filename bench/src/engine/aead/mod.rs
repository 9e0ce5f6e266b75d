//! The implementations of ChaCha20-Poly1305 to time, ours and others'.
//!
//! An engine is a type that implements [`Aead`], and an entry in a list. All have the key [`KEY`].

mod entry;
mod foreign;
mod keylane;
mod rust;

pub use self::entry::{Engine, KEY};
pub use self::keylane::{many, one};
pub use crate::work::aead::Aead;

use anyhow::Result;

/// Every peer in this program, with its answers checked. None has a call for many packets that is not a loop.
///
/// # Errors
/// A peer gives a wrong answer.
pub fn peers() -> Result<Vec<Engine>> {
    let mut peers = foreign::engines();
    peers.extend(rust::engines());
    peers.iter().try_for_each(Engine::check)?;
    Ok(peers)
}
