//! `poly1305-radix`: every kernel for one message, by the base in which it works and the instructions it
//! needs.

use super::poly1305_one::Cell;
use super::{Plan, Show, Table, Task, table};
use crate::engine::Side;
use crate::engine::poly1305::{Engine, absent, one, table as rows};
use crate::work::poly1305::Work;
use anyhow::Result;

const SUITE: &str = "poly1305-radix";

/// The length of a long message.
const LONG: usize = 16 << 10;

/// Measures the suite and gives its table.
///
/// # Errors
/// A kernel gives a wrong answer, or `show` fails.
pub fn poly1305_radix(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let title = format!("by base and instructions, a byte of {LONG} counted as a message");
    if plan.has(&title) {
        let mut engines = one()?;
        engines.retain(|engine| engine.side == Side::Ours);
        engines.extend(rows()?);
        let cells = [(16, 1), (LONG, LONG)];
        let cells =
            cells.map(|(len, units)| Counted { cell: Cell::new(len, false, plan.cycles), len, units });
        let table = table(SUITE, None, &title, &engines, plan, cells)?;
        show(Table { missing: absent(), ..table })?;
    }
    Ok(())
}

/// A cell whose figures are those of a part of a message.
struct Counted {
    cell: Cell,
    len: usize,
    /// How many parts a message has.
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
