//! The SipHash family below the API: the state, the round, and the jobs that kernels do.
//!
//! SipHash-c-d (Aumasson and Bernstein 2012) keeps four words v0..v3, made from the key, and takes
//! a message word m as
//!
//! ```text
//! v3 ^= m;  c rounds;  v0 ^= m
//! ```
//!
//! The last word holds the message's last `len % SIZE` bytes and, in its top byte, `len % 256`.
//! Then `v2 ^= 0xff`, d rounds, and the tag is `v0 ^ v1 ^ v2 ^ v3`. A tag of twice the width starts
//! from `v1 ^ 0xee`, finishes with `v2 ^= 0xee`, and has a second half after `v1 ^= 0xdd` and d
//! more rounds. HalfSipHash is the same on 32-bit words with other constants, and its tag is
//! `v1 ^ v3`. So everything here is generic over the word: `u64` is SipHash, `u32` HalfSipHash.

use crate::arch::barrier::value_barrier;
use crate::arch::portable::siphash_x1;
use crate::arch::wipe::wipe;
use crate::buffer::Block;
use crate::kernel::select::Slot;
use crate::kernel::{Shape, selftest, table};
use core::num::NonZeroU8;

/// A word of the state: `u64` for SipHash, `u32` for HalfSipHash.
pub trait Word:
    Block
    + Tag<Self>
    + Eq
    + core::ops::BitXor<Output = Self>
    + core::ops::BitOr<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// An integer of twice the width: the wide tag.
    type Double: Tag<Self>;
    /// The public name of the slot for many messages.
    const XN: &'static str;
    /// What is xored into the key words to make v0..v3.
    const INITIAL: [Self; 4];
    /// The rotations of one round, in the order of the round's text: v1, v3, v3, v1, and the half
    /// turn of v0 and v2.
    const ROTATIONS: [u32; 5];
    /// 0xff: marks the end of the message in v2.
    const END_MARK: Self;
    /// 0xee: marks a wide tag, in v1 at the start and in v2 at the end.
    const WIDE_MARK: Self;
    /// 0xdd: marks the second half of a wide tag, in v1.
    const SECOND_MARK: Self;

    /// Whether the tag is the xor of all four words, or of v1 and v3.
    #[cfg_attr(not(all(target_arch = "x86_64", target_feature = "sse2")), allow(dead_code))]
    const ALL_IN_TAG: bool;

    /// The low bits of a number.
    #[cfg_attr(not(all(target_arch = "x86_64", target_feature = "sse2")), allow(dead_code))]
    fn low(x: usize) -> Self;
    /// Sum modulo 2^bits.
    fn add(self, other: Self) -> Self;
    /// Difference modulo 2^bits.
    #[cfg_attr(not(all(target_arch = "x86_64", target_feature = "sse2")), allow(dead_code))]
    fn sub(self, other: Self) -> Self;
    /// Rotation to the left.
    fn rotl(self, bits: u32) -> Self;
    /// The same word, of which the compiler knows no more than that it is in a register.
    fn opaque(self) -> Self;
    /// `len % 256` in the top byte.
    fn length(len: usize) -> Self;
    /// Adds 0x20 to each byte in `A`..=`Z`; leaves every other byte as it is.
    fn fold(self) -> Self;
    /// The half of a tag that stands in a finished state.
    fn extract(v: [Self; 4]) -> Self;
    /// `low` + 2^bits `high`.
    fn double(low: Self, high: Self) -> Self::Double;
    /// Absorbs whole words of a long message, by the best kernel that there is.
    fn absorb_long<R: Rounds, const FOLD: bool>(state: &mut State<Self>, rounds: R, words: &[Self::Bytes]);
    /// The slot for many messages.
    fn xn() -> &'static Slot<Xn<Self>>;
    /// The self-test of [`Xn`].
    fn selftest(run: &dyn Fn(Batch<'_, Self>)) -> bool;
}

macro_rules! word {
    ($int:ty, $double:ty) => {
        type Double = $double;
        const END_MARK: Self = 0xff;
        const WIDE_MARK: Self = 0xee;
        const SECOND_MARK: Self = 0xdd;

        #[inline(always)]
        fn low(x: usize) -> Self {
            x as Self
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
            let folded = crate::arch::x86_64::fold::fold(self.into()) as Self;
            #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
            let folded = {
                // Per byte, without carries between bytes: with its top bit cleared, a byte plus
                // 0x80 - 'A' reaches 0x80 from 'A' on, and plus 0x7f - 'Z' only beyond 'Z'.
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

    #[inline(always)]
    fn extract([v0, v1, v2, v3]: [u64; 4]) -> u64 {
        v0 ^ v1 ^ v2 ^ v3
    }

    #[inline]
    fn absorb_long<R: Rounds, const FOLD: bool>(state: &mut State<u64>, rounds: R, words: &[[u8; 8]]) {
        table::SIPHASH_X1_LONG.run(Long { state, rounds: rounds.counted(), fold: FOLD, words });
    }

    #[inline]
    fn xn() -> &'static Slot<Xn<u64>> {
        &table::SIPHASH_XN
    }

    fn selftest(run: &dyn Fn(Batch<'_, u64>)) -> bool {
        selftest::xn::<u64, u64>(run, selftest::SIPHASH)
            && selftest::xn::<u64, u128>(run, selftest::SIPHASH_WIDE)
    }
}

impl Word for u32 {
    word!(u32, u64);
    const XN: &'static str = "halfsiphash-xn";
    const INITIAL: [u32; 4] = [0, 0, 0x6c79_6765, 0x7465_6462];
    const ROTATIONS: [u32; 5] = [5, 8, 7, 13, 16];
    const ALL_IN_TAG: bool = false;

    #[inline(always)]
    fn extract([_, v1, _, v3]: [u32; 4]) -> u32 {
        v1 ^ v3
    }

    /// HalfSipHash has no kernel for long messages: its users have short ones.
    #[inline]
    fn absorb_long<R: Rounds, const FOLD: bool>(state: &mut State<u32>, rounds: R, words: &[[u8; 4]]) {
        siphash_x1::absorb::<u32, R, FOLD>(state, rounds, words);
    }

    #[inline]
    fn xn() -> &'static Slot<Xn<u32>> {
        &table::HALFSIPHASH_XN
    }

    fn selftest(run: &dyn Fn(Batch<'_, u32>)) -> bool {
        selftest::xn::<u32, u32>(run, selftest::HALFSIPHASH)
            && selftest::xn::<u32, u64>(run, selftest::HALFSIPHASH_WIDE)
    }
}

/// The tag of a message: a word, or two of them as one integer.
pub trait Tag<W: Word>: Copy + 'static {
    /// Whether the tag has two words. Such a tag starts from another state.
    const WIDE: bool;
    /// Ends a message.
    fn end(state: State<W>, rounds: impl Rounds) -> Self;
    /// The tags of a batch as kernels take them.
    fn tags(tags: &mut [Self]) -> Tags<'_, W>;
    /// Whether two tags are equal, in time that does not depend on them.
    fn same(self, other: Self) -> bool;
}

macro_rules! tag {
    ($word:ty, $int:ty, $wide:literal, $end:ident, $variant:ident) => {
        impl Tag<$word> for $int {
            const WIDE: bool = $wide;

            #[inline(always)]
            fn end(state: State<$word>, rounds: impl Rounds) -> Self {
                state.$end(rounds)
            }

            #[inline]
            fn tags(tags: &mut [Self]) -> Tags<'_, $word> {
                Tags::$variant(tags)
            }

            #[inline]
            fn same(self, other: Self) -> bool {
                core::hint::black_box(self ^ other) == 0
            }
        }
    };
}
tag!(u64, u64, false, narrow, Narrow);
tag!(u64, u128, true, wide, Wide);
tag!(u32, u32, false, narrow, Narrow);
tag!(u32, u64, true, wide, Wide);

/// How many rounds a word and the end take.
pub trait Rounds: Copy + 'static {
    /// Rounds per word.
    fn c(self) -> usize;
    /// Rounds at the end.
    fn d(self) -> usize;

    /// The tag of one message from a prepared state.
    #[inline(always)]
    fn hash<W: Word, T: Tag<W>, const FOLD: bool>(self, initial: &State<W>, message: &[u8]) -> T {
        siphash_x1::hash::<W, Self, T, FOLD>(self, initial, message)
    }

    /// The tag of one message of a length known at compile time: no loops are left of it.
    #[inline(always)]
    fn hash_array<W: Word, T: Tag<W>, const N: usize>(self, initial: &State<W>, message: &[u8; N]) -> T {
        siphash_x1::hash::<W, Self, T, false>(self, initial, message)
    }

    /// Absorbs whole words.
    #[inline(always)]
    fn absorb<W: Word>(self, state: &mut State<W>, words: &[W::Bytes]) {
        siphash_x1::absorb_piece(state, self, words);
    }

    /// Absorbs the last word and gives the tag.
    #[inline(always)]
    fn finish<W: Word, T: Tag<W>>(self, state: State<W>, last: W) -> T {
        siphash_x1::finish(self, state, last)
    }

    /// The same rounds as numbers.
    #[inline(always)]
    fn counted(self) -> Counted {
        Counted { c: self.c(), d: self.d() }
    }
}

/// Rounds known at compile time.
#[derive(Clone, Copy)]
pub struct Fixed<const C: usize, const D: usize>;

impl<const C: usize, const D: usize> Fixed<C, D> {
    /// The value; fewer than one round does not compile.
    pub const NEW: Self = {
        assert!(C >= 1 && D >= 1, "SipHash-c-d needs at least one round per word and one at the end");
        Fixed
    };
}

impl<const C: usize, const D: usize> Rounds for Fixed<C, D> {
    #[inline(always)]
    fn c(self) -> usize {
        C
    }

    #[inline(always)]
    fn d(self) -> usize {
        D
    }
}

/// Rounds known only at run time: at least one each.
#[derive(Clone, Copy)]
pub struct Counted {
    c: usize,
    d: usize,
}

impl Counted {
    /// SipHash-c-d.
    pub fn new(c: NonZeroU8, d: NonZeroU8) -> Self {
        Counted { c: c.get().into(), d: d.get().into() }
    }
}

/// Evaluates the expression with the `Counted` rounds as a [`Fixed`] value where they are one of
/// the fast paths 1-1, 1-2, 1-3, 2-4 and 4-8, and as they are elsewhere.
macro_rules! by_rounds {
    ($rounds:ident => $body:expr) => {
        match ($rounds.c(), $rounds.d()) {
            (1, 1) => {
                let $rounds = $crate::kernel::siphash::Fixed::<1, 1>;
                $body
            }
            (1, 2) => {
                let $rounds = $crate::kernel::siphash::Fixed::<1, 2>;
                $body
            }
            (1, 3) => {
                let $rounds = $crate::kernel::siphash::Fixed::<1, 3>;
                $body
            }
            (2, 4) => {
                let $rounds = $crate::kernel::siphash::Fixed::<2, 4>;
                $body
            }
            (4, 8) => {
                let $rounds = $crate::kernel::siphash::Fixed::<4, 8>;
                $body
            }
            _ => $body,
        }
    };
}
pub(crate) use by_rounds;

impl Rounds for Counted {
    #[inline(always)]
    fn c(self) -> usize {
        self.c
    }

    #[inline(always)]
    fn d(self) -> usize {
        self.d
    }

    #[inline]
    fn hash<W: Word, T: Tag<W>, const FOLD: bool>(self, initial: &State<W>, message: &[u8]) -> T {
        let rounds = self;
        by_rounds!(rounds => siphash_x1::hash::<W, _, T, FOLD>(rounds, initial, message))
    }

    #[inline(always)]
    fn hash_array<W: Word, T: Tag<W>, const N: usize>(self, initial: &State<W>, message: &[u8; N]) -> T {
        let rounds = self;
        by_rounds!(rounds => siphash_x1::hash::<W, _, T, false>(rounds, initial, message))
    }

    #[inline]
    fn absorb<W: Word>(self, state: &mut State<W>, words: &[W::Bytes]) {
        let rounds = self;
        by_rounds!(rounds => siphash_x1::absorb_piece(state, rounds, words));
    }
}

/// How a rotation is computed whose result goes into a xor.
pub trait Rotation: Copy + 'static {
    /// Rotation to the left.
    fn rotl<W: Word>(word: W, bits: u32) -> W;
}

