//! A message that arrives in pieces.

use super::one::HashOne;
use crate::arch::portable::siphash_x1::finish;
use crate::dispatch::words::Dispatched;
use crate::error::TagMismatch;
use crate::job::buffer::Partial;
use crate::job::independently;
use crate::job::siphash::{Rounds, State, Tag, Word};
use core::fmt;
use core::marker::PhantomData;

/// Computes the tag of a message that arrives in pieces. [`Prepared::stream`](super::Prepared::stream) makes it. Its
/// names are [`siphash::Stream`](super::Stream) and [`halfsiphash::Stream`](crate::halfsiphash::Stream).
///
/// It is as secret as the key: it is wiped when it is dropped, and `Debug` does not show it.
#[derive(Clone)]
pub struct Stream<W: Word, R: Rounds, T: Tag<W>> {
    state: State<W>,
    waiting: Partial<W>,
    /// The message's length so far. Only `len % 256` reaches the tag, so it may wrap.
    len: usize,
    rounds: R,
    tag: PhantomData<fn() -> T>,
}

impl<W: Word, R: Rounds, T: Tag<W>> Stream<W, R, T> {
    #[inline]
    pub(super) fn new(state: State<W>, rounds: R) -> Self {
        Stream { state, waiting: Partial::EMPTY, len: 0, rounds, tag: PhantomData }
    }

    /// The tag of the pieces so far. More may follow.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash13};
    /// let h = SipHash13::new(&Key::from_bytes([7; 16]));
    /// let mut s = h.stream();
    /// s.update(b"mess");
    /// assert_eq!(s.finish(), h.hash(b"mess"));
    /// s.update(b"age");
    /// assert_eq!(s.finish(), h.hash(b"message"));
    /// ```
    #[inline]
    pub fn finish(&self) -> T {
        independently! {
            finish::<_, _, _, true>(self.rounds, self.state, self.waiting.bytes | W::length(self.len))
        }
    }

    /// Checks that `tag` is the tag of the pieces so far. The time does not depend on which bytes differ.
    ///
    /// # Errors
    /// [`TagMismatch`]: the tags differ.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash13};
    /// let h = SipHash13::new(&Key::from_bytes([7; 16]));
    /// let mut s = h.stream();
    /// s.update(b"message");
    /// assert!(s.verify(h.hash(b"message")).is_ok());
    /// ```
    #[inline]
    pub fn verify(&self, tag: T) -> Result<(), TagMismatch> {
        independently! {
            if self.finish().eq_constant_time(tag) { Ok(()) } else { Err(TagMismatch) }
        }
    }
}

impl<W: Dispatched, R: HashOne, T: Tag<W>> Stream<W, R, T> {
    /// Takes the next piece, of any length. The tag does not depend on where the message is cut.
    #[inline]
    pub fn update(&mut self, piece: &[u8]) {
        independently! {
            let Stream { state, waiting, len, rounds, .. } = self;
            match *piece {
                [byte] => {
                    if let Some(word) = waiting.push(byte) {
                        rounds.absorb(state, &[word]);
                    }
                }
                // Whole words, and none waits: nothing is joined.
                _ if waiting.len == 0 && piece.len().is_multiple_of(W::SIZE) => {
                    rounds.absorb(state, W::split(piece).0);
                }
                _ => waiting.feed(piece, |words| rounds.absorb(state, words)),
            }
            *len = len.wrapping_add(piece.len());
        }
    }
}

impl<W: Word, R: Rounds, T: Tag<W>> fmt::Debug for Stream<W, R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({}-{}, ..)", self.rounds.c(), self.rounds.d())
    }
}

impl<W: Word, R: Rounds, T: Tag<W>> Drop for Stream<W, R, T> {
    #[inline]
    fn drop(&mut self) {
        self.state.wipe();
        self.waiting.wipe();
    }
}
