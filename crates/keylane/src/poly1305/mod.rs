//! Poly1305: a one-time authenticator of 128 bits.
//!
//! Written by D. J. Bernstein ("The Poly1305-AES message-authentication code", 2005); RFC 8439,
//! section 2.5. The key is 32 bytes and good for **one message**.
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
//! Whoever does not know the key forges a message of L bytes with chance at most
//! 8 ceil(L / 16) / 2^106 a try. That holds for one message under a key. **Two messages under one
//! key give the key away** and anyone can forge from then on. So a key is moved into [`mac`] and
//! [`Poly1305::new`], and neither it nor a computation in progress can be copied. Get a fresh key
//! for each message from a cipher and a nonce: the modules `rfc8439` and `aes` do, behind features.
//!
//! A tag does not commit to the key: whoever chooses the key can find another key and message with
//! the same tag.

#[cfg(feature = "aes")]
pub mod aes;
mod batch;
#[cfg(feature = "chacha20")]
pub mod rfc8439;

pub use crate::error::{BatchError, TagMismatch};
pub use batch::{mac_batch, verify_batch};

use crate::arch::portable::{poly1305_inline, poly1305_last};
use crate::dispatch::table::{POLY1305_PN, POLY1305_X1};
use crate::job::buffer::{LeInt, Partial};
use crate::job::poly1305::{Blocks, Key, Message, Powers, State, last_block};
use crate::job::thresholds::LONG;
use core::fmt;

/// A key for one message. It is wiped when it is dropped, and `Debug` does not show it.
pub struct OneTimeKey(pub(crate) Key);

impl OneTimeKey {
    /// A key from its bytes: 16 of r, of which 22 bits are ignored, and 16 of s. The caller's own
    /// copy of the bytes stays the caller's to wipe.
    #[inline]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        OneTimeKey(Key::from_bytes(&bytes))
    }

    /// A fresh random key.
    ///
    /// # Errors
    /// The system's source of random bytes failed.
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

/// The tag of a message, which consumes its key.
#[inline(always)]
pub fn mac(key: OneTimeKey, message: &[u8]) -> Tag {
    if message.len() >= LONG {
        // A copy, wiped there: by reference, a short one's key would be in memory and in registers.
        return Tag(mac_long(OneTimeKey(key.0), message).to_le_bytes());
    }
    let (blocks, tail) = u128::split(message);
    let mut state = State::new(key.0);
    poly1305_inline(&mut state, blocks, &[]);
    if !tail.is_empty() {
        poly1305_last(&mut state, last_block(message));
    }
    Tag(state.tag().to_le_bytes())
}

/// The tag of a long message, as a number, which is returned in registers. Apart, so
/// that the state of a short one stays in them.
#[inline(never)]
fn mac_long(key: OneTimeKey, message: &[u8]) -> u128 {
    if let Some(kernel) = POLY1305_PN.if_profitable(message.len()) {
        let mut tag = 0;
        kernel.run(Message::Whole { key: &key.0, message, tag: &mut tag });
        return tag;
    }
    let (blocks, tail) = u128::split(message);
    let mut state = State::new(key.0);
    POLY1305_X1.run(Blocks { state: &mut state, blocks, tail });
    let tag = state.tag();
    state.wipe();
    tag
}

/// A message that arrives in pieces of any length. It is wiped when it is dropped, and `Debug` does
/// not show it.
pub struct Poly1305 {
    state: State,
    waiting: Partial<u128>,
    powers: Powers,
    /// How many bytes have been absorbed, up to `usize::MAX`.
    absorbed: usize,
}

impl Poly1305 {
    /// Begins a message, which consumes the key.
    #[inline]
    pub fn new(key: OneTimeKey) -> Self {
        Poly1305 { state: State::new(key.0), waiting: Partial::EMPTY, powers: Powers::Unknown, absorbed: 0 }
    }

    /// Takes the next piece.
    #[inline]
    pub fn update(&mut self, piece: &[u8]) {
        let Poly1305 { state, waiting, powers, absorbed } = self;
        waiting.feed(piece, |blocks| match blocks.len() * 16 {
            LONG.. => long_piece(state, powers, absorbed, blocks),
            _ => {
                *absorbed = absorbed.saturating_add(blocks.len() * 16);
                poly1305_inline(state, blocks, &[]);
            }
        });
    }

    /// The tag of all pieces.
    #[inline(always)]
    pub fn finish(mut self) -> Tag {
        // Where the compiler sees that there are no powers to wipe, it does not move their kibibyte.
        if self.powers.are_unknown() { self.last() } else { finish_long(self) }
    }

    /// The tag of all pieces, where they stand: for the C library, whose users hold the state. Nothing may be
    /// done with it afterwards but to drop it.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    #[inline]
    pub fn finish_in_place(&mut self) -> Tag {
        self.last()
    }

    /// The tag, by way of the block that is not full.
    #[inline(always)]
    fn last(&mut self) -> Tag {
        let Partial { bytes, len } = self.waiting;
        if len > 0 {
            poly1305_last(&mut self.state, 1u128.above(bytes, len));
        }
        Tag(self.state.tag().to_le_bytes())
    }
}

/// The tag of a message that has had long pieces.
#[inline(never)]
fn finish_long(mut message: Poly1305) -> Tag {
    message.last()
}

/// Absorbs a long piece. Into the vectors of a kernel and out again costs as much as a few blocks, and the
/// powers of r as much as some more: the latter are there, or will be there for the next piece, once the
/// message has turned out long.
#[inline(never)]
fn long_piece(state: &mut State, powers: &mut Powers, absorbed: &mut usize, blocks: &[[u8; 16]]) {
    let len = blocks.len() * 16;
    let before = *absorbed;
    *absorbed = before.saturating_add(len);
    let worth = if before < len { len } else { 2 * len };
    match POLY1305_PN.if_profitable(worth) {
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
        // First: behind a fence the compiler no longer knows what `finish` has seen of them.
        self.powers.wipe();
        self.state.wipe();
        self.waiting.wipe();
    }
}

/// A tag: 16 bytes.
///
/// It has no `==`, which might tell by its running time where two tags differ:
/// [`verify`](Tag::verify) compares. `Debug` does not show it, since the right tag of a message that
/// someone else has sent is a forgery in a log.
#[derive(Clone, Copy, Default)]
pub struct Tag([u8; 16]);

impl Tag {
    /// A tag from its bytes.
    #[inline]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Tag(bytes)
    }

    /// The bytes.
    #[inline]
    pub fn to_bytes(&self) -> [u8; 16] {
        self.0
    }

    /// Whether two tags are equal, in time that does not depend on where they differ.
    ///
    /// # Errors
    /// They are not.
    #[inline]
    pub fn verify(&self, other: &Tag) -> Result<(), TagMismatch> {
        let difference = u128::from_le_bytes(self.0) ^ u128::from_le_bytes(other.0);
        if core::hint::black_box(difference) == 0 { Ok(()) } else { Err(TagMismatch) }
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
