//! keylane itself.

use super::{Engine, Poly1305};
use crate::engine::Side;
use crate::engine::keylane::{Slot, kernels_of, settle};
use anyhow::Result;
use keylane::poly1305::{OneTimeKey, Tag, mac, mac_batch};

/// keylane's `mac`, by default and with every kernel of its slots that runs here. All answers are checked.
///
/// # Errors
/// A kernel gives a wrong answer or fails its self-test.
pub fn one() -> Result<Vec<Engine>> {
    let engines = kernels_of(Slot::Poly1305One, || Box::new(Keylane) as _)?;
    engines.iter().try_for_each(Engine::check)?;
    Ok(engines)
}

/// keylane's `mac_batch`, by default and with every kernel of its slot that runs here, and a loop over `mac`.
/// The answers are checked in each cell.
///
/// # Errors
/// A kernel fails its self-test.
pub fn many() -> Result<Vec<Engine>> {
    let mut engines = kernels_of(Slot::Poly1305Many, || Box::new(Keylane) as _)?;
    engines.push(Engine::poly1305("keylane one by one", Side::OurOther, OneByOne));
    settle(&mut engines);
    Ok(engines)
}

/// keylane as its users get it.
pub(super) struct Keylane;

impl Poly1305 for Keylane {
    type Tag = Tag;

    #[inline(always)]
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> Tag {
        mac(OneTimeKey::from_bytes(*key), message)
    }

    #[inline(always)]
    fn macs(&self, keys: &[[u8; 32]], messages: &[&[u8]], tags: &mut [Tag]) {
        let keys = keys.iter().map(|key| OneTimeKey::from_bytes(*key));
        mac_batch(keys, messages, tags).expect("as many keys, messages and tags");
    }
}

/// keylane with a call for each message.
struct OneByOne;

impl Poly1305 for OneByOne {
    type Tag = Tag;

    #[inline(always)]
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> Tag {
        mac(OneTimeKey::from_bytes(*key), message)
    }
}
