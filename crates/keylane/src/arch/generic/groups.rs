//! Poly1305 batches in groups of N messages, for kernels with one message in each lane.
//!
//! Lanes end together, so all lanes wait for the longest message of their group. A turn is one iteration of a kernel's
//! loop, 64 bytes of each message. Messages are sorted by their number of turns. A message that would hold up its group
//! for longer than it takes by itself is computed separately.

#![forbid(unsafe_code)]

use crate::job::poly1305::{Batch, Key};
use crate::job::prefetch::prefetch_beginnings;
use crate::job::wipe::{Zero, wipe_table};

/// How many messages are sorted together: as many as the API passes at a time.
pub const SORTED: usize = 64;

/// How many turns of 64 bytes a message of this many bytes takes. An empty message takes one, too.
#[inline(always)]
pub fn turns(len: usize) -> usize {
    len.saturating_sub(1) / 64 + 1
}

/// The costs of turns, in a unit that the kernel chooses.
pub struct Costs {
    /// The cost of a single message, by its turns.
    pub single: fn(usize) -> usize,
    /// The cost of a group of up to N messages, by the turns of the longest.
    pub group: fn(usize) -> usize,
}

/// The messages of N lanes. A lane without a message repeats the first one.
pub struct Group<'a, const N: usize> {
    /// The key of each message.
    pub keys: [&'a Key; N],
    /// The messages.
    pub messages: [&'a [u8]; N],
    /// The turns of the longest message.
    pub longest: usize,
}

/// Does a batch. `tag_of` computes the tag of one message, `tags_of` those of N.
#[inline(always)]
pub fn run<const N: usize>(
    job: Batch<'_>,
    costs: &Costs,
    tag_of: impl Fn(&Key, &[u8]) -> u128,
    tags_of: impl Fn(&Group<'_, N>) -> [[u8; 16]; N],
) {
    let Batch { keys, messages, tags } = job;
    let chunks = messages.chunks(SORTED).zip(tags.chunks_mut(SORTED));
    for (keys, (messages, tags)) in keys.chunks(SORTED).zip(chunks) {
        let mut sorted = [0; SORTED];
        let (mut done, mut order) = (0, &IDENTITY);
        if let Some(longest) = turns_of_all(messages) {
            if N * (costs.single)(longest) > (costs.group)(longest) {
                let groups = messages.as_chunks().0.iter().zip(tags.as_chunks_mut().0);
                prefetch_beginnings(messages.iter().copied().take(N));
                for (keys, (group, tags)) in keys.as_chunks().0.iter().zip(groups) {
                    prefetch_beginnings(messages.iter().copied().skip(done + N).take(N));
                    let mut of_lanes = tags_of(&Group { keys: keys.each_ref(), messages: *group, longest });
                    *tags = of_lanes;
                    // The right tag of a forged message is a forgery.
                    wipe_table(&mut of_lanes);
                    done += N;
                }
            }
        } else {
            sort(messages, &mut sorted);
            order = &sorted;
        }
        one_ahead::<N>(order.get(done..messages.len()).unwrap_or(&[]), messages, |group| {
            let (group, rest) = split(group, messages, costs);
            for &i in rest {
                let i = usize::from(i);
                if let (Some(key), Some(message), Some(tag)) = (keys.get(i), messages.get(i), tags.get_mut(i))
                {
                    *tag = tag_of(key, message).to_le_bytes();
                }
            }
            if group.is_empty() {
                return;
            }
            let mut of_lanes = tags_of(&gather(group, keys, messages));
            for (tag, &i) in of_lanes.iter().zip(group) {
                if let Some(place) = tags.get_mut(usize::from(i)) {
                    *place = *tag;
                }
            }
            wipe_table(&mut of_lanes);
        });
    }
}

/// Calls `hash` with the indices of N messages at a time. Before each call it prefetches the beginnings of the next N.
#[inline(always)]
pub fn one_ahead<const N: usize>(order: &[u8], messages: &[&[u8]], mut hash: impl FnMut(&[u8])) {
    let request = |group: &[u8]| {
        prefetch_beginnings(group.iter().filter_map(|&i| messages.get(usize::from(i)).copied()));
    };
    let mut groups = order.chunks(N);
    let mut next = groups.next();
    next.into_iter().for_each(request);
    while let Some(group) = next {
        next = groups.next();
        next.into_iter().for_each(request);
        hash(group);
    }
}

/// The indices 0, 1, 2, ...: messages in the order in which they come.
pub static IDENTITY: [u8; SORTED] = {
    let mut order = [0; SORTED];
    let mut i = 0;
    while i < SORTED {
        order[i] = i as u8;
        i += 1;
    }
    order
};

/// The number of turns that every message takes, or `None` if they differ.
#[inline(always)]
pub fn turns_of_all(messages: &[&[u8]]) -> Option<usize> {
    let first = messages.first().map_or(1, |message| turns(message.len()));
    messages.iter().fold(true, |equal, message| equal & (turns(message.len()) == first)).then_some(first)
}

/// The indices of the messages, sorted by turns. Messages of 64 turns and more keep their order.
#[inline(always)]
pub fn sort(messages: &[&[u8]], order: &mut [u8; SORTED]) {
    const CLASSES: usize = 64;
    let class = |message: &[u8]| turns(message.len()).min(CLASSES) - 1;
    let mut starts = [0u8; CLASSES];
    for message in messages {
        starts[class(message)] += 1;
    }
    let mut start = 0;
    for count in &mut starts {
        (*count, start) = (start, start + *count);
    }
    for (i, message) in messages.iter().enumerate() {
        let place = &mut starts[class(message)];
        order[usize::from(*place) % SORTED] = i as u8;
        *place += 1;
    }
}

/// Splits a group into the messages that share the lanes and the others. If lanes are not profitable for any of them,
/// the first part is empty. Otherwise it ends before the first message that is better done by itself.
#[inline(always)]
pub fn split<'a>(group: &'a [u8], messages: &[&[u8]], costs: &Costs) -> (&'a [u8], &'a [u8]) {
    let turns = |&i: &u8| messages.get(usize::from(i)).map_or(1, |message| turns(message.len()));
    let mut lanes = group;
    while let [.., next, last] = lanes {
        // Messages of 64 turns and more are not sorted, so the longest need not be the last.
        let next = turns(next).min(turns(last));
        if (costs.single)(turns(last)) + (costs.group)(next) >= (costs.group)(turns(last)) {
            break;
        }
        lanes = lanes.get(..lanes.len() - 1).unwrap_or(&[]);
    }
    let longest = lanes.iter().map(turns).max().unwrap_or(1);
    let single = lanes.iter().map(|i| (costs.single)(turns(i))).sum::<usize>();
    let count = if single <= (costs.group)(longest) { 0 } else { lanes.len() };
    group.split_at_checked(count).unwrap_or((group, &[]))
}

/// Fills the lanes of a group.
#[inline(always)]
fn gather<'a, const N: usize>(group: &[u8], keys: &'a [Key], messages: &[&'a [u8]]) -> Group<'a, N> {
    let first = group.first().map_or(0, |&i| usize::from(i));
    let mut all = Group { keys: [&Key::ZERO; N], messages: [&[]; N], longest: 1 };
    for (lane, (key, message)) in all.keys.iter_mut().zip(&mut all.messages).enumerate() {
        let i = group.get(lane).map_or(first, |&i| usize::from(i));
        *key = keys.get(i).unwrap_or(&Key::ZERO);
        *message = messages.get(i).copied().unwrap_or(&[]);
        all.longest = all.longest.max(turns(message.len()));
    }
    all
}
