//! Messages of any length, one in each lane of a vector.
//!
//! The lanes of a group are right-aligned: its messages end together, so all lanes finish at once. A
//! message need not be put into its lane at the moment it begins:
//!
//! ```text
//! a lane that is due j words late starts from R^-j(initial), R being the c rounds of one word,
//! and takes j words of zero: v3 ^= 0, R, v0 ^= 0.
//! ```
//!
//! So lanes are set once a tile of four words, by one permutation for each word of the state.
//!
//! A tile is read as one row of each message, the four words that end with the word of the tail or a
//! multiple of four words before it, and transposed. In a row words lie as SipHash wants them: nothing
//! is shifted, the tail is cut out of the last word by a mask. Where all rows of a block lie in the
//! caller's bytes they are plain loads, which read what stands before and behind a message too; in the
//! first and last block of a batch, and where each message is a slice of its own, no byte outside a
//! message is read.
//!
//! The tile that comes next is read between the words of the one at hand, since an out-of-order core
//! does not look so far ahead by itself.
//!
//! Lanes of unequal length idle. So a block of messages is sorted by length, into classes of one word
//! count (of an eighth of it, beyond 64 words), if the words idled otherwise cost more than sorting
//! does. And a message goes alone that its group would wait for longer than it takes alone.

#![allow(unsafe_code)]

use super::barrier::value_barrier;
use super::prefetch::prefetch;
use super::vertical::{Engine, Lanes, Work, write};
use crate::arch::portable::interleave::one_by_one;
use crate::buffer;
use crate::kernel::siphash::{Batch, Layout, Messages, Tags, Word};
use core::hint::select_unpredictable;
use core::ptr::with_exposed_provenance;

/// How many messages are sorted together, and in a batch of no more than `SMALL_BLOCK`.
const BLOCK: usize = 512;
const SMALL_BLOCK: usize = 64;

/// Messages longer than this go alone: their number of words must fit into a signed word of 32 bits.
const LONGEST: usize = 1 << 30;

/// From how many idle words for each message on a block is sorted.
const IDLE: u64 = 3;

/// What a message takes beside its whole words, in words: that of its tail, and the last rounds.
const BESIDE: u64 = 4;

/// Messages of fewer whole words than this are in a class of their own number. Beyond, there are 8
/// classes for each power of two.
const PLAIN: u32 = 64;

/// At least as many as there are: 64 + 8 * 22 + 1 for words of 4 bytes and `LONGEST`.
const CLASSES: usize = 256;

/// What a lane without a message reads, and one that has none at the moment.
pub static ZEROS: [u8; 64] = [0; 64];

/// Where they stand.
#[inline(always)]
pub fn zeros() -> usize {
    ZEROS.as_ptr().expose_provenance()
}

/// The last word of a message of so many bytes, from where it begins.
///
/// # Safety
/// `end` stands `length % SIZE` bytes before the end of a message of that length, which may be read.
#[inline(always)]
pub unsafe fn tail<W: buffer::Block>(end: usize, length: u32) -> W {
    let length = length as usize;
    let start = with_exposed_provenance(end.wrapping_sub(length / W::SIZE * W::SIZE));
    // SAFETY: `start` is the message's first byte, and the caller says that it may be read.
    W::tail(unsafe { core::slice::from_raw_parts(start, length) })
}

/// Where the row of four words begins that ends one word behind `end`, less 4 `rel` words.
#[inline(always)]
pub fn row_start<W: buffer::Block>(end: usize, rel: usize) -> usize {
    end.wrapping_add(W::SIZE).wrapping_sub(4 * W::SIZE * (rel + 1))
}

/// [`Lanes::rows_within`] for one message, word by word, for instruction sets that cannot leave out a part of
/// what they read: what is not the message's is read from a row of zeros.
///
/// # Safety
/// `end` stands `length % SIZE` bytes before the end of a message of that length, which may be read.
#[cfg_attr(target_arch = "x86_64", allow(unused, reason = "its vectors read by masks"))]
#[inline(always)]
pub unsafe fn row_within<W: buffer::Block>(end: usize, length: u32, rel: usize) -> [W; 4] {
    let words = length as usize / W::SIZE + 1;
    let start = row_start::<W>(end, rel);
    let mut row = [W::ZERO; 4];
    for (i, word) in row.iter_mut().enumerate() {
        let is_whole = i + words >= 4 * (rel + 1) && (i < 3 || rel > 0);
        let address = select_unpredictable(is_whole, start.wrapping_add(W::SIZE * i), zeros());
        // SAFETY: a whole word of the message, or one of `ZEROS`.
        *word = W::from_bytes(unsafe { with_exposed_provenance::<W::Bytes>(address).read_unaligned() });
    }
    if rel == 0 {
        // SAFETY: `end` and `length` are what the caller says.
        row[3] = unsafe { tail(end, length) };
    }
    row
}

