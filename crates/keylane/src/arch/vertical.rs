//! SipHash and HalfSipHash of many messages, one in each lane of a vector: the rounds, and messages
//! that are integers. `ragged.rs` has messages of any length. An instruction set gives the words of
//! these two files, [`Lanes`]; the algorithm stands here once.
//!
//! G vectors of N lanes are stepped together, so that the chain of one hides behind the others. The
//! rounds are counted at run time, in loops whose body is one round of all G vectors: 14 G operations
//! beside one jump, and one function serves every SipHash-c-d.
//!
//! Two things save operations. The first half round of a message adds v1 to v0 before any of its bits
//! comes in: for integers that side is computed once for all. And in the last round v0 + v3 drops out of
//! the tag of SipHash, since v0 goes into v3 by xor: with s = v2 + v1 of its second half, the tag is
//! rotl(v1, 17) ^ rotl(v3, 21) ^ s ^ rotl(s, 32). No compiler sees either through a loop.

#![allow(unsafe_code)]

use super::plain::{Plain, u32s, u64s, u128s, zero};
use super::ragged::{self, row_start};
use crate::kernel::siphash::{Batch, Counted, Layout, Messages, Rounds, State, Tags, Word};
use core::ptr::with_exposed_provenance;

/// Proof that the CPU has an instruction set, and what its vectors of N words can do.
///
/// Everything in this file and in `ragged.rs` is `#[inline(always)]`, so that it becomes part of the
/// function that enables the instructions ([`Lanes::call`]): a closure or a plain function would be
/// compiled without them.
pub trait Lanes<W: Word, const N: usize>: Copy {
    /// A register of N words.
    type Vector: Copy;
    /// Four words of one message.
    type Row: Plain;
    /// From how many messages on vectors pay where each message is a slice of its own.
    const SLICES: usize;
    /// Whether lanes that begin late cost so little, in [`Lanes::restart`] and [`Lanes::transpose`], that tiles in
    /// which none begins are not told apart.
    const RESTARTS_ALWAYS: bool;

    /// Does a piece of work in a function of its own that enables the instructions.
    fn call<F: Work>(self, work: F);
    /// `word` in every lane.
    fn splat(self, word: W) -> Self::Vector;
    /// The words of all lanes.
    fn store(self, a: Self::Vector, words: &mut [W; N]);
    /// Two words of each lane, as one integer.
    fn store_double(self, low: Self::Vector, high: Self::Vector, integers: &mut [W::Double; N]);
    /// Sum in each lane.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Difference in each lane.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Exclusive or.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// And.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `!not & b`.
    fn and_not(self, not: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Or.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Each lane to the left by as many bits as the other says, fewer than 128; 0 from the word's width on.
    fn shl(self, a: Self::Vector, bits: Self::Vector) -> Self::Vector;
    /// Each lane to the right, likewise.
    fn shr(self, a: Self::Vector, bits: Self::Vector) -> Self::Vector;
    /// Rotation of each lane to the left by a constant.
    fn rotl(self, a: Self::Vector, bits: u32) -> Self::Vector;
    /// [`Word::fold`] in each lane.
    fn fold(self, a: Self::Vector) -> Self::Vector;
    /// The words of messages of SIZE bytes, 4, 8 or 16: the first SIZE / W::SIZE vectors, or one if
    /// a message is shorter than a word.
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; N]) -> [Self::Vector; 4];
    /// The same of N messages or fewer, and anything in the lanes behind them.
    #[inline(always)]
    fn few_integers<const SIZE: usize>(self, integers: &[[u8; SIZE]]) -> [Self::Vector; 4] {
        let mut padded = [[0; SIZE]; N];
        copy(&mut padded, integers);
        self.integers(&padded)
    }
    /// The words of the first lanes, N or fewer.
    #[inline(always)]
    fn store_few(self, a: Self::Vector, words: &mut [W]) {
        let mut all = [W::ZERO; N];
        self.store(a, &mut all);
        copy(words, &all);
    }

    /// A number for each lane.
    fn numbers(self, numbers: &[u32; N]) -> Self::Vector;
    /// `choices[late]` in the lanes where `late` is not negative, taken as a signed number; `a` elsewhere.
    /// Where `late` is 4 or more, any value.
    fn restart(self, a: Self::Vector, choices: &[W; N], late: Self::Vector) -> Self::Vector;
    /// The rows of four words that end one word behind `ends`, less 4 `rel` words.
    ///
    /// # Safety
    /// Each of them, 4 words, lies in memory that may be read.
    #[inline(always)]
    unsafe fn rows(self, ends: &[usize; N], rel: usize) -> [Self::Row; N] {
        const { assert!(size_of::<Self::Row>() == 4 * W::SIZE) };
        let mut rows = [zero(); N];
        for (row, &end) in rows.iter_mut().zip(ends) {
            let start = with_exposed_provenance::<Self::Row>(row_start::<W>(end, rel));
            // SAFETY: the caller says that these four words may be read, and any bits are a row.
            *row = unsafe { start.read_unaligned() };
        }
        rows
    }
    /// The same rows with zeros for what lies outside of the messages. `first` is where in its row a
    /// message begins, in words: below 0 if in an earlier one, 4 or more if in a later one.
    ///
    /// # Safety
    /// `ends[i]` stands at the tail of a message of `lengths[i]` bytes that may be read: `length %
    /// SIZE` bytes before its end. `first` is what is said above, for these lengths and this `rel`.
    unsafe fn rows_within(
        self,
        ends: &[usize; N],
        lengths: &[u32; N],
        rel: usize,
        first: Self::Vector,
    ) -> [Self::Row; N];
    /// The first words of all rows, the second ones, and so on; 0 where a word's index is below the
    /// lane's `first`, a signed number.
    fn transpose(self, rows: [Self::Row; N], first: Self::Vector) -> [Self::Vector; 4];
}

