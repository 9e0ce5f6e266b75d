//! A SipHash computation that can be copied, which all hashers hold.

use core::mem::size_of;
use keylane::dispatch::words::Dispatched;
use keylane::job::buffer::{LeInt, Partial};
use keylane::job::siphash::{Fixed, State, Word};

/// Pieces of at least this many words go to keylane's kernel for long messages.
const LONG_WORDS: usize = 64;

/// SipHash-C-D with tags of 64 bits, or of 128 if `DOUBLE`.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "stored::Hasher", try_from = "stored::Hasher"))]
pub struct Hasher<const C: usize, const D: usize, const DOUBLE: bool> {
    key: [u64; 2],
    state: State<u64>,
    /// The bytes that do not fill a word; bytes above `filled` are zero.
    waiting: u64,
    /// How many bytes wait: 0 to 7.
    filled: usize,
    /// Only `length % 256` reaches the tag, so it may wrap.
    length: usize,
}

impl<const C: usize, const D: usize, const DOUBLE: bool> Hasher<C, D, DOUBLE> {
    const ROUNDS: Fixed<C, D> = Fixed::NEW;

    #[inline]
    pub fn new(k0: u64, k1: u64) -> Self {
        let key = [k0, k1];
        Hasher { key, state: State::new(key, DOUBLE), waiting: 0, filled: 0, length: 0 }
    }

    #[inline]
    pub fn from_bytes(key: &[u8; 16]) -> Self {
        let key = u128::from_le_bytes(*key);
        Self::new(key as u64, (key >> 64) as u64)
    }

    pub fn keys(&self) -> (u64, u64) {
        let [k0, k1] = self.key;
        (k0, k1)
    }

    pub fn key(&self) -> [u8; 16] {
        let [k0, k1] = self.key;
        (u128::from(k0) | u128::from(k1) << 64).to_le_bytes()
    }

    #[inline]
    pub fn write(&mut self, bytes: &[u8]) {
        let mut waiting = Partial { bytes: self.waiting, len: self.filled };
        let state = &mut self.state;
        waiting.feed(bytes, |words| {
            if words.len() >= LONG_WORDS {
                <u64 as Dispatched>::absorb_long::<_, false>(state, Self::ROUNDS, words);
            } else {
                for &word in words {
                    state.absorb(Self::ROUNDS, u64::from_bytes(word));
                }
            }
        });
        (self.waiting, self.filled) = (waiting.bytes, waiting.len);
        self.length = self.length.wrapping_add(bytes.len());
    }

    /// Takes the `size` <= 8 low bytes of `x`, whose other bytes are zero.
    #[inline]
    fn short(&mut self, x: u64, size: usize) {
        self.length = self.length.wrapping_add(size);
        let (word, filled) = (self.waiting | x << (8 * self.filled), self.filled + size);
        if filled < 8 {
            (self.waiting, self.filled) = (word, filled);
            return;
        }
        self.state.absorb(Self::ROUNDS, word);
        self.filled = filled - 8;
        self.waiting = if self.filled == 0 { 0 } else { x >> (8 * (size - self.filled)) };
    }

    #[inline]
    pub fn write_u8(&mut self, x: u8) {
        self.short(u64::from(x), 1);
    }

    #[inline]
    pub fn write_u16(&mut self, x: u16) {
        self.short(u64::from(x.to_le()), 2);
    }

    #[inline]
    pub fn write_u32(&mut self, x: u32) {
        self.short(u64::from(x.to_le()), 4);
    }

    #[inline]
    pub fn write_u64(&mut self, x: u64) {
        self.short(x.to_le(), 8);
    }

    #[inline]
    pub fn write_usize(&mut self, x: usize) {
        self.short(x.to_le() as u64, size_of::<usize>());
    }

    /// The state after the last word.
    #[inline]
    fn last(&self) -> State<u64> {
        let mut state = self.state;
        state.absorb(Self::ROUNDS, self.waiting | <u64 as Word>::length(self.length));
        state
    }
}

impl<const C: usize, const D: usize> Hasher<C, D, false> {
    #[inline]
    pub fn finish(&self) -> u64 {
        self.last().single_tag::<false>(Self::ROUNDS)
    }

    #[inline]
    pub fn hash(mut self, bytes: &[u8]) -> u64 {
        self.write(bytes);
        self.finish()
    }
}

impl<const C: usize, const D: usize> Hasher<C, D, true> {
    #[inline]
    pub fn finish(&self) -> u128 {
        self.last().double_tag::<false>(Self::ROUNDS)
    }

    #[inline]
    pub fn hash(mut self, bytes: &[u8]) -> u128 {
        self.write(bytes);
        self.finish()
    }
}

impl<const C: usize, const D: usize, const DOUBLE: bool> Default for Hasher<C, D, DOUBLE> {
    fn default() -> Self {
        Self::new(0, 0)
    }
}

