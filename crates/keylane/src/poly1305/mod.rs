//! Poly1305: a one-time authenticator of 128 bits.
//!
//! Source: D. J. Bernstein, "The Poly1305-AES message-authentication code", 2005; RFC 8439, section 2.5. The key has 32
//! bytes and authenticates **one message**.
//!
//! ```
//! use keylane::poly1305::{OneTimeKey, Poly1305, Tag, mac};
//!
//! // RFC 8439, section 2.5.2.
//! let key = [
//!     0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8,
//!     0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
//! ];
//! let tag = mac(OneTimeKey::from_bytes(key), b"Cryptographic Forum Research Group");
//! assert_eq!(tag.to_bytes(), 0xa8061dc1305136c6c22b8baf0c0127a9u128.to_be_bytes());
//!
//! let mut p = Poly1305::new(OneTimeKey::from_bytes(key));
//! p.update(b"Cryptographic Forum ");
//! p.update(b"Research Group");
//! assert!(p.finish().verify(&tag).is_ok());
//! ```
//!
//! # What a tag promises
//! Without the key, one try at forging a message of L bytes succeeds with probability at most 8 ceil(L / 16) / 2^106.
//! That holds for one message under a key.
//!
//! **Two messages under one key reveal the key**, and then anyone can forge. So [`mac`] and [`Poly1305::new`] consume
//! the key, and neither a key nor a computation in progress can be copied. Derive a fresh key for each message from a
//! cipher and a nonce: the modules `rfc8439` and `aes` (behind features) do that.
//!
//! A tag does not commit to the key: someone who chooses the key can find another key and message with the same tag.

#[cfg(feature = "aes")]
pub mod aes;
mod batch;
#[cfg(feature = "chacha20")]
pub mod rfc8439;

pub use crate::error::{BatchError, TagMismatch};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use batch::{kernel_group, mac_each, macs_by_kernel};
pub use batch::{mac_batch, verify_batch};

use crate::arch::portable::{poly1305_inline, poly1305_last};
use crate::dispatch::plan;
use crate::dispatch::table::{POLY1305_PN, POLY1305_X1};
use crate::job::buffer::{Gathered, LeInt, Partial};
use crate::job::independently;
use crate::job::limits::FROM_BYTES;
use crate::job::poly1305::{Blocks, Key, Message, Powers, State, last_block};
use crate::job::wipe::{wipe, wipe_table};
use core::fmt;

/// A key for one message. It is wiped when it is dropped, and `Debug` does not show it.
pub struct OneTimeKey(pub(crate) Key);

impl OneTimeKey {
    /// Makes a key from its bytes: 16 bytes of r, whose 22 clamped bits are ignored, then 16 bytes of s. The caller
    /// must wipe its own copy of the bytes.
    #[inline]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        OneTimeKey(Key::from_bytes(&bytes))
    }

    /// Makes a random key from the system's random number generator.
    ///
    /// # Errors
    /// Fails if the system's random number generator does.
    #[cfg(feature = "getrandom")]
    pub fn generate() -> Result<Self, crate::error::NoRandomness> {
        crate::error::random(Self::from_bytes)
    }
}

impl fmt::Debug for OneTimeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OneTimeKey(..)")
    }
}

impl Drop for OneTimeKey {
    #[inline]
    fn drop(&mut self) {
        self.0.wipe();
    }
}

/// The tag of a message. Consumes the key.
///
/// ```
/// use keylane::poly1305::{OneTimeKey, mac};
///
/// let key = || OneTimeKey::from_bytes([7; 32]);
/// let tag = mac(key(), b"message");
/// assert!(mac(key(), b"message").verify(&tag).is_ok());
/// assert!(mac(key(), b"massage").verify(&tag).is_err());
/// ```
#[inline(always)]
pub fn mac(key: OneTimeKey, message: &[u8]) -> Tag {
    independently! {
        if message.len() >= FROM_BYTES {
            let Key { r: [r0, r1], s: [s0, s1] } = key.0;
            return Tag(mac_long(r0, r1, s0, s1, message).to_le_bytes());
        }
        let (blocks, tail) = u128::split(message);
        let mut state = State::new(key.0);
        poly1305_inline(&mut state, blocks, &[]);
        if !tail.is_empty() {
            poly1305_last(&mut state, last_block(message));
        }
        Tag(state.tag().to_le_bytes())
    }
}

/// The tag of a long message, as a number. Not inlined, so the state of a short message stays in registers. The key
/// comes in registers, the tag is returned in registers, and every case is a call at the end.
#[inline(never)]
fn mac_long(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
    let Some(chosen) = POLY1305_PN.chosen() else { return choose_and_mac(r0, r1, s0, s1, message) };
    match chosen.if_profitable(message.len()) {
        Some(kernel) => match kernel.mac([r0, r1], [s0, s1], message) {
            Some(tag) => tag,
            None => mac_in_memory(r0, r1, s0, s1, message),
        },
        None => mac_by_blocks(r0, r1, s0, s1, message),
    }
}

