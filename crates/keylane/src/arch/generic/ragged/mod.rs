//! Messages of any length, one in each lane of a vector.
//!
//! ```text
//! while there are messages:
//!     hash groups of short messages, until one is not                   short.rs
//!     hash a chunk of up to 256 messages, or two:                       Part::hash
//!         ends, lengths = where each message ends, and its length       chunk.rs
//!         if lanes would idle for more words than sorting costs:
//!             sort 512 messages by length, longest first                sort.rs
//!             for each 256 of them, ends and lengths in that order
//!             hash by itself each message that its group would wait for
//!         for each group of G vectors of N messages:                    group.rs
//!             for each tile of four words, the last tile at the tails:
//!                 quads = the four words of each message in this tile   quad.rs
//!                 words = transpose(quads)
//!                 restart the lanes whose messages begin in this tile
//!                 absorb words[0], ..., words[3] into all lanes         engine.rs
//!             tags = finish(states), scattered to the messages' order   places.rs
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
//! outside them. For short messages, this is so only for vectors at an end of the bytes.
//!
//! The next tile is read between the words of the present one, since an out-of-order core does not look so far ahead.
//!
//! # Messages come from memory
//! Tiles of many messages, read side by side, are more streams than a CPU prefetches by itself. So each read of a tile
//! also prefetches as many bytes: those that follow in the caller's bytes, or the same tile of the next group. The
//! first group of separate messages is prefetched from its start, and then eight tiles ahead. Without this a batch of
//! messages from memory is slower than a loop over them; from a cache it costs nothing that can be measured.
//!
//! # Sorting
//! Lanes of unequal length idle. A chunk is sorted, together with the next one, if its idle words cost more than
//! sorting. Only their order is kept, and each message is located again: a batch must not need much stack. Up to 64 words, each
//! number of words is a class; beyond, each eighth of a power of two is. A message that would hold up its group for
//! longer than the scalar loop takes for it goes through that loop.

mod chunk;
mod group;
mod places;
mod short;
mod sort;
mod source;

use super::engine::Engine;
use super::lanes::{Lanes, Work};
use super::quad::{touch_zeros, zeros};
use super::tile::WINDOW;
use crate::arch::portable::interleave::one_by_one;
use crate::job::siphash::{Batch, Layout, Messages, Tags, Word};
use chunk::{Ahead, Chunk, Filled, LONGEST};
use group::Groups;
use places::Places;
use short::{Short, Starts, group_from};
use sort::{classify, sort};
use source::{Index, Offsets, Rows, Slices, Source};

/// How many messages are located together. Twice as many are sorted together.
const CHUNK: usize = 256;
/// The same if at most this many messages are left.
const SMALL_CHUNK: usize = 64;

/// A chunk is sorted if it has more idle words than this for each message.
const IDLE: u64 = 3;

/// The cost of a message besides its whole words, in words: the word of its tail and the final rounds.
const FIXED_COST_WORDS: u64 = 4;

/// Does all messages of a job, which are bytes.
#[inline(always)]
pub fn batch<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(cpu: L, job: &mut Batch<'_, W>) {
    // A tile has a place for the read of each vector, and `starts` one for each word of a tile.
    const { assert!(G <= 4 && N >= 4 && N * G <= LARGEST_GROUP) };
    let Messages::Bytes(layout) = job.messages else { return };
    touch_zeros();
    // Up to three of four vectors take less time one by one, by the code for other messages, than as a group.
    if job.tags.count() <= N * G / 4 * 3 {
        let engine = &Engine::new(cpu, job);
        hash_chunk::<_, _, N, G>(engine, layout, &mut 0, &mut job.tags);
    } else {
        cpu.call(Ragged::<_, _, N, G> { cpu, layout, job });
    }
}

/// No kernel has more messages in a group.
const LARGEST_GROUP: usize = 64;

/// A batch: groups of short messages, and chunks of others.
struct Ragged<'a, 'b, L, W: Word, const N: usize, const G: usize> {
    cpu: L,
    layout: Layout<'a>,
    job: &'a mut Batch<'b, W>,
}

