//! The public API of SipHash and HalfSipHash behind one trait: a test states once what holds for every
//! variant and every tag.

use crate::variants::Variant;
use keylane::halfsiphash::{self, AnyHalfSipHash, HalfSipHash};
use keylane::siphash::{self, AnySipHash, BatchError, SipHash};
use std::num::NonZeroU8;

/// A tag as a number.
pub trait Number: Copy + PartialEq {
    /// From a number. Its upper bits are lost.
    fn from_number(number: u128) -> Self;
    /// As a number.
    fn number(self) -> u128;
}

macro_rules! number {
    ($($int:ty),*) => {
        $(impl Number for $int {
            fn from_number(number: u128) -> Self {
                number as $int
            }

            fn number(self) -> u128 {
                self.into()
            }
        })*
    };
}
number!(u32, u64, u128);

/// The contents of tag buffers before a batch call: a number that no tag happens to be.
pub const UNWRITTEN: u128 = 0x5aa5_9669_c33c_0ff0_1e2d_3c4b_5a69_7887;

/// The result of a batch call, and the contents of its tag buffer.
#[derive(Debug, PartialEq, Eq)]
pub struct Tags {
    /// The result.
    pub result: Result<(), BatchError>,
    /// The tags.
    pub tags: Vec<u128>,
}

/// A prepared key.
pub trait PublicHash {
    /// `hash`.
    fn hash(&self, message: &[u8]) -> u128;
    /// `hash_nocase`.
    fn hash_nocase(&self, message: &[u8]) -> u128;
    /// `hash_u32`, `hash_u64` and `hash_u128` of a number's lower bits.
    fn hash_integers(&self, integer: u128) -> [u128; 3];
    /// Whether `verify` accepts.
    fn verifies(&self, message: &[u8], tag: u128) -> bool;
    /// `stream`.
    fn stream(&self) -> Box<dyn PublicStream>;
    /// A clone.
    fn boxed(&self) -> Box<dyn PublicHash>;
    /// The contents of a tag buffer that nothing has been written to.
    fn unwritten(&self) -> u128;
    /// `hash_u32s` with a buffer for `places` tags.
    fn u32s(&self, integers: &[u32], places: usize) -> Tags;
    /// `hash_u64s`.
    fn u64s(&self, integers: &[u64], places: usize) -> Tags;
    /// `hash_u128s`.
    fn u128s(&self, integers: &[u128], places: usize) -> Tags;
    /// `hash_rows` and `hash_rows_nocase`.
    fn rows(&self, bytes: &[u8], width: usize, places: usize) -> [Tags; 2];
    /// `hash_offsets` and `hash_offsets_nocase` with offsets of 32 bits.
    fn offsets32(&self, bytes: &[u8], offsets: &[i32], places: usize) -> [Tags; 2];
    /// `hash_offsets` and `hash_offsets_nocase` with offsets of 64 bits.
    fn offsets64(&self, bytes: &[u8], offsets: &[i64], places: usize) -> [Tags; 2];
    /// `hash_views` and `hash_views_nocase` with views as bytes.
    fn views(&self, views: &[[u8; 16]], buffers: &[&[u8]], places: usize) -> [Tags; 2];
    /// `hash_views` and `hash_views_nocase` with views as integers.
    fn views128(&self, views: &[u128], buffers: &[&[u8]], places: usize) -> [Tags; 2];
    /// `hash_many` and `hash_many_nocase`.
    fn many(&self, messages: &[&[u8]], places: usize) -> [Tags; 2];
}

/// A message in pieces.
pub trait PublicStream {
    /// `update`.
    fn update(&mut self, piece: &[u8]);
    /// `finish`.
    fn finish(&self) -> u128;
    /// A clone.
    fn boxed(&self) -> Box<dyn PublicStream>;
}

/// Runs a batch call on a fresh buffer for `places` tags.
fn batch<T: Number>(places: usize, call: impl FnOnce(&mut [T]) -> Result<(), BatchError>) -> Tags {
    let mut tags = vec![T::from_number(UNWRITTEN); places];
    let result = call(&mut tags);
    Tags { result, tags: tags.into_iter().map(Number::number).collect() }
}

