//! Counts the operations of a bitsliced computation, as it runs.

use super::isa::Isa;
use super::siphash_x64_bitslice::X64;
use super::{naive, rounds};
use crate::bitslice::{Operations, Plan, State};
use core::cell::Cell;

/// Integers that count what is done with them.
#[derive(Clone, Copy)]
struct Counting<'a>(&'a Cell<Operations>);

impl Counting<'_> {
    fn count(self, add: impl FnOnce(&mut Operations)) -> X64 {
        let mut operations = self.0.get();
        add(&mut operations);
        self.0.set(operations);
        X64
    }
}

impl Isa for Counting<'_> {
    type Plane = u64;
    type Vector = u64;

    fn load(self, plane: &u64) -> u64 {
        self.count(|it| it.loads += 1).load(plane)
    }

    fn store(self, plane: &mut u64, vector: u64) {
        self.count(|it| it.stores += 1).store(plane, vector);
    }

    fn splat(self, word: u64) -> u64 {
        X64.splat(word)
    }

    fn xor(self, a: u64, b: u64) -> u64 {
        self.count(|it| it.xors += 1).xor(a, b)
    }

    fn xor3(self, a: u64, b: u64, c: u64) -> u64 {
        self.count(|it| it.xors_of_three += 1).xor3(a, b, c)
    }

    fn add(self, a: u64, b: u64, carry: u64) -> (u64, u64) {
        self.count(|it| it.adders += 1).add(a, b, carry)
    }

    fn add_constant(self, x: u64, c: u64, change: u64, n: u64) -> (u64, u64) {
        self.count(|it| it.adders_of_constants += 1).add_constant(x, c, change, n)
    }

    fn cut(words: &[u64]) -> &[u64] {
        words
    }

    fn cut_mut(words: &mut [u64]) -> &mut [u64] {
        words
    }
}

impl Operations {
    /// Counts the operations of one group, from planes to planes, by the rounds with one addition after the other if
    /// `naive`.
    #[must_use]
    pub fn of(plan: &Plan, naive: bool) -> Self {
        let (count, mut state) = (Cell::new(Operations::default()), State::default());
        let counting = Counting(&count);
        if naive {
            naive::compute(counting, plan, &mut state);
        } else {
            rounds::compute(counting, plan, &mut state);
        }
        count.get()
    }
}