/// All messages of a job, which are bytes.
#[inline(always)]
pub fn batch<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(cpu: L, job: &mut Batch<'_, W>) {
    // A tile has a place for the reading of each vector, and `starts` one for each word of a tile.
    const { assert!(G <= 4 && N >= 4) };
    let count = job.tags.count();
    if matches!(job.messages, Messages::Bytes(Layout::Slices(_))) && count < L::SLICES {
        let Batch { initial, rounds, fold, messages, ref mut tags } = *job;
        one_by_one(Batch { initial, rounds, fold, messages, tags: tags.part(0, count) });
    } else if count <= SMALL_BLOCK {
        cpu.call(Ragged::<_, _, N, G, SMALL_BLOCK> { cpu, job });
    } else {
        cpu.call(Ragged::<_, _, N, G, BLOCK> { cpu, job });
    }
}

/// A batch, B messages at a time.
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
        let engine = Engine::new(cpu, job);
        let tags = &mut job.tags;
        let starts = starts(&engine);
        let mut block = Block::<B>::empty();
        for first in (0..tags.count()).step_by(B) {
            let n = (tags.count() - first).min(B);
            let part = Part { engine: &engine, starts: &starts, layout, first };
            part.hash::<G, B>(&mut block, n, tags.part(first, n));
        }
    }
}

/// The state before the first word, and those 1, 2 and 3 words of zero before it: `[i][j]` is word i of
/// the state j words before.
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

/// Up to B messages in the order in which they are hashed.
struct Block<const B: usize> {
    /// Where the tail of each begins: `length % SIZE` bytes before its end.
    ends: [usize; B],
    /// How many bytes each has.
    lengths: [u32; B],
}

/// What is asked for ahead of time. An order that is not that of memory defeats the CPU, which would
/// do it by itself.
#[derive(Clone, Copy)]
enum Ahead {
    Nothing,
    /// The messages of the next group: where each is a slice of its own, no more is known.
    NextGroup,
    /// The bytes from here on, where the next block stands: in the order of memory.
    Bytes(usize),
}

/// What is known of a block beside its messages.
struct Filled {
    /// How many bytes stand before the first message in the slice that all of them lie in.
    before: usize,
    /// How many bytes stand behind the last one.
    behind: usize,
    /// What is to be asked for while the block is hashed out of order.
    ahead: Ahead,
    /// Whether a message is too long to be in the block: there is an empty one in its place.
    giants: bool,
}

impl<const B: usize> Block<B> {
    /// Empty messages.
    #[inline(always)]
    fn empty() -> Self {
        Block { ends: [zeros(); B], lengths: [0; B] }
    }

    /// `n` messages of a layout from the `first` on; `None` if one of them does not lie in its bytes.
    #[inline(always)]
    fn fill<W: Word>(&mut self, layout: Layout<'_>, first: usize, n: usize) -> Option<Filled> {
        match layout {
            Layout::Rows { bytes, width } => {
                let before = first.checked_mul(width)?;
                let behind = bytes.len().checked_sub(before)?.checked_sub(n.checked_mul(width)?)?;
                let mut start = before;
                for (end, length) in self.ends.iter_mut().zip(&mut self.lengths).take(n) {
                    (*end, *length, _) = place::<W>(bytes, start, width);
                    start += width;
                }
                Some(Filled { before, behind, ahead: Ahead::Nothing, giants: width > LONGEST })
            }
            Layout::Offsets32 { bytes, offsets } => {
                self.cut::<W, _>(bytes, offsets.get(first..)?, n, |x| x as usize)
            }
            Layout::Offsets64 { bytes, offsets } => {
                self.cut::<W, _>(bytes, offsets.get(first..)?, n, |x| x as usize)
            }
            Layout::Slices(slices) => {
                let slices = slices.get(first..first + n)?;
                let mut giants = false;
                for ((end, length), message) in self.ends.iter_mut().zip(&mut self.lengths).zip(slices) {
                    let giant;
                    (*end, *length, giant) =
                        place::<W>(message, 0, value_barrier(message.len() as u64) as usize);
                    giants |= giant;
                }
                Some(Filled { before: 0, behind: 0, ahead: Ahead::NextGroup, giants })
            }
        }
    }

