//! Cells of u64 messages with tags of another width than 64 bits.

use super::{Plan, Task};
use crate::engine::{Engine, Rounds};
use crate::work::U64Work;
use anyhow::{Result, ensure};
use keylane_measure::data::{Random, SHIFTS, moved};
use std::rc::Rc;

/// Makes the specification for given rounds and key.
pub(super) type Specification<T> = fn(Rounds, [u8; 16]) -> Box<dyn U64Work<T>>;

/// A number of integers in a call.
pub(super) struct Cell<T> {
    integers: Rc<Vec<u64>>,
    size: usize,
    shift: usize,
    passes: usize,
    tags: Vec<T>,
    rounds: Rounds,
    specification: Specification<T>,
}

impl<T: Copy + Default> Cell<T> {
    /// The cells of a table: small batches, and the largest that fits a cache, over the same integers. Then
    /// integers beyond the cache, in one call.
    pub(super) fn all(plan: &Plan, rounds: Rounds, specification: Specification<T>) -> Vec<Self> {
        let Some((&few, many)) = plan.rows.split_first() else { return vec![] };
        let data = integers(few);
        let cell = |integers: &Rc<Vec<u64>>, rows: usize, size| {
            let passes = (plan.cycles / 10 / rows.max(1)).max(1);
            Cell {
                integers: Rc::clone(integers),
                size,
                shift: 0,
                passes,
                tags: vec![T::default(); rows],
                rounds,
                specification,
            }
        };
        let cached = plan.batches.iter().map(|&size| cell(&data, few, size));
        cached.chain(many.iter().map(|&rows| cell(&integers(rows), rows, rows))).collect()
    }
}

/// `rows` integers, and some more to allow shifts.
fn integers(rows: usize) -> Rc<Vec<u64>> {
    let mut random = Random::new(3);
    Rc::new((0..rows + SHIFTS / size_of::<u64>()).map(|_| random.next_u64()).collect())
}

impl<T: Copy + Default + PartialEq + std::ops::Not<Output = T>> Task<dyn U64Work<T>> for Cell<T> {
    fn label(&self) -> String {
        self.size.to_string()
    }

    fn messages(&self) -> usize {
        self.passes * self.tags.len()
    }

    fn has_slot(&self) -> bool {
        true
    }

    fn check(&mut self, engine: &Engine<dyn U64Work<T>>) -> Result<()> {
        let integers = moved(&self.integers, self.shift);
        let mut right = self.tags.clone();
        (self.specification)(self.rounds, engine.key).batch(integers, self.size, &mut right);
        // Inverted, so that a tag left from before cannot pass.
        let mut tags: Vec<T> = right.iter().map(|&right| !right).collect();
        engine.work.batch(integers, self.size, &mut tags);
        ensure!(tags == right, "{}: wrong answers in batches of {}", engine.name, self.size);
        Ok(())
    }

    fn shift(&mut self, shift: usize) {
        self.shift = shift;
    }

    fn work<'a>(&'a mut self, engine: &'a Engine<dyn U64Work<T>>) -> Box<dyn FnMut() + 'a> {
        Box::new(move || {
            let integers = moved(&self.integers, self.shift);
            for _ in 0..self.passes {
                engine.work.batch(integers, self.size, &mut self.tags);
            }
        })
    }
}