/// Implements both traits for a type and its stream.
macro_rules! public {
    ([$($generics:tt)*] $hash:ty, $stream:ty, $tag:ty) => {
        impl<$($generics)*> PublicHash for $hash {
            fn hash(&self, message: &[u8]) -> u128 {
                self.hash(message).number()
            }

            fn hash_nocase(&self, message: &[u8]) -> u128 {
                self.hash_nocase(message).number()
            }

            fn hash_integers(&self, integer: u128) -> [u128; 3] {
                let tags =
                    [self.hash_u32(integer as u32), self.hash_u64(integer as u64), self.hash_u128(integer)];
                tags.map(Number::number)
            }

            fn verifies(&self, message: &[u8], tag: u128) -> bool {
                self.verify(message, Number::from_number(tag)).is_ok()
            }

            fn stream(&self) -> Box<dyn PublicStream> {
                Box::new(self.stream())
            }

            fn boxed(&self) -> Box<dyn PublicHash> {
                Box::new(self.clone())
            }

            fn unwritten(&self) -> u128 {
                <$tag>::from_number(UNWRITTEN).number()
            }

            fn u32s(&self, integers: &[u32], places: usize) -> Tags {
                batch(places, |tags| self.hash_u32s(integers, tags))
            }

            fn u64s(&self, integers: &[u64], places: usize) -> Tags {
                batch(places, |tags| self.hash_u64s(integers, tags))
            }

            fn u128s(&self, integers: &[u128], places: usize) -> Tags {
                batch(places, |tags| self.hash_u128s(integers, tags))
            }

            fn rows(&self, bytes: &[u8], width: usize, places: usize) -> [Tags; 2] {
                [
                    batch(places, |tags| self.hash_rows(bytes, width, tags)),
                    batch(places, |tags| self.hash_rows_nocase(bytes, width, tags)),
                ]
            }

            fn offsets32(&self, bytes: &[u8], offsets: &[i32], places: usize) -> [Tags; 2] {
                [
                    batch(places, |tags| self.hash_offsets(bytes, offsets, tags)),
                    batch(places, |tags| self.hash_offsets_nocase(bytes, offsets, tags)),
                ]
            }

            fn offsets64(&self, bytes: &[u8], offsets: &[i64], places: usize) -> [Tags; 2] {
                [
                    batch(places, |tags| self.hash_offsets(bytes, offsets, tags)),
                    batch(places, |tags| self.hash_offsets_nocase(bytes, offsets, tags)),
                ]
            }

            fn views(&self, views: &[[u8; 16]], buffers: &[&[u8]], places: usize) -> [Tags; 2] {
                [
                    batch(places, |tags| self.hash_views(views, buffers, tags)),
                    batch(places, |tags| self.hash_views_nocase(views, buffers, tags)),
                ]
            }

            fn views128(&self, views: &[u128], buffers: &[&[u8]], places: usize) -> [Tags; 2] {
                [
                    batch(places, |tags| self.hash_views(views, buffers, tags)),
                    batch(places, |tags| self.hash_views_nocase(views, buffers, tags)),
                ]
            }

            fn many(&self, messages: &[&[u8]], places: usize) -> [Tags; 2] {
                [
                    batch(places, |tags| self.hash_many(messages, tags)),
                    batch(places, |tags| self.hash_many_nocase(messages, tags)),
                ]
            }
        }

        impl<$($generics)*> PublicStream for $stream {
            fn update(&mut self, piece: &[u8]) {
                self.update(piece);
            }

            fn finish(&self) -> u128 {
                self.finish().number()
            }

            fn boxed(&self) -> Box<dyn PublicStream> {
                Box::new(self.clone())
            }
        }
    };
}
public!([const C: usize, const D: usize] SipHash<C, D, u64>, siphash::Stream<C, D, u64>, u64);
public!([const C: usize, const D: usize] SipHash<C, D, u128>, siphash::Stream<C, D, u128>, u128);
public!([const C: usize, const D: usize] HalfSipHash<C, D, u32>, halfsiphash::Stream<C, D, u32>, u32);
public!([const C: usize, const D: usize] HalfSipHash<C, D, u64>, halfsiphash::Stream<C, D, u64>, u64);
public!([] AnySipHash<u64>, siphash::AnyStream<u64>, u64);
public!([] AnySipHash<u128>, siphash::AnyStream<u128>, u128);
public!([] AnyHalfSipHash<u32>, halfsiphash::AnyStream<u32>, u32);
public!([] AnyHalfSipHash<u64>, halfsiphash::AnyStream<u64>, u64);

/// Every public type for this variant. One has rounds known at run time. For the rounds below, another has rounds known
/// at compile time: a separate type with separate machine code.
pub fn hashes(variant: Variant, key: &[u8]) -> Vec<Box<dyn PublicHash>> {
    let [c, d] = [variant.c, variant.d].map(|x| NonZeroU8::new(x).expect("at least one round"));
    let sip = || siphash::Key::from_bytes(key.try_into().expect("16 bytes of key"));
    let half = || halfsiphash::Key::from_bytes(key.try_into().expect("8 bytes of key"));
    let any: Box<dyn PublicHash> = match (variant.half, variant.double) {
        (false, false) => Box::new(AnySipHash::<u64>::new(&sip(), c, d)),
        (false, true) => Box::new(AnySipHash::<u128>::new(&sip(), c, d)),
        (true, false) => Box::new(AnyHalfSipHash::<u32>::new(&half(), c, d)),
        (true, true) => Box::new(AnyHalfSipHash::<u64>::new(&half(), c, d)),
    };
    macro_rules! fixed {
        ($($c:literal $d:literal),*) => {
            match (variant.half, variant.c, variant.d, variant.double) {
                $(
                    (false, $c, $d, false) => Some(Box::new(SipHash::<$c, $d, u64>::new(&sip()))),
                    (false, $c, $d, true) => Some(Box::new(SipHash::<$c, $d, u128>::new(&sip()))),
                    (true, $c, $d, false) => Some(Box::new(HalfSipHash::<$c, $d, u32>::new(&half()))),
                    (true, $c, $d, true) => Some(Box::new(HalfSipHash::<$c, $d, u64>::new(&half()))),
                )*
                _ => None,
            }
        };
    }
    let fixed: Option<Box<dyn PublicHash>> = fixed!(1 1, 1 2, 1 3, 2 4, 4 8, 3 5, 7 1);
    [any].into_iter().chain(fixed).collect()
}

/// A spread of variants: every fast path and others, both families, both tag widths.
pub const SPREAD: [Variant; 14] = [
    Variant::sip(1, 1, false),
    Variant::sip(1, 2, false),
    Variant::sip(1, 3, false),
    Variant::sip(2, 4, false),
    Variant::sip(4, 8, false),
    Variant::sip(1, 3, true),
    Variant::sip(2, 4, true),
    Variant::sip(3, 5, false),
    Variant::sip(7, 1, true),
    Variant::half(1, 3, false),
    Variant::half(2, 4, false),
    Variant::half(1, 3, true),
    Variant::half(2, 4, true),
    Variant::half(3, 5, false),
];