/// With the xor, where the CPU has an instruction for both: the compiler makes one of them by itself.
#[derive(Clone, Copy)]
pub struct Fused;

impl Rotation for Fused {
    #[inline(always)]
    fn rotl<W: Word>(word: W, bits: u32) -> W {
        word.rotl(bits)
    }
}

/// Apart from the xor, for CPUs on which one instruction for both takes longer than two.
#[derive(Clone, Copy)]
pub struct Separate;

impl Rotation for Separate {
    #[inline(always)]
    fn rotl<W: Word>(word: W, bits: u32) -> W {
        word.rotl(bits).opaque()
    }
}

/// The four words v0..v3: the canonical state, which every kernel takes and leaves.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct State<W> {
    /// v0, v1, v2, v3.
    pub v: [W; 4],
}

impl<W: Word> State<W> {
    /// The state before the first word, for narrow or wide tags.
    #[inline(always)]
    pub fn new([k0, k1]: [W; 2], wide: bool) -> Self {
        let [c0, c1, c2, c3] = W::INITIAL;
        let v1 = if wide { k1 ^ c1 ^ W::WIDE_MARK } else { k1 ^ c1 };
        State { v: [k0 ^ c0, v1, k0 ^ c2, k1 ^ c3] }
    }

    /// One round, as it is fast on most CPUs that the program is compiled for.
    #[inline(always)]
    pub fn round(&mut self) {
        if cfg!(all(target_arch = "aarch64", target_vendor = "apple")) {
            self.round_by::<Separate>();
        } else {
            self.round_by::<Fused>();
        }
    }

