//! Short messages: fewer than [`WINDOW`] whole words each.
//!
//! ```text
//! for each group of G vectors of N messages:
//!     lengths, longest = where the next group is                        source.rs
//!     states = R^-late(initial) for each lane
//!     absorb words[0], ..., words[longest] into all lanes               engine.rs
//!         and, between these words, read those of the next group        source.rs, tile.rs
//!     tags = finish(states)
//! ```
//!
//! Three things make this faster than chunks of sorted messages:
//!
//! * A group is found in the caller's own list. There is no pass over a chunk, whose stores and loads would not overlap with other work.
//! * All lanes start with the group's first word, those with fewer words some words early: from R^-j(initial) they
//!   absorb j zero words (`ragged/mod.rs` has the reason). The window is so short that this costs less than sorting.
//!   The table of starts has the first half round done, as far as it needs no message word.
//! * The words of the next group are read between those of this one. An out-of-order core does not look so far ahead.
//!
//! # Lower bound
//! A lane takes the operations of w words and d rounds for the longest message of its group, less the 4 to 6 of the
//! first half round. To these come, for a vector: some 12 operations to find its messages, the loads and the
//! transposition (20), the start (8), and the tail (6). For SipHash-1-3 and 4 to 20 bytes (w = 3) that is 165
//! operations for 4 messages with AVX2, and 112 for 8 with AVX-512: on Zen 4 10.3 cycles a message at four a cycle, and
//! 7 at two.

#![allow(unsafe_code)]

use super::source::{Source, Span};
use crate::arch::generic::engine::{Engine, write};
use crate::arch::generic::lanes::{Lanes, Work};
use crate::arch::generic::tile::{StartTable, Tile, WINDOW};
use crate::job::siphash::{State, Tags, Word};

/// The states where lanes start. Those of later words are computed when a group needs them.
pub struct Starts<W> {
    table: StartTable<W>,
    /// How many of them are known.
    known: usize,
    /// The last known one.
    last: State<W>,
}

impl<W: Word> Starts<W> {
    /// The initial state only.
    #[inline(always)]
    pub fn new<L, const N: usize>(engine: &Engine<L, W, N>) -> Self {
        let table = engine.initial.begin().v.map(|word| [word; 2 * WINDOW - 1]);
        Starts { table, known: 1, last: engine.initial }
    }

    /// The table, for lanes that start at most `late` words late.
    #[inline(always)]
    fn up_to<L, const N: usize>(&mut self, engine: &Engine<L, W, N>, late: usize) -> &StartTable<W> {
        if late >= self.known {
            self.extend(engine, late);
        }
        &self.table
    }

    #[cold]
    #[inline(never)]
    fn extend<L, const N: usize>(&mut self, engine: &Engine<L, W, N>, late: usize) {
        for j in self.known..WINDOW.min(late + 1) {
            self.last.retreat(engine.rounds);
            for (words, word) in self.table.iter_mut().zip(self.last.begin().v) {
                if let Some(place) = words.get_mut((WINDOW - 1).wrapping_sub(j)) {
                    *place = word;
                }
            }
            self.known = j + 1;
        }
    }
}

/// The first index of the group that contains message `at`, in a batch of `count`. The last group may begin earlier: to
/// fill its lanes, some messages are hashed again, and the same tags are written again. If the batch is smaller than a
/// group, `Padded` has filled the lanes. `None` if the last messages are better hashed one by one.
#[inline(always)]
pub fn group_from<const N: usize, const G: usize>(at: usize, count: usize) -> Option<usize> {
    let least = const { if N * G < 8 { 1 } else { N * G / 8 } };
    (count.saturating_sub(at) >= least).then_some(at.min(count.saturating_sub(N * G)))
}

/// Groups of short messages, as many as follow each other.
pub struct Short<'a, 'b, L: Lanes<W, N>, S: Source<L, W, N, G>, W: Word, const N: usize, const G: usize> {
    pub engine: &'a Engine<L, W, N>,
    pub starts: &'a mut Starts<W>,
    pub list: S::List,
    /// The first message. Afterwards, the first one that is not hashed.
    pub at: &'a mut usize,
    /// The tags of all messages.
    pub tags: &'a mut Tags<'b, W>,
}

