//! SipHash and HalfSipHash of many messages, one in each lane of a vector: the entry of all vector kernels, and
//! messages that are integers. `ragged/` has messages of any length. An instruction set implements
//! [`Lanes`]; the algorithm stands here once.
//!
//! The first half round of a message adds v1 to v0 before any bit of the message enters. For integers that side is
//! computed once for the whole batch.

use super::engine::{Engine, Vectors, write};
use super::lanes::{Lanes, Work};
use super::ragged;
use crate::job::plain::{u32s, u64s, u128s};
use crate::job::siphash::{Batch, Layout, Messages, Tags, Word};

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
