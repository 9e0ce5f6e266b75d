//! The hash variants, and their tags by keylane-ref.

use keylane::dispatch::words::Dispatched;
use keylane::job::siphash::Counted;
use keylane_ref as spec;
use std::num::NonZeroU8;

/// SipHash-c-d or HalfSipHash-c-d, with a single or a double tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant {
    /// Whether it is HalfSipHash.
    pub half: bool,
    /// Rounds per word.
    pub c: u8,
    /// Rounds at the end.
    pub d: u8,
    /// Whether the tag has two words: 128 bits of SipHash, 64 of HalfSipHash.
    pub double: bool,
}

impl Variant {
    /// SipHash.
    pub const fn sip(c: u8, d: u8, double: bool) -> Self {
        Variant { half: false, c, d, double }
    }

    /// HalfSipHash.
    pub const fn half(c: u8, d: u8, double: bool) -> Self {
        Variant { half: true, c, d, double }
    }

    /// Bytes in a key.
    pub fn key_size(self) -> usize {
        if self.half { 8 } else { 16 }
    }

    /// Bytes in a tag.
    pub fn tag_size(self) -> usize {
        if self.double { self.key_size() } else { self.key_size() / 2 }
    }

    /// The rounds in the type of jobs.
    pub fn rounds(self) -> Counted {
        let [c, d] = [self.c, self.d].map(|x| NonZeroU8::new(x).expect("at least one round"));
        Counted::new(c, d)
    }

    /// The tag of a message by keylane-ref. Panics on a key of the wrong size.
    pub fn tag(self, key: &[u8], message: &[u8]) -> u128 {
        let (c, d) = (self.c.into(), self.d.into());
        let sip = || key.try_into().expect("16 bytes of key");
        let half = || key.try_into().expect("8 bytes of key");
        match (self.half, self.double) {
            (false, false) => spec::siphash64(c, d, sip(), message).into(),
            (false, true) => spec::siphash128(c, d, sip(), message),
            (true, false) => spec::halfsiphash32(c, d, half(), message).into(),
            (true, true) => spec::halfsiphash64(c, d, half(), message).into(),
        }
    }

    /// The tag of a message with its ASCII capitals folded, by keylane-ref.
    pub fn tag_nocase(self, key: &[u8], message: &[u8]) -> u128 {
        self.tag(key, &spec::fold(message))
    }

    /// A tag's bytes as a number.
    pub fn number(self, tag: &[u8]) -> u128 {
        assert_eq!(tag.len(), self.tag_size(), "the length of a tag of {self:?}");
        tag.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte))
    }
}

/// The rounds to check every row with: the five fast paths, then others. The first six are checked with
/// messages of every length.
pub const ROUNDS: [(u8, u8); 10] =
    [(1, 1), (1, 2), (1, 3), (2, 4), (4, 8), (3, 5), (1, 4), (2, 3), (7, 1), (255, 255)];

/// How many of [`ROUNDS`] to check with messages of every length.
pub const THOROUGH: usize = 6;

/// The word type of a family of hashes, with what the checks need besides what kernels need.
pub trait Family: Dispatched {
    /// Whether the family is HalfSipHash.
    const HALF: bool;
    /// The contents of tags not yet written.
    const UNWRITTEN: Self;
    /// As `UNWRITTEN`, for double tags.
    const UNWRITTEN_DOUBLE: Self::Double;

    /// A double tag as a number.
    fn number(tag: Self::Double) -> u128;
    /// A key's two words from its bytes.
    fn key(bytes: &[u8]) -> [Self; 2];
}

macro_rules! family {
    ($word:ty, $double:ty, $half:literal) => {
        impl Family for $word {
            const HALF: bool = $half;
            const UNWRITTEN: $word = <$word>::MAX / 3;
            const UNWRITTEN_DOUBLE: $double = <$double>::MAX / 3;

            fn number(tag: $double) -> u128 {
                tag.into()
            }

            fn key(bytes: &[u8]) -> [$word; 2] {
                match bytes.as_chunks() {
                    ([k0, k1], []) => [k0, k1].map(|&word| <$word>::from_le_bytes(word)),
                    _ => panic!("a key of {} bytes", bytes.len()),
                }
            }
        }
    };
}
family!(u64, u128, false);
family!(u32, u64, true);