    /// One round. The two sides of the paper's text do not depend on each other until half way, so 160
    /// orders of its ten steps give the same. A core with few ALUs picks the oldest step that is ready,
    /// and this order keeps the longest chain ahead: of all of them it was the best over short, long,
    /// dependent and independent messages in 1-3 and 2-4 (Zen 4). The order of the text costs 10 to 15 %.
    #[inline(always)]
    pub fn round_by<R: Rotation>(&mut self) {
        let [mut v0, mut v1, mut v2, mut v3] = self.v;
        let [r1, r2, r3, r4, half] = W::ROTATIONS;
        v0 = v0.add(v1);
        v2 = v2.add(v3);
        v1 = R::rotl(v1, r1) ^ v0;
        v3 = R::rotl(v3, r2) ^ v2;
        v0 = v0.rotl(half);
        v2 = v2.add(v1);
        v1 = R::rotl(v1, r4) ^ v2;
        v0 = v0.add(v3);
        v3 = R::rotl(v3, r3) ^ v0;
        v2 = v2.rotl(half);
        self.v = [v0, v1, v2, v3];
    }

    /// The state from which one word of zero leads to this one: c rounds back.
    #[cfg_attr(not(all(target_arch = "x86_64", target_feature = "sse2")), allow(dead_code))]
    #[inline]
    pub fn retreat(&mut self, rounds: impl Rounds) {
        let [r1, r2, r3, r4, half] = W::ROTATIONS;
        let rotr = |word: W, bits| word.rotl(8 * W::SIZE as u32 - bits);
        let [mut v0, mut v1, mut v2, mut v3] = self.v;
        for _ in 0..rounds.c() {
            v2 = rotr(v2, half);
            v1 = rotr(v1 ^ v2, r4);
            v3 = rotr(v3 ^ v0, r3);
            v2 = v2.sub(v1);
            v0 = rotr(v0.sub(v3), half);
            v1 = rotr(v1 ^ v0, r1);
            v3 = rotr(v3 ^ v2, r2);
            v0 = v0.sub(v1);
            v2 = v2.sub(v3);
        }
        self.v = [v0, v1, v2, v3];
    }