/// The tag of a long message by a kernel that takes its key in memory.
#[inline(never)]
fn mac_in_memory(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
    let (mut key, mut tag) = (Key { r: [r0, r1], s: [s0, s1] }, 0);
    POLY1305_PN.run(Message::Whole { key: &key, message, tag: &mut tag });
    key.wipe();
    tag
}

/// The tag of the first long message.
#[cold]
#[inline(never)]
fn choose_and_mac(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
    POLY1305_PN.choose();
    mac_long(r0, r1, s0, s1, message)
}

/// The tag of a long message that no kernel of `poly1305-pn` wants.
#[inline(never)]
fn mac_by_blocks(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
    let (blocks, tail) = u128::split(message);
    let mut state = State::new(Key { r: [r0, r1], s: [s0, s1] });
    POLY1305_X1.run(Blocks { state: &mut state, blocks, tail });
    let tag = state.tag();
    state.wipe();
    tag
}

/// Computes the tag of a message that arrives in pieces of any length. It is wiped when it is dropped, and `Debug` does
/// not show it.
///
/// Up to 15 bytes of the message wait in the object for the rest of their block. If a message of more than 512 bytes
/// comes in shorter pieces, up to 512 bytes wait, so that they can be computed together. They are wiped, too.
///
/// ```
/// use keylane::poly1305::{OneTimeKey, Poly1305, mac};
///
/// let key = || OneTimeKey::from_bytes([7; 32]);
/// let mut p = Poly1305::new(key());
/// p.update(b"mess");
/// p.update(b"age");
/// assert!(p.finish().verify(&mac(key(), b"message")).is_ok());
/// ```
pub struct Poly1305 {
    state: State,
    waiting: Partial<u128>,
    powers: Powers,
    /// How many bytes have been absorbed, at most `usize::MAX`.
    absorbed: usize,
    /// The bytes that wait once a long message comes in short pieces. Then nothing is in `waiting`.
    gathered: Option<Gathered>,
}

impl Poly1305 {
    /// Begins a message. Consumes the key.
    #[inline]
    pub fn new(key: OneTimeKey) -> Self {
        let (state, waiting) = (State::new(key.0), Partial::EMPTY);
        Poly1305 { state, waiting, powers: Powers::Unknown, absorbed: 0, gathered: None }
    }

    /// Takes the next piece, of any length. The tag does not depend on where the message is cut.
    #[inline]
    pub fn update(&mut self, piece: &[u8]) {
        independently! {
            if let Some(gathered) = &mut self.gathered {
                // The copy of a single byte needs no branches on its length.
                let is_put = if let &[byte] = piece { gathered.put(&[byte]) } else { gathered.put(piece) };
                if !is_put {
                    self.absorb_gathered(piece);
                }
                return;
            }
            let Poly1305 { state, waiting, powers, absorbed, .. } = self;
            waiting.feed(piece, |blocks| absorb(state, powers, absorbed, blocks));
            if *absorbed > Gathered::SIZE && piece.len() < Gathered::SIZE {
                self.gather();
            }
        }
    }

    /// Begins to gather short pieces.
    #[cold]
    #[inline(never)]
    fn gather(&mut self) {
        let Partial { bytes, len } = self.waiting;
        let gathered = self.gathered.insert(Gathered::EMPTY);
        gathered.put(bytes.to_le_bytes().get(..len).unwrap_or(&[]));
        self.waiting.wipe();
    }

    /// Takes a piece that there is no room for.
    #[inline(never)]
    fn absorb_gathered(&mut self, piece: &[u8]) {
        let Poly1305 { state, powers, absorbed, gathered: Some(gathered), .. } = self else { return };
        // A long piece is not copied, except for what the last block lacks.
        let wanted = if piece.len() < Gathered::SIZE { gathered.room() } else { gathered.missing() };
        let (first, mut rest) = piece.split_at_checked(wanted).unwrap_or((piece, &[]));
        gathered.put(first);
        absorb(state, powers, absorbed, gathered.split().0);
        gathered.clear();
        if rest.len() >= Gathered::SIZE {
            let (blocks, tail) = u128::split(rest);
            absorb(state, powers, absorbed, blocks);
            rest = tail;
        }
        gathered.put(rest);
    }

    /// The tag of the whole message.
    #[inline(always)]
    pub fn finish(mut self) -> Tag {
        // If the compiler sees that there are no powers and no bytes to wipe, it does not move their place.
        if self.powers.are_unknown() && self.gathered.is_none() { self.last() } else { finish_long(self) }
    }

    /// The tag of the whole message, computed in place. For the C library, whose users hold the state. After this call,
    /// only dropping it is allowed.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    #[inline]
    pub fn finish_in_place(&mut self) -> Tag {
        self.last()
    }