/// What [`Lanes::call`] does: a closure whose code is sure to become part of the function.
pub trait Work {
    /// Does it.
    fn run(self);
}

/// All messages of a job: G vectors at a time, then one.
///
/// The functions that do it get the job by reference. A copy would be read by vectors, and those wait until the
/// words that the caller has just written are in the cache.
#[inline(always)]
pub fn batch<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(cpu: L, mut job: Batch<'_, W>) {
    let job = &mut job;
    match size(&job.messages) {
        Some(4) => cpu.call(Integers::<_, _, N, G, 4> { cpu, job }),
        Some(8) => cpu.call(Integers::<_, _, N, G, 8> { cpu, job }),
        Some(16) => cpu.call(Integers::<_, _, N, G, 16> { cpu, job }),
        _ => ragged::batch::<_, _, N, G>(cpu, job),
    }
}

/// How many bytes each message has, if all have as many.
#[inline(always)]
fn size(messages: &Messages<'_>) -> Option<usize> {
    match *messages {
        Messages::U32s(_) => Some(4),
        Messages::U64s(_) => Some(8),
        Messages::U128s(_) => Some(16),
        Messages::Bytes(Layout::Rows { width, .. }) => Some(width),
        Messages::Bytes(_) => None,
    }
}

/// Messages of SIZE bytes each.
#[inline(always)]
fn of_size<'a, const SIZE: usize>(messages: &Messages<'a>) -> &'a [[u8; SIZE]] {
    let bytes = match *messages {
        Messages::U32s(x) => u32s(x).as_flattened(),
        Messages::U64s(x) => u64s(x).as_flattened(),
        Messages::U128s(x) => u128s(x).as_flattened(),
        Messages::Bytes(Layout::Rows { bytes, .. }) => bytes,
        Messages::Bytes(_) => &[],
    };
    bytes.as_chunks().0
}

/// What stays the same for all messages of a batch.
#[derive(Clone, Copy)]
pub struct Engine<L, W, const N: usize> {
    /// The instruction set.
    pub cpu: L,
    /// The state before the first word.
    pub initial: State<W>,
    /// The rounds.
    pub rounds: Counted,
    /// Whether ASCII capitals are folded.
    pub fold: bool,
}

/// The states of one vector of messages.
pub type Vectors<V> = [V; 4];

impl<L, W: Word, const N: usize> Engine<L, W, N> {
    /// What a job says of all its messages.
    #[inline(always)]
    pub fn new(cpu: L, job: &Batch<'_, W>) -> Self {
        Engine { cpu, initial: *job.initial, rounds: job.rounds, fold: job.fold }
    }
}

