//! The functions, the forms of tags, and the integers that hold them.

use crate::error::ColumnError;
use crate::hex::hex;
use arrow_schema::DataType;
use keylane::siphash::{AnySipHash, BatchError, Key, Offset};
use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;

/// A function. The names are those of [`keylane::siphash`]; `X` stands for tags of 128 bits.
///
/// The repository's docs/COLUMNS.md says which one is for what. `SipHashX24` is the default: pseudonyms that leave the
/// process should have nothing shorter. KCE-1 has no other algorithm: SipHash-4-8 makes subkeys and check values, so no
/// tag is one of them.
///
/// ```
/// use keylane_columns::Algorithm;
///
/// assert_eq!(Algorithm::default().to_string(), "siphash-2-4-128");
/// assert_eq!("siphash-1-3-64".parse(), Ok(Algorithm::SipHash13));
/// assert!("siphash-4-8-128".parse::<Algorithm>().is_err());
/// assert_eq!(Algorithm::SipHash13.bits(), 64);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// SipHash-1-3, 64 bits: shards, sampling, Bloom filters.
    SipHash13,
    /// SipHash-2-4, 64 bits: joins inside one process, up to about 10^7 distinct values.
    SipHash24,
    /// SipHash-1-3, 128 bits.
    SipHashX13,
    /// SipHash-2-4, 128 bits: pseudonyms.
    #[default]
    SipHashX24,
}

impl Algorithm {
    /// Every algorithm.
    ///
    /// ```
    /// # use keylane_columns::Algorithm;
    /// assert!(Algorithm::ALL.contains(&Algorithm::default()));
    /// ```
    pub const ALL: [Algorithm; 4] =
        [Algorithm::SipHash13, Algorithm::SipHash24, Algorithm::SipHashX13, Algorithm::SipHashX24];

    /// The name in KCE-1: `siphash-c-d-bits`.
    ///
    /// ```
    /// # use keylane_columns::Algorithm;
    /// assert_eq!(Algorithm::SipHashX13.name(), "siphash-1-3-128");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::SipHash13 => "siphash-1-3-64",
            Algorithm::SipHash24 => "siphash-2-4-64",
            Algorithm::SipHashX13 => "siphash-1-3-128",
            Algorithm::SipHashX24 => "siphash-2-4-128",
        }
    }

    /// The number of bits of a tag: 64 or 128.
    ///
    /// ```
    /// # use keylane_columns::Algorithm;
    /// assert_eq!(Algorithm::SipHashX13.bits(), 128);
    /// ```
    pub fn bits(self) -> u32 {
        match self {
            Algorithm::SipHash13 | Algorithm::SipHash24 => 64,
            Algorithm::SipHashX13 | Algorithm::SipHashX24 => 128,
        }
    }

    /// The rounds for each 8 bytes, and those at the end.
    pub(crate) fn rounds(self) -> (NonZeroU8, NonZeroU8) {
        const ONE: NonZeroU8 = NonZeroU8::MIN;
        const TWO: NonZeroU8 = ONE.saturating_add(1);
        const THREE: NonZeroU8 = ONE.saturating_add(2);
        const FOUR: NonZeroU8 = ONE.saturating_add(3);
        match self {
            Algorithm::SipHash13 | Algorithm::SipHashX13 => (ONE, THREE),
            Algorithm::SipHash24 | Algorithm::SipHashX24 => (TWO, FOUR),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = ColumnError;

    fn from_str(name: &str) -> Result<Self, ColumnError> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name).ok_or(ColumnError::Algorithm)
    }
}

/// How tags are stored. All forms hold the same bits.
///
/// ```
/// use arrow_schema::DataType;
/// use keylane_columns::{Algorithm, Form};
///
/// assert_eq!(Form::Binary.data_type(Algorithm::SipHashX24), Some(DataType::FixedSizeBinary(16)));
/// assert_eq!(Form::UInt64.data_type(Algorithm::SipHashX24), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Form {
    /// `FixedSizeBinary(8)` or `FixedSizeBinary(16)`: the bytes of the tag, as the reference implementation writes them.
    #[default]
    Binary,
    /// `Utf8`: these bytes as small hexadecimal digits.
    Hex,
    /// `UInt64`: the 8 bytes as an integer, the lowest byte first.
    UInt64,
    /// `Int64`: the bits of `UInt64` in two's complement, for engines without unsigned integers.
    Int64,
}

