//! The known answers that a row must give before it may be chosen. A slot's test takes at most some hundred
//! microseconds.
//!
//! Each test runs a fixed set of jobs and compares a checksum of all tags with a constant. The constants come from
//! keylane-ref, and the conformance suite computes them again. These tests do not replace that suite: they catch a
//! kernel that this CPU, this emulator or this compiler gets wrong.

use crate::arch::portable::poly1305_inline;
use crate::job::buffer::LeInt;
use crate::job::kernel::Shape;
use crate::job::poly1305::{self, Blocks};
use crate::job::siphash::{self, Batch, Counted, Layout, Long, Messages, State, Tag, Word};
use crate::job::wipe::Zero;
use core::marker::PhantomData;
use core::num::NonZeroU8;

/// A shape whose kernels have a self-test.
pub trait SelfTest: Shape {
    /// Whether `run` gives the known answers.
    fn selftest(run: &dyn Fn(Self::Job<'_>)) -> bool;
}

impl SelfTest for siphash::X1Long {
    fn selftest(run: &dyn Fn(Long<'_>)) -> bool {
        x1_long(run)
    }
}

impl<W: Answers> SelfTest for siphash::Xn<W> {
    fn selftest(run: &dyn Fn(Batch<'_, W>)) -> bool {
        xn::<W, W>(run, W::OF_ONE_WORD) && xn::<W, W::Double>(run, W::OF_TWO_WORDS) && xn_paths(run)
    }
}

/// A word with known answers for batches, one for each of [`ROUNDS`].
pub trait Answers: Word<Double: Zero + Into<u128>> + Into<u128> {
    /// Checksums of tags of one word.
    const OF_ONE_WORD: [u64; 6];
    /// Checksums of tags of two words.
    const OF_TWO_WORDS: [u64; 6];
    /// Checksum of tags of one word, of messages for each path.
    const OF_PATHS: u64;
}

impl Answers for u64 {
    const OF_ONE_WORD: [u64; 6] = SIPHASH;
    const OF_TWO_WORDS: [u64; 6] = SIPHASH_WIDE;
    const OF_PATHS: u64 = SIPHASH_PATHS;
}

impl Answers for u32 {
    const OF_ONE_WORD: [u64; 6] = HALFSIPHASH;
    const OF_TWO_WORDS: [u64; 6] = HALFSIPHASH_WIDE;
    const OF_PATHS: u64 = HALFSIPHASH_PATHS;
}

impl SelfTest for poly1305::X1 {
    fn selftest(run: &dyn Fn(Blocks<'_>)) -> bool {
        poly1305_x1(run)
    }
}

impl SelfTest for poly1305::Pn {
    fn selftest(run: &dyn Fn(poly1305::Message<'_>)) -> bool {
        poly1305_pn(run)
    }
}

impl SelfTest for poly1305::Xn {
    fn selftest(run: &dyn Fn(poly1305::Batch<'_>)) -> bool {
        poly1305_xn(run)
    }
}

/// The rounds that are tested: those with constants, and one without.
pub const ROUNDS: [[u8; 2]; 6] = [[1, 1], [1, 2], [1, 3], [2, 4], [4, 8], [3, 5]];

/// How many messages, and how many integers, a batch has: two full groups of the widest kernel, and a rest.
pub const MESSAGES: usize = 130;

/// Message i has `i % LENGTHS` bytes, which covers every tail and several tiles of words.
pub const LENGTHS: usize = 41;

/// Where the first message begins. The messages are stored back to back. The bytes before and after them let a kernel
/// read beyond both ends.
pub const FIRST: usize = 64;

/// The messages, with the bytes before and after them.
pub static BYTES: [u8; FIRST + 2481 + 8] = input();

/// Where message `i` begins, and message `i - 1` ends.
const fn stop(i: usize) -> usize {
    let (rounds, rest) = (i / LENGTHS, i % LENGTHS);
    FIRST + rounds * (LENGTHS * (LENGTHS - 1) / 2) + rest * rest.saturating_sub(1) / 2
}

/// Where the messages begin, and the last one ends.
static OFFSETS: [i64; MESSAGES + 1] = {
    let mut offsets = [0; MESSAGES + 1];
    let mut i = 0;
    while i <= MESSAGES {
        offsets[i] = stop(i) as i64;
        i += 1;
    }
    offsets
};

/// The message that takes the place of itself and the next one, which is then empty. So it is no short message.
pub const LONG: usize = 38;

/// The same offsets, with the long message.
static OFFSETS_OF_LONG: [i64; MESSAGES + 1] = {
    let mut offsets = OFFSETS;
    offsets[LONG + 1] = offsets[LONG + 2];
    offsets
};

/// How many messages the batches of few integers have.
pub const FEW: [usize; 7] = [3, 4, 8, 13, 16, 29, 64];

/// Short slice i begins `i * SHORT_STEP` bytes after `FIRST` and has `i % SHORT_LENGTHS` bytes.
pub const SHORT_STEP: usize = 17;
/// The number of different lengths.
pub const SHORT_LENGTHS: usize = 32;

/// Messages in separate slices, all of them short.
static SHORT_SLICES: [&[u8]; MESSAGES] = {
    let mut slices: [&[u8]; MESSAGES] = [&[]; MESSAGES];
    let mut i = 0;
    while i < MESSAGES {
        slices[i] = BYTES.split_at(FIRST + i * SHORT_STEP).1.split_at(i % SHORT_LENGTHS).0;
        i += 1;
    }
    slices
};

/// The messages in separate slices.
static SLICES: [&[u8]; MESSAGES] = {
    let mut slices: [&[u8]; MESSAGES] = [&[]; MESSAGES];
    let mut i = 0;
    while i < MESSAGES {
        slices[i] = BYTES.split_at(stop(i + 1)).0.split_at(stop(i)).1;
        i += 1;
    }
    slices
};

/// The integers of 16 and of 8 bytes.
static INTEGERS: ([u128; MESSAGES], [u64; MESSAGES]) = {
    let (mut u128s, mut u64s) = ([0; MESSAGES], [0; MESSAGES]);
    let mut i = 0;
    while i < MESSAGES {
        (u128s[i], u64s[i]) = (integer(i), integer(i) as u64);
        i += 1;
    }
    (u128s, u64s)
};

/// The width in bytes of each fixed-width message. The first one begins at the input's first byte.
pub const WIDTH: usize = 19;

/// How many jobs of a batch run under the first of `ROUNDS` only: they differ from the others only in their layout.
pub const ONCE: usize = 3;

/// Checksums of SipHash tags of 64 bits, for each of `ROUNDS`. The jobs: messages, the same in separate slices, then fixed-width
/// messages (these three run once), the messages again, the same folded, and integers of 4, 8 and 16 bytes. Integer i is
/// the low bytes of `integer(i)`.
pub const SIPHASH: [u64; 6] = [
    0xd2ae_8d5f_ec45_5660,
    0xb641_b1d6_b933_e949,
    0x8177_9101_c769_f0d1,
    0xabc1_49f3_e58d_a5ba,
    0xb42b_7d65_1d16_df34,
    0x67cd_8009_8b08_0949,
];
/// Checksums of SipHash tags of 128 bits.
pub const SIPHASH_WIDE: [u64; 6] = [
    0x3e88_c86e_0514_e077,
    0x0ee4_66a7_786b_ddd3,
    0xc956_46f6_204b_02c7,
    0xd508_75e7_5dd0_1922,
    0x514c_28c4_dc98_0e3a,
    0xfedb_adda_bd63_5d2d,
];
/// Checksums of HalfSipHash tags of 32 bits.
pub const HALFSIPHASH: [u64; 6] = [
    0xcccd_fa77_2782_5a8d,
    0x5791_35a6_5f9c_8345,
    0x1408_0b68_a021_8cd4,
    0x59dc_9e42_0238_e1c0,
    0xd3c6_dc3e_07a3_8193,
    0x02a1_7109_dfe7_5673,
];
/// Checksums of HalfSipHash tags of 64 bits.
pub const HALFSIPHASH_WIDE: [u64; 6] = [
    0x88d9_b702_0225_05cb,
    0x347b_b170_f59d_1c9a,
    0x582b_f515_775b_0410,
    0x1711_562a_bd17_af30,
    0x518e_e6c7_a9a8_b12c,
    0x1c1e_256f_a2c9_a4c6,
];
/// Checksums of tags of one word under the first of `ROUNDS`: of the messages with one that is long, then of short
/// slices. They take a kernel's other paths.
pub const SIPHASH_PATHS: u64 = 0x306b_1308_5535_3e8f;
/// The same for HalfSipHash.
pub const HALFSIPHASH_PATHS: u64 = 0x0550_f857_87a7_bbe9;
/// Checksums of SipHash tags of 144 bytes of input, for each of `ROUNDS`: unfolded, then folded.
pub const SIPHASH_LONG: [u64; 6] = [
    0x530b_d109_0864_0ca2,
    0x5780_0a46_59bf_a9f6,
    0x345b_2101_ecd1_a07e,
    0x63b6_3483_03b6_8d8d,
    0xa01f_8233_f668_b6ac,
    0xd148_f211_f480_5116,
];
/// How many Poly1305 messages there are of each text, for kernels that take one message at a time. Message i has the
/// text's first i bytes, under key `i % MACS`.
pub const SHORT_MACS: usize = 65;

/// The checksum of their tags.
pub const POLY1305: u64 = 0x10fc_8272_e02a_3f76;

/// How many Poly1305 messages a batch has: one group of eight and one more.
pub const MACS_OF_MANY: usize = 9;

/// The batches `[first, step]` of each text: message i has `first + step * i` bytes from byte i on, under key `i %
/// MACS`. The second and the last cover every tail, in messages that are long enough for lanes.
pub const BATCHES: [[usize; 2]; 5] = [[0, 21], [450, 49], [576, 0], [61, 0], [459, 65]];

/// The checksums of their tags.
pub const POLY1305_XN: [u64; 5] = [
    0x8912_1a29_1ebb_bcc8,
    0xf6ac_660b_0c78_8573,
    0x0ef0_5117_2bd3_acbf,
    0x9664_7f2b_df10_b29d,
    0x0733_3353_a915_1f77,
];

/// How many Poly1305 keys there are. Key i is the 32 bytes of the input that begin at byte i.
pub const MACS: usize = 7;

/// The lengths of the messages for kernels that take many blocks at a time. They cover one group of blocks, two groups,
/// and as many as each method takes at a time and more. The lengths from 256 on cover every tail.
pub const LENGTHS_PN: [usize; 19] =
    [15, 125, 250, 771, 1500, 2048, 4500, LONGEST_MAC, 401, 434, 485, 518, 551, 584, 619, 654, 266, 381, 271];

/// The length of the longest of them.
pub const LONGEST_MAC: usize = 9001;

/// The texts of the Poly1305 messages: ones, which carry most, and blocks that all differ, so that their order counts.
/// Constant, because they are too large for the stack of a first call.
pub static TEXTS: [[u8; LONGEST_MAC]; 2] = [[0xff; LONGEST_MAC], different_blocks()];

/// Bytes that do not repeat.
const fn different_blocks<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = (mix(2, (i / 8) as u64) >> (8 * (i % 8))) as u8;
        i += 1;
    }
    bytes
}

/// Their checksums: the first bytes of each text, message i under key `i % MACS`.
pub const POLY1305_PN: [u64; LENGTHS_PN.len()] = [
    0xf35f_4c10_04f9_3708,
    0xb552_11bf_d577_ae6d,
    0x5358_02c0_0ef9_8755,
    0x755d_f604_621c_8e61,
    0xafc5_ac7b_31de_866d,
    0xd153_8fdf_feb2_0da9,
    0x5efa_4ae3_8c72_1293,
    0x8d93_3801_ab27_31fc,
    0xce10_9e06_1df8_9f60,
    0x894a_93eb_287a_9cf9,
    0xfb12_00f1_edc2_0391,
    0xcc9a_6aff_1385_cf8f,
    0x2b97_8e36_c96a_bb5f,
    0xf135_eed3_fe8d_df09,
    0xb884_6763_ed1d_4ec8,
    0x7224_861b_b548_b3b1,
    0xae99_c8f7_6672_9845,
    0x9cc3_6c4b_477d_681f,
    0x5f2e_e08c_04fb_f695,
];

/// The input: all kinds of bytes, with letters of both cases among them.
pub const fn input<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = (i as u8).wrapping_mul(0x3d).wrapping_add(0x41);
        i += 1;
    }
    bytes
}

/// Integer `i` of a batch.
pub const fn integer(i: usize) -> u128 {
    mix(0, i as u64) as u128 | (mix(1, i as u64) as u128) << 64
}

/// Adds a number to a checksum that depends on the order.
pub const fn mix(sum: u64, x: u64) -> u64 {
    (sum.rotate_left(7) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Adds a tag to a checksum.
pub fn mix_tag(sum: u64, tag: impl Into<u128>) -> u64 {
    let tag = tag.into();
    mix(mix(sum, tag as u64), (tag >> 64) as u64)
}

fn counted([c, d]: [u8; 2]) -> Counted {
    let nonzero = |x| NonZeroU8::new(x).unwrap_or(NonZeroU8::MIN);
    Counted::new(nonzero(c), nonzero(d))
}

/// The state under the key 00 01 02 ...
fn keyed<W: Word>(wide: bool) -> State<W> {
    let key: [u8; 16] = core::array::from_fn(|i| i as u8);
    let (words, _) = W::split(&key);
    let word = |i: usize| words.get(i).map_or(W::ZERO, |&word| W::from_bytes(word));
    State::new([word(0), word(1)], wide)
}

/// The test of `siphash-x1-long`.
pub fn x1_long(run: &dyn Fn(Long<'_>)) -> bool {
    let bytes = input::<144>();
    let (words, _) = u64::split(&bytes);
    ROUNDS.iter().zip(SIPHASH_LONG).all(|(&rounds, answer)| {
        let rounds = counted(rounds);
        let tags = [false, true].map(|fold| {
            let mut state = keyed(false);
            run(Long { state: &mut state, rounds, fold, words });
            state.absorb(rounds, u64::length(bytes.len()));
            state.narrow::<false>(rounds)
        });
        tags.into_iter().fold(0, mix_tag) == answer
    })
}

/// The test of `siphash-xn` and `halfsiphash-xn`, in three layouts: messages in one slice, where a kernel may read
/// beyond them; messages in separate slices; integers.
pub fn xn<W: Word, T: Tag<W> + Zero + Into<u128>>(run: &dyn Fn(Batch<'_, W>), answers: [u64; 6]) -> bool {
    let initial = &keyed(T::WIDE);
    // Most messages are constants, and a job that makes some has its own frame: a first call must not need much stack.
    let jobs: [Sum<W, T>; 8] = [offsets64, slices, rows, offsets32, folded_slices, u32s, u64s, u128s];
    ROUNDS.iter().zip(answers).enumerate().all(|(i, (&rounds, answer))| {
        let jobs = jobs.get(if i == 0 { 0 } else { ONCE }..).unwrap_or(&[]);
        let sum =
            |sum, job: &Sum<W, T>| job(&Job { run, initial, rounds: counted(rounds), sum, tag: PhantomData });
        jobs.iter().fold(0, sum) == answer
    })
}

/// The test of `siphash-xn` and `halfsiphash-xn` for the paths that messages take by their lengths: groups of short
/// ones, and others.
fn xn_paths<W: Answers>(run: &dyn Fn(Batch<'_, W>)) -> bool {
    let [rounds, ..] = ROUNDS;
    let (initial, rounds) = (&keyed(false), counted(rounds));
    let jobs: [Sum<W, W>; 3] = [with_long, short_slices, few_integers];
    let sum = |sum, job: &Sum<W, W>| job(&Job { run, initial, rounds, sum, tag: PhantomData });
    jobs.iter().fold(0, sum) == W::OF_PATHS
}

/// A job: the checksum after it.
type Sum<W, T> = fn(&Job<'_, W, T>) -> u64;

/// What the jobs of a batch share, and the checksum before the job.
struct Job<'a, W: Word, T> {
    run: &'a dyn Fn(Batch<'_, W>),
    initial: &'a State<W>,
    rounds: Counted,
    sum: u64,
    tag: PhantomData<fn() -> T>,
}

impl<W: Word, T: Tag<W> + Zero + Into<u128>> Job<'_, W, T> {
    /// The checksum after the tags of these messages.
    fn of(&self, messages: Messages<'_>, fold: bool) -> u64 {
        self.of_first(MESSAGES, messages, fold)
    }

    /// The same of so many messages.
    #[inline(never)]
    fn of_first(&self, count: usize, messages: Messages<'_>, fold: bool) -> u64 {
        let &Job { run, initial, rounds, sum, .. } = self;
        let mut tags = [T::ZERO; MESSAGES];
        let tags = tags.get_mut(..count).unwrap_or(&mut []);
        run(Batch { initial, rounds, fold, messages, tags: T::tags(tags) });
        tags.iter().fold(sum, |sum, &tag| mix_tag(sum, tag))
    }
}

fn offsets64<W: Word, T: Tag<W> + Zero + Into<u128>>(job: &Job<'_, W, T>) -> u64 {
    job.of(Messages::Bytes(Layout::Offsets64 { bytes: &BYTES, offsets: &OFFSETS }), false)
}

#[inline(never)]
fn offsets32<W: Word, T: Tag<W> + Zero + Into<u128>>(job: &Job<'_, W, T>) -> u64 {
    let mut offsets = [0; OFFSETS.len()];
    for (place, &offset) in offsets.iter_mut().zip(&OFFSETS) {
        *place = offset as i32;
    }
    job.of(Messages::Bytes(Layout::Offsets32 { bytes: &BYTES, offsets: &offsets }), false)
}

fn with_long<W: Word, T: Tag<W> + Zero + Into<u128>>(job: &Job<'_, W, T>) -> u64 {
    job.of(Messages::Bytes(Layout::Offsets64 { bytes: &BYTES, offsets: &OFFSETS_OF_LONG }), false)
}

fn short_slices<W: Word, T: Tag<W> + Zero + Into<u128>>(job: &Job<'_, W, T>) -> u64 {
    job.of(Messages::Bytes(Layout::Slices(&SHORT_SLICES)), false)
}

fn slices<W: Word, T: Tag<W> + Zero + Into<u128>>(job: &Job<'_, W, T>) -> u64 {
    job.of(Messages::Bytes(Layout::Slices(&SLICES)), false)
}

fn rows<W: Word, T: Tag<W> + Zero + Into<u128>>(job: &Job<'_, W, T>) -> u64 {
    let rows = BYTES.get(..MESSAGES * WIDTH).unwrap_or(&[]);
    job.of(Messages::Bytes(Layout::Rows { bytes: rows, width: WIDTH }), false)
}

fn folded_slices<W: Word, T: Tag<W> + Zero + Into<u128>>(job: &Job<'_, W, T>) -> u64 {
    job.of(Messages::Bytes(Layout::Slices(&SLICES)), true)
}

#[inline(never)]
fn u32s<W: Word, T: Tag<W> + Zero + Into<u128>>(job: &Job<'_, W, T>) -> u64 {
    let mut integers = [0; MESSAGES];
    for (place, &integer) in integers.iter_mut().zip(&INTEGERS.1) {
        *place = integer as u32;
    }
    job.of(Messages::U32s(&integers), false)
}

fn u64s<W: Word, T: Tag<W> + Zero + Into<u128>>(job: &Job<'_, W, T>) -> u64 {
    job.of(Messages::U64s(&INTEGERS.1), false)
}

fn u128s<W: Word, T: Tag<W> + Zero + Into<u128>>(job: &Job<'_, W, T>) -> u64 {
    job.of(Messages::U128s(&INTEGERS.0), false)
}

/// Few integers of each width. The counts are below, at and above those of one vector and of two.
fn few_integers<W: Answers>(job: &Job<'_, W, W>) -> u64 {
    FEW.iter().fold(job.sum, |sum, &count| {
        let mut four = [0; MESSAGES];
        for (place, &integer) in four.iter_mut().zip(&INTEGERS.1) {
            *place = integer as u32;
        }
        let fours = Messages::U32s(four.get(..count).unwrap_or(&[]));
        let eights = Messages::U64s(INTEGERS.1.get(..count).unwrap_or(&[]));
        let sixteens = Messages::U128s(INTEGERS.0.get(..count).unwrap_or(&[]));
        [fours, eights, sixteens]
            .into_iter()
            .fold(sum, |sum, messages| Job { sum, ..*job }.of_first(count, messages, false))
    })
}

/// The key of Poly1305 message `i`.
fn mac_key(i: usize) -> poly1305::Key {
    let bytes = input::<40>();
    let key = bytes.get(i..).and_then(<[u8]>::first_chunk);
    poly1305::Key::from_bytes(key.unwrap_or(&[0; 32]))
}

/// The test of `poly1305-x1`.
pub fn poly1305_x1(run: &dyn Fn(Blocks<'_>)) -> bool {
    let sum =
        TEXTS.iter().flat_map(|text| (0..SHORT_MACS).map(move |len| (text, len))).fold(0, |sum, job| {
            let (text, len) = job;
            let (blocks, tail) = u128::split(text.get(..len).unwrap_or(&[]));
            let mut state = poly1305::State::new(mac_key(len % MACS));
            run(Blocks { state: &mut state, blocks, tail });
            mix_tag(sum, state.tag())
        });
    sum == POLY1305
}

/// The test of `poly1305-pn`: each message whole, then again in pieces that share their powers.
pub fn poly1305_pn(run: &dyn Fn(poly1305::Message<'_>)) -> bool {
    LENGTHS_PN.into_iter().zip(POLY1305_PN).enumerate().all(|(i, (len, answer))| {
        let key = &mac_key(i % MACS);
        let mut tags = TEXTS.iter().map(|text| poly1305_both(run, key, text.get(..len).unwrap_or(&[])));
        tags.try_fold(0, |sum, tag| Some(mix_tag(sum, tag?))) == Some(answer)
    })
}

/// The tag of a message, if it is the same whole and in pieces.
fn poly1305_both(run: &dyn Fn(poly1305::Message<'_>), key: &poly1305::Key, message: &[u8]) -> Option<u128> {
    let mut tag = 0;
    run(poly1305::Message::Whole { key, message, tag: &mut tag });

    let (blocks, tail) = u128::split(message);
    // After a long piece, the short ones find its powers and use the method meant for them.
    let behind = if blocks.len() > 84 { 42 } else { blocks.len() / 2 };
    let (first, rest) = split(blocks, blocks.len() - behind);
    let (second, rest) = split(rest, 5);
    let (third, fourth) = split(rest, 12);
    let (mut state, mut powers) = (poly1305::State::new(*key), poly1305::Powers::Unknown);
    for blocks in [first, second, third, fourth] {
        run(poly1305::Message::Piece { state: &mut state, powers: &mut powers, blocks });
    }
    poly1305_inline(&mut state, &[], tail);
    (tag == state.tag()).then_some(tag)
}

/// The first blocks and the others; all blocks and none if there are not so many.
fn split(blocks: &[[u8; 16]], first: usize) -> (&[[u8; 16]], &[[u8; 16]]) {
    blocks.split_at_checked(first).unwrap_or((blocks, &[]))
}

/// The test of `poly1305-xn`: short messages of different lengths, long ones, and messages of one length.
pub fn poly1305_xn(run: &dyn Fn(poly1305::Batch<'_>)) -> bool {
    BATCHES.into_iter().zip(POLY1305_XN).all(|([first, step], answer)| {
        let sum = TEXTS.iter().fold(0, |sum, text| {
            let messages: [&[u8]; MACS_OF_MANY] =
                core::array::from_fn(|i| text.get(i..i + first + step * i).unwrap_or(&[]));
            let keys: [poly1305::Key; MACS_OF_MANY] = core::array::from_fn(|i| mac_key(i % MACS));
            let mut tags = [[0; 16]; MACS_OF_MANY];
            run(poly1305::Batch { keys: &keys, messages: &messages, tags: &mut tags });
            tags.into_iter().map(u128::from_le_bytes).fold(sum, mix_tag)
        });
        sum == answer
    })
}