impl<L: Lanes<W, N>, W: Word, const N: usize, const G: usize> Work for Ragged<'_, '_, L, W, N, G> {
    #[inline(always)]
    fn run(self) {
        let Ragged { cpu, layout, job } = self;
        let engine = &Engine::new(cpu, job);
        let tags = &mut job.tags;
        let (count, starts) = (tags.count(), &mut Starts::new(engine));
        let mut at = 0;
        while at < count {
            if !seems_short::<W>(layout, at, (count - at).min(N * G)) {
                hash_chunk::<_, _, N, G>(engine, layout, &mut at, tags);
                continue;
            }
            if count < N * G {
                cpu.call(Padded::<_, _, N, G> { engine, layout, starts, at: &mut at, tags });
            } else {
                groups::<_, _, N, G>(engine, layout, starts, &mut at, tags);
            }
            if at == count {
                return;
            }
            if group_from::<N, G>(at, count).is_some() {
                // A message of this group is not short.
                hash_chunk::<_, _, N, G>(engine, layout, &mut at, tags);
            } else {
                one_by_one(engine.job(layout.part(at, count - at), tags.part(at, count - at)));
                at = count;
            }
        }
    }
}

/// Hashes fewer messages than a group has, if all are short. The last row again, or empty messages, fill the other lanes.
/// A call of its own, so that its stack is free again when a chunk is hashed.
struct Padded<'a, 'b, L, W: Word, const N: usize, const G: usize> {
    engine: &'a Engine<L, W, N>,
    layout: Layout<'a>,
    starts: &'a mut Starts<W>,
    at: &'a mut usize,
    tags: &'a mut Tags<'b, W>,
}

impl<L: Lanes<W, N>, W: Word, const N: usize, const G: usize> Work for Padded<'_, '_, L, W, N, G> {
    #[inline(always)]
    fn run(self) {
        let Padded { engine, layout, starts, at, tags } = self;
        match layout {
            Layout::Rows { bytes, width } => {
                hash_short::<_, _, Rows<'_, N, G>, N, G>(engine, (bytes, width), starts, at, tags);
            }
            Layout::Offsets32 { bytes, offsets } => {
                let offsets = &repeat_last(offsets);
                hash_short::<_, _, Offsets<'_, _, N, G>, N, G>(engine, (bytes, offsets), starts, at, tags);
            }
            Layout::Offsets64 { bytes, offsets } => {
                let offsets = &repeat_last(offsets);
                hash_short::<_, _, Offsets<'_, _, N, G>, N, G>(engine, (bytes, offsets), starts, at, tags);
            }
            Layout::Slices(messages) => {
                let mut padded: [&[u8]; LARGEST_GROUP] = [&[]; LARGEST_GROUP];
                for (place, message) in padded.iter_mut().zip(messages) {
                    *place = message;
                }
                // Only one group: what lies behind it would be prefetched.
                let group = padded.get(..N * G).unwrap_or(&[]);
                hash_short::<_, _, Slices<'_, _, N, G>, N, G>(engine, group, starts, at, tags);
            }
        }
    }
}

/// The offsets, with the last one again and again behind them: those of empty messages.
#[inline(always)]
fn repeat_last<O: Index>(offsets: &[O]) -> [O; LARGEST_GROUP + 1] {
    let mut padded = [offsets.last().copied().unwrap_or_default(); LARGEST_GROUP + 1];
    for (place, &offset) in padded.iter_mut().zip(offsets) {
        *place = offset;
    }
    padded
}

/// Whether a sample of n messages from message `at` on is short. To look at a whole group for nothing takes longer.
#[inline(always)]
fn seems_short<W: Word>(layout: Layout<'_>, at: usize, n: usize) -> bool {
    let mut longest = 0;
    for i in [0, n / 3, n / 3 * 2, n - 1] {
        longest = longest.max(layout.message(at + i).len());
    }
    longest < WINDOW * W::SIZE
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
            hash_short::<_, _, Rows<'_, N, G>, N, G>(engine, (bytes, width), starts, at, tags);
        }
        Layout::Offsets32 { bytes, offsets } => {
            hash_short::<_, _, Offsets<'_, _, N, G>, N, G>(engine, (bytes, offsets), starts, at, tags);
        }
        Layout::Offsets64 { bytes, offsets } => {
            hash_short::<_, _, Offsets<'_, _, N, G>, N, G>(engine, (bytes, offsets), starts, at, tags);
        }
        Layout::Slices(messages) => {
            hash_short::<_, _, Slices<'_, _, N, G>, N, G>(engine, messages, starts, at, tags);
        }
    }
}

/// Hashes groups of short messages of a source.
#[inline(always)]
fn hash_short<L: Lanes<W, N>, W: Word, S: Source<L, W, N, G>, const N: usize, const G: usize>(
    engine: &Engine<L, W, N>,
    list: S::List,
    starts: &mut Starts<W>,
    at: &mut usize,
    tags: &mut Tags<'_, W>,
) {
    engine.cpu.call(Short::<_, S, _, N, G> { engine, list, starts, at, tags });
}

