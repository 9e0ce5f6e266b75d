//! Keys, and keys prepared for one choice of rounds and tag.

use super::one::HashOne;
use super::stream::Stream;
use crate::dispatch::words::Dispatched;
use crate::error::TagMismatch;
use crate::job::buffer::LeInt;
use crate::job::independently;
use crate::job::siphash::{Counted, Fixed, Rounds, State, Tag, Word};
use crate::job::wipe::wipe;
use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroU8;

/// A key of two words `W`. Its names are [`siphash::Key`](super::Key) and
/// [`halfsiphash::Key`](crate::halfsiphash::Key).
///
/// It is wiped when it is dropped. Neither `Debug` nor any error shows it.
///
/// ```
/// use keylane::siphash::{Key, SipHash24};
///
/// let key = Key::from_bytes(*b"sixteen byte key");
/// assert_eq!(format!("{key:?}"), "Key(..)");
/// let tag = SipHash24::new(&key).hash(b"message");
/// # let _ = tag;
/// ```
#[derive(Clone)]
pub struct Key<W: Word> {
    words: [W; 2],
}

macro_rules! key {
    ($word:ty, $size:literal) => {
        impl Key<$word> {
            /// Makes a key from its bytes, read little-endian as in the reference implementation. The caller must wipe
            /// its own copy of the bytes.
            #[inline]
            pub fn from_bytes(bytes: [u8; $size]) -> Self {
                let (words, _) = bytes.as_chunks();
                let word = |i: usize| words.get(i).map_or(0, |&word| <$word>::from_bytes(word));
                Key { words: [word(0), word(1)] }
            }

            /// Writes the bytes, for the specification, which takes them as they are. The caller must wipe them.
            #[cfg(feature = "internals")]
            pub fn write_bytes(&self, bytes: &mut [u8; $size]) {
                let (parts, _) = bytes.as_chunks_mut();
                parts.iter_mut().zip(self.words).for_each(|(part, word)| *part = word.to_le_bytes());
            }

            /// Makes a random key from the system's random number generator.
            ///
            /// # Errors
            /// Fails if the system's random number generator does.
            ///
            /// ```
            /// # use keylane::siphash::{Key, SipHash13};
            /// let h = SipHash13::new(&Key::generate()?);
            /// let tag = h.hash(b"message");
            /// # let _ = tag;
            /// # Ok::<(), Box<dyn core::error::Error>>(())
            /// ```
            #[cfg(feature = "getrandom")]
            pub fn generate() -> Result<Self, crate::error::NoRandomness> {
                crate::error::random(Self::from_bytes)
            }
        }
    };
}
key!(u64, 16);
key!(u32, 8);

impl<W: Word> Key<W> {
    /// The state before the first word, for single or double tags.
    #[inline]
    pub(crate) fn state(&self, double: bool) -> State<W> {
        State::new(self.words, double)
    }

    /// Overwrites the key with zeros.
    #[inline]
    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.words);
    }
}

impl<W: Word> fmt::Debug for Key<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl<W: Word> Drop for Key<W> {
    fn drop(&mut self) {
        self.wipe();
    }
}

/// A key prepared for SipHash (`W` = `u64`) or HalfSipHash (`W` = `u32`), with the rounds `R` and the tag type `T`. Its
/// names are [`SipHash`](super::SipHash), [`AnySipHash`](super::AnySipHash) and those of
/// [`halfsiphash`](crate::halfsiphash).
///
/// It holds the state before the first word, so a call needs no set-up. The state is as secret as the key: it is wiped
/// when it is dropped, and `Debug` does not show it. A tag is an integer; its `to_le_bytes()` are the bytes that the
/// reference implementation writes.
///
/// The running time of every method depends on the length of the message only.
#[derive(Clone)]
pub struct Prepared<W: Word, R: Rounds, T: Tag<W>> {
    pub(super) initial: State<W>,
    pub(super) rounds: R,
    tag: PhantomData<fn() -> T>,
}

impl<W: Word, const C: usize, const D: usize, T: Tag<W>> Prepared<W, Fixed<C, D>, T> {
    /// Prepares a key.
    #[inline]
    pub fn new(key: &Key<W>) -> Self {
        Self::with_rounds(key, Fixed::NEW)
    }
}

impl<W: Word, T: Tag<W>> Prepared<W, Counted, T> {
    /// Prepares a key for `c` rounds for each word and `d` rounds at the end.
    #[inline]
    pub fn new(key: &Key<W>, c: NonZeroU8, d: NonZeroU8) -> Self {
        Self::with_rounds(key, Counted::new(c, d))
    }
}

impl<W: Word, R: Rounds, T: Tag<W>> Prepared<W, R, T> {
    #[inline]
    fn with_rounds(key: &Key<W>, rounds: R) -> Self {
        Prepared { initial: key.state(T::DOUBLE), rounds, tag: PhantomData }
    }

