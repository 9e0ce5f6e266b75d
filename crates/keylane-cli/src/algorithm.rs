//! The algorithms: their names, and one type for a message in progress under any of them.

use crate::stack::overwritten;
use keylane::halfsiphash::{self, AnyHalfSipHash};
use keylane::poly1305::Poly1305;
use keylane::siphash::{self, AnySipHash, BatchError};
use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;
use subtle::ConstantTimeEq;

/// An algorithm that `mac` and `keygen` know.
#[derive(Clone, Copy)]
pub enum Algorithm {
    /// A member of the SipHash family: one key, any number of messages.
    Prf(Prf),
    /// Poly1305: one key, one message.
    Poly1305,
}

/// SipHash-c-d or HalfSipHash-c-d, with one of its two tag lengths.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Prf {
    word: Word,
    c: NonZeroU8,
    d: NonZeroU8,
    /// Whether the tag has two words.
    double: bool,
}

/// The word size of the state: it distinguishes SipHash from HalfSipHash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// SipHash.
    Bits64,
    /// HalfSipHash.
    Bits32,
}

impl Prf {
    /// The length of a tag in bytes.
    pub fn tag_len(self) -> usize {
        let word = match self.word {
            Word::Bits64 => 8,
            Word::Bits32 => 4,
        };
        if self.double { 2 * word } else { word }
    }

    fn key_len(self) -> usize {
        match self.word {
            Word::Bits64 => 16,
            Word::Bits32 => 8,
        }
    }

    /// The word size of the state.
    pub fn word(self) -> Word {
        self.word
    }

    /// Prepares a key of SipHash.
    pub fn prepare(self, key: &siphash::Key) -> Prepared {
        let Prf { c, d, .. } = self;
        if self.double {
            Prepared::SipHash128(Box::new(AnySipHash::new(key, c, d)))
        } else {
            Prepared::SipHash64(Box::new(AnySipHash::new(key, c, d)))
        }
    }

    /// Prepares a key of HalfSipHash.
    pub fn prepare_half(self, key: &halfsiphash::Key) -> Prepared {
        let Prf { c, d, .. } = self;
        if self.double {
            Prepared::HalfSipHash64(Box::new(AnyHalfSipHash::new(key, c, d)))
        } else {
            Prepared::HalfSipHash32(Box::new(AnyHalfSipHash::new(key, c, d)))
        }
    }
}

impl Algorithm {
    /// The length of a key in bytes.
    pub fn key_len(self) -> usize {
        match self {
            Algorithm::Prf(prf) => prf.key_len(),
            Algorithm::Poly1305 => 32,
        }
    }

    /// The length of a tag in bytes.
    pub fn tag_len(self) -> usize {
        match self {
            Algorithm::Prf(prf) => prf.tag_len(),
            Algorithm::Poly1305 => 16,
        }
    }
}

/// The name in a tagged line, such as `SipHash-2-4-128`.
impl fmt::Display for Prf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = match self.word {
            Word::Bits64 => "SipHash",
            Word::Bits32 => "HalfSipHash",
        };
        write!(f, "{family}-{}-{}-{}", self.c, self.d, 8 * self.tag_len())
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::Prf(prf) => prf.fmt(f),
            Algorithm::Poly1305 => f.write_str("Poly1305"),
        }
    }
}

/// Names on the command line are those of tagged lines, in lowercase.
impl FromStr for Algorithm {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        if name == "poly1305" {
            return Ok(Algorithm::Poly1305);
        }
        let prf = parse_prf(name);
        prf.map(Algorithm::Prf).ok_or(
            "it is none of siphash-C-D-64, siphash-C-D-128, halfsiphash-C-D-32, halfsiphash-C-D-64 \
             (with C and D from 1 to 255) and poly1305",
        )
    }
}

impl FromStr for Prf {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name.parse()? {
            Algorithm::Prf(prf) => Ok(prf),
            Algorithm::Poly1305 => Err("Poly1305 needs a fresh key for each message: use keylane mac"),
        }
    }
}

fn parse_prf(name: &str) -> Option<Prf> {
    let mut parts = name.split('-');
    let family = parts.next()?;
    let c = parts.next()?.parse().ok()?;
    let d = parts.next()?.parse().ok()?;
    let (word, double) = match (family, parts.next()?) {
        ("siphash", "64") => (Word::Bits64, false),
        ("siphash", "128") => (Word::Bits64, true),
        ("halfsiphash", "32") => (Word::Bits32, false),
        ("halfsiphash", "64") => (Word::Bits32, true),
        _ => return None,
    };
    let prf = Prf { word, c, d, double };
    // One algorithm has one name: `02` does not stand for `2`, and nothing may follow.
    (prf.to_string().to_ascii_lowercase() == name).then_some(prf)
}

