//! Words of SipHash and HalfSipHash that are terms.

use super::arena::{self, Value};
use keylane::job::buffer::LeInt;
use keylane::job::siphash::{Rounds, State, Tag, Tags, Word};
use keylane::job::wipe::Zero;
use std::ops::{BitOr, BitXor};

/// A word of BITS bits: a number or a term.
///
/// Bytes of messages are labels. The byte 7 in memory is the free byte of name 7, and 0 is the constant 0. So memory is
/// real memory: the kernel's own code reads it, moves it, and joins it to words.
#[derive(Clone, Copy, Debug)]
pub struct Symbol<const BITS: u32>(pub Value);

/// Two words: a tag of twice the width.
#[derive(Clone, Copy, Debug)]
pub struct Two<const BITS: u32>(pub Symbol<BITS>, pub Symbol<BITS>);

/// What is added to a byte's name by the case fold. Nothing else is known of a folded byte.
const FOLDED: u32 = 0x100;

impl<const BITS: u32> Symbol<BITS> {
    /// The number 0.
    pub const NONE: Self = Self::number(0);

    /// The low bits of a number.
    pub const fn number(x: u64) -> Self {
        Symbol(Value::Number(x & (u64::MAX >> (64 - BITS))))
    }

    /// Free word `i`.
    #[inline(never)]
    pub fn free(i: u32) -> Self {
        Symbol(arena::free_word(i))
    }

    /// The word whose bytes have these labels, in the order of memory.
    #[inline(never)]
    pub fn of_labels(labels: u64) -> Self {
        let name = |label| (label != 0).then(|| u32::from(label));
        let names = labels.to_le_bytes().map(name);
        Symbol(arena::word_of_bytes(&names[..BITS as usize / 8]))
    }

    /// The labels of a word whose bytes are free, or 0.
    #[inline(never)]
    pub fn labels(self) -> u64 {
        let label = |name: Option<u32>| u8::try_from(name.unwrap_or(0)).expect("a byte that is in memory");
        u64::from_le_bytes(arena::bytes_of_word(self.0).map(label))
    }

    /// The value of a word that depends on no key and no message.
    ///
    /// # Panics
    /// If it may depend on one. Then a kernel branches on it, or takes it as an index.
    #[inline(never)]
    pub fn value(self) -> u64 {
        match self.0 {
            Value::Number(x) => x,
            Value::Term(_) => panic!("a branch or an index that depends on {}", arena::text(self.0, 2)),
        }
    }

    /// Whether both words have the same normal form, and so the same value for all keys and messages.
    #[inline(never)]
    pub fn is(self, other: Self) -> bool {
        match (self.0, other.0) {
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Term(a), Value::Term(b)) => a == b,
            _ => false,
        }
    }

    /// Sum.
    #[inline(never)]
    pub fn plus(self, other: Self) -> Self {
        Symbol(arena::add(BITS, self.0, other.0, 1))
    }

    /// Difference.
    #[inline(never)]
    pub fn minus(self, other: Self) -> Self {
        Symbol(arena::add(BITS, self.0, other.0, u64::MAX))
    }

    /// And.
    #[inline(never)]
    pub fn and(self, other: Self) -> Self {
        Symbol(arena::and(self.0, other.0))
    }

    /// Rotation to the left.
    #[inline(never)]
    pub fn rotate(self, bits: u32) -> Self {
        Symbol(arena::rotl(BITS, self.0, bits))
    }

    /// Shift to the left; 0 from the word's width on.
    #[inline(never)]
    pub fn shift_left(self, bits: u32) -> Self {
        Symbol(arena::shl(BITS, self.0, bits))
    }

    /// Shift to the right; 0 from the word's width on.
    #[inline(never)]
    pub fn shift_right(self, bits: u32) -> Self {
        Symbol(arena::shr(BITS, self.0, bits))
    }

    /// The case fold of each byte.
    #[inline(never)]
    pub fn folded(self) -> Self {
        Symbol(arena::map_bytes(self.0, |name| name + FOLDED, |byte| byte.to_ascii_lowercase()))
    }

    /// As text, for a failed test.
    #[inline(never)]
    pub fn text(self) -> String {
        arena::text(self.0, 2)
    }
}

impl<const BITS: u32> BitXor for Symbol<BITS> {
    type Output = Self;

    #[inline(never)]
    fn bitxor(self, other: Self) -> Self {
        Symbol(arena::xor(self.0, other.0))
    }
}

impl<const BITS: u32> BitOr for Symbol<BITS> {
    type Output = Self;

    #[inline(never)]
    fn bitor(self, other: Self) -> Self {
        Symbol(arena::or(self.0, other.0))
    }
}