    /// `v3 ^= word; c rounds; v0 ^= word`.
    #[inline(always)]
    pub fn absorb(&mut self, rounds: impl Rounds, word: W) {
        self.v[3] = self.v[3] ^ word;
        for _ in 0..rounds.c() {
            self.round();
        }
        self.v[0] = self.v[0] ^ word;
    }

    /// The end of a message for a narrow tag.
    #[inline(always)]
    pub fn narrow(mut self, rounds: impl Rounds) -> W {
        self.v[2] = self.v[2] ^ W::END_MARK;
        for _ in 0..rounds.d() {
            self.round();
        }
        W::extract(self.v)
    }

    /// The end of a message for a wide tag.
    #[inline(always)]
    pub fn wide(mut self, rounds: impl Rounds) -> W::Double {
        self.v[2] = self.v[2] ^ W::WIDE_MARK;
        for _ in 0..rounds.d() {
            self.round();
        }
        let low = W::extract(self.v);
        self.v[1] = self.v[1] ^ W::SECOND_MARK;
        for _ in 0..rounds.d() {
            self.round();
        }
        W::double(low, W::extract(self.v))
    }

    /// Overwrites the state with zeros.
    #[inline]
    pub fn wipe(&mut self) {
        wipe(&mut self.v);
    }
}