impl<L: Lanes<W, N>, S: Source<L, W, N, G>, W: Word, const N: usize, const G: usize> Work
    for Short<'_, '_, L, S, W, N, G>
{
    #[inline(always)]
    fn run(self) {
        const { assert!(G <= 4) };
        let Short { engine, starts, list, at, tags } = self;
        let (cpu, mut source) = (engine.cpu, S::new(list));
        let count = tags.count();
        let Some(mut first) = group_from::<N, G>(*at, count) else { return };
        let Some(mut group) = find(cpu, &mut source, first) else { return };
        // The words of this group, and those of the next one.
        let mut tiles = [Tile::new(), Tile::new()];
        if !read_edge(cpu, &source, &group, &mut tiles[0]) {
            for k in 0..G {
                read(cpu, &source, &group, k, &mut tiles[0]);
            }
        }
        let mut parity = 0;
        loop {
            let skip = group.skip;
            let tile = &mut tiles[parity & 1];
            if engine.fold {
                fold(cpu, tile, skip);
            }
            let mut whole = group.lengths;
            for (k, whole) in whole.iter_mut().enumerate() {
                let lengths = group.lengths[k];
                *whole = cpu.shr(lengths, cpu.splat(W::truncated(W::SIZE.ilog2() as usize)));
                // SAFETY: `read` has written all words from `skip` on.
                let last = cpu.load(unsafe { tile.get(WINDOW - 1, k) });
                let last = finished::<_, S, _, _, G>(cpu, last, lengths);
                tile.put(WINDOW - 1, k, cpu.to_array(last));
            }
            let after = group_from::<N, G>(first + N * G, count);
            let found = if let Some(after) = after { find(cpu, &mut source, after) } else { None };
            let more = found.is_some();
            let next = found.unwrap_or(Group { lengths: [cpu.splat(W::ZERO); G], skip: 0, tiny: false });
            let unread = more && !read_edge(cpu, &source, &next, &mut tiles[parity & 1 ^ 1]);
            let mut states = cpu.begin(starts.up_to(engine, WINDOW - 1 - skip), whole, skip);
            // SAFETY: here and below, `read` has written all words from `skip` on.
            engine.absorb_first(&mut states, unsafe { words(cpu, &tiles[parity & 1], skip) });
            for i in skip + 1..WINDOW - 4 {
                // SAFETY: as above.
                engine.absorb(&mut states, unsafe { words(cpu, &tiles[parity & 1], i) });
            }
            // Written out, since the compiler would leave a loop.
            macro_rules! step {
                ($i:literal) => {
                    let i = WINDOW - 4 + $i;
                    if i > skip {
                        // SAFETY: as above.
                        engine.absorb(&mut states, unsafe { words(cpu, &tiles[parity & 1], i) });
                    }
                    // G reads in the middle of four words.
                    let before = (4 - G) / 2;
                    if $i >= before && $i - before < G && unread {
                        read(cpu, &source, &next, $i - before, &mut tiles[parity & 1 ^ 1]);
                    }
                };
            }
            step!(0);
            step!(1);
            step!(2);
            step!(3);
            // Apart, since two sets of tags would not fit the registers.
            if matches!(tags, Tags::Double(_)) {
                let (low, high) = engine.finish(&mut states, true);
                write(cpu, &low, &high, tags.part(first, N * G));
            } else {
                let (low, high) = engine.finish(&mut states, false);
                write(cpu, &low, &high, tags.part(first, N * G));
            }
            *at = count.min(first + N * G);
            if !more {
                return;
            }
            (group, first) = (next, after.unwrap_or(first));
            parity ^= 1;
        }
    }
}

/// A group whose words are read.
#[derive(Clone, Copy)]
struct Group<V, const G: usize> {
    lengths: [V; G],
    /// The number of first words of the window that belong to no message.
    skip: usize,
    /// Whether a message has fewer than 4 bytes.
    tiny: bool,
}

/// The group from message `at` on. `None` if it is not for this loop.
#[inline(always)]
fn find<L: Lanes<W, N>, S: Source<L, W, N, G>, W: Word, const N: usize, const G: usize>(
    cpu: L,
    source: &mut S,
    at: usize,
) -> Option<Group<L::Vector, G>> {
    let lengths = source.find(cpu, at)?;
    let longest = cpu.longest(&lengths);
    if longest >= WINDOW * W::SIZE {
        return None;
    }
    let tiny = !S::OPEN && L::JUSTIFIED && cpu.shortest(&lengths) < 4;
    let skip = WINDOW - 1 - longest / W::SIZE;
    source.prepare(cpu, &lengths, skip);
    Some(Group { lengths, skip, tiny })
}

