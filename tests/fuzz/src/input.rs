//! The encoding of inputs: a fuzzer changes bytes; they are decoded into cases, and cases can be encoded as
//! such bytes.
//!
//! Decoding is `Arbitrary`: every sequence of bytes is some case. Encoding is [`Encode`], its inverse: it
//! turns published answers into seeds. Both follow the format of `arbitrary`; a test decodes every encoded
//! case again.

use arbitrary::{Arbitrary, Result, Unstructured};
use keylane_conformance::input::{Random, counting};

/// A value that can be encoded as the bytes from which `Arbitrary` decodes it.
pub trait Encode {
    /// Appends the bytes.
    fn encode(&self, to: &mut Vec<u8>);
}

macro_rules! integers {
    ($($int:ty),*) => {
        $(impl Encode for $int {
            fn encode(&self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
        })*
    };
}
integers!(u8, u16, u32, u64, i64);

impl Encode for bool {
    fn encode(&self, to: &mut Vec<u8>) {
        to.push((*self).into());
    }
}

impl<const N: usize, T: Encode> Encode for [T; N] {
    fn encode(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|item| item.encode(to));
    }
}

/// A byte 1 before each item, a byte 0 after the last.
impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, to: &mut Vec<u8>) {
        for item in self {
            to.push(1);
            item.encode(to);
        }
        to.push(0);
    }
}

/// Declares a struct or an enum with both directions. A variant's number precedes its fields as 32 bits: its
/// quotient by the number of variants, as a binary fraction.
macro_rules! coded {
    ($(#[$doc:meta])* pub struct $name:ident $(<$life:lifetime>)? {
        $($(#[$field_doc:meta])* pub $field:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(arbitrary::Arbitrary, Clone, Debug, PartialEq)]
        pub struct $name $(<$life>)? {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $(<$life>)? $crate::input::Encode for $name $(<$life>)? {
            fn encode(&self, to: &mut Vec<u8>) {
                $(self.$field.encode(to);)*
            }
        }
    };
    ($(#[$doc:meta])* pub enum $name:ident $(<$life:lifetime>)? {
        $($(#[$variant_doc:meta])* $variant:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* },)*
    }) => {
        $(#[$doc])*
        #[derive(arbitrary::Arbitrary, Clone, Debug, PartialEq)]
        pub enum $name $(<$life>)? {
            $($(#[$variant_doc])* $variant { $($(#[$field_doc])* $field: $type),* },)*
        }

        impl $(<$life>)? $crate::input::Encode for $name $(<$life>)? {
            fn encode(&self, to: &mut Vec<u8>) {
                #[allow(non_camel_case_types, dead_code)]
                enum Number { $($variant),* }
                const VARIANTS: u64 = [$(stringify!($variant)),*].len() as u64;
                let number = match self {
                    $($name::$variant { .. } => Number::$variant as u64,)*
                };
                ((number << 32).div_ceil(VARIANTS) as u32).encode(to);
                match self {
                    $($name::$variant { $($field),* } => { $($field.encode(to);)* })*
                }
            }
        }
    };
}
pub(crate) use coded;

/// Bytes of the input, unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bytes<'a>(pub &'a [u8]);

/// Two bytes of length, then that many bytes, or all that are left.
impl<'a> Arbitrary<'a> for Bytes<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let len = usize::from(u16::arbitrary(u)?).min(u.len());
        u.bytes(len).map(Bytes)
    }
}

impl Encode for Bytes<'_> {
    fn encode(&self, to: &mut Vec<u8>) {
        let len = u16::try_from(self.0.len()).unwrap_or(u16::MAX);
        len.encode(to);
        to.extend(&self.0[..len.into()]);
    }
}

/// The most bytes in a text that is not given byte by byte: keylane-ref is slow.
pub const LONGEST: usize = 4096;

coded! {
    /// A message, or a piece of one.
    pub enum Text<'a> {
        /// These bytes.
        Given {
            /// The bytes.
            bytes: Bytes<'a>
        },
        /// One byte, repeated: 00 and ff make long carries.
        Fill {
            /// The byte.
            byte: u8,
            /// How often, modulo one more than [`LONGEST`].
            len: u16
        },
        /// 0, 1, 2, ..., 250, 0, 1, ...
        Counting {
            /// How many bytes, modulo one more than [`LONGEST`].
            len: u16
        },
        /// Random bytes.
        Random {
            /// Their seed.
            seed: u32,
            /// How many, modulo one more than [`LONGEST`].
            len: u16
        },
    }
}

impl Text<'_> {
    /// The bytes, in an allocation of exactly their size, so that a sanitizer detects a read beyond them.
    pub fn bytes(&self) -> Box<[u8]> {
        let at_most = |len: &u16| usize::from(*len) % (LONGEST + 1);
        match self {
            Text::Given { bytes } => bytes.0.into(),
            Text::Fill { byte, len } => vec![*byte; at_most(len)].into(),
            Text::Counting { len } => counting(at_most(len)).into(),
            Text::Random { seed, len } => random_bytes(*seed, at_most(len)),
        }
    }
}

/// `len` random bytes.
pub fn random_bytes(seed: u32, len: usize) -> Box<[u8]> {
    let mut random = Random(seed.into());
    (0..len).map(|_| random.word() as u8).collect()
}
