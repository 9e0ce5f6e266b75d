//! keylane with a given kernel and given thresholds.

use super::keylane::Keylane;
use super::{Engine, Poly1305};
use crate::engine::Side;
use crate::work::poly1305::Work;
use keylane::dispatch::table::POLY1305_PN;
use keylane::job::limits::Method;
use keylane::job::poly1305::{Key, Message};
use keylane::poly1305::Tag;

/// keylane with a given kernel and given thresholds, for `cargo xtask tune`. If `unlimited`, short messages
/// use the slot too, although `mac` would not.
pub fn with_methods(
    name: &str,
    side: Side,
    kernel: (&'static str, &'static str),
    methods: Vec<(Method, usize)>,
    unlimited: bool,
) -> Engine {
    let work: Box<dyn Work> = if unlimited { Box::new(Unlimited) } else { Box::new(Keylane) };
    Engine { kernels: vec![kernel], methods, ..Engine::new(name, side, work) }
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