    /// A copy of the computation, for interfaces of others that have one. **The tags of two different messages reveal
    /// the key.** The copy computes its powers of r anew.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn duplicate(&self) -> Self {
        let Poly1305 { state, waiting, absorbed, gathered, .. } = self;
        let (waiting, powers) = (waiting.clone(), Powers::Unknown);
        let mut copy = Poly1305 { state: *state, waiting, powers, absorbed: *absorbed, gathered: None };
        if let Some(gathered) = gathered {
            let (blocks, tail) = gathered.split();
            let places = copy.gathered.insert(Gathered::EMPTY);
            places.put(blocks.as_flattened());
            places.put(tail);
        }
        copy
    }

    /// Absorbs the incomplete block, if any, and computes the tag.
    #[inline(always)]
    fn last(&mut self) -> Tag {
        independently! {
            if let Some(gathered) = &self.gathered {
                let (blocks, tail) = gathered.split();
                absorb(&mut self.state, &mut self.powers, &mut self.absorbed, blocks);
                self.waiting = Partial { bytes: u128::from_short(tail), len: tail.len() };
            }
            let Partial { bytes, len } = self.waiting;
            if len > 0 {
                poly1305_last(&mut self.state, 1u128.put_above(bytes, len));
            }
            Tag(self.state.tag().to_le_bytes())
        }
    }
}

/// The tag of a message that had long pieces, or many short ones.
#[inline(never)]
fn finish_long(mut message: Poly1305) -> Tag {
    message.last()
}

/// Absorbs blocks.
#[inline(always)]
pub(crate) fn absorb(state: &mut State, powers: &mut Powers, absorbed: &mut usize, blocks: &[[u8; 16]]) {
    match blocks.len() * 16 {
        FROM_BYTES.. => long_piece(state, powers, absorbed, blocks),
        _ => {
            *absorbed = absorbed.saturating_add(blocks.len() * 16);
            poly1305_inline(state, blocks, &[]);
        }
    }
}

/// Absorbs a long piece.
#[inline(never)]
fn long_piece(state: &mut State, powers: &mut Powers, absorbed: &mut usize, blocks: &[[u8; 16]]) {
    let len = blocks.len() * 16;
    let before = *absorbed;
    *absorbed = before.saturating_add(len);
    match plan::piece(len, before, powers.are_unknown()) {
        Some(kernel) => kernel.run(Message::Piece { state, powers, blocks }),
        None => POLY1305_X1.run(Blocks { state, blocks, tail: &[] }),
    }
}

impl fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Poly1305(..)")
    }
}

impl Drop for Poly1305 {
    #[inline]
    fn drop(&mut self) {
        // What may not be there comes first: after a fence the compiler no longer knows what `finish` has learnt.
        if let Some(gathered) = &mut self.gathered {
            gathered.wipe();
        }
        self.powers.wipe();
        self.state.wipe();
        self.waiting.wipe();
    }
}

/// A tag of 16 bytes.
///
/// It has no `==`, whose running time might reveal where two tags differ: [`verify`](Tag::verify) compares. `Debug`
/// does not show the tag: a log with the right tag of an attacker's message would give the attacker a forgery.
///
/// ```
/// use keylane::poly1305::Tag;
///
/// let tag = Tag::from_bytes([7; 16]);
/// assert!(tag.verify(&Tag::from_bytes(tag.to_bytes())).is_ok());
/// assert!(tag.verify(&Tag::default()).is_err());
/// ```
#[derive(Clone, Copy, Default)]
pub struct Tag([u8; 16]);

impl Tag {
    /// Makes a tag from its bytes.
    #[inline]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Tag(bytes)
    }

    /// The bytes of the tag.
    #[inline]
    pub fn to_bytes(&self) -> [u8; 16] {
        self.0
    }

    /// Checks that two tags are equal. The time does not depend on which bytes differ.
    ///
    /// # Errors
    /// [`TagMismatch`]: the tags differ.
    #[inline]
    pub fn verify(&self, other: &Tag) -> Result<(), TagMismatch> {
        independently! {
            let mut difference = u128::from_le_bytes(self.0) ^ u128::from_le_bytes(other.0);
            let is_same = *core::hint::black_box(&mut difference) == 0;
            // With it, and the wrong tag, comes the right one.
            wipe(&mut difference);
            if is_same { Ok(()) } else { Err(TagMismatch) }
        }
    }

    /// Whether this tag, which was computed, is the given one. It is wiped: the right tag of a forged message is a forgery.
    #[inline]
    pub(crate) fn is(mut self, given: &Tag) -> bool {
        let is_same = self.verify(given).is_ok();
        wipe_table(&mut self.0);
        is_same
    }
}

impl AsRef<[u8]> for Tag {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tag(..)")
    }
}
