//! The implementations of Poly1305 to time, ours and others'.
//!
//! As for SipHash, an engine is a type that implements [`Poly1305`], and an entry in the list of its module.
//! Each message comes with its key.

#[cfg(feature = "peers")]
mod aws_lc;
mod entry;
mod ipsec_mb;
mod keylane;
mod libsodium;
#[cfg(feature = "internals")]
mod methods;
mod openssl;
mod reading;
#[cfg(feature = "internals")]
mod rows;
mod rustcrypto;
mod specification;

pub use self::entry::Engine;
pub use self::keylane::{many, one};
#[cfg(feature = "internals")]
pub use self::methods::with_methods;
pub use self::reading::{plain, reading};
#[cfg(feature = "internals")]
pub use self::rows::{absent, lab, table};
pub use self::specification::specification;
pub use crate::work::hash::Poly1305;

use anyhow::Result;

/// The lab's rows: none in a program without the lab.
///
/// # Errors
/// None.
#[cfg(not(feature = "internals"))]
pub fn lab() -> Result<Vec<Engine>> {
    Ok(Vec::new())
}

/// The rows that this CPU cannot run: a program without `internals` does not know them.
#[cfg(not(feature = "internals"))]
pub fn absent() -> Vec<super::Missing> {
    Vec::new()
}

/// Every peer in this program, with its answers checked. For `many` messages, also those with a separate call
/// for many.
///
/// # Errors
/// A peer gives a wrong answer.
pub fn peers(many: bool) -> Result<Vec<Engine>> {
    let lists = [
        ipsec_mb::engines,
        openssl::engines,
        libsodium::engines,
        #[cfg(feature = "peers")]
        aws_lc::engines,
        rustcrypto::engines,
    ];
    let mut peers: Vec<Engine> = lists.iter().flat_map(|list| list()).collect();
    if many {
        peers.extend(ipsec_mb::bursts());
    }
    peers.iter().try_for_each(Engine::check)?;
    Ok(peers)
}
