//! Many messages, N at a time, in the out-of-order core's own lanes: what `siphash_x1`,
//! `siphash_x2`, `halfsiphash_x1` and `halfsiphash_x2` share.
//!
//! One message leaves most of a wide core idle (4 to 5 cycles for the 14 operations of a round), and
//! the scheduler does not look far enough ahead to find the next message by itself. So N of them
//! are stepped word by word as far as the shortest goes; the longer ones go on alone, and the last
//! words and the finish are stepped together again.

//!
//! A group ends in a narrow or a wide tag. That is one predicted branch a group, so the rounds of a message are not
//! compiled twice. For the same reason only 1-3 and 2-4 are compiled with constant rounds, where counted ones cost 4
//! to 9 %.

use super::siphash_x1::{absorb, last, take};
use crate::job::siphash::{Batch, Messages, Rounds, State, Tags, Word, by_common_rounds};

/// All messages of a job, N at a time.
#[inline(always)]
pub fn batch<W: Word, const N: usize>(job: Batch<'_, W>) {
    let Batch { initial, rounds, fold, messages, mut tags } = job;
    by_common_rounds!(rounds => group_by_group::<W, _, N>(*initial, rounds, fold, messages, &mut tags));
}

/// All messages of a job, one at a time. Vector kernels come here too, with messages that are too few or
/// too long for them.
#[inline(never)]
pub fn one_by_one<W: Word>(job: Batch<'_, W>) {
    batch::<W, 1>(job);
}

#[inline(always)]
fn group_by_group<W: Word, R: Rounds, const N: usize>(
    initial: State<W>,
    rounds: R,
    fold: bool,
    messages: Messages<'_>,
    tags: &mut Tags<'_, W>,
) {
    match messages {
        Messages::U32s(x) => integers::<_, _, _, 4, N>(initial, rounds, x, u32::to_le_bytes, tags),
        Messages::U64s(x) => integers::<_, _, _, 8, N>(initial, rounds, x, u64::to_le_bytes, tags),
        Messages::U128s(x) => integers::<_, _, _, 16, N>(initial, rounds, x, u128::to_le_bytes, tags),
        Messages::Bytes(layout) => layout.for_each_chunk(tags.count(), |messages, first| {
            let tags = tags.part(first, messages.len());
            if fold {
                slices::<_, _, N, true>(initial, rounds, messages, tags);
            } else {
                slices::<_, _, N, false>(initial, rounds, messages, tags);
            }
        }),
    }
}

/// Integers of SIZE bytes: the length is known, so no loop over words is left.
#[inline]
fn integers<W: Word, R: Rounds, I: Copy, const SIZE: usize, const N: usize>(
    initial: State<W>,
    rounds: R,
    integers: &[I],
    to_bytes: impl Fn(I) -> [u8; SIZE],
    tags: &mut Tags<'_, W>,
) {
    let (groups, rest) = integers.as_chunks::<N>();
    let mut at = 0;
    for group in groups {
        let mut bytes = [[0; SIZE]; N];
        for (bytes, &integer) in bytes.iter_mut().zip(group) {
            *bytes = to_bytes(integer);
        }
        hash_group::<_, _, _, N, false>(initial, rounds, &bytes, tags.part(at, N));
        at += N;
    }
    for &integer in rest {
        hash_group::<_, _, _, 1, false>(initial, rounds, &[to_bytes(integer)], tags.part(at, 1));
        at += 1;
    }
}

/// Messages of any length. Apart, so that it is compiled once for all layouts.
#[inline(never)]
fn slices<W: Word, R: Rounds, const N: usize, const FOLD: bool>(
    initial: State<W>,
    rounds: R,
    messages: &[&[u8]],
    mut tags: Tags<'_, W>,
) {
    let (groups, rest) = messages.as_chunks::<N>();
    let mut at = 0;
    for group in groups {
        hash_group::<_, _, _, N, FOLD>(initial, rounds, group, tags.part(at, N));
        at += N;
    }
    for message in rest {
        hash_group::<_, _, _, 1, FOLD>(initial, rounds, &[message], tags.part(at, 1));
        at += 1;
    }
}

/// Steps N messages together.
///
/// Plain loops over the lanes, since the compiler unrolls them; it leaves a closure of `map` as a
/// call.
#[inline(always)]
fn hash_group<W: Word, R: Rounds, M: AsRef<[u8]>, const N: usize, const FOLD: bool>(
    initial: State<W>,
    rounds: R,
    messages: &[M; N],
    tags: Tags<'_, W>,
) {
    let mut states = [initial; N];
    let mut word = [W::ZERO; N];
    let mut words: [&[W::Bytes]; N] = [&[]; N];
    let mut common = usize::MAX;
    for (words, message) in words.iter_mut().zip(messages) {
        *words = W::split(message.as_ref()).0;
        common = common.min(words.len());
    }
    for i in 0..common {
        for (word, words) in word.iter_mut().zip(words) {
            *word = words.get(i).map_or(W::ZERO, |&word| take::<W, FOLD>(W::from_bytes(word)));
        }
        absorb_group(&mut states, rounds, word);
    }
    for (state, words) in states.iter_mut().zip(words) {
        absorb::<W, R, FOLD>(state, rounds, words.get(common..).unwrap_or(&[]));
    }
    for (word, message) in word.iter_mut().zip(messages) {
        *word = last::<W, FOLD>(message.as_ref());
    }
    absorb_group(&mut states, rounds, word);
    match tags {
        Tags::Narrow(tags) => {
            for (state, tag) in states.into_iter().zip(tags) {
                *tag = state.narrow(rounds);
            }
        }
        Tags::Wide(tags) => {
            for (state, tag) in states.into_iter().zip(tags) {
                *tag = state.wide(rounds);
            }
        }
    }
}

/// One word into each state.
#[inline(always)]
fn absorb_group<W: Word, R: Rounds, const N: usize>(states: &mut [State<W>; N], rounds: R, word: [W; N]) {
    for (state, word) in states.iter_mut().zip(word) {
        state.v[3] = state.v[3] ^ word;
    }
    for _ in 0..rounds.c() {
        for state in states.iter_mut() {
            state.round();
        }
    }
    for (state, word) in states.iter_mut().zip(word) {
        state.v[0] = state.v[0] ^ word;
    }
}