impl<L: Lanes<W, N>, W: Word, const N: usize> Engine<L, W, N> {
    /// The same job with other messages and tags, for another kernel.
    #[inline(always)]
    pub fn job<'a>(&'a self, layout: Layout<'a>, tags: Tags<'a, W>) -> Batch<'a, W> {
        let Engine { initial, rounds, fold, .. } = self;
        Batch { initial, rounds: *rounds, fold: *fold, messages: Messages::Bytes(layout), tags }
    }

    /// The state before the first word in every lane.
    #[inline(always)]
    pub fn start(&self) -> Vectors<L::Vector> {
        let [v0, v1, v2, v3] = self.initial.v;
        [self.cpu.splat(v0), self.cpu.splat(v1), self.cpu.splat(v2), self.cpu.splat(v3)]
    }

    /// `v3 ^= word; c rounds; v0 ^= word`.
    #[inline(always)]
    pub fn absorb<const G: usize>(&self, states: &mut [Vectors<L::Vector>; G], words: [L::Vector; G]) {
        for (v, word) in states.iter_mut().zip(words) {
            v[3] = self.cpu.xor(v[3], word);
        }
        for _ in 0..self.rounds.c() {
            self.round(states);
        }
        for (v, word) in states.iter_mut().zip(words) {
            v[0] = self.cpu.xor(v[0], word);
        }
    }

    /// `absorb` from the initial state, with what no word changes in its first half round done.
    #[inline(always)]
    fn absorb_first<const G: usize>(
        &self,
        [v0, v1, v2, v3]: Vectors<L::Vector>,
        words: [L::Vector; G],
    ) -> [Vectors<L::Vector>; G] {
        let [_, r2, ..] = W::ROTATIONS;
        let mut states = [[v0, v1, v2, v3]; G];
        for (v, word) in states.iter_mut().zip(words) {
            let v3 = self.cpu.xor(v3, word);
            v[2] = self.cpu.add(v2, v3);
            v[3] = self.cpu.xor(self.cpu.rotl(v3, r2), v[2]);
        }
        self.second_half(&mut states);
        for _ in 1..self.rounds.c() {
            self.round(&mut states);
        }
        for (v, word) in states.iter_mut().zip(words) {
            v[0] = self.cpu.xor(v[0], word);
        }
        states
    }

    #[inline(always)]
    fn round<const G: usize>(&self, states: &mut [Vectors<L::Vector>; G]) {
        self.first_half(states);
        self.second_half(states);
    }

    #[inline(always)]
    fn first_half<const G: usize>(&self, states: &mut [Vectors<L::Vector>; G]) {
        let [r1, r2, _, _, half] = W::ROTATIONS;
        for v in states {
            let [v0, v1, v2, v3] = *v;
            let v0 = self.cpu.add(v0, v1);
            let v2 = self.cpu.add(v2, v3);
            let v1 = self.cpu.xor(self.cpu.rotl(v1, r1), v0);
            let v3 = self.cpu.xor(self.cpu.rotl(v3, r2), v2);
            *v = [self.cpu.rotl(v0, half), v1, v2, v3];
        }
    }

    #[inline(always)]
    fn second_half<const G: usize>(&self, states: &mut [Vectors<L::Vector>; G]) {
        let [_, _, r3, r4, half] = W::ROTATIONS;
        for v in states {
            let [v0, v1, v2, v3] = *v;
            let v2 = self.cpu.add(v2, v1);
            let v0 = self.cpu.add(v0, v3);
            let v1 = self.cpu.xor(self.cpu.rotl(v1, r4), v2);
            let v3 = self.cpu.xor(self.cpu.rotl(v3, r3), v0);
            *v = [v0, v1, self.cpu.rotl(v2, half), v3];
        }
    }

    /// Ends all messages: the low words of their tags and, if they are wide, the high ones.
    #[inline(always)]
    pub fn finish<const G: usize>(
        &self,
        states: &mut [Vectors<L::Vector>; G],
        wide: bool,
    ) -> ([L::Vector; G], [L::Vector; G]) {
        let zero = self.cpu.splat(W::ZERO);
        let (mut low, mut high) = ([zero; G], [zero; G]);
        if wide {
            self.mark(states, 2, W::WIDE_MARK);
            for _ in 0..self.rounds.d() {
                self.round(states);
            }
            for (low, &[v0, v1, v2, v3]) in low.iter_mut().zip(&*states) {
                let odd = self.cpu.xor(v1, v3);
                *low = if W::ALL_IN_TAG { self.cpu.xor(odd, self.cpu.xor(v0, v2)) } else { odd };
            }
            self.mark(states, 1, W::SECOND_MARK);
            self.end(states, &mut high);
        } else {
            self.mark(states, 2, W::END_MARK);
            self.end(states, &mut low);
        }
        (low, high)
    }

    /// d rounds and the tag.
    #[inline(always)]
    fn end<const G: usize>(&self, states: &mut [Vectors<L::Vector>; G], tags: &mut [L::Vector; G]) {
        for _ in 1..self.rounds.d() {
            self.round(states);
        }
        self.first_half(states);
        let [_, _, r3, r4, half] = W::ROTATIONS;
        for (tag, &[v0, v1, v2, v3]) in tags.iter_mut().zip(&*states) {
            let sum = self.cpu.add(v2, v1);
            let odd = self.cpu.xor(self.cpu.rotl(v1, r4), self.cpu.rotl(v3, r3));
            let even = if W::ALL_IN_TAG { self.cpu.rotl(sum, half) } else { self.cpu.add(v0, v3) };
            *tag = self.cpu.xor(self.cpu.xor(odd, sum), even);
        }
    }

    #[inline(always)]
    fn mark<const G: usize>(&self, states: &mut [Vectors<L::Vector>; G], i: usize, mark: W) {
        let mark = self.cpu.splat(mark);
        for v in states {
            v[i] = self.cpu.xor(v[i], mark);
        }
    }
}