/// A key prepared for a [`Prf`]. In a box, it is moved without a copy that stays behind.
pub enum Prepared {
    /// SipHash, one word.
    SipHash64(Box<AnySipHash<u64>>),
    /// SipHash, two words.
    SipHash128(Box<AnySipHash<u128>>),
    /// HalfSipHash, one word.
    HalfSipHash32(Box<AnyHalfSipHash<u32>>),
    /// HalfSipHash, two words.
    HalfSipHash64(Box<AnyHalfSipHash<u64>>),
}

impl Prepared {
    /// The tags of the messages between neighbouring offsets in `bytes`.
    pub fn tags(&self, bytes: &[u8], offsets: &[i32]) -> Result<Vec<Tag>, BatchError> {
        macro_rules! tags {
            ($key:ident) => {{
                let mut tags = vec![0; offsets.len().saturating_sub(1)];
                $key.hash_offsets(bytes, offsets, &mut tags)?;
                tags.into_iter().map(|tag| Tag::new(&tag.to_le_bytes())).collect()
            }};
        }
        // The kernels leave the prepared key on the stack.
        overwritten(|| {
            Ok(match self {
                Prepared::SipHash64(key) => tags!(key),
                Prepared::SipHash128(key) => tags!(key),
                Prepared::HalfSipHash32(key) => tags!(key),
                Prepared::HalfSipHash64(key) => tags!(key),
            })
        })
    }

    /// Begins a message.
    pub fn hasher(&self) -> Hasher {
        match self {
            Prepared::SipHash64(key) => Hasher::SipHash64(Box::new(key.stream())),
            Prepared::SipHash128(key) => Hasher::SipHash128(Box::new(key.stream())),
            Prepared::HalfSipHash32(key) => Hasher::HalfSipHash32(Box::new(key.stream())),
            Prepared::HalfSipHash64(key) => Hasher::HalfSipHash64(Box::new(key.stream())),
        }
    }
}

/// A message in progress. In a box, it is moved without a copy that stays behind.
pub enum Hasher {
    /// SipHash, one word.
    SipHash64(Box<siphash::AnyStream<u64>>),
    /// SipHash, two words.
    SipHash128(Box<siphash::AnyStream<u128>>),
    /// HalfSipHash, one word.
    HalfSipHash32(Box<halfsiphash::AnyStream<u32>>),
    /// HalfSipHash, two words.
    HalfSipHash64(Box<halfsiphash::AnyStream<u64>>),
    /// Poly1305.
    Poly1305(Box<Poly1305>),
}

impl Hasher {
    /// Takes the next piece of the message.
    pub fn update(&mut self, piece: &[u8]) {
        match self {
            Hasher::SipHash64(stream) => stream.update(piece),
            Hasher::SipHash128(stream) => stream.update(piece),
            Hasher::HalfSipHash32(stream) => stream.update(piece),
            Hasher::HalfSipHash64(stream) => stream.update(piece),
            Hasher::Poly1305(stream) => stream.update(piece),
        }
    }

    /// The tag of the whole message. It is computed in place: out of a box, a move leaves a copy in the heap.
    pub fn finish(mut self) -> Tag {
        match &mut self {
            Hasher::SipHash64(stream) => Tag::new(&stream.finish().to_le_bytes()),
            Hasher::SipHash128(stream) => Tag::new(&stream.finish().to_le_bytes()),
            Hasher::HalfSipHash32(stream) => Tag::new(&stream.finish().to_le_bytes()),
            Hasher::HalfSipHash64(stream) => Tag::new(&stream.finish().to_le_bytes()),
            Hasher::Poly1305(stream) => Tag::new(&stream.finish_in_place().to_bytes()),
        }
    }
}

/// A tag's bytes, in the order of the algorithm's reference implementation. It has no `==`, whose time would
/// reveal where two tags differ.
pub struct Tag {
    bytes: [u8; 16],
    len: usize,
}

impl Tag {
    /// A tag of these bytes, of which there are at most 16.
    fn new(bytes: &[u8]) -> Self {
        let mut tag = Tag { bytes: [0; 16], len: bytes.len().min(16) };
        tag.bytes.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        tag
    }

    /// A tag of `len` bytes from its hex digits, upper or lower case.
    pub fn from_hex(digits: &[u8], len: usize) -> Option<Self> {
        let tag = base16ct::mixed::decode_vec(digits).ok()?;
        (tag.len() == len).then(|| Tag::new(&tag))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Lowercase hex digits.
    pub fn to_hex(&self) -> String {
        base16ct::lower::encode_string(self.as_bytes())
    }

    /// Whether two tags are equal. The time does not depend on where they differ.
    pub fn matches(&self, other: &Tag) -> bool {
        self.as_bytes().ct_eq(other.as_bytes()).into()
    }
}
