//! Messages of any length, one in each lane of a vector.
//!
//! ```text
//! while there are messages:
//!     hash groups of short messages, until one is not                   short.rs
//!     hash a chunk of up to 512 messages:                               Part::hash
//!         ends, lengths = where each message ends, and its length       chunk.rs
//!         if lanes would idle for more words than sorting costs:
//!             sort by length, longest first                             sort.rs
//!             hash alone each message that its group would wait for
//!         for each group of G vectors of N messages:                    group.rs
//!             for each tile of four words, the last tile at the tails:
//!                 quads = the four words of each message in this tile   quad.rs
//!                 words = transpose(quads)
//!                 restart the lanes whose messages begin in this tile
//!                 absorb words[0], ..., words[3] into all lanes         engine.rs
//!             tags = finish(states)
//!         scatter the tags to the order of the messages
//! ```
//!
//! # Lanes end together
//! A group is right-aligned: its messages end in the same tile, so all lanes finish at once. A lane need not start in
//! the word where its message begins:
//!
//! ```text
//! a lane that starts j words early starts from R^-j(initial), where R is the c rounds of one word,
//! and absorbs j zero words: v3 ^= 0, R, v0 ^= 0.
//! ```
//!
//! So lanes start once in a tile, by one permutation for each word of the state. Short messages are one tile, of up to
//! eight words: all lanes start with its first word.
//!
//! # A tile is read as quads
//! A quad is four words of one message. It ends with the word of the tail, or a multiple of four words before it. The
//! words of a quad are already in SipHash's format. Nothing is shifted; a mask clears the bytes after the tail in the
//! last word.
//!
//! If all quads of a chunk lie in the caller's bytes, they are plain loads, which also read bytes before and after a
//! message. The first and the last chunk of a batch, and messages in separate slices, are read without touching a byte
//! outside them. So are short messages, group by group.
//!
//! The next tile is read between the words of the present one, since an out-of-order core does not look so far ahead.
//!
//! # Sorting
//! Lanes of unequal length idle. A chunk is sorted if its idle words cost more than sorting. Up to 64 words, each
//! number of words is a class; beyond, each eighth of a power of two is. A message that would hold up its group for
//! longer than it takes to hash alone is hashed alone.

mod chunk;
mod group;
mod short;
mod sort;
mod source;

use super::engine::Engine;
use super::lanes::{Lanes, Work};
use super::quad::zeros;
use crate::arch::portable::interleave::one_by_one;
use crate::job::siphash::{Batch, Layout, Messages, Tags, Word};
use chunk::{Ahead, Chunk, LONGEST};
use group::Groups;
use short::{Short, Starts};
use sort::{scatter, sort};
use source::{Between, Rows, Slices, Source};

/// How many messages are sorted together.
const CHUNK: usize = 512;
/// The same in a batch of at most this many messages.
const SMALL_CHUNK: usize = 64;

/// A chunk is sorted if it has more idle words than this for each message.
const IDLE: u64 = 3;

/// The cost of a message besides its whole words, in words: the word of its tail and the final rounds.
const FIXED_COST_WORDS: u64 = 4;

/// Does all messages of a job, which are bytes.
#[inline(always)]
pub fn batch<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(cpu: L, job: &mut Batch<'_, W>) {
    // A tile has a place for the read of each vector, and `starts` one for each word of a tile.
    const { assert!(G <= 4 && N >= 4) };
    let count = job.tags.count();
    if matches!(job.messages, Messages::Bytes(Layout::Slices(_))) && count < L::SLICES {
        let Batch { initial, rounds, fold, messages, ref mut tags } = *job;
        one_by_one(Batch { initial, rounds, fold, messages, tags: tags.part(0, count) });
    } else if count <= SMALL_CHUNK {
        cpu.call(Ragged::<_, _, N, G, SMALL_CHUNK> { cpu, job });
    } else {
        cpu.call(Ragged::<_, _, N, G, CHUNK> { cpu, job });
    }
}

/// A batch: groups of short messages, and up to B other messages at a time.
struct Ragged<'a, 'b, L, W: Word, const N: usize, const G: usize, const B: usize> {
    cpu: L,
    job: &'a mut Batch<'b, W>,
}