/// Messages of 4, 8 or 16 bytes.
struct Integers<'a, 'b, L, W: Word, const N: usize, const G: usize, const SIZE: usize> {
    cpu: L,
    job: &'a mut Batch<'b, W>,
}

impl<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const SIZE: usize> Work
    for Integers<'_, '_, L, W, N, G, SIZE>
{
    #[inline(always)]
    fn run(self) {
        let Integers { cpu, job } = self;
        let engine = Engine::new(cpu, job);
        let integers = of_size::<SIZE>(&job.messages);
        let tags = &mut job.tags;
        // What no word changes in the first half round.
        let [r1, _, _, _, half] = W::ROTATIONS;
        let [v0, v1, v2, v3] = engine.start();
        let v0 = engine.cpu.add(v0, v1);
        let start = [engine.cpu.rotl(v0, half), engine.cpu.xor(engine.cpu.rotl(v1, r1), v0), v2, v3];
        let count = integers.len();
        let whole = count / (N * G) * (N * G);
        for at in (0..whole).step_by(N * G) {
            group_of_integers::<_, _, N, G, SIZE>(&engine, start, integers, at, tags.part(at, N * G));
        }
        // Then two vectors or one. So that the last is full, some messages are hashed once more: the same tags are
        // written again.
        let mut at = whole;
        while at < count {
            if G > 1 && count - at > N && count >= 2 * N {
                let from = at.min(count - 2 * N);
                group_of_integers::<_, _, N, 2, SIZE>(&engine, start, integers, from, tags.part(from, 2 * N));
                at += 2 * N;
            } else {
                let from = at.min(count.saturating_sub(N));
                group_of_integers::<_, _, N, 1, SIZE>(&engine, start, integers, from, tags.part(from, N));
                at += N;
            }
        }
    }
}

/// The tags of the G N messages from the `at`-th on, or if there are fewer than N, of all.
#[inline(always)]
fn group_of_integers<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const SIZE: usize>(
    engine: &Engine<L, W, N>,
    start: Vectors<L::Vector>,
    integers: &[[u8; SIZE]],
    at: usize,
    tags: Tags<'_, W>,
) {
    let cpu = engine.cpu;
    let length = cpu.splat(W::length(SIZE));
    // The words of each vector, then those of all vectors side by side.
    let mut loaded = [[length; 4]; G];
    for (k, loaded) in loaded.iter_mut().enumerate() {
        let integers = integers.get(at + k * N..).unwrap_or(&[]);
        *loaded = match integers.first_chunk() {
            Some(integers) => cpu.integers(integers),
            None => cpu.few_integers(integers),
        };
    }
    let mut words = [[length; G]; 5];
    for (i, words) in words.iter_mut().enumerate().take(SIZE.div_ceil(W::SIZE)) {
        for (word, loaded) in words.iter_mut().zip(&loaded) {
            let loaded = if engine.fold { cpu.fold(loaded[i]) } else { loaded[i] };
            *word = if SIZE < W::SIZE { cpu.xor(loaded, length) } else { loaded };
        }
    }
    let mut states = engine.absorb_first(start, words[0]);
    for &words in words.iter().take(SIZE / W::SIZE + 1).skip(1) {
        engine.absorb(&mut states, words);
    }
    let (low, high) = engine.finish(&mut states, matches!(tags, Tags::Wide(_)));
    write(cpu, &low, &high, tags);
}

/// Writes the tags of G vectors, as far as there is place for them.
#[inline(always)]
pub fn write<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(
    cpu: L,
    low: &[L::Vector; G],
    high: &[L::Vector; G],
    tags: Tags<'_, W>,
) {
    match tags {
        Tags::Narrow(tags) => {
            if let Some(tags) = tags.as_chunks_mut().0.first_chunk_mut::<G>() {
                for (tags, &low) in tags.iter_mut().zip(low) {
                    cpu.store(low, tags);
                }
                return;
            }
            for (tags, &low) in tags.chunks_mut(N).zip(low) {
                cpu.store_few(low, tags);
            }
        }
        Tags::Wide(tags) => {
            if let Some(tags) = tags.as_chunks_mut().0.first_chunk_mut::<G>() {
                for ((tags, &low), &high) in tags.iter_mut().zip(low).zip(high) {
                    cpu.store_double(low, high, tags);
                }
                return;
            }
            for ((tags, &low), &high) in tags.chunks_mut(N).zip(low).zip(high) {
                let mut all = [W::double(W::ZERO, W::ZERO); N];
                cpu.store_double(low, high, &mut all);
                copy(tags, &all);
            }
        }
    }
}

/// Copies as much as there is place for.
#[inline(always)]
fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}
