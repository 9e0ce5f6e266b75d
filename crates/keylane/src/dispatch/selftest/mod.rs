//! The known answers that a row must give before it may be chosen. A slot's test takes at most some hundred
//! microseconds.
//!
//! Each test runs a fixed set of jobs and compares a checksum of all tags with a constant. The constants come from
//! keylane-ref, and the conformance suite computes them again. These tests do not replace that suite: they catch a
//! kernel that this CPU, this emulator or this compiler gets wrong.

pub mod answers;
pub mod data;

use answers::*;
use data::*;

use crate::arch::portable::poly1305_inline;
use crate::job::buffer::LeInt;
use crate::job::chacha20::{self, Keys, Run, Seal, Stream, Streams, Text};
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

impl SelfTest for poly1305::Parts {
    fn selftest(run: &dyn Fn(poly1305::Packets<'_>)) -> bool {
        poly1305_parts(run)
    }
}

impl SelfTest for chacha20::Pn {
    fn selftest(run: &dyn Fn(Stream<'_>)) -> bool {
        chacha20_pn(run)
    }
}

impl SelfTest for chacha20::Xn {
    fn selftest(run: &dyn Fn(Streams<'_>)) -> bool {
        chacha20_xn(run)
    }
}

impl SelfTest for chacha20::Sealing {
    fn selftest(run: &dyn Fn(Seal<'_>)) -> bool {
        chacha20poly1305_pn(run)
    }
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
fn keyed<W: Word>(double: bool) -> State<W> {
    let key: [u8; 16] = core::array::from_fn(|i| i as u8);
    let (words, _) = W::split(&key);
    let word = |i: usize| words.get(i).map_or(W::ZERO, |&word| W::from_bytes(word));
    State::new([word(0), word(1)], double)
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
            state.single_tag::<false>(rounds)
        });
        tags.into_iter().fold(0, mix_tag) == answer
    })
}

/// The test of `siphash-xn` and `halfsiphash-xn`, in three layouts: messages in one slice, where a kernel may read
/// beyond them; messages in separate slices; integers.
pub fn xn<W: Word, T: Tag<W> + Zero + Into<u128>>(run: &dyn Fn(Batch<'_, W>), answers: [u64; 6]) -> bool {
    let initial = &keyed(T::DOUBLE);
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
    let jobs: [Sum<W, W>; 4] = [with_long, short_slices, integer_batches, small_batches];
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

    /// The same for the first `count` messages.
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

/// Small batches of integers of each width. The counts are below, at and above those of one vector and of two.
fn integer_batches<W: Answers>(job: &Job<'_, W, W>) -> u64 {
    INTEGER_COUNTS.iter().fold(job.sum, |sum, &count| {
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

/// Batches of less than a group: rows, messages with neighbours, and short slices.
fn small_batches<W: Answers>(job: &Job<'_, W, W>) -> u64 {
    SMALL.iter().fold(job.sum, |sum, &count| {
        let rows = BYTES.get(..count * WIDTH).unwrap_or(&[]);
        let rows = Layout::Rows { bytes: rows, width: WIDTH };
        let offsets = OFFSETS.get(..=count).unwrap_or(&[]);
        let offsets = Layout::Offsets64 { bytes: &BYTES, offsets };
        let slices = Layout::Slices(SHORT_SLICES.get(..count).unwrap_or(&[]));
        [rows, offsets, slices]
            .into_iter()
            .fold(sum, |sum, layout| Job { sum, ..*job }.of_first(count, Messages::Bytes(layout), false))
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

/// The first `first` blocks and the others; all blocks and none if there are fewer.
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

/// The test of `poly1305-parts`: packets whose texts have every tail, of one length and of many, with AADs of several
/// lengths.
pub fn poly1305_parts(run: &dyn Fn(poly1305::Packets<'_>)) -> bool {
    let sum = PACKETS.into_iter().fold(0, |sum, [aad, first, step]| {
        TEXTS.iter().fold(sum, |sum, text| {
            let packets: [[&[u8]; 2]; PACKETS_OF_MANY] = core::array::from_fn(|i| {
                let aad = text.get(i..i + (aad * i) % 67).unwrap_or(&[]);
                [aad, text.get(i..i + first + step * i).unwrap_or(&[])]
            });
            let keys: [poly1305::Key; PACKETS_OF_MANY] = core::array::from_fn(|i| mac_key(i % MACS));
            let mut tags = [[0; 16]; PACKETS_OF_MANY];
            run(poly1305::Packets { keys: &keys, packets: &packets, tags: &mut tags });
            tags.into_iter().map(u128::from_le_bytes).fold(sum, mix_tag)
        })
    });
    sum == POLY1305_PARTS
}

/// The ChaCha20 key of run `i`: the 32 bytes of the input that begin at byte i.
fn stream_key(i: usize) -> chacha20::Key {
    let bytes = input::<48>();
    let key = bytes.get(i..).and_then(<[u8]>::first_chunk);
    chacha20::Key::from_bytes(key.unwrap_or(&[0; 32]))
}

/// Writes the text of the runs. In place: a first call must not need much stack.
fn write_stream_text(bytes: &mut [u8; STREAM_BYTES]) {
    let [_, text] = &TEXTS;
    for (place, byte) in bytes.iter_mut().zip(text) {
        *place = *byte;
    }
}

/// Adds a one-time key to a checksum.
fn mix_key(sum: u64, key: &poly1305::Key) -> u64 {
    key.r.iter().chain(&key.s).fold(sum, |sum, &word| mix(sum, word))
}

/// Adds bytes to a checksum, eight at a time.
fn mix_bytes(sum: u64, bytes: &[u8; STREAM_BYTES]) -> u64 {
    let (words, _) = u64::split(bytes);
    words.iter().fold(sum, |sum, &word| mix(sum, u64::from_le_bytes(word)))
}

/// The test of `chacha20-pn`: runs with and without a one-time key, in place and from a source to a destination. The bytes
/// behind them must stay as they were.
pub fn chacha20_pn(run: &dyn Fn(Stream<'_>)) -> bool {
    let key = &stream_key(0);
    (0..STREAMS).fold(0, |sum, i| chacha20_run(run, key, i, sum)) == CHACHA20_PN
}

/// The checksum after run `i` of `chacha20-pn`.
#[inline(never)]
fn chacha20_run(run: &dyn Fn(Stream<'_>), key: &chacha20::Key, i: usize, sum: u64) -> u64 {
    let len = i * STREAM_STEP;
    let [_, source] = &TEXTS;
    let is_copied = i.is_multiple_of(3);
    let mut bytes = [0; STREAM_BYTES];
    if !is_copied {
        write_stream_text(&mut bytes);
    }
    let mut one_time = poly1305::Key::ZERO;
    let place = bytes.get_mut(..len).unwrap_or(&mut []);
    let text = if is_copied { Text::copied(source, place) } else { Text::in_place(place) };
    let (counter, one_time_place) =
        if i.is_multiple_of(2) { (0, Some(&mut one_time)) } else { (0x7fff_fff0 + i as u32, None) };
    run(Stream { key, run: Run { nonce: stream_nonce(i), counter, one_time: one_time_place, text } });
    mix_bytes(mix_key(sum, &one_time), &bytes)
}

/// The test of `chacha20-xn`: the same runs under one key, then under a key each.
pub fn chacha20_xn(run: &dyn Fn(Streams<'_>)) -> bool {
    let keys: [chacha20::Key; SMALL_STREAMS] = core::array::from_fn(stream_key);
    let sum = chacha20_runs(run, Keys::One(&keys[0]), 0);
    chacha20_runs(run, Keys::Each(&keys), sum) == CHACHA20_XN
}

/// The checksum after the runs of `chacha20-xn`.
#[inline(never)]
fn chacha20_runs(run: &dyn Fn(Streams<'_>), keys: Keys<'_>, sum: u64) -> u64 {
    let mut bytes = [0; STREAM_BYTES];
    write_stream_text(&mut bytes);
    let mut one_time = [poly1305::Key::ZERO; SMALL_STREAMS];
    let (mut rest, mut places) = (&mut bytes[..], one_time.iter_mut());
    let mut runs: [Run<'_>; SMALL_STREAMS] = core::array::from_fn(|i| {
        let len = i * SMALL_STREAM_STEP;
        let (text, after) = core::mem::take(&mut rest).split_at_mut_checked(len).unwrap_or_default();
        rest = after;
        let place = places.next();
        let (counter, one_time) = if i % 3 == 2 { (i as u32, None) } else { (0, place) };
        Run { nonce: stream_nonce(i), counter, one_time, text: Text::in_place(text) }
    });
    run(Streams { keys, runs: &mut runs });
    mix_bytes(one_time.iter().fold(sum, mix_key), &bytes)
}

/// The test of `chacha20poly1305-pn`: a packet in place, and one from a source to a destination. Their first blocks are
/// encrypted already, and the first of all is absorbed.
pub fn chacha20poly1305_pn(run: &dyn Fn(Seal<'_>)) -> bool {
    let sum =
        [false, true].into_iter().try_fold(0, |sum, is_copied| chacha20poly1305_packet(run, is_copied, sum));
    sum == Some(CHACHA20POLY1305_PN)
}

/// The checksum after a packet of `chacha20poly1305-pn`, whose last blocks are absorbed here. `None` if not all were
/// encrypted.
#[inline(never)]
fn chacha20poly1305_packet(run: &dyn Fn(Seal<'_>), is_copied: bool, sum: u64) -> Option<u64> {
    let [_, source] = &TEXTS;
    let mut bytes = [0; STREAM_BYTES];
    write_stream_text(&mut bytes);
    let (mut encrypted, mut absorbed) = (SEALED_BEFORE, ABSORBED_BEFORE);
    if is_copied {
        bytes.get_mut(SEALED_BEFORE..)?.fill(0);
    }
    let mut state = poly1305::State::new(mac_key(0));
    run(Seal {
        key: &stream_key(0),
        nonce: stream_nonce(1),
        source: is_copied.then_some(source),
        destination: bytes.get_mut(..SEALED_BYTES + 63)?,
        encrypted: &mut encrypted,
        absorbed: &mut absorbed,
        state: &mut state,
    });
    let (blocks, _) = bytes.get(absorbed..SEALED_BYTES)?.as_chunks();
    poly1305_inline(&mut state, blocks, &[]);
    (encrypted == SEALED_BYTES).then(|| mix_tag(mix_bytes(sum, &bytes), state.tag()))
}