/// Hashes a chunk of messages from message `at` on, or two chunks if they are sorted. Adds their number to `at`.
#[inline(always)]
fn hash_chunk<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(
    engine: &Engine<L, W, N>,
    layout: Layout<'_>,
    at: &mut usize,
    tags: &mut Tags<'_, W>,
) {
    if tags.count().saturating_sub(*at) <= SMALL_CHUNK {
        let tags = tags.part(*at, SMALL_CHUNK);
        engine.cpu.call(Chunked::<_, _, N, G, SMALL_CHUNK> { engine, layout, at, tags });
    } else {
        let tags = tags.part(*at, 2 * CHUNK);
        engine.cpu.call(Chunked::<_, _, N, G, CHUNK> { engine, layout, at, tags });
    }
}

/// A chunk of up to B messages, or two.
struct Chunked<'a, 'b, L, W: Word, const N: usize, const G: usize, const B: usize> {
    engine: &'a Engine<L, W, N>,
    layout: Layout<'a>,
    /// The first message. Afterwards, the first one that is not hashed.
    at: &'a mut usize,
    /// The tags of the messages from there on, at most 2 B.
    tags: Tags<'b, W>,
}

impl<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const B: usize> Work
    for Chunked<'_, '_, L, W, N, G, B>
{
    #[inline(always)]
    fn run(self) {
        let Chunked { engine, layout, at, tags } = self;
        let part = Part { engine, starts: &starts(engine), layout, first: *at };
        *at += part.hash::<G, B>(&mut Chunk::empty(), tags);
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

/// What the lengths of a chunk's messages tell.
struct Lengths {
    /// For how many words lanes idle, if the messages are hashed in order.
    idle: u64,
    /// The cost of all messages in words.
    words: u64,
    /// The length of the longest.
    longest: u32,
}

impl Lengths {
    /// Those of n messages.
    #[inline(always)]
    fn of<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const B: usize>(
        chunk: &Chunk<B>,
        n: usize,
    ) -> Self {
        let mut all = Lengths { idle: 0, words: FIXED_COST_WORDS * n as u64, longest: 0 };
        for group in chunk.lengths.get(..n).unwrap_or(&[]).chunks(N * G) {
            let (mut sum, mut max) = (0, 0);
            for &length in group {
                sum += words_of::<W>(length);
                max = max.max(length);
            }
            all.idle += group.len() as u64 * words_of::<W>(max) - sum;
            all.words += sum;
            all.longest = all.longest.max(max);
        }
        all
    }
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
    /// Hashes the next messages: a chunk, or two if they are sorted. There are as many tags as messages. Returns how
    /// many have been hashed.
    #[inline(always)]
    fn hash<const G: usize, const B: usize>(&self, chunk: &mut Chunk<B>, mut tags: Tags<'_, W>) -> usize {
        let n = tags.count().min(B);
        let Some(filled) = chunk.fill::<W>(self.layout, self.first, n) else {
            self.scalar_loop(0, n, tags.part(0, n));
            return n;
        };
        let Lengths { idle, words, longest } = Lengths::of::<L, W, N, G, B>(chunk, n);
        if n <= N * G && words < break_even_messages::<N>(n) * (words_of::<W>(longest) + FIXED_COST_WORDS) {
            self.scalar_loop(0, n, tags.part(0, n));
        } else if n > N * G && idle > IDLE * n as u64 {
            return self.sorted::<G, B>(chunk, &filled, longest, tags);
        } else {
            // Messages are in memory order: what follows the first group is read next.
            let ahead = &mut match (filled.ahead, chunk.ends.get(..n).unwrap_or(&[]).get(N * G - 1)) {
                (Ahead::Bytes(_), Some(&end)) => Ahead::Bytes(end),
                (ahead, _) => ahead,
            };
            let open = filled.is_open::<W>(longest);
            let places = Places { tags: tags.part(0, n), order: None };
            self.in_order::<G, B>(chunk, 0, n, open, ahead, places);
            if filled.oversized {
                self.oversized(n, tags);
            }
        }
        n
    }

    /// Hashes n messages of a chunk from index `at` on, into as many places. If `open`, all quads of the chunk may be
    /// read, as in `Groups`.
    #[inline(always)]
    fn in_order<const G: usize, const B: usize>(
        &self,
        chunk: &Chunk<B>,
        at: usize,
        n: usize,
        open: bool,
        ahead: &mut Ahead,
        mut places: Places<'_, W>,
    ) {
        let whole = n / (N * G) * (N * G);
        let part = at..at + n;
        let (ends, lengths) = (chunk.ends.get(part.clone()), chunk.lengths.get(part));
        let (Some(ends), Some(lengths)) = (ends, lengths) else { return };
        if open {
            self.groups::<G, true>(ends, lengths, ahead, places.part(0, whole));
        } else {
            self.groups::<G, false>(ends, lengths, ahead, places.part(0, whole));
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
        let places = places.part(whole, rest);
        if rest > 3 * N {
            self.groups::<G, false>(ends, lengths, ahead, places);
        } else {
            self.groups::<1, false>(ends, lengths, ahead, places);
        }
    }

    /// Hashes as many groups as there are places for their tags.
    #[inline(always)]
    fn groups<const G: usize, const OPEN: bool>(
        &self,
        ends: &[usize],
        lengths: &[u32],
        ahead: &mut Ahead,
        places: Places<'_, W>,
    ) {
        if places.count() > 0 {
            let (engine, starts) = (self.engine, self.starts);
            let (ends, lengths) = (ends.as_chunks().0.as_chunks().0, lengths.as_chunks().0.as_chunks().0);
            engine.cpu.call(Groups::<_, _, N, G, OPEN> { engine, starts, ends, lengths, ahead, places });
        }
    }

    /// Hashes the messages of a chunk and of the next, sorted by length, longest first. Returns how many there were.
    /// `filled` and `longest` tell of the first chunk.
    #[inline(always)]
    fn sorted<const G: usize, const B: usize>(
        &self,
        chunk: &mut Chunk<B>,
        filled: &Filled,
        longest: u32,
        mut tags: Tags<'_, W>,
    ) -> usize {
        let n = tags.count();
        let (mut longest, mut last) = (longest, *filled);
        let mut order = [[0; B]; 2];
        {
            let mut classes = [[0; B]; 2];
            let [first_classes, second_classes] = &mut classes;
            classify::<W, B>(chunk, n.min(B), longest, first_classes);
            if n > B {
                let Some(filled) = chunk.fill::<W>(self.layout, self.first + B, n - B) else {
                    self.scalar_loop(0, n, tags);
                    return n;
                };
                let second = Lengths::of::<L, W, N, G, B>(chunk, n - B);
                classify::<W, B>(chunk, n - B, second.longest, second_classes);
                longest = longest.max(second.longest);
                last = filled;
            }
            sort::<W, B>(&classes, n, longest, &mut order);
        }
        let oversized = filled.oversized || last.oversized;
        let mut both = Filled { before: filled.before, oversized, ..last };
        let open = both.is_open::<W>(longest);
        for order in order.as_flattened().get(..n).unwrap_or(&[]).chunks(B) {
            chunk.gather::<W>(self.layout, self.first, order);
            self.runs::<G, B>(chunk, order, open, &mut both.ahead, &mut tags);
        }
        if oversized {
            self.oversized(n, tags);
        }
        n
    }

    /// Hashes sorted messages. Those too long for their group go through the scalar loop.
    #[inline(always)]
    fn runs<const G: usize, const B: usize>(
        &self,
        sorted: &Chunk<B>,
        order: &[u16],
        open: bool,
        ahead: &mut Ahead,
        tags: &mut Tags<'_, W>,
    ) {
        let (mut from, mut at, n, all) = (0, 0, order.len(), tags.count());
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
            let places = Places { tags: tags.part(0, all), order: order.get(from..at) };
            self.in_order::<G, B>(sorted, from, at - from, open, ahead, places);
            let i = order.get(at).copied().unwrap_or(0).into();
            self.scalar_loop(i, 1, tags.part(i, 1));
            at += 1;
            from = at;
        }
        let places = Places { tags: tags.part(0, all), order: order.get(from..) };
        self.in_order::<G, B>(sorted, from, n - from, open, ahead, places);
    }

    /// Hashes n messages of the chunk from index `i` on with the kernel for one message.
    fn scalar_loop(&self, i: usize, n: usize, tags: Tags<'_, W>) {
        one_by_one(self.engine.job(self.layout.part(self.first + i, n), tags));
    }

    /// Hashes the messages that are too long for a chunk.
    #[cold]
    fn oversized(&self, n: usize, mut tags: Tags<'_, W>) {
        for i in 0..n {
            if self.layout.message(self.first + i).len() > LONGEST {
                self.scalar_loop(i, 1, tags.part(i, 1));
            }
        }
    }
}

/// The break-even for n messages, counted in messages as long as the longest: with fewer, vectors are not profitable. A
/// batch of one group is then hashed one by one; in a sorted group the longest message is hashed by itself.
///
/// A vector of 8 or more lanes takes about 2.5 times as long as one message alone. Narrower vectors take longer than
/// this formula says, but hashing a message by itself also costs a call.
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
