//! SipHash of many messages, one in each lane: the rounds, the end of a message, and the tags.
//!
//! G vectors of N lanes are stepped together, so the chain of one hides behind the others. The rounds are counted at
//! run time: a loop body is one round of all G vectors, 14 G operations and one jump. So one function serves every
//! SipHash-c-d.
//!
//! The end saves operations. The last round's v0 + v3 drops out of the tag of SipHash, since v0 enters v3 by xor. Let s
//! be v2 + v1 in the round's second half. Then the tag is rotl(v1, 17) ^ rotl(v3, 21) ^ s ^ rotl(s, 32). No compiler
//! finds this in a loop.

use super::lanes::{Lanes, copy};
use crate::job::siphash::{Batch, Counted, Layout, Messages, Rounds, State, Tags, Word};

/// What all messages of a batch share.
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

/// The states of one vector of messages: v0, v1, v2, v3.
pub type Vectors<V> = [V; 4];

impl<L, W: Word, const N: usize> Engine<L, W, N> {
    /// Takes what all messages of a job share.
    #[inline(always)]
    pub fn new(cpu: L, job: &Batch<'_, W>) -> Self {
        Engine { cpu, initial: *job.initial, rounds: job.rounds, fold: job.fold }
    }
}

impl<L: Lanes<W, N>, W: Word, const N: usize> Engine<L, W, N> {
    /// A job of other messages with the same key and rounds, for another kernel.
    #[inline(always)]
    pub fn job<'a>(&'a self, layout: Layout<'a>, tags: Tags<'a, W>) -> Batch<'a, W> {
        let Engine { initial, rounds, fold, .. } = self;
        Batch { initial, rounds: *rounds, fold: *fold, messages: Messages::Bytes(layout), tags }
    }

    /// The state before the first word, in every lane, for [`Engine::absorb_first`].
    #[inline(always)]
    pub fn start(&self) -> Vectors<L::Vector> {
        let [v0, v1, v2, v3] = self.initial.begin().v;
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

    /// `absorb` into states of which [`State::begin`] has already computed what no word changes.
    #[inline(always)]
    pub fn absorb_first<const G: usize>(&self, states: &mut [Vectors<L::Vector>; G], words: [L::Vector; G]) {
        let [_, r2, ..] = W::ROTATIONS;
        for (v, word) in states.iter_mut().zip(words) {
            let v3 = self.cpu.xor(v[3], word);
            v[2] = self.cpu.add(v[2], v3);
            v[3] = self.cpu.xor(self.cpu.rotl(v3, r2), v[2]);
        }
        self.second_half(states);
        for _ in 1..self.rounds.c() {
            self.round(states);
        }
        for (v, word) in states.iter_mut().zip(words) {
            v[0] = self.cpu.xor(v[0], word);
        }
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

    /// Ends all messages. Returns the low words of their tags and, if the tags are double, the high words.
    #[inline(always)]
    pub fn finish<const G: usize>(
        &self,
        states: &mut [Vectors<L::Vector>; G],
        double: bool,
    ) -> ([L::Vector; G], [L::Vector; G]) {
        let zero = self.cpu.splat(W::ZERO);
        let (mut low, mut high) = ([zero; G], [zero; G]);
        if double {
            self.mark(states, 2, W::DOUBLE_MARK);
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

    /// Does d rounds and computes the tag.
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

/// Writes the tags of G vectors, as many as there is space for.
#[inline(always)]
pub fn write<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(
    cpu: L,
    low: &[L::Vector; G],
    high: &[L::Vector; G],
    tags: Tags<'_, W>,
) {
    match tags {
        Tags::Single(tags) => {
            if let Some(tags) = tags.as_chunks_mut().0.first_chunk_mut::<G>() {
                for (tags, &low) in tags.iter_mut().zip(low) {
                    cpu.store(low, tags);
                }
                return;
            }
            for (tags, &low) in tags.chunks_mut(N).zip(low) {
                cpu.masked_store(low, tags);
            }
        }
        Tags::Double(tags) => {
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