    #[inline(always)]
    fn cut<W: Word, O: Copy>(
        &mut self,
        bytes: &[u8],
        offsets: &[O],
        n: usize,
        index: impl Fn(O) -> usize,
    ) -> Option<Filled> {
        let (mut ascending, mut giants) = (true, false);
        let pairs = offsets.get(..n)?.iter().zip(offsets.get(1..=n)?);
        for ((end, length), (&start, &stop)) in self.ends.iter_mut().zip(&mut self.lengths).zip(pairs) {
            let (start, stop) = (index(start), index(stop));
            ascending &= start <= stop;
            let giant;
            (*end, *length, giant) = place::<W>(bytes, start, stop.wrapping_sub(start));
            giants |= giant;
        }
        let (before, stop) = (index(*offsets.first()?), index(*offsets.get(n)?));
        let next = bytes.as_ptr().expose_provenance().wrapping_add(stop);
        let filled = |behind| Filled { before, behind, ahead: Ahead::Bytes(next), giants };
        bytes.len().checked_sub(stop).filter(|_| ascending).map(filled)
    }
}

/// Where the tail of a message begins, its length, and whether it is too long.
#[inline(always)]
fn place<W: Word>(bytes: &[u8], start: usize, length: usize) -> (usize, u32, bool) {
    let giant = length > LONGEST;
    let end = bytes.as_ptr().expose_provenance().wrapping_add(start).wrapping_add(length / W::SIZE * W::SIZE);
    if giant { (zeros(), 0, true) } else { (end, length as u32, false) }
}

/// What does not change within a block.
struct Part<'a, L: Lanes<W, N>, W: Word, const N: usize> {
    engine: &'a Engine<L, W, N>,
    starts: &'a [[W; N]; 4],
    layout: Layout<'a>,
    /// The block's first message.
    first: usize,
}

