//! SipHash and HalfSipHash of many messages, one in each lane of a vector: the entry of all vector kernels, and
//! messages that are integers. `ragged/` has messages of any length. The algorithm is written once; an instruction set
//! implements [`Lanes`].
//!
//! The first half round of a message adds v1 to v0 before any bit of the message enters. For integers, that sum is
//! computed once for the whole batch.

use super::engine::{Engine, Vectors, write};
use super::lanes::{Lanes, Work};
use super::ragged;
use crate::job::plain::{u32s, u64s, u128s};
use crate::job::siphash::{Batch, Counted, Layout, Messages, State, Tags, Word};

/// Does all messages of a job: G vectors at a time, then one.
///
/// The job is passed by reference: a copy would have just been stored, and a vector load across several recent stores
/// stalls.
#[inline(always)]
pub fn batch<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(cpu: L, mut job: Batch<'_, W>) {
    let job = &mut job;
    match size(&job.messages) {
        Some(4) => integers::<_, _, N, G, 4>(cpu, job),
        Some(8) => integers::<_, _, N, G, 8>(cpu, job),
        Some(16) => integers::<_, _, N, G, 16>(cpu, job),
        _ => ragged::batch::<_, _, N, G>(cpu, job),
    }
}

/// Messages of SIZE bytes. Many vectors together need space on the stack, so few messages have another function, with a
/// shorter way to the first round. Two calls of it for four vectors overlap in the CPU.
#[inline(always)]
fn integers<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const SIZE: usize>(
    cpu: L,
    job: &mut Batch<'_, W>,
) {
    let count = job.tags.count();
    if G == 1 || count > 4 * N {
        return cpu.call(Integers::<_, _, N, G, SIZE> { cpu, job });
    }
    cpu.call(TwoVectors::<_, _, N, SIZE> { cpu, job, at: 0 });
    if count > 2 * N {
        cpu.call(TwoVectors::<_, _, N, SIZE> { cpu, job, at: 2 * N });
    }
}

/// The bytes of each message, if all messages have the same number.
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
        Messages::U32s(x) if SIZE == 4 => u32s(x).as_flattened(),
        Messages::U64s(x) if SIZE == 8 => u64s(x).as_flattened(),
        Messages::U128s(x) if SIZE == 16 => u128s(x).as_flattened(),
        Messages::Bytes(Layout::Rows { bytes, .. }) => bytes,
        _ => &[],
    };
    bytes.as_chunks().0
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
        let (start, double) = (engine.start(), matches!(tags, Tags::Double(_)));
        let groups = integers.as_chunks::<N>().0.as_chunks::<G>().0;
        for (i, group) in groups.iter().enumerate() {
            let (low, high) = tags_of(&engine, start, &group.each_ref(), double);
            write(cpu, &low, &high, tags.part(i * N * G, N * G));
        }
        let step = if G > 1 { 2 * N } else { N };
        for at in (groups.len() * N * G..integers.len()).step_by(step) {
            vectors_at::<_, _, N, G, SIZE>(&engine, start, integers, at, tags);
        }
    }
}

/// The messages of two vectors or one, from index `at` on.
struct TwoVectors<'a, 'b, L, W: Word, const N: usize, const SIZE: usize> {
    cpu: L,
    job: &'a mut Batch<'b, W>,
    at: usize,
}

impl<L: Lanes<W, N>, W: Word, const N: usize, const SIZE: usize> Work for TwoVectors<'_, '_, L, W, N, SIZE> {
    #[inline(always)]
    fn run(self) {
        let TwoVectors { cpu, job, at } = self;
        let engine = Engine::new(cpu, job);
        let integers = of_size::<SIZE>(&job.messages);
        vectors_at::<_, _, N, 2, SIZE>(&engine, engine.start(), integers, at, &mut job.tags);
    }
}

/// A small batch of messages of SIZE bytes, two vectors at a time: the register entry of a kernel.
#[inline(always)]
pub fn small_batch<L: Lanes<W, N>, W: Word, const N: usize, const SIZE: usize>(
    cpu: L,
    initial: &State<W>,
    rounds: Counted,
    integers: &[[u8; SIZE]],
    tags: &mut [W],
) {
    let engine = Engine { cpu, initial: *initial, rounds, fold: false };
    let (start, mut tags) = (engine.start(), Tags::Single(tags));
    // Outside the loop, so that no masks are made for whole vectors.
    if integers.len() < N {
        return partial_vector::<_, _, N, SIZE>(&engine, start, integers, tags);
    }
    for at in (0..integers.len()).step_by(2 * N) {
        full_vectors_at::<_, _, N, 2, SIZE>(&engine, start, integers, at, &mut tags);
    }
}