impl<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const B: usize> Work
    for Ragged<'_, '_, L, W, N, G, B>
{
    #[inline(always)]
    fn run(self) {
        let Ragged { cpu, job } = self;
        let Messages::Bytes(layout) = job.messages else { return };
        let engine = &Engine::new(cpu, job);
        let tags = &mut job.tags;
        let count = tags.count();
        // From this number on, a group of short messages is profitable that is not full.
        let nearly_full = N * G - N * G / 8;
        if count < nearly_full {
            return cpu.call(Chunked::<_, _, N, G, B> {
                engine,
                layout,
                first: 0,
                tags: tags.part(0, count),
            });
        }
        let starts = &mut Starts::new(engine);
        let mut at = 0;
        while at < count {
            if count - at >= N * G {
                groups::<_, _, N, G>(engine, layout, starts, &mut at, tags);
            }
            // One group more: the last ones of the batch, or messages next to the end of their bytes.
            let n = (count - at).min(N * G);
            if n >= nearly_full {
                let mut messages: [[&[u8]; N]; G] = [[&[]; N]; G];
                for (i, message) in messages.as_flattened_mut().iter_mut().enumerate().take(n) {
                    *message = layout.message(at + i);
                }
                let source = Slices::<L::Prepared, N, G>::new(messages.as_flattened());
                let mut hashed = 0;
                short::<_, _, _, N, G>(engine, source, starts, &mut hashed, &mut tags.part(at, n));
                if hashed > 0 {
                    at += n;
                    continue;
                }
            }
            let n = (count - at).min(B);
            if n > 0 {
                cpu.call(Chunked::<_, _, N, G, B> { engine, layout, first: at, tags: tags.part(at, n) });
                at += n;
            }
        }
    }
}

/// Hashes whole groups of short messages, from message `at` up to the first group that is not short.
#[inline(always)]
fn groups<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(
    engine: &Engine<L, W, N>,
    layout: Layout<'_>,
    starts: &mut Starts<W>,
    at: &mut usize,
    tags: &mut Tags<'_, W>,
) {
    match layout {
        Layout::Rows { bytes, width } => {
            short::<_, _, _, N, G>(engine, Rows::new::<W>(bytes, width), starts, at, tags);
        }
        Layout::Offsets32 { bytes, offsets } => {
            short::<_, _, _, N, G>(engine, Between::new(bytes, offsets), starts, at, tags);
        }
        Layout::Offsets64 { bytes, offsets } => {
            short::<_, _, _, N, G>(engine, Between::new(bytes, offsets), starts, at, tags);
        }
        Layout::Slices(messages) => {
            let source = Slices::<L::Prepared, N, G>::new(messages);
            short::<_, _, _, N, G>(engine, source, starts, at, tags);
        }
    }
}

/// Hashes groups of short messages of a source.
#[inline(always)]
fn short<L: Lanes<W, N>, W: Word, S: Source<L, W, N, G>, const N: usize, const G: usize>(
    engine: &Engine<L, W, N>,
    source: S,
    starts: &mut Starts<W>,
    at: &mut usize,
    tags: &mut Tags<'_, W>,
) {
    engine.cpu.call(Short::<_, _, _, N, G> { engine, source, starts, at, tags });
}

/// A chunk of up to B messages.
struct Chunked<'a, 'b, L, W: Word, const N: usize, const G: usize, const B: usize> {
    engine: &'a Engine<L, W, N>,
    layout: Layout<'a>,
    first: usize,
    tags: Tags<'b, W>,
}

impl<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const B: usize> Work
    for Chunked<'_, '_, L, W, N, G, B>
{
    #[inline(always)]
    fn run(self) {
        let Chunked { engine, layout, first, tags } = self;
        let starts = &starts(engine);
        Part { engine, starts, layout, first }.hash::<G, B>(&mut Chunk::empty(), tags.count(), tags);
    }
}

/// The state before the first word, and the states 1, 2 and 3 zero words before it. `[i][j]` is word i of the state j
/// words before.
#[inline(always)]
fn starts<L, W: Word, const N: usize>(engine: &Engine<L, W, N>) -> [[W; N]; 4] {
    let mut table = [[W::ZERO; N]; 4];
    let mut state = engine.initial;
    for late in 0..4 {
        if late > 0 {
            state.retreat(engine.rounds);
        }
        for (words, word) in table.iter_mut().zip(state.v) {
            words[late] = word;
        }
    }
    table
}