impl<L: Lanes<W, N>, W: Word, const N: usize> Part<'_, L, W, N> {
    /// Hashes a block of n messages.
    #[inline(always)]
    fn hash<const G: usize, const B: usize>(&self, block: &mut Block<B>, n: usize, mut tags: Tags<'_, W>) {
        let Some(filled) = block.fill::<W>(self.layout, self.first, n) else {
            return self.alone(0, n, tags);
        };
        let (mut idle, mut words, mut longest) = (0, BESIDE * n as u64, 0);
        for group in block.lengths.get(..n).unwrap_or(&[]).chunks(N * G) {
            let (mut sum, mut max) = (0, 0);
            for &length in group {
                sum += words_of::<W>(length);
                max = max.max(length);
            }
            idle += group.len() as u64 * words_of::<W>(max) - sum;
            words += sum;
            longest = longest.max(max);
        }
        // The first row of the longest message may begin up to three words before it, and the word
        // of a tail ends behind it.
        let row = 4 * W::SIZE;
        let reach = (longest as usize / row + 1) * row - W::SIZE;
        let open = !filled.giants && filled.before >= reach && filled.behind >= W::SIZE;
        if n <= N * G && words < company::<N>(n) * (words_of::<W>(longest) + BESIDE) {
            return self.alone(0, n, tags);
        }
        if n > N * G && idle > IDLE * n as u64 {
            self.sorted::<G, B>(block, n, longest, open, filled.ahead, &mut tags);
        } else {
            let ahead = match filled.ahead {
                Ahead::NextGroup => Ahead::NextGroup,
                Ahead::Nothing | Ahead::Bytes(_) => Ahead::Nothing,
            };
            self.in_order::<G, B>(block, 0, n, open, ahead, tags.part(0, n));
        }
        if filled.giants {
            self.giants(n, tags);
        }
    }

    /// Hashes n messages of a block from `at` on, into as many tags. `open` as `Groups` says: all rows of
    /// the block may be read.
    #[inline(always)]
    fn in_order<const G: usize, const B: usize>(
        &self,
        block: &Block<B>,
        at: usize,
        n: usize,
        open: bool,
        ahead: Ahead,
        mut tags: Tags<'_, W>,
    ) {
        let whole = n / (N * G) * (N * G);
        let (ends, lengths) = (block.ends.get(at..).unwrap_or(&[]), block.lengths.get(at..).unwrap_or(&[]));
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

    /// As many groups as there are tags for.
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

    /// Hashes a block of n messages in the order of their lengths, longest first.
    #[inline(always)]
    fn sorted<const G: usize, const B: usize>(
        &self,
        block: &Block<B>,
        n: usize,
        longest: u32,
        open: bool,
        ahead: Ahead,
        tags: &mut Tags<'_, W>,
    ) {
        let mut sorted = Block::<B>::empty();
        let mut order = [0; B];
        sort::<W, B>(block, n, longest, &mut sorted, &mut order);
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

    /// Hashes n sorted messages, and those alone that are too long for their group.
    #[inline(always)]
    fn runs<const G: usize, const B: usize>(
        &self,
        sorted: &Block<B>,
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
                words += words_of::<W>(length) + BESIDE;
            }
            let longest = group.first().map_or(0, |&length| words_of::<W>(length) + BESIDE);
            if words >= company::<N>(group.len()) * longest {
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

    /// Hashes messages of the block from the `i`-th on by the kernel for one message.
    fn alone(&self, i: usize, n: usize, tags: Tags<'_, W>) {
        one_by_one(self.engine.job(self.layout.part(self.first + i, n), tags));
    }

    /// Hashes the messages that no block takes.
    #[cold]
    fn giants(&self, n: usize, mut tags: Tags<'_, W>) {
        for i in 0..n {
            if self.layout.message(self.first + i).len() > LONGEST {
                self.alone(i, 1, tags.part(i, 1));
            }
        }
    }
}

/// How many messages of the length of its longest one n messages must amount to, so that they share vectors. If they
/// amount to less, a batch of one group goes one by one, and from a sorted group its longest message goes alone. A
/// vector of 8 lanes and more takes about 2.5 times as long as one message alone. Narrower ones take longer than is
/// said here, but to go alone costs a call as well.
#[inline(always)]
fn company<const N: usize>(n: usize) -> u64 {
    let tenths = const { if 3 * N < 25 { 3 * N } else { 25 } };
    ((n.div_ceil(N) * tenths).div_ceil(10) as u64).max(3)
}

/// How many whole words a message of so many bytes has. Those of a group, or of a block, may be 2^32 and more.
#[inline(always)]
fn words_of<W: Word>(length: u32) -> u64 {
    (length / W::SIZE as u32).into()
}

/// The class of a message of so many whole words. Longer messages are in higher classes.
#[inline(always)]
fn class(words: u32) -> u16 {
    let above = (words | (PLAIN - 1)).ilog2() - (PLAIN.ilog2() - 1);
    // 64..128 is 8 classes of 8 words, 128..256 of 16, and so on.
    if above == 0 { words as u16 } else { (PLAIN - 8 + 8 * above + (words >> (above + 2) & 7)) as u16 }
}

/// Sorts n messages by class, the highest one first: counting, places, moving. B is a power of two, so
/// that `% B` is no more than a promise that an index is in its array.
#[inline(always)]
fn sort<W: Word, const B: usize>(
    block: &Block<B>,
    n: usize,
    longest: u32,
    sorted: &mut Block<B>,
    order: &mut [u16; B],
) {
    const { assert!(B.is_power_of_two() && CLASSES.is_power_of_two()) };
    let mut classes = [0u16; B];
    if longest / (W::SIZE as u32) < PLAIN {
        for (class, &length) in classes.iter_mut().zip(&block.lengths).take(n) {
            *class = (length / W::SIZE as u32) as u16;
        }
    } else {
        for (class_of, &length) in classes.iter_mut().zip(&block.lengths).take(n) {
            *class_of = class(length / W::SIZE as u32);
        }
    }
    let mut places = [0u16; CLASSES];
    for &class in classes.iter().take(n) {
        places[usize::from(class) % CLASSES] += 1;
    }
    let mut next = 0;
    for place in places.iter_mut().take(usize::from(class(longest / W::SIZE as u32)) + 1).rev() {
        next += core::mem::replace(place, next);
    }
    let messages = block.ends.iter().zip(&block.lengths).zip(&classes).take(n);
    for (i, ((&end, &length), &class)) in messages.enumerate() {
        let place = &mut places[usize::from(class) % CLASSES];
        let at = usize::from(*place) % B;
        *place += 1;
        order[at] = i as u16;
        sorted.ends[at] = end;
        sorted.lengths[at] = length;
    }
}

/// Puts tags where their messages were before they were sorted. The barrier keeps the compiler from a
/// scatter, which is slower than stores.
#[inline(always)]
fn scatter<T: Copy>(sorted: &[T], order: &[u16], tags: &mut [T]) {
    let n = tags.len();
    for (&tag, &to) in sorted.iter().zip(order).take(n) {
        if let Some(place) = tags.get_mut(value_barrier(to.into()) as usize) {
            *place = tag;
        }
    }
}

/// Of the last word of a message of that length, which bits are behind the tail, and what the length adds.
#[inline(always)]
fn tail_mask<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L, length: L::Vector) -> (L::Vector, L::Vector) {
    let top = cpu.splat(W::low(8 * (W::SIZE - 1)));
    let bits = cpu.and(cpu.shl(length, cpu.splat(W::low(3))), top);
    (cpu.shl(cpu.splat(W::ZERO.sub(W::low(1))), bits), cpu.shl(length, top))
}

/// Groups of G vectors. The last group may have fewer tags than messages.
///
/// Each of `ends` stands `length % SIZE` bytes before the end of a message of that length, which may be
/// read. If OPEN, so may all rows of the group: 4 words times the tiles of its longest message, up to one
/// word behind each of `ends`.
struct Groups<'a, L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const OPEN: bool> {
    engine: &'a Engine<L, W, N>,
    starts: &'a [[W; N]; 4],
    ends: &'a [[[usize; N]; G]],
    lengths: &'a [[[u32; N]; G]],
    ahead: Ahead,
    tags: Tags<'a, W>,
}