/// The serialised form, with the names and the order of `siphasher` 1.x.
#[cfg(feature = "serde")]
mod stored {
    use core::marker::PhantomData;
    use keylane::job::siphash::State;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    pub struct Hasher {
        k0: u64,
        k1: u64,
        length: usize,
        state: Words,
        tail: u64,
        ntail: usize,
        _marker: PhantomData<()>,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename = "State")]
    struct Words {
        v0: u64,
        v2: u64,
        v1: u64,
        v3: u64,
    }

    impl<const C: usize, const D: usize, const DOUBLE: bool> From<super::Hasher<C, D, DOUBLE>> for Hasher {
        fn from(hasher: super::Hasher<C, D, DOUBLE>) -> Self {
            let super::Hasher { key: [k0, k1], state, waiting: tail, filled: ntail, length } = hasher;
            let [v0, v1, v2, v3] = state.v;
            Hasher { k0, k1, length, state: Words { v0, v2, v1, v3 }, tail, ntail, _marker: PhantomData }
        }
    }

    impl<const C: usize, const D: usize, const DOUBLE: bool> TryFrom<Hasher> for super::Hasher<C, D, DOUBLE> {
        type Error = &'static str;

        fn try_from(stored: Hasher) -> Result<Self, Self::Error> {
            let Hasher { k0, k1, length, state: Words { v0, v2, v1, v3 }, tail, ntail, .. } = stored;
            if ntail > 7 || tail >> (8 * ntail) != 0 || length % 8 != ntail {
                return Err("not a state of SipHash: the bytes that wait do not fit its length");
            }
            let state = State { v: [v0, v1, v2, v3] };
            Ok(super::Hasher { key: [k0, k1], state, waiting: tail, filled: ntail, length })
        }
    }
}

/// The hashers of a module. `$double` says whether tags have 128 bits; `$tag` is their type.
macro_rules! hashers {
    ($double:literal, $tag:ty) => {
        /// SipHash-1-3.
        #[derive(Clone, Copy, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct SipHasher13 {
            hasher: crate::hasher::Hasher<1, 3, $double>,
        }

        /// SipHash-2-4.
        #[derive(Clone, Copy, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct SipHasher24 {
            hasher: crate::hasher::Hasher<2, 4, $double>,
        }

        /// SipHash-2-4.
        #[derive(Clone, Copy, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct SipHasher(SipHasher24);

        hashers!(SipHasher13, $tag, (hasher), |hasher| SipHasher13 { hasher });
        hashers!(SipHasher24, $tag, (hasher), |hasher| SipHasher24 { hasher });
        hashers!(SipHasher, $tag, (0.hasher), |hasher| SipHasher(SipHasher24 { hasher }));
    };
    // One hasher: where it holds the computation, and how it is made of one.
    ($name:ident, $tag:ty, ($($place:tt)+), |$hasher:ident| $made:expr) => {
        impl $name {
            /// A hasher whose key is 0.
            #[inline]
            pub fn new() -> Self {
                Self::new_with_keys(0, 0)
            }

            /// A hasher with a key of two words.
            #[inline]
            pub fn new_with_keys(key0: u64, key1: u64) -> Self {
                let $hasher = crate::hasher::Hasher::new(key0, key1);
                $made
            }

            /// A hasher with a key of 16 bytes.
            pub fn new_with_key(key: &[u8; 16]) -> Self {
                let $hasher = crate::hasher::Hasher::from_bytes(key);
                $made
            }

            /// The key as two words.
            pub fn keys(&self) -> (u64, u64) {
                self.$($place)+.keys()
            }

            /// The key as 16 bytes.
            pub fn key(&self) -> [u8; 16] {
                self.$($place)+.key()
            }

            /// The tag of what the hasher has taken, followed by `bytes`.
            #[inline]
            pub fn hash(&self, bytes: &[u8]) -> $tag {
                self.$($place)+.hash(bytes).into()
            }
        }

        impl core::hash::Hasher for $name {
            #[inline]
            fn write(&mut self, bytes: &[u8]) {
                self.$($place)+.write(bytes);
            }

            #[inline]
            fn write_u8(&mut self, x: u8) {
                self.$($place)+.write_u8(x);
            }

            #[inline]
            fn write_u16(&mut self, x: u16) {
                self.$($place)+.write_u16(x);
            }

            #[inline]
            fn write_u32(&mut self, x: u32) {
                self.$($place)+.write_u32(x);
            }

            #[inline]
            fn write_u64(&mut self, x: u64) {
                self.$($place)+.write_u64(x);
            }

            #[inline]
            fn write_usize(&mut self, x: usize) {
                self.$($place)+.write_usize(x);
            }

            #[inline]
            fn finish(&self) -> u64 {
                crate::hasher::Narrow::narrow(self.$($place)+.finish())
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    };
}
pub(crate) use hashers;

/// What a `core::hash::Hasher` gives of a tag: of 128 bits the upper half, as `siphasher` does.
pub trait Narrow {
    fn narrow(self) -> u64;
}

impl Narrow for u64 {
    #[inline]
    fn narrow(self) -> u64 {
        self
    }
}

impl Narrow for u128 {
    #[inline]
    fn narrow(self) -> u64 {
        (self >> 64) as u64
    }
}