/// What does not change within a chunk.
struct Part<'a, L: Lanes<W, N>, W: Word, const N: usize> {
    engine: &'a Engine<L, W, N>,
    starts: &'a [[W; N]; 4],
    layout: Layout<'a>,
    /// The index of the chunk's first message.
    first: usize,
}

impl<L: Lanes<W, N>, W: Word, const N: usize> Part<'_, L, W, N> {
    /// Hashes a chunk of n messages.
    #[inline(always)]
    fn hash<const G: usize, const B: usize>(&self, chunk: &mut Chunk<B>, n: usize, mut tags: Tags<'_, W>) {
        let Some(filled) = chunk.fill::<W>(self.layout, self.first, n) else {
            return self.alone(0, n, tags);
        };
        let (mut idle, mut words, mut longest) = (0, FIXED_COST_WORDS * n as u64, 0);
        for group in chunk.lengths.get(..n).unwrap_or(&[]).chunks(N * G) {
            let (mut sum, mut max) = (0, 0);
            for &length in group {
                sum += words_of::<W>(length);
                max = max.max(length);
            }
            idle += group.len() as u64 * words_of::<W>(max) - sum;
            words += sum;
            longest = longest.max(max);
        }
        // The first quad of the longest message may begin up to three words before it, and the word of a tail ends
        // after it.
        let row = 4 * W::SIZE;
        let reach = (longest as usize / row + 1) * row - W::SIZE;
        let open = !filled.oversized && filled.before >= reach && filled.behind >= W::SIZE;
        if n <= N * G && words < break_even_messages::<N>(n) * (words_of::<W>(longest) + FIXED_COST_WORDS) {
            return self.alone(0, n, tags);
        }
        if n > N * G && idle > IDLE * n as u64 {
            self.sorted::<G, B>(chunk, n, longest, open, filled.ahead, &mut tags);
        } else {
            let ahead = match filled.ahead {
                Ahead::NextGroup => Ahead::NextGroup,
                Ahead::Nothing | Ahead::Bytes(_) => Ahead::Nothing,
            };
            self.in_order::<G, B>(chunk, 0, n, open, ahead, tags.part(0, n));
        }
        if filled.oversized {
            self.oversized(n, tags);
        }
    }

    /// Hashes n messages of a chunk from index `at` on, into as many tags. If `open`, all quads of the chunk may be
    /// read, as in `Groups`.
    #[inline(always)]
    fn in_order<const G: usize, const B: usize>(
        &self,
        chunk: &Chunk<B>,
        at: usize,
        n: usize,
        open: bool,
        ahead: Ahead,
        mut tags: Tags<'_, W>,
    ) {
        let whole = n / (N * G) * (N * G);
        let (ends, lengths) = (chunk.ends.get(at..).unwrap_or(&[]), chunk.lengths.get(at..).unwrap_or(&[]));
        if open {
            self.groups::<G, true>(ends, lengths, ahead, tags.part(0, whole));
        } else {
            self.groups::<G, false>(ends, lengths, ahead, tags.part(0, whole));
        }
        let (ends, lengths) = (ends.get(whole..).unwrap_or(&[]), lengths.get(whole..).unwrap_or(&[]));
        let rest = n - whole;
        if rest == 0 {
            return;
        }
        let (mut padded_ends, mut padded_lengths) = ([[zeros(); N]; G], [[0; N]; G]);
        let padded = padded_ends.as_flattened_mut().iter_mut().zip(padded_lengths.as_flattened_mut());
        for ((padded_end, padded_length), (&end, &length)) in padded.zip(ends.iter().zip(lengths)).take(rest)
        {
            (*padded_end, *padded_length) = (end, length);
        }
        let (ends, lengths) = (padded_ends.as_flattened(), padded_lengths.as_flattened());
        let tags = tags.part(whole, rest);
        if rest > 3 * N {
            self.groups::<G, false>(ends, lengths, Ahead::Nothing, tags);
        } else {
            self.groups::<1, false>(ends, lengths, Ahead::Nothing, tags);
        }
    }

    /// Hashes as many groups as there are tags for.
    #[inline(always)]
    fn groups<const G: usize, const OPEN: bool>(
        &self,
        ends: &[usize],
        lengths: &[u32],
        ahead: Ahead,
        tags: Tags<'_, W>,
    ) {
        if tags.count() > 0 {
            let (engine, starts) = (self.engine, self.starts);
            let (ends, lengths) = (ends.as_chunks().0.as_chunks().0, lengths.as_chunks().0.as_chunks().0);
            engine.cpu.call(Groups::<_, _, N, G, OPEN> { engine, starts, ends, lengths, ahead, tags });
        }
    }

    /// Hashes a chunk of n messages, sorted by length, longest first.
    #[inline(always)]
    fn sorted<const G: usize, const B: usize>(
        &self,
        chunk: &Chunk<B>,
        n: usize,
        longest: u32,
        open: bool,
        ahead: Ahead,
        tags: &mut Tags<'_, W>,
    ) {
        let mut sorted = Chunk::<B>::empty();
        let mut order = [0; B];
        sort::<W, B>(chunk, n, longest, &mut sorted, &mut order);
        match tags {
            Tags::Narrow(tags) => {
                let mut temporary = [W::ZERO; B];
                self.runs::<G, B>(&sorted, &order, n, open, ahead, Tags::Narrow(&mut temporary));
                scatter(&temporary, &order, tags);
            }
            Tags::Wide(tags) => {
                let mut temporary = [W::double(W::ZERO, W::ZERO); B];
                self.runs::<G, B>(&sorted, &order, n, open, ahead, Tags::Wide(&mut temporary));
                scatter(&temporary, &order, tags);
            }
        }
    }

    /// Hashes n sorted messages. Those too long for their group are hashed alone.
    #[inline(always)]
    fn runs<const G: usize, const B: usize>(
        &self,
        sorted: &Chunk<B>,
        order: &[u16; B],
        n: usize,
        open: bool,
        ahead: Ahead,
        mut tags: Tags<'_, W>,
    ) {
        let (mut from, mut at) = (0, 0);
        while let Some(group) = sorted.lengths.get(at..n.min(at + N * G)).filter(|group| !group.is_empty()) {
            let mut words = 0;
            for &length in group {
                words += words_of::<W>(length) + FIXED_COST_WORDS;
            }
            let longest = group.first().map_or(0, |&length| words_of::<W>(length) + FIXED_COST_WORDS);
            if words >= break_even_messages::<N>(group.len()) * longest {
                at += group.len();
                continue;
            }
            self.in_order::<G, B>(sorted, from, at - from, open, ahead, tags.part(from, at - from));
            self.alone(order.get(at).copied().unwrap_or(0).into(), 1, tags.part(at, 1));
            at += 1;
            from = at;
        }
        self.in_order::<G, B>(sorted, from, n - from, open, ahead, tags.part(from, n - from));
    }

    /// Hashes n messages of the chunk from index `i` on with the kernel for one message.
    fn alone(&self, i: usize, n: usize, tags: Tags<'_, W>) {
        one_by_one(self.engine.job(self.layout.part(self.first + i, n), tags));
    }

    /// Hashes the messages that are too long for a chunk.
    #[cold]
    fn oversized(&self, n: usize, mut tags: Tags<'_, W>) {
        for i in 0..n {
            if self.layout.message(self.first + i).len() > LONGEST {
                self.alone(i, 1, tags.part(i, 1));
            }
        }
    }
}

/// The break-even for n messages, counted in messages as long as the longest: with fewer, vectors are not profitable. A
/// batch of one group is then hashed one by one; in a sorted group the longest message is hashed alone.
///
/// A vector of 8 or more lanes takes about 2.5 times as long as one message alone. Narrower vectors take longer than
/// this formula says, but hashing a message alone also costs a call.
#[inline(always)]
fn break_even_messages<const N: usize>(n: usize) -> u64 {
    let tenths = const { if 3 * N < 25 { 3 * N } else { 25 } };
    ((n.div_ceil(N) * tenths).div_ceil(10) as u64).max(3)
}

/// How many whole words a message of this many bytes has. The sum over a group or chunk may exceed 32 bits.
#[inline(always)]
fn words_of<W: Word>(length: u32) -> u64 {
    (length / W::SIZE as u32).into()
}