/// A group whose rows are being read.
struct Group<'a, V, const N: usize, const G: usize> {
    ends: &'a [[usize; N]; G],
    lengths: &'a [[u32; N]; G],
    /// The `ends` of the group that comes next.
    next: &'a [[usize; N]; G],
    /// Words in each message.
    words: [V; G],
    /// Of each last word, which bits are behind the tail, and what the length adds.
    tails: [(V, V); G],
    /// Words in the shortest one.
    shortest: usize,
    /// Which tile is read, counted from the last.
    rel: usize,
    /// The first words of the first tile are no one's.
    skip: usize,
}

impl<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const OPEN: bool> Work
    for Groups<'_, L, W, N, G, OPEN>
{
    #[inline(always)]
    fn run(mut self) {
        let (engine, cpu) = (self.engine, self.engine.cpu);
        let zero = cpu.splat(W::ZERO);
        let Some(mut group) = self.open(0) else { return };
        let mut states = [[zero; 4]; G];
        // Two tiles: the one at hand and the one that is being read.
        let mut tiles = [[[zero; G]; 4]; 2];
        for k in 0..G {
            self.read(&group, k, &mut tiles[0]);
        }
        let (mut parity, mut at) = (0, 0);
        loop {
            let (rel, skip) = (group.rel, group.skip);
            let due = cpu.splat(W::low((4 * (rel + 1)).wrapping_sub(skip)));
            if L::RESTARTS_ALWAYS || 4 * (rel + 1) - skip >= group.shortest {
                let [start0, start1, start2, start3] = self.starts;
                for (v, &words) in states.iter_mut().zip(&group.words) {
                    let late = cpu.sub(due, words);
                    let [v0, v1, v2, v3] = *v;
                    let (v0, v1) = (cpu.restart(v0, start0, late), cpu.restart(v1, start1, late));
                    *v = [v0, v1, cpu.restart(v2, start2, late), cpu.restart(v3, start3, late)];
                }
            }
            let mut more = true;
            if rel > 0 {
                (group.rel, group.skip) = (rel - 1, 0);
            } else if let Some(next) = self.open(at + 1) {
                group = next;
            } else {
                more = false;
            }
            let [even, odd] = &mut tiles;
            let (tile, next) = if parity == 0 { (even, odd) } else { (odd, even) };
            for (i, &words) in tile.iter().enumerate() {
                if i >= skip {
                    engine.absorb(&mut states, words);
                }
                if i < G && more {
                    self.read(&group, i, next);
                }
            }
            if rel == 0 {
                let (low, high) = engine.finish(&mut states, matches!(self.tags, Tags::Wide(_)));
                write(cpu, &low, &high, self.tags.part(at * N * G, N * G));
                at += 1;
            }
            if !more {
                return;
            }
            parity ^= 1;
        }
    }
}

