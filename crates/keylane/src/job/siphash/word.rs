//! The words of the state, and the tags made of them.

use super::rounds::Rounds;
use super::state::State;
use crate::job::barrier::value_barrier;
use crate::job::buffer::LeInt;

/// A word of the state: `u64` for SipHash, `u32` for HalfSipHash.
pub trait Word:
    LeInt
    + Tag<Self>
    + Eq
    + core::ops::BitXor<Output = Self>
    + core::ops::BitOr<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// An integer of twice the width: the double tag.
    type Double: Tag<Self>;
    /// The public name of the slot for many messages.
    const XN: &'static str;
    /// The constants that are xored with the key words to make v0..v3.
    const INITIAL: [Self; 4];
    /// The rotations of one round, in the order of the paper's listing: v1, v3, v3, v1, then v0 and v2 by half a word.
    const ROTATIONS: [u32; 5];
    /// 0xff: marks the end of the message in v2.
    const END_MARK: Self;
    /// 0xee: marks a double tag, in v1 at the start and in v2 at the end.
    const DOUBLE_MARK: Self;
    /// 0xdd: marks the second half of a double tag, in v1.
    const SECOND_MARK: Self;

    /// Whether the tag is the xor of all four words; else it is v1 ^ v3.
    const ALL_IN_TAG: bool;

    /// The low bits of a number.
    fn truncated(x: usize) -> Self;
    /// The low bits of a number of 64 bits.
    fn truncated64(x: u64) -> Self;
    /// The number.
    fn to_u64(self) -> u64;
    /// Sum modulo 2^bits.
    fn add(self, other: Self) -> Self;
    /// Difference modulo 2^bits.
    fn sub(self, other: Self) -> Self;
    /// Rotation to the left.
    fn rotl(self, bits: u32) -> Self;
    /// The same word, but the compiler knows only that it is in a register.
    fn opaque(self) -> Self;
    /// `len % 256` in the top byte.
    fn length(len: usize) -> Self;
    /// Adds 0x20 to each byte in `A`..=`Z`; leaves every other byte unchanged.
    fn fold(self) -> Self;
    /// The tag word of a finished state: v0 ^ v1 ^ v2 ^ v3, or v1 ^ v3. SOON has the least latency, for one message.
    /// Without it the compiler chooses the order of the xors, which gives the most throughput for many.
    ///
    /// The last round of SipHash ends with `v1 = rotl(a, 17) ^ b; v2 = rotl(b, 32); v3 = rotl(c, 21) ^ v0`, so the tag is
    /// `rotl(a, 17) ^ rotl(c, 21) ^ b ^ rotl(b, 32)`. The sum b is ready last. If SOON, the xors without b come first, and
    /// the tag is ready three operations after b; in the compiler's order it is four.
    #[inline(always)]
    fn extract<const SOON: bool>([v0, v1, v2, v3]: [Self; 4]) -> Self {
        let [.., half] = Self::ROTATIONS;
        if !Self::ALL_IN_TAG {
            v1 ^ v3
        } else if SOON {
            let b = v2.rotl(half);
            (v0 ^ v3 ^ v1 ^ b).opaque() ^ b ^ v2
        } else {
            v0 ^ v1 ^ v2 ^ v3
        }
    }
    /// `low` + 2^bits `high`.
    fn double(low: Self, high: Self) -> Self::Double;
}

