//! `poly1305-radix`: every kernel for one message, by its base and the instructions it needs.

use super::poly1305_one::Cell;
use super::{Plan, Show, Table, Task, table};
use crate::engine::Side;
use crate::engine::poly1305::{Engine, absent, one, table as rows};
use crate::work::poly1305::Work;
use anyhow::Result;

const SUITE: &str = "poly1305-radix";

/// Lengths of messages, and the number of parts that figures are divided by.
const LENGTHS: [(usize, usize); 5] = [(16, 1), (64, 64), (256, 256), (1420, 1420), (16384, 16384)];

/// Measures the suite and shows its table.
///
/// # Errors
/// A kernel gives a wrong answer, or `show` fails.
pub fn poly1305_radix(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let title = "by base and instructions; but for 16 bytes, a byte counted as a message";
    if plan.has(title) {
        let mut engines = one()?;
        engines.retain(|engine| engine.side == Side::Ours);
        engines.extend(rows()?);
        let cells =
            LENGTHS.map(|(len, units)| Counted { cell: Cell::new(len, false, plan.cycles), len, units });
        let table = table(SUITE, None, title, &engines, plan, cells)?;
        show(Table { missing: absent(), ..table })?;
    }
    Ok(())
}

/// A cell with figures per part of a message.
struct Counted {
    cell: Cell,
    len: usize,
    /// The number of parts of a message.
    units: usize,
}

impl Task<dyn Work> for Counted {
    fn label(&self) -> String {
        if self.units == 1 { format!("{} bytes", self.len) } else { format!("a byte of {}", self.len) }
    }

    fn messages(&self) -> usize {
        self.cell.messages() * self.units
    }

    fn has_slot(&self) -> bool {
        true
    }

    fn floor(&self) -> Option<f64> {
        Some(self.cell.floor()? / self.units as f64)
    }

    fn check(&mut self, engine: &Engine) -> Result<()> {
        self.cell.check(engine)
    }

    fn shift(&mut self, shift: usize) {
        self.cell.shift(shift);
    }

    fn work<'a>(&'a mut self, engine: &'a Engine) -> Box<dyn FnMut() + 'a> {
        self.cell.work(engine)
    }
}