/// SipHash, whole words of one long message.
pub struct X1Long;

/// What a kernel of [`X1Long`] is given: absorb `words` into `state`.
pub struct Long<'a> {
    /// The state before and after.
    pub state: &'a mut State<u64>,
    /// Only `c` counts here.
    pub rounds: Counted,
    /// Whether ASCII capitals are folded.
    pub fold: bool,
    /// The words as they lie in memory.
    pub words: &'a [[u8; 8]],
}

impl Shape for X1Long {
    const SLOT: &'static str = "siphash-x1-long";
    type Job<'a> = Long<'a>;

    fn selftest(run: &dyn Fn(Long<'_>)) -> bool {
        selftest::x1_long(run)
    }
}

/// SipHash (`u64`) or HalfSipHash (`u32`) of many messages under one key.
pub struct Xn<W>(core::marker::PhantomData<fn() -> W>);

/// What a kernel of [`Xn`] is given. The caller has checked that there are as many tags as
/// messages and that every message lies inside its bytes.
pub struct Batch<'a, W: Word> {
    /// The state before the first word of each message.
    pub initial: &'a State<W>,
    /// The rounds.
    pub rounds: Counted,
    /// Whether ASCII capitals are folded. Never for integers.
    pub fold: bool,
    /// The messages.
    pub messages: Messages<'a>,
    /// Where the tags go.
    pub tags: Tags<'a, W>,
}

impl<W: Word> Shape for Xn<W> {
    const SLOT: &'static str = W::XN;
    type Job<'a> = Batch<'a, W>;

    fn selftest(run: &dyn Fn(Batch<'_, W>)) -> bool {
        W::selftest(run)
    }
}

/// The tags of a batch.
pub enum Tags<'a, W: Word> {
    /// One word each.
    Narrow(&'a mut [W]),
    /// Two words each.
    Wide(&'a mut [W::Double]),
}

#[cfg_attr(not(all(target_arch = "x86_64", target_feature = "sse2")), allow(dead_code))]
impl<W: Word> Tags<'_, W> {
    /// How many there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        match self {
            Tags::Narrow(tags) => tags.len(),
            Tags::Wide(tags) => tags.len(),
        }
    }

    /// `n` tags from the `first` on, or as many as there are.
    #[inline(always)]
    pub fn part(&mut self, first: usize, n: usize) -> Tags<'_, W> {
        match self {
            Tags::Narrow(tags) => Tags::Narrow(part(tags, first, n)),
            Tags::Wide(tags) => Tags::Wide(part(tags, first, n)),
        }
    }
}

#[cfg_attr(not(all(target_arch = "x86_64", target_feature = "sse2")), allow(dead_code))]
#[inline(always)]
fn part<T>(tags: &mut [T], first: usize, n: usize) -> &mut [T] {
    let tags = tags.get_mut(first..).unwrap_or(&mut []);
    let n = n.min(tags.len());
    tags.get_mut(..n).unwrap_or(&mut [])
}

