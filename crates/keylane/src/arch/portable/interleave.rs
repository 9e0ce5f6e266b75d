//! Many messages, N at a time, in the out-of-order core's own lanes: what `siphash_x1`, `siphash_x2`, `halfsiphash_x1`
//! and `halfsiphash_x2` share.
//!
//! One message leaves most of a wide core idle: a round of 14 operations takes 4 to 5 cycles. The scheduler does not
//! look far enough ahead to find the next message by itself. So this file steps N messages together, word by word, up
//! to the length of the shortest. The longer ones go on alone. The last words and the finish are stepped together.
//!
//! Code size: `integers` and `slices` are compiled for each count of rounds, width of tag, word and N. So only 1-2, 1-3
//! and 2-4 are constants here, folding uses counted rounds, and the last messages use the code of N = 1.

use super::siphash_x1::{absorb, last, take};
use crate::job::siphash::{Batch, Counted, Messages, Rounds, State, Tag, Tags, Word, by_rounds};

/// All messages of a job, N at a time.
#[inline(always)]
pub fn batch<W: Word, const N: usize>(job: Batch<'_, W>) {
    let Batch { initial, rounds, fold, messages, tags } = job;
    match tags {
        Tags::Single(tags) => group_by_group::<W, W, N>(*initial, rounds, fold, messages, tags),
        Tags::Double(tags) => group_by_group::<W, W::Double, N>(*initial, rounds, fold, messages, tags),
    }
}

/// All messages of a job, one at a time. Vector kernels come here too, with messages that are too few or
/// too long for them.
#[inline(never)]
pub fn one_by_one<W: Word>(job: Batch<'_, W>) {
    batch::<W, 1>(job);
}

#[inline(always)]
fn group_by_group<W: Word, T: Tag<W>, const N: usize>(
    initial: State<W>,
    rounds: Counted,
    fold: bool,
    messages: Messages<'_>,
    tags: &mut [T],
) {
    match messages {
        Messages::U32s(x) => {
            by_rounds!(rounds in 1-2, 1-3, 2-4 => integers::<_, _, _, _, 4, N>(initial, rounds, x, u32::to_le_bytes, tags))
        }
        Messages::U64s(x) => {
            by_rounds!(rounds in 1-2, 1-3, 2-4 => integers::<_, _, _, _, 8, N>(initial, rounds, x, u64::to_le_bytes, tags))
        }
        Messages::U128s(x) => {
            by_rounds!(rounds in 1-2, 1-3, 2-4 => integers::<_, _, _, _, 16, N>(initial, rounds, x, u128::to_le_bytes, tags))
        }
        Messages::Bytes(layout) => layout.for_each_chunk(tags, |messages, tags| {
            if fold {
                slices::<_, _, _, N, true>(initial, rounds, messages, tags);
            } else {
                by_rounds!(rounds in 1-2, 1-3, 2-4 => slices::<_, _, _, N, false>(initial, rounds, messages, tags));
            }
        }),
    }
}

/// Integers of SIZE bytes: the length is known, so no loop over words is left. The last ones, fewer than N, go one by
/// one, by the code of N = 1.
#[inline(never)]
fn integers<W: Word, R: Rounds, T: Tag<W>, I: Copy, const SIZE: usize, const N: usize>(
    initial: State<W>,
    rounds: R,
    integers: &[I],
    to_bytes: impl Fn(I) -> [u8; SIZE],
    tags: &mut [T],
) {
    let (groups, rest) = integers.as_chunks::<N>();
    let (tag_groups, tag_rest) = tags.as_chunks_mut::<N>();
    for (group, tags) in groups.iter().zip(tag_groups) {
        let mut bytes = [[0; SIZE]; N];
        for (bytes, &integer) in bytes.iter_mut().zip(group) {
            *bytes = to_bytes(integer);
        }
        hash_group::<_, _, _, _, N, false>(initial, rounds, &bytes, tags);
    }
    if N > 1 && !rest.is_empty() {
        self::integers::<_, _, _, _, SIZE, 1>(initial, rounds, rest, to_bytes, tag_rest);
    }
}

/// Messages of any length. The last ones, fewer than N, go one by one, by the code of N = 1.
#[inline(never)]
fn slices<W: Word, R: Rounds, T: Tag<W>, const N: usize, const FOLD: bool>(
    initial: State<W>,
    rounds: R,
    messages: &[&[u8]],
    tags: &mut [T],
) {
    let (groups, rest) = messages.as_chunks::<N>();
    let (tag_groups, tag_rest) = tags.as_chunks_mut::<N>();
    for (group, tags) in groups.iter().zip(tag_groups) {
        hash_group::<_, _, _, _, N, FOLD>(initial, rounds, group, tags);
    }
    if N > 1 && !rest.is_empty() {
        slices::<_, _, _, 1, FOLD>(initial, rounds, rest, tag_rest);
    }
}

/// Steps N messages together.
///
/// Plain loops over the lanes, since the compiler unrolls them; it leaves a closure of `map` as a
/// call.
#[inline(always)]
fn hash_group<W: Word, R: Rounds, T: Tag<W>, M: AsRef<[u8]>, const N: usize, const FOLD: bool>(
    initial: State<W>,
    rounds: R,
    messages: &[M; N],
    tags: &mut [T; N],
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
    for (state, tag) in states.into_iter().zip(tags) {
        *tag = T::end::<false>(state, rounds);
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