impl Form {
    /// The type of an array of tags; `None` if the tags do not fit.
    ///
    /// ```
    /// # use arrow_schema::DataType;
    /// # use keylane_columns::{Algorithm, Form};
    /// assert_eq!(Form::Hex.data_type(Algorithm::SipHash24), Some(DataType::Utf8));
    /// ```
    pub fn data_type(self, algorithm: Algorithm) -> Option<DataType> {
        match (self, algorithm.bits()) {
            (Form::Binary, 64) => Some(DataType::FixedSizeBinary(8)),
            (Form::Binary, _) => Some(DataType::FixedSizeBinary(16)),
            (Form::Hex, _) => Some(DataType::Utf8),
            (Form::UInt64, 64) => Some(DataType::UInt64),
            (Form::Int64, 64) => Some(DataType::Int64),
            (Form::UInt64 | Form::Int64, _) => None,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Form::Binary => "binary",
            Form::Hex => "hex",
            Form::UInt64 => "uint64",
            Form::Int64 => "int64",
        })
    }
}

/// An integer that holds a tag, with the batch calls that compute it.
pub trait Tag: Copy + Default + Eq + Send + Sync + 'static {
    /// A key that is prepared for a function.
    type Hasher: Sync;
    /// Two digits for each byte of a tag.
    type Digits: AsRef<[[u8; 2]]>;
    /// The bytes of a tag.
    const BYTES: usize;

    fn hasher(key: &Key, algorithm: Algorithm) -> Self::Hasher;
    fn one(hasher: &Self::Hasher, message: &[u8]) -> Self;
    fn u64s(hasher: &Self::Hasher, words: &[u64], tags: &mut [Self]) -> Result<(), BatchError>;
    fn u128s(hasher: &Self::Hasher, words: &[u128], tags: &mut [Self]) -> Result<(), BatchError>;
    fn rows(hasher: &Self::Hasher, bytes: &[u8], width: usize, tags: &mut [Self]) -> Result<(), BatchError>;
    fn offsets<O: Offset>(
        hasher: &Self::Hasher,
        bytes: &[u8],
        offsets: &[O],
        tags: &mut [Self],
    ) -> Result<(), BatchError>;
    fn views<B: AsRef<[u8]>>(
        hasher: &Self::Hasher,
        views: &[u128],
        buffers: &[B],
        tags: &mut [Self],
    ) -> Result<(), BatchError>;
    /// The hexadecimal digits of the bytes that the reference implementation writes.
    fn digits(self) -> Self::Digits;
}

macro_rules! tag {
    ($int:ty) => {
        impl Tag for $int {
            type Hasher = AnySipHash<$int>;
            type Digits = [[u8; 2]; size_of::<$int>()];
            const BYTES: usize = size_of::<$int>();

            fn hasher(key: &Key, algorithm: Algorithm) -> Self::Hasher {
                let (c, d) = algorithm.rounds();
                AnySipHash::new(key, c, d)
            }

            fn one(hasher: &Self::Hasher, message: &[u8]) -> Self {
                hasher.hash(message)
            }

            fn u64s(hasher: &Self::Hasher, words: &[u64], tags: &mut [Self]) -> Result<(), BatchError> {
                hasher.hash_u64s(words, tags)
            }

            fn u128s(hasher: &Self::Hasher, words: &[u128], tags: &mut [Self]) -> Result<(), BatchError> {
                hasher.hash_u128s(words, tags)
            }

            fn rows(
                hasher: &Self::Hasher,
                bytes: &[u8],
                width: usize,
                tags: &mut [Self],
            ) -> Result<(), BatchError> {
                hasher.hash_rows(bytes, width, tags)
            }

            fn offsets<O: Offset>(
                hasher: &Self::Hasher,
                bytes: &[u8],
                offsets: &[O],
                tags: &mut [Self],
            ) -> Result<(), BatchError> {
                hasher.hash_offsets(bytes, offsets, tags)
            }

            fn views<B: AsRef<[u8]>>(
                hasher: &Self::Hasher,
                views: &[u128],
                buffers: &[B],
                tags: &mut [Self],
            ) -> Result<(), BatchError> {
                hasher.hash_views(views, buffers, tags)
            }

            fn digits(self) -> Self::Digits {
                hex(&self.to_le_bytes())
            }
        }
    };
}
tag!(u64);
tag!(u128);
