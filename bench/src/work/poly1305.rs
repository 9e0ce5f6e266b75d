//! Poly1305: every message under its own key.

use super::hash::Poly1305;
use keylane_measure::chain::veil;
use std::hint::black_box;

/// The number of keys used in turn: a power of two, so that selecting one costs next to nothing.
pub const KEYS: usize = 64;

/// Messages in a call of [`Work::batch`].
pub const BATCH: usize = 64;

/// One message after the other, as in [`one`](super::one).
pub enum One<'a> {
    /// Independent calls.
    Independent {
        /// The keys, one message after the other.
        keys: &'a [[u8; 32]; KEYS],
        /// The messages.
        messages: Vec<&'a [u8]>,
        /// How often each is authenticated.
        passes: usize,
    },
    /// Dependent calls. The position of the key, and the beginning and end of the message, depend on the
    /// previous tag but are always the same.
    Dependent {
        /// The keys, one call after the other.
        keys: &'a [[u8; 32]; KEYS],
        /// The message.
        message: &'a [u8],
        /// The number of calls.
        calls: usize,
    },
}

impl One<'_> {
    /// The number of calls.
    pub fn calls(&self) -> usize {
        match self {
            One::Independent { messages, passes, .. } => messages.len() * passes,
            One::Dependent { calls, .. } => *calls,
        }
    }
}

/// Many messages, and as many keys.
#[derive(Clone, Copy)]
pub struct Many<'a> {
    /// A key for each message.
    pub keys: &'a [[u8; 32]],
    /// The messages.
    pub messages: &'a [&'a [u8]],
}

/// The work of an engine of any type. Every [`Poly1305`] can do it.
pub trait Work {
    /// The tag of a message. Not timed.
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16];
    /// The tags of many messages, [`BATCH`] in a call. Not timed.
    fn macs(&self, input: Many<'_>) -> Vec<[u8; 16]>;
    /// Authenticates one message after the other. The result depends on every tag.
    fn one(&self, input: &One<'_>) -> u64;
    /// Authenticates many messages, [`BATCH`] in a call, `passes` times.
    fn batch(&self, input: Many<'_>, passes: usize);
}

impl<E: Poly1305> Work for E {
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        bytes(&Poly1305::mac(self, key, message))
    }

    fn macs(&self, Many { keys, messages }: Many<'_>) -> Vec<[u8; 16]> {
        let mut tags = vec![E::Tag::default(); messages.len()];
        for (keys, (messages, tags)) in
            keys.chunks(BATCH).zip(messages.chunks(BATCH).zip(tags.chunks_mut(BATCH)))
        {
            Poly1305::macs(self, keys, messages, tags);
        }
        tags.iter().map(bytes).collect()
    }

    fn one(&self, input: &One<'_>) -> u64 {
        match *input {
            One::Independent { keys, ref messages, passes } => independent(self, keys, messages, passes),
            One::Dependent { keys, message, calls } => dependent(self, keys, message, calls),
        }
    }

    fn batch(&self, input: Many<'_>, passes: usize) {
        batch(self, input, passes);
    }
}

/// The bytes of a tag.
#[inline(always)]
fn bytes(tag: &impl AsRef<[u8]>) -> [u8; 16] {
    *tag.as_ref().first_chunk().expect("a tag has 16 bytes")
}

/// A number that depends on the whole tag.
#[inline(always)]
fn number(tag: &impl AsRef<[u8]>) -> u64 {
    let tag = u128::from_le_bytes(bytes(tag));
    tag as u64 ^ (tag >> 64) as u64
}

#[inline(never)]
fn independent<E: Poly1305>(engine: &E, keys: &[[u8; 32]; KEYS], messages: &[&[u8]], passes: usize) -> u64 {
    let mut sum = 0u64;
    for _ in 0..passes {
        for (key, message) in keys.iter().cycle().zip(messages) {
            sum = sum.wrapping_add(veil(number(&engine.mac(key, message))));
        }
    }
    sum
}

#[inline(never)]
fn dependent<E: Poly1305>(engine: &E, keys: &[[u8; 32]; KEYS], message: &[u8], calls: usize) -> u64 {
    let nothing = veil(0);
    let mut tag = 0;
    for call in 0..calls {
        // Always the call's key and the whole message, but only someone who knows that `nothing` is 0 could
        // tell.
        let start = (tag & nothing) as usize;
        tag = number(&engine.mac(&keys[(call + start) % KEYS], &message[start..message.len() - start]));
    }
    tag
}

#[inline(never)]
fn batch<E: Poly1305>(engine: &E, input: Many<'_>, passes: usize) {
    let mut tags = [E::Tag::default(); BATCH];
    for _ in 0..passes {
        for (keys, messages) in input.keys.chunks(BATCH).zip(input.messages.chunks(BATCH)) {
            engine.macs(keys, messages, &mut tags[..messages.len()]);
            black_box(&mut tags);
        }
    }
}