    /// Prepares a key of words of any kind, for tests/symbols.
    #[cfg(feature = "internals")]
    pub fn from_words(words: [W; 2], rounds: R) -> Self {
        Self::with_rounds(&Key { words }, rounds)
    }

    /// The state before the first word.
    #[inline(always)]
    pub(crate) fn initial(&self) -> State<W> {
        self.initial
    }

    /// Begins a message that arrives in pieces.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash24};
    /// let h = SipHash24::new(&Key::from_bytes([7; 16]));
    /// let mut s = h.stream();
    /// s.update(b"mess");
    /// s.update(b"age");
    /// assert_eq!(s.finish(), h.hash(b"message"));
    /// ```
    #[inline]
    pub fn stream(&self) -> Stream<W, R, T> {
        Stream::new(self.initial, self.rounds)
    }
}

impl<W: Dispatched, R: HashOne, T: Tag<W>> Prepared<W, R, T> {
    /// The tag of a message.
    ///
    /// ```
    /// use keylane::siphash::{Key, SipHash24};
    ///
    /// // The authors' example: key 00 01 .. 0f, message 00 01 .. 0e.
    /// let key = Key::from_bytes(core::array::from_fn(|i| i as u8));
    /// let message: [u8; 15] = core::array::from_fn(|i| i as u8);
    /// assert_eq!(SipHash24::new(&key).hash(&message), 0xa129ca6149be45e5);
    /// ```
    #[inline]
    pub fn hash(&self, message: &[u8]) -> T {
        self.rounds.hash::<W, T, false>(&self.initial, message)
    }

    /// The tag of a message after ASCII capitals have become small letters. Each byte `A`..=`Z` counts as `a`..=`z`,
    /// every other byte as itself, in any encoding. With SipHash-1-2 this is the `siphash_nocase` of Redis.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash12};
    /// let h = SipHash12::new(&Key::from_bytes([7; 16]));
    /// assert_eq!(h.hash_nocase(b"MeSSage"), h.hash(b"message"));
    /// ```
    #[inline]
    pub fn hash_nocase(&self, message: &[u8]) -> T {
        self.rounds.hash::<W, T, true>(&self.initial, message)
    }

    /// The tag of a message whose length is known at compile time: [`hash`](Self::hash) without loops.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash24};
    /// let h = SipHash24::new(&Key::from_bytes([7; 16]));
    /// assert_eq!(h.hash_array(b"message"), h.hash(b"message"));
    /// ```
    #[inline(always)]
    pub fn hash_array<const N: usize>(&self, message: &[u8; N]) -> T {
        self.rounds.hash_array(&self.initial, message)
    }

    /// The tag of 4 bytes: `hash(&x.to_le_bytes())`, the same on every CPU.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash13};
    /// let h = SipHash13::new(&Key::from_bytes([7; 16]));
    /// assert_eq!(h.hash_u32(0x0102), h.hash(&[2, 1, 0, 0]));
    /// ```
    #[inline(always)]
    pub fn hash_u32(&self, x: u32) -> T {
        self.hash_array(&x.to_le_bytes())
    }

    /// The tag of 8 bytes: `hash(&x.to_le_bytes())`, the same on every CPU.
    #[inline(always)]
    pub fn hash_u64(&self, x: u64) -> T {
        self.hash_array(&x.to_le_bytes())
    }

    /// The tag of 16 bytes: `hash(&x.to_le_bytes())`, the same on every CPU.
    #[inline(always)]
    pub fn hash_u128(&self, x: u128) -> T {
        self.hash_array(&x.to_le_bytes())
    }

    /// Checks that `tag` is the tag of `message`. The time does not depend on which bytes differ.
    ///
    /// # Errors
    /// [`TagMismatch`]: the tags differ.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash24, TagMismatch};
    /// let h = SipHash24::new(&Key::from_bytes([7; 16]));
    /// let tag = h.hash(b"message");
    /// assert_eq!(h.verify(b"message", tag), Ok(()));
    /// assert_eq!(h.verify(b"massage", tag), Err(TagMismatch));
    /// ```
    #[inline]
    pub fn verify(&self, message: &[u8], tag: T) -> Result<(), TagMismatch> {
        independently! {
            if self.hash(message).eq_constant_time(tag) { Ok(()) } else { Err(TagMismatch) }
        }
    }
}

impl<W: Word, R: Rounds, T: Tag<W>> fmt::Debug for Prepared<W, R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prepared({}-{}, ..)", self.rounds.c(), self.rounds.d())
    }
}

impl<W: Word, R: Rounds, T: Tag<W>> Drop for Prepared<W, R, T> {
    #[inline]
    fn drop(&mut self) {
        self.initial.wipe();
    }
}