macro_rules! word {
    ($int:ty, $double:ty) => {
        type Double = $double;
        const END_MARK: Self = 0xff;
        const DOUBLE_MARK: Self = 0xee;
        const SECOND_MARK: Self = 0xdd;

        #[inline(always)]
        fn truncated(x: usize) -> Self {
            x as Self
        }

        #[inline(always)]
        fn truncated64(x: u64) -> Self {
            x as Self
        }

        #[inline(always)]
        fn to_u64(self) -> u64 {
            self.into()
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            self.wrapping_add(other)
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }

        #[inline(always)]
        fn rotl(self, bits: u32) -> Self {
            self.rotate_left(bits)
        }

        #[inline(always)]
        fn opaque(self) -> Self {
            value_barrier(self.into()) as Self
        }

        #[inline(always)]
        fn length(len: usize) -> Self {
            (len as Self) << (Self::BITS - 8)
        }

        #[inline(always)]
        fn fold(self) -> Self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            let folded = crate::job::fold::fold(self.into()) as Self;
            #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
            let folded = {
                // Each byte alone, without carries between bytes. With its top bit cleared, a byte plus 0x80 - 'A'
                // reaches 0x80 from 'A' on. A byte plus 0x7f - 'Z' reaches it only beyond 'Z'.
                const ONES: $int = <$int>::MAX / 0xff;
                let low = self & (ONES * 0x7f);
                let from_a = low + ONES * (0x80 - b'A' as $int);
                let beyond_z = low + ONES * (0x7f - b'Z' as $int);
                let upper = (from_a ^ beyond_z) & !self & (ONES * 0x80);
                self | upper >> 2
            };
            folded
        }

        #[inline(always)]
        fn double(low: Self, high: Self) -> $double {
            <$double>::from(low) | <$double>::from(high) << Self::BITS
        }
    };
}

impl Word for u64 {
    word!(u64, u128);
    const XN: &'static str = "siphash-xn";
    const INITIAL: [u64; 4] =
        [0x736f_6d65_7073_6575, 0x646f_7261_6e64_6f6d, 0x6c79_6765_6e65_7261, 0x7465_6462_7974_6573];
    const ROTATIONS: [u32; 5] = [13, 16, 21, 17, 32];
    const ALL_IN_TAG: bool = true;
}

impl Word for u32 {
    word!(u32, u64);
    const XN: &'static str = "halfsiphash-xn";
    const INITIAL: [u32; 4] = [0, 0, 0x6c79_6765, 0x7465_6462];
    const ROTATIONS: [u32; 5] = [5, 8, 7, 13, 16];
    const ALL_IN_TAG: bool = false;
}

/// The tag of a message: one word, or two words as one integer.
pub trait Tag<W: Word>: Copy + Default + 'static {
    /// Whether the tag has two words. Such a tag starts from another state.
    const DOUBLE: bool;
    /// Ends a message; SOON as in [`Word::extract`].
    fn end<const SOON: bool>(state: State<W>, rounds: impl Rounds) -> Self;
    /// The tags of a batch, in the form that kernels take.
    fn tags(tags: &mut [Self]) -> Tags<'_, W>;
    /// Whether two tags are equal, in time that does not depend on them.
    fn eq_constant_time(self, other: Self) -> bool;
}

macro_rules! tag {
    ($word:ty, $int:ty, $double:literal, $end:ident, $variant:ident) => {
        impl Tag<$word> for $int {
            const DOUBLE: bool = $double;

            #[inline(always)]
            fn end<const SOON: bool>(state: State<$word>, rounds: impl Rounds) -> Self {
                state.$end::<SOON>(rounds)
            }

            #[inline]
            fn tags(tags: &mut [Self]) -> Tags<'_, $word> {
                Tags::$variant(tags)
            }

            #[inline]
            fn eq_constant_time(self, other: Self) -> bool {
                core::hint::black_box(self ^ other) == 0
            }
        }
    };
}
tag!(u64, u64, false, single_tag, Single);
tag!(u64, u128, true, double_tag, Double);
tag!(u32, u32, false, single_tag, Single);
tag!(u32, u64, true, double_tag, Double);

/// The tags of a batch.
pub enum Tags<'a, W: Word> {
    /// One word each.
    Single(&'a mut [W]),
    /// Two words each.
    Double(&'a mut [W::Double]),
}

impl<W: Word> Tags<'_, W> {
    /// How many tags there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        match self {
            Tags::Single(tags) => tags.len(),
            Tags::Double(tags) => tags.len(),
        }
    }

    /// `n` tags from index `first` on, or as many as there are.
    #[inline(always)]
    pub fn part(&mut self, first: usize, n: usize) -> Tags<'_, W> {
        match self {
            Tags::Single(tags) => Tags::Single(part(tags, first, n)),
            Tags::Double(tags) => Tags::Double(part(tags, first, n)),
        }
    }
}

#[inline(always)]
fn part<T>(tags: &mut [T], first: usize, n: usize) -> &mut [T] {
    let tags = tags.get_mut(first..).unwrap_or(&mut []);
    let n = n.min(tags.len());
    tags.get_mut(..n).unwrap_or(&mut [])
}