/// The messages of a batch: integers, or bytes in some layout.
#[derive(Clone, Copy)]
pub enum Messages<'a> {
    /// The 4 bytes of each integer, little-endian.
    U32s(&'a [u32]),
    /// The 8 bytes of each integer, little-endian.
    U64s(&'a [u64]),
    /// The 16 bytes of each integer, little-endian.
    U128s(&'a [u128]),
    /// Bytes.
    Bytes(Layout<'a>),
}

/// Where the messages of a batch of bytes lie.
#[derive(Clone, Copy)]
pub enum Layout<'a> {
    /// One behind the other, each `width` bytes.
    Rows {
        /// All messages.
        bytes: &'a [u8],
        /// Bytes in each.
        width: usize,
    },
    /// Message i is `bytes[offsets[i]..offsets[i + 1]]`.
    Offsets32 {
        /// All messages.
        bytes: &'a [u8],
        /// One more than there are messages, in ascending order, or none.
        offsets: &'a [i32],
    },
    /// Message i is `bytes[offsets[i]..offsets[i + 1]]`.
    Offsets64 {
        /// All messages.
        bytes: &'a [u8],
        /// One more than there are messages, in ascending order, or none.
        offsets: &'a [i64],
    },
    /// Anywhere.
    Slices(&'a [&'a [u8]]),
}

/// How many messages are resolved at a time.
const BLOCK: usize = 32;

#[cfg_attr(not(all(target_arch = "x86_64", target_feature = "sse2")), allow(dead_code))]
impl Layout<'_> {
    /// `n` messages from the `first` on; none if there are not so many.
    pub fn part(self, first: usize, n: usize) -> Self {
        match self {
            Layout::Rows { bytes, width } => {
                let part = bytes.get(first * width..(first + n) * width);
                Layout::Rows { bytes: part.unwrap_or(&[]), width }
            }
            Layout::Offsets32 { bytes, offsets } => {
                Layout::Offsets32 { bytes, offsets: offsets.get(first..=first + n).unwrap_or(&[]) }
            }
            Layout::Offsets64 { bytes, offsets } => {
                Layout::Offsets64 { bytes, offsets: offsets.get(first..=first + n).unwrap_or(&[]) }
            }
            Layout::Slices(slices) => Layout::Slices(slices.get(first..first + n).unwrap_or(&[])),
        }
    }
}

impl<'a> Layout<'a> {
    /// Message `i`; an empty one if there is none.
    #[inline(always)]
    pub fn message(self, i: usize) -> &'a [u8] {
        let place = match self {
            Layout::Rows { bytes, width } => bytes.get(i * width..(i + 1) * width),
            Layout::Offsets32 { bytes, offsets } => match offsets.get(i..i + 2) {
                Some(&[start, stop]) => bytes.get(start as usize..stop as usize),
                _ => None,
            },
            Layout::Offsets64 { bytes, offsets } => match offsets.get(i..i + 2) {
                Some(&[start, stop]) => bytes.get(start as usize..stop as usize),
                _ => None,
            },
            Layout::Slices(slices) => slices.get(i).copied(),
        };
        place.unwrap_or(&[])
    }
}

impl Layout<'_> {
    /// Gives the messages to `hash` as slices, a block of them with their tags at a time. So a
    /// kernel need not know the layout, and asks for it once a block.
    #[inline]
    pub fn for_each_block<T>(self, tags: &mut [T], mut hash: impl FnMut(&[&[u8]], &mut [T])) {
        let mut block: [&[u8]; BLOCK] = [&[]; BLOCK];
        for (i, tags) in tags.chunks_mut(BLOCK).enumerate() {
            let (first, count) = (i * BLOCK, tags.len());
            match self {
                Layout::Rows { bytes, width } => {
                    let rows = bytes.get(first * width..).unwrap_or(&[]);
                    for (i, message) in block.iter_mut().take(count).enumerate() {
                        *message = rows.get(i * width..(i + 1) * width).unwrap_or(&[]);
                    }
                }
                Layout::Offsets32 { bytes, offsets } => {
                    cut(bytes, offsets.get(first..), &mut block, |x| x as usize)
                }
                Layout::Offsets64 { bytes, offsets } => {
                    cut(bytes, offsets.get(first..), &mut block, |x| x as usize)
                }
                Layout::Slices(slices) => {
                    hash(slices.get(first..first + count).unwrap_or(&[]), tags);
                    continue;
                }
            }
            hash(block.get(..count).unwrap_or(&[]), tags);
        }
    }
}

/// Cuts `bytes` at the first offsets, which the API has checked: what lies outside is left empty,
/// without a panic.
#[inline(always)]
fn cut<'a, O: Copy>(
    bytes: &'a [u8],
    offsets: Option<&[O]>,
    block: &mut [&'a [u8]; BLOCK],
    index: impl Fn(O) -> usize,
) {
    let pairs = offsets.unwrap_or(&[]).windows(2);
    for (message, pair) in block.iter_mut().zip(pairs) {
        if let [start, end] = *pair {
            *message = bytes.get(index(start)..index(end)).unwrap_or(&[]);
        }
    }
}