/// Reads the words of the group that `find` returned last, if it is at an edge of its bytes. Such groups are few, so
/// this is a call of its own: in `Short::run` it would cost all other groups registers.
#[inline(always)]
fn read_edge<L: Lanes<W, N>, S: Source<L, W, N, G>, W: Word, const N: usize, const G: usize>(
    cpu: L,
    source: &S,
    group: &Group<L::Vector, G>,
    tile: &mut Tile<W, N, G>,
) -> bool {
    let Some(span) = source.edge() else { return false };
    cpu.call(Edge { cpu, span, group: *group, tile });
    true
}

/// A group at an edge of its bytes.
struct Edge<'a, L: Lanes<W, N>, W: Word, const N: usize, const G: usize> {
    cpu: L,
    span: &'a Span<'a, N, G>,
    group: Group<L::Vector, G>,
    tile: &'a mut Tile<W, N, G>,
}

impl<L: Lanes<W, N>, W: Word, const N: usize, const G: usize> Work for Edge<'_, L, W, N, G> {
    #[inline(always)]
    fn run(self) {
        let Edge { cpu, span, group: Group { lengths, skip, .. }, tile } = self;
        for (k, lengths) in lengths.into_iter().enumerate() {
            // SAFETY: `find` checked the longest length, and that the messages lie inside their bytes.
            unsafe { span.read(cpu, lengths, &mut tile.column(k, skip)) };
        }
    }
}

/// Reads the words of vector `k` of the group that `find` returned last, if `read_edge` did not read them.
#[inline(always)]
fn read<L: Lanes<W, N>, S: Source<L, W, N, G>, W: Word, const N: usize, const G: usize>(
    cpu: L,
    source: &S,
    group: &Group<L::Vector, G>,
    k: usize,
    tile: &mut Tile<W, N, G>,
) {
    let Group { lengths, skip, tiny } = *group;
    let to = &mut tile.column(k, skip);
    if tiny {
        // SAFETY: `find` checked the longest length, and called `prepare`; the group is at no edge.
        unsafe { source.read::<true>(cpu, lengths[k], to) }
    } else {
        // SAFETY: likewise. Either no message has fewer than 4 bytes, or the source is open or the tails are read by
        // masks, where this does not matter.
        unsafe { source.read::<false>(cpu, lengths[k], to) }
    }
}

/// Word i of each lane.
///
/// # Safety
/// It has been written.
#[inline(always)]
unsafe fn words<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(
    cpu: L,
    tile: &Tile<W, N, G>,
    i: usize,
) -> [L::Vector; G] {
    let mut words = [cpu.splat(W::ZERO); G];
    for (k, word) in words.iter_mut().enumerate() {
        // SAFETY: the caller ensures this.
        *word = cpu.load(unsafe { tile.get(i % WINDOW, k) });
    }
    words
}

/// The last word of messages of these lengths: the tail alone, and the length.
#[inline(always)]
fn finished<L: Lanes<W, N>, S: Source<L, W, N, G>, W: Word, const N: usize, const G: usize>(
    cpu: L,
    last: L::Vector,
    lengths: L::Vector,
) -> L::Vector {
    let tail = if S::OPEN {
        cpu.and(last, cpu.tail_mask(lengths))
    } else if L::JUSTIFIED {
        cpu.lowered(last, lengths)
    } else {
        last
    };
    cpu.or(tail, cpu.shl(lengths, cpu.splat(W::truncated(8 * (W::SIZE - 1)))))
}

/// Folds all words from `skip` on.
#[inline(always)]
fn fold<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(
    cpu: L,
    tile: &mut Tile<W, N, G>,
    skip: usize,
) {
    for i in skip..WINDOW {
        for k in 0..G {
            // SAFETY: `read` has written all words from `skip` on.
            let word = cpu.load(unsafe { tile.get(i, k) });
            tile.put(i, k, cpu.to_array(cpu.fold(word)));
        }
    }
}
