//! A group: G vectors of messages, hashed together.

#![allow(unsafe_code)]

use super::chunk::Ahead;
use super::places::Places;
use crate::arch::generic::engine::Engine;
use crate::arch::generic::lanes::{Lanes, Work};
use crate::job::prefetch::prefetch;
use crate::job::siphash::{Tags, Word};

/// For the last word of a message of this length: a mask of the bits after the tail, and the length's contribution.
#[inline(always)]
fn tail_mask<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L, length: L::Vector) -> (L::Vector, L::Vector) {
    let top = cpu.splat(W::truncated(8 * (W::SIZE - 1)));
    let bits = cpu.and(cpu.shl(length, cpu.splat(W::truncated(3))), top);
    (cpu.shl(cpu.splat(W::ZERO.sub(W::truncated(1))), bits), cpu.shl(length, top))
}

/// Groups of G vectors. The last group may have fewer places for tags than messages.
///
/// Each of `ends` is `length % SIZE` bytes before the end of a message of that length, which may be read. If OPEN, all
/// quads of a group may be read. These are 4 words for each tile of its longest message, up to one word after each of
/// `ends`.
pub struct Groups<'a, L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const OPEN: bool> {
    pub engine: &'a Engine<L, W, N>,
    pub starts: &'a [[W; N]; 4],
    pub ends: &'a [[[usize; N]; G]],
    pub lengths: &'a [[[u32; N]; G]],
    pub ahead: &'a mut Ahead,
    pub places: Places<'a, W>,
}

/// How many tiles ahead of the one that it reads the first group prefetches.
const LEAD: usize = 8;

/// A group whose quads are being read.
struct Group<'a, V, const N: usize, const G: usize> {
    ends: &'a [[usize; N]; G],
    lengths: &'a [[u32; N]; G],
    /// Whether it is the first one. No group before it has prefetched its tiles.
    first: bool,
    /// The `ends` of the next group.
    next: Option<&'a [[usize; N]; G]>,
    /// Words in each message.
    words: [V; G],
    /// For each last word: a mask of the bits after the tail, and the length's contribution.
    tails: [(V, V); G],
    /// Words in the shortest message.
    shortest: usize,
    /// The tile being read, counted from the last.
    rel: usize,
    /// The number of first words of the first tile that belong to no message.
    skip: usize,
}

/// Prefetches the first tiles of a group.
#[inline(always)]
fn begin<V, W: Word, const N: usize, const G: usize>(group: &Group<'_, V, N, G>) {
    let tile = 4 * W::SIZE;
    for &end in group.ends.as_flattened() {
        for rel in (group.rel.saturating_sub(LEAD)..=group.rel).rev().step_by(64 / tile) {
            prefetch(end.wrapping_sub(tile * rel));
        }
    }
}

impl<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const OPEN: bool> Work
    for Groups<'_, L, W, N, G, OPEN>
{
    #[inline(always)]
    fn run(mut self) {
        let (engine, cpu) = (self.engine, self.engine.cpu);
        let zero = cpu.splat(W::ZERO);
        let Some(mut group) = self.open(0) else { return };
        if let Ahead::NextGroup = self.ahead {
            begin::<_, W, N, G>(&group);
        }
        let mut states = [[zero; 4]; G];
        // Two tiles: the current one and the one being read.
        let mut tiles = [[[zero; G]; 4]; 2];
        for k in 0..G {
            self.read(&group, k, &mut tiles[0]);
        }
        let (mut parity, mut at) = (0, 0);
        loop {
            let (rel, skip) = (group.rel, group.skip);
            let due = cpu.splat(W::truncated((4 * (rel + 1)).wrapping_sub(skip)));
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
                let (low, high) = engine.finish(&mut states, matches!(self.places.tags, Tags::Double(_)));
                self.places.write(cpu, &low, &high, at * N * G);
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
    /// Group `i`, if there are places for its tags.
    #[inline(always)]
    fn open(&self, i: usize) -> Option<Group<'a, L::Vector, N, G>> {
        let cpu = self.engine.cpu;
        let (ends, lengths) = (self.ends.get(i)?, self.lengths.get(i)?);
        if i * N * G >= self.places.count() {
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
            let whole = cpu.shr(length, cpu.splat(W::truncated(W::SIZE.ilog2() as usize)));
            *words = cpu.add(whole, cpu.splat(W::truncated(1)));
            *tails = tail_mask(cpu, length);
        }
        let (shortest, rel) = (shortest as usize / W::SIZE + 1, (count - 1) / 4);
        let (first, next) = (i == 0, self.ends.get(i + 1));
        Some(Group { ends, lengths, first, next, words, tails, shortest, rel, skip: 4 * (rel + 1) - count })
    }

    /// Reads the tile of vector `k`.
    #[inline(always)]
    fn read(&mut self, group: &Group<'a, L::Vector, N, G>, k: usize, tile: &mut [[L::Vector; G]; 4]) {
        let cpu = self.engine.cpu;
        // Prefetches as much as is read here. Spread out like this, requests do not queue up.
        match self.ahead {
            Ahead::NextGroup => {
                if group.first && group.rel >= LEAD {
                    for &end in &group.ends[k] {
                        prefetch(end.wrapping_sub(4 * W::SIZE * (group.rel - LEAD)));
                    }
                }
                for &end in group.next.map_or(&[][..], |next| &next[k]) {
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
        let first = cpu.sub(cpu.splat(W::truncated(4 * (group.rel + 1))), group.words[k]);
        let (ends, lengths) = (&group.ends[k], &group.lengths[k]);
        let rows = if OPEN {
            // SAFETY: `Groups` promises that the quads of all tiles of a group may be read. `rel` is below their
            // number, which `open` computed from the longest message.
            unsafe { cpu.quads(ends, group.rel) }
        } else if group.rel > 0 && 4 * (group.rel + 1) <= group.shortest {
            // SAFETY: every message has enough words that this quad, which is not the last, consists of whole words of
            // its message.
            unsafe { cpu.quads(ends, group.rel) }
        } else {
            // SAFETY: `ends` and `lengths` satisfy the condition of `Groups`. `first` was computed above from the words
            // of these messages and from `rel`.
            unsafe { cpu.quads_within(ends, lengths, group.rel, first) }
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