impl<'a, L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const OPEN: bool>
    Groups<'a, L, W, N, G, OPEN>
{
    /// The `i`-th group, if there are tags for it.
    #[inline(always)]
    fn open(&self, i: usize) -> Option<Group<'a, L::Vector, N, G>> {
        let cpu = self.engine.cpu;
        let (ends, lengths) = (self.ends.get(i)?, self.lengths.get(i)?);
        if i * N * G >= self.tags.count() {
            return None;
        }
        let (mut longest, mut shortest) = (0, u32::MAX);
        for &length in lengths.as_flattened() {
            longest = longest.max(length);
            shortest = shortest.min(length);
        }
        let count = longest as usize / W::SIZE + 1;
        let zero = cpu.splat(W::ZERO);
        let (mut words, mut tails) = ([zero; G], [(zero, zero); G]);
        for ((words, tails), lengths) in words.iter_mut().zip(&mut tails).zip(lengths) {
            let length = cpu.numbers(lengths);
            let whole = cpu.shr(length, cpu.splat(W::low(W::SIZE.ilog2() as usize)));
            *words = cpu.add(whole, cpu.splat(W::low(1)));
            *tails = tail_mask(cpu, length);
        }
        let (shortest, rel) = (shortest as usize / W::SIZE + 1, (count - 1) / 4);
        let next = self.ends.get(i + 1).unwrap_or(ends);
        Some(Group { ends, lengths, next, words, tails, shortest, rel, skip: 4 * (rel + 1) - count })
    }

    /// Reads the tile of vector k.
    #[inline(always)]
    fn read(&mut self, group: &Group<'a, L::Vector, N, G>, k: usize, tile: &mut [[L::Vector; G]; 4]) {
        let cpu = self.engine.cpu;
        // As much as is read here. Spread out like this, requests do not queue up.
        match &mut self.ahead {
            Ahead::Nothing => (),
            Ahead::NextGroup => {
                for &end in &group.next[k] {
                    prefetch(end.wrapping_sub(4 * W::SIZE * group.rel));
                }
            }
            Ahead::Bytes(at) => {
                for i in 0..N * W::SIZE / 16 {
                    prefetch(at.wrapping_add(64 * i));
                }
                *at = at.wrapping_add(4 * N * W::SIZE);
            }
        }
        let first = cpu.sub(cpu.splat(W::low(4 * (group.rel + 1))), group.words[k]);
        let (ends, lengths) = (&group.ends[k], &group.lengths[k]);
        let rows = if OPEN {
            // SAFETY: the rows of all tiles of a group may be read, says `Groups`, and `rel` is below
            // their number, which `open` made from the longest message.
            unsafe { cpu.rows(ends, group.rel) }
        } else if group.rel > 0 && 4 * (group.rel + 1) <= group.shortest {
            // SAFETY: each message has so many words that this row of it, not the last one, consists
            // of whole words of its own.
            unsafe { cpu.rows(ends, group.rel) }
        } else {
            // SAFETY: `ends` and `lengths` are what `Groups` says, and `first` was made above from the
            // words of these messages and from `rel`.
            unsafe { cpu.rows_within(ends, lengths, group.rel, first) }
        };
        let has_begun = !L::RESTARTS_ALWAYS && 4 * (group.rel + 1) <= group.shortest;
        let mut words =
            if has_begun { cpu.transpose(rows, cpu.splat(W::ZERO)) } else { cpu.transpose(rows, first) };
        if self.engine.fold {
            for word in &mut words {
                *word = cpu.fold(*word);
            }
        }
        if group.rel == 0 {
            let (behind, length) = group.tails[k];
            words[3] = cpu.or(cpu.and_not(behind, words[3]), length);
        }
        for (word, tile) in words.into_iter().zip(tile) {
            tile[k] = word;
        }
    }
}
