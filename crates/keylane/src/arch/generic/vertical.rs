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
use crate::job::siphash::{Batch, Layout, Messages, Tags, Word};

/// Does all messages of a job: G vectors at a time, then one.
///
/// The job is passed by reference. Vector loads would read a copy, and a load that spans several recent stores cannot
/// be forwarded, so it stalls.
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
        let start = engine.start();
        let count = integers.len();
        let whole = count / (N * G) * (N * G);
        for at in (0..whole).step_by(N * G) {
            group_of_integers::<_, _, N, G, SIZE>(&engine, start, integers, at, tags.part(at, N * G));
        }
        // The rest takes two vectors or one. To fill the last vector, some messages are hashed again; the same tags are
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

/// The tags of G N messages from index `at` on, or of all messages if there are fewer than N.
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
    let mut loaded = [[length; 4]; G];
    let part = integers.get(at..).unwrap_or(&[]);
    match part.as_chunks::<N>().0.first_chunk::<G>() {
        Some(groups) => {
            for (loaded, integers) in loaded.iter_mut().zip(groups) {
                *loaded = cpu.integers(integers);
            }
        }
        None => loaded[0] = cpu.few_integers(part),
    }
    let mut states = [start; G];
    // One word after the other, not in a loop: the compiler would keep all words in memory for it.
    engine.absorb_first(&mut states, word::<_, _, N, G, SIZE>(engine, &loaded, 0));
    if SIZE >= 2 * W::SIZE {
        engine.absorb(&mut states, word::<_, _, N, G, SIZE>(engine, &loaded, 1));
    }
    if SIZE >= 4 * W::SIZE {
        engine.absorb(&mut states, word::<_, _, N, G, SIZE>(engine, &loaded, 2));
        engine.absorb(&mut states, word::<_, _, N, G, SIZE>(engine, &loaded, 3));
    }
    if SIZE >= W::SIZE {
        engine.absorb(&mut states, [length; G]);
    }
    let (low, high) = engine.finish(&mut states, matches!(tags, Tags::Wide(_)));
    write(cpu, &low, &high, tags);
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
