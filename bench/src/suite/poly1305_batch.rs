//! `poly1305-batch`: many messages in one call, each under its own key.

use super::poly1305_one::keys;
use super::{Plan, Show, Table, Task, table};
use crate::engine::missing;
use crate::engine::poly1305::{Engine, many, peers, specification};
use crate::work::poly1305::{BATCH, Many, Work};
use anyhow::{Result, ensure};
use keylane_measure::data::Arrow;
use std::cell::OnceCell;
use std::ops::RangeInclusive;

const SUITE: &str = "poly1305-batch";

/// The slot of the batch call.
const SLOT: &str = "poly1305-xn";

/// The lengths of the messages in a cell.
const LENGTHS: [RangeInclusive<usize>; 9] =
    [16..=16, 64..=64, 128..=128, 256..=256, 512..=512, 1420..=1420, 4096..=4096, 40..=1500, 1..=128];

/// The approximate total length of messages of unpredictable lengths, in bytes. There are too many messages for
/// a branch predictor to learn their lengths, but they fit in a core's private cache.
const BYTES: usize = 512 << 10;

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn poly1305_batch(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let title = format!("{BATCH} messages in a call, by their lengths");
    if plan.has(&title) {
        let mut engines = many()?;
        engines.extend(peers(true)?);
        let cells = LENGTHS.map(|lengths| Cell::new(lengths, plan.cycles));
        let table = table(SUITE, None, &title, &engines, plan, cells)?;
        show(Table { missing: missing(SLOT), ..table })?;
    }
    Ok(())
}

/// Lengths of messages.
pub(super) struct Cell {
    lengths: RangeInclusive<usize>,
    keys: Vec<[u8; 32]>,
    messages: Arrow,
    shift: usize,
    passes: usize,
    right: OnceCell<Vec<[u8; 16]>>,
}

impl Cell {
    /// A cell with samples of about `cycles` cycles.
    pub(super) fn new(lengths: RangeInclusive<usize>, cycles: usize) -> Self {
        let mean = (lengths.start() + lengths.end()) / 2;
        let calls = if lengths.start() == lengths.end() { 1 } else { (BYTES / mean).div_ceil(BATCH) };
        let n = calls * BATCH;
        // A message takes roughly 50 cycles, plus one for every four bytes.
        let passes = (cycles / (50 + mean / 4) / n).max(1);
        let messages = Arrow::uniform(n, lengths.clone(), 3);
        Cell { lengths, keys: keys(n), messages, shift: 0, passes, right: OnceCell::new() }
    }

    fn messages(&self) -> Vec<&[u8]> {
        let bytes = self.messages.bytes(self.shift);
        let slice = |pair: &[i32]| &bytes[pair[0] as usize..pair[1] as usize];
        self.messages.offsets().windows(2).map(slice).collect()
    }
}

impl Task<dyn Work> for Cell {
    fn label(&self) -> String {
        let (least, most) = (self.lengths.start(), self.lengths.end());
        if least == most { least.to_string() } else { format!("{least}..{most}") }
    }

    fn messages(&self) -> usize {
        self.passes * self.keys.len()
    }

    fn has_slot(&self) -> bool {
        true
    }

    fn check(&mut self, engine: &Engine) -> Result<()> {
        self.shift = 0;
        let messages = self.messages();
        let input = Many { keys: &self.keys, messages: &messages };
        let right = self.right.get_or_init(|| specification().macs(input));
        ensure!(engine.work.macs(input) == *right, "{}: wrong answers for {}", engine.name, self.label());
        Ok(())
    }

    fn shift(&mut self, shift: usize) {
        self.shift = shift;
    }

    fn work<'a>(&'a mut self, engine: &'a Engine) -> Box<dyn FnMut() + 'a> {
        let cell = &*self;
        let messages = cell.messages();
        Box::new(move || engine.work.batch(Many { keys: &cell.keys, messages: &messages }, cell.passes))
    }
}