/// The messages from index `at` on: two vectors if there are enough and G allows it, else one.
#[inline(always)]
fn vectors_at<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const SIZE: usize>(
    engine: &Engine<L, W, N>,
    start: Vectors<L::Vector>,
    integers: &[[u8; SIZE]],
    at: usize,
    tags: &mut Tags<'_, W>,
) {
    if integers.len() < N {
        partial_vector::<_, _, N, SIZE>(engine, start, integers, tags.part(0, N));
    } else {
        full_vectors_at::<_, _, N, G, SIZE>(engine, start, integers, at, tags);
    }
}

/// Fewer messages than a vector has lanes.
#[inline(always)]
fn partial_vector<L: Lanes<W, N>, W: Word, const N: usize, const SIZE: usize>(
    engine: &Engine<L, W, N>,
    start: Vectors<L::Vector>,
    integers: &[[u8; SIZE]],
    tags: Tags<'_, W>,
) {
    let (cpu, double) = (engine.cpu, matches!(tags, Tags::Double(_)));
    let loaded = [cpu.masked_integers(integers)];
    let (low, high) = tags_of_loaded::<_, _, N, 1, SIZE>(engine, start, &loaded, double);
    write(cpu, &low, &high, tags);
}

/// Two vectors or one from index `at` on; there are at least as many messages as lanes. To fill the last vector, messages
/// before it are hashed again, and the same tags are written again.
#[inline(always)]
fn full_vectors_at<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const SIZE: usize>(
    engine: &Engine<L, W, N>,
    start: Vectors<L::Vector>,
    integers: &[[u8; SIZE]],
    at: usize,
    tags: &mut Tags<'_, W>,
) {
    let (cpu, double, count) = (engine.cpu, matches!(tags, Tags::Double(_)), integers.len());
    let last = count.saturating_sub(N);
    if G > 1 && at < last {
        let second = last.min(at + N);
        let (Some(first), Some(next)) = (vector(integers, at), vector(integers, second)) else { return };
        let ([low, next_low], [high, next_high]) = tags_of(engine, start, &[first, next], double);
        write(cpu, &[low], &[high], tags.part(at, N));
        write(cpu, &[next_low], &[next_high], tags.part(second, N));
        return;
    }
    let at = last.min(at);
    let Some(integers) = vector(integers, at) else { return };
    let (low, high) = tags_of(engine, start, &[integers], double);
    write(cpu, &low, &high, tags.part(at, N));
}

/// N messages from index `at` on, if there are that many.
#[inline(always)]
fn vector<const N: usize, const SIZE: usize>(integers: &[[u8; SIZE]], at: usize) -> Option<&[[u8; SIZE]; N]> {
    integers.get(at..)?.first_chunk()
}

/// The tags of G vectors of messages: their low words and, if they are double, their high words.
#[inline(always)]
fn tags_of<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const SIZE: usize>(
    engine: &Engine<L, W, N>,
    start: Vectors<L::Vector>,
    integers: &[&[[u8; SIZE]; N]; G],
    double: bool,
) -> ([L::Vector; G], [L::Vector; G]) {
    let mut loaded = [[start[0]; 4]; G];
    for (loaded, integers) in loaded.iter_mut().zip(integers) {
        *loaded = engine.cpu.integers(integers);
    }
    tags_of_loaded::<_, _, N, G, SIZE>(engine, start, &loaded, double)
}

/// The same from the words of the messages.
#[inline(always)]
fn tags_of_loaded<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const SIZE: usize>(
    engine: &Engine<L, W, N>,
    start: Vectors<L::Vector>,
    loaded: &[[L::Vector; 4]; G],
    double: bool,
) -> ([L::Vector; G], [L::Vector; G]) {
    let mut states = [start; G];
    // One word after the other, not in a loop: the compiler would keep all words in memory for it.
    engine.absorb_first(&mut states, word::<_, _, N, G, SIZE>(engine, loaded, 0));
    if SIZE >= 2 * W::SIZE {
        engine.absorb(&mut states, word::<_, _, N, G, SIZE>(engine, loaded, 1));
    }
    if SIZE >= 4 * W::SIZE {
        engine.absorb(&mut states, word::<_, _, N, G, SIZE>(engine, loaded, 2));
        engine.absorb(&mut states, word::<_, _, N, G, SIZE>(engine, loaded, 3));
    }
    if SIZE >= W::SIZE {
        engine.absorb(&mut states, [engine.cpu.splat(W::length(SIZE)); G]);
    }
    engine.finish(&mut states, double)
}

/// Word `i` of the messages of G vectors. The only word of shorter messages has their length.
#[inline(always)]
fn word<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const SIZE: usize>(
    engine: &Engine<L, W, N>,
    loaded: &[[L::Vector; 4]; G],
    i: usize,
) -> [L::Vector; G] {
    let cpu = engine.cpu;
    let mut words = [cpu.splat(W::length(SIZE)); G];
    for (word, loaded) in words.iter_mut().zip(loaded) {
        let loaded = if engine.fold { cpu.fold(loaded[i]) } else { loaded[i] };
        *word = if SIZE < W::SIZE { cpu.xor(loaded, *word) } else { loaded };
    }
    words
}