/// A comparison is a branch.
impl<const BITS: u32> PartialEq for Symbol<BITS> {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl<const BITS: u32> Eq for Symbol<BITS> {}

impl<const BITS: u32> Default for Symbol<BITS> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<const BITS: u32> Default for Two<BITS> {
    fn default() -> Self {
        Two(Symbol::NONE, Symbol::NONE)
    }
}

impl<const BITS: u32> Zero for Symbol<BITS> {
    const ZERO: Self = Self::NONE;

    fn overwrite(&mut self) {
        *self = Self::NONE;
    }
}

/// Words of one width. What the library has for integers only is delegated to them: constants, and reads of memory,
/// which the library's own code does on labels.
macro_rules! word {
    ($bits:literal, $int:ty, $bytes:literal) => {
        impl LeInt for Symbol<$bits> {
            type Bytes = [u8; $bytes];
            const SIZE: usize = $bytes;

            fn split(message: &[u8]) -> (&[Self::Bytes], &[u8]) {
                <$int>::split(message)
            }

            #[inline(never)]
            fn from_bytes(bytes: Self::Bytes) -> Self {
                Self::of_labels(<$int>::from_bytes(bytes).into())
            }

            #[inline(never)]
            fn into_bytes(self) -> Self::Bytes {
                (self.labels() as $int).into_bytes()
            }

            #[inline(never)]
            fn from_byte(byte: u8) -> Self {
                Self::of_labels(<$int>::from_byte(byte).into())
            }

            #[inline(never)]
            fn from_short(bytes: &[u8]) -> Self {
                Self::of_labels(<$int>::from_short(bytes).into())
            }

            #[inline(never)]
            fn put_above(self, low: Self, shift: usize) -> Self {
                Self::of_labels((self.labels() as $int).put_above(low.labels() as $int, shift).into())
            }

            #[inline(never)]
            fn tail(message: &[u8]) -> Self {
                Self::of_labels(<$int>::tail(message).into())
            }
        }

        impl Word for Symbol<$bits> {
            type Double = Two<$bits>;
            const XN: &'static str = "symbols";
            const INITIAL: [Self; 4] = {
                let [a, b, c, d] = <$int as Word>::INITIAL;
                let number = [a as u64, b as u64, c as u64, d as u64];
                [
                    Self::number(number[0]),
                    Self::number(number[1]),
                    Self::number(number[2]),
                    Self::number(number[3]),
                ]
            };
            const ROTATIONS: [u32; 5] = <$int as Word>::ROTATIONS;
            const END_MARK: Self = Self::number(<$int as Word>::END_MARK as u64);
            const DOUBLE_MARK: Self = Self::number(<$int as Word>::DOUBLE_MARK as u64);
            const SECOND_MARK: Self = Self::number(<$int as Word>::SECOND_MARK as u64);
            const ALL_IN_TAG: bool = <$int as Word>::ALL_IN_TAG;

            fn truncated(x: usize) -> Self {
                Self::number(<$int as Word>::truncated(x).into())
            }

            /// Code on numbers has moved bytes of memory into this one.
            #[inline(never)]
            fn truncated64(x: u64) -> Self {
                Self::of_labels(<$int as Word>::truncated64(x).into())
            }

            fn to_u64(self) -> u64 {
                self.value()
            }

            fn add(self, other: Self) -> Self {
                self.plus(other)
            }

            fn sub(self, other: Self) -> Self {
                self.minus(other)
            }

            fn rotl(self, bits: u32) -> Self {
                self.rotate(bits)
            }

            fn opaque(self) -> Self {
                self
            }

            fn length(len: usize) -> Self {
                Self::number(<$int as Word>::length(len).into())
            }

            fn fold(self) -> Self {
                self.folded()
            }

            fn double(low: Self, high: Self) -> Two<$bits> {
                Two(low, high)
            }
        }
    };
}
word!(64, u64, 8);
word!(32, u32, 4);

impl<const BITS: u32> Tag<Symbol<BITS>> for Symbol<BITS>
where
    Symbol<BITS>: Word,
{
    const DOUBLE: bool = false;

    fn end<const SOON: bool>(state: State<Self>, rounds: impl Rounds) -> Self {
        state.single_tag::<SOON>(rounds)
    }

    fn tags(tags: &mut [Self]) -> Tags<'_, Self> {
        Tags::Single(tags)
    }

    fn eq_constant_time(self, other: Self) -> bool {
        self == other
    }
}

impl<const BITS: u32> Tag<Symbol<BITS>> for Two<BITS>
where
    Symbol<BITS>: Word<Double = Two<BITS>>,
{
    const DOUBLE: bool = true;

    fn end<const SOON: bool>(state: State<Symbol<BITS>>, rounds: impl Rounds) -> Self {
        state.double_tag::<SOON>(rounds)
    }

    fn tags(tags: &mut [Self]) -> Tags<'_, Symbol<BITS>> {
        Tags::Double(tags)
    }

    fn eq_constant_time(self, other: Self) -> bool {
        self.0 == other.0 && self.1 == other.1
    }
}
