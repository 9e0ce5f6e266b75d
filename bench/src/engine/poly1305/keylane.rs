//! keylane itself.

use super::{Engine, Poly1305};
use crate::engine::Side;
use crate::engine::keylane::{Slot, kernels_of, settle};
use crate::work::poly1305::Work;
use anyhow::Result;
use keylane::dispatch::table::POLY1305_PN;
use keylane::job::poly1305::{Key, Message};
use keylane::job::limits::Method;
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

/// keylane with a given kernel and given thresholds, for `cargo xtask tune`. If `unlimited`, short messages
/// use the slot too, although `mac` would not.
pub fn with_methods(
    name: &str,
    side: Side,
    kernel: (&'static str, &'static str),
    ways: Vec<(Method, usize)>,
    unlimited: bool,
) -> Engine {
    let work: Box<dyn Work> = if unlimited { Box::new(Unlimited) } else { Box::new(Keylane) };
    Engine { kernels: vec![kernel], ways, ..Engine::new(name, side, work) }
}

struct Keylane;

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

/// keylane, with a `mac` that uses the slot at every length.
struct Unlimited;

impl Poly1305 for Unlimited {
    type Tag = Tag;

    #[inline(always)]
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> Tag {
        let mut key = Key::from_bytes(key);
        let tag = by_slot(&key, message);
        key.wipe();
        Tag::from_bytes(tag.to_le_bytes())
    }
}

/// The tag of a message of any length by the active kernel.
#[inline(never)]
fn by_slot(key: &Key, message: &[u8]) -> u128 {
    let mut tag = 0;
    if let Some(kernel) = POLY1305_PN.if_profitable(message.len()) {
        kernel.run(Message::Whole { key, message, tag: &mut tag });
    }
    tag
}
