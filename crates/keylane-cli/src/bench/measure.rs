//! How a table is measured: every kernel is forced in turn, its tags are compared, and the samples of all are
//! interleaved.

use super::suites::{Cell, Table};
use crate::error::Error;
use crate::selftest;
use keylane::kernels::{Status, force, list};
use keylane_measure::clock::time;
use keylane_measure::data::shift;
use keylane_measure::record::{Figure, Line};
use keylane_measure::sample::{Contest, interleaved};

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Plan {
    /// Kept samples of each kernel in each cell.
    pub samples: usize,
    /// About how long keylane's work in a sample takes.
    pub nanoseconds: f64,
}

/// A table with its figures.
pub struct Measured {
    pub suite: String,
    /// The variant of SipHash; empty if there is none.
    pub rounds: &'static str,
    pub title: String,
    pub rows: Vec<Row>,
    pub columns: Vec<Column>,
}

/// What is timed.
pub struct Row {
    /// The kernel; nothing for keylane as its users get it.
    pub kernel: Option<&'static str>,
    /// Whether it is keylane's choice.
    pub chosen: bool,
    /// Whether every CPU can run it.
    pub portable: bool,
    /// Slots, and the kernel that stands in each.
    slots: Vec<(&'static str, &'static str)>,
}

/// A cell with its figures.
pub struct Column {
    pub label: String,
    /// How long every message is, if the columns are lengths.
    pub length: Option<usize>,
    /// A figure for each row: nothing if it takes no part.
    pub figures: Vec<Taken>,
}

/// What came of a row in a cell.
pub enum Taken {
    /// It takes no part.
    No,
    /// The machine was too restless to keep one sample.
    Lost,
    /// A figure, and whether it is from fewer samples than asked for.
    Figure(Figure, bool),
}

impl Row {
    /// What tables call it.
    pub fn name(&self) -> &str {
        self.kernel.unwrap_or("keylane")
    }

    /// What records call it.
    pub fn engine(&self) -> String {
        self.kernel.map_or_else(|| "keylane".to_owned(), |kernel| format!("keylane {kernel}"))
    }

    fn side(&self) -> &'static str {
        if self.kernel.is_some() { "our kernel" } else { "ours" }
    }

    fn force(&self) -> Result<(), Error> {
        self.slots
            .iter()
            .try_for_each(|&(slot, kernel)| force(slot, kernel).map_err(|why| Error::failed(kernel, why)))
    }
}

impl Measured {
    /// The lines of a record.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        self.taken().filter_map(|(row, column, taken)| match taken {
            Taken::Figure(figure, _) => {
                let names = [&self.suite, self.rounds, &self.title, &column.label, &row.engine(), row.side()];
                Some(figure.line(names))
            }
            _ => None,
        })
    }

    /// Rows and columns of which no sample was kept.
    pub fn lost(&self) -> impl Iterator<Item = (&Row, &Column)> {
        let lost = self.taken().filter(|(_, _, taken)| matches!(taken, Taken::Lost));
        lost.map(|(row, column, _)| (row, column))
    }

    fn taken(&self) -> impl Iterator<Item = (&Row, &Column, &Taken)> {
        self.columns.iter().flat_map(|column| {
            self.rows.iter().zip(&column.figures).map(move |(row, taken)| (row, column, taken))
        })
    }
}

impl Column {
    /// The median of a row, in cycles a message.
    pub fn median(&self, row: usize) -> Option<f64> {
        match self.figures.get(row) {
            Some(Taken::Figure(figure, _)) => Some(figure.cycles.median),
            _ => None,
        }
    }
}

/// Slots and the kernels that keylane, or KEYLANE_KERNEL, has chosen. They are chosen again when this is dropped.
pub struct Choice(pub Vec<(&'static str, &'static str)>);

impl Choice {
    pub fn now() -> Self {
        let active = list().filter(|kernel| kernel.status() == Status::Active);
        Choice(active.map(|kernel| (kernel.slot(), kernel.id())).collect())
    }

    /// keylane as its users get it, then every kernel of these slots that runs here. A kernel that stands in
    /// several of them is one row.
    fn rows(&self, slots: &[&str]) -> Result<Vec<Row>, Error> {
        let chosen: Vec<_> = self.0.iter().copied().filter(|(slot, _)| slots.contains(slot)).collect();
        let mut rows = vec![Row { kernel: None, chosen: false, portable: false, slots: chosen.clone() }];
        for kernel in list().filter(|kernel| slots.contains(&kernel.slot())) {
            let (slot, id) = (kernel.slot(), kernel.id());
            match kernel.status() {
                Status::NotOnThisCpu => continue,
                Status::FailedSelfTest => return Err(Error::failed(id, "failed its self-test")),
                _ => {}
            }
            if rows.iter().all(|row| row.kernel != Some(id)) {
                let portable = kernel.requires().next().is_none();
                rows.push(Row { kernel: Some(id), chosen: false, portable, slots: chosen.clone() });
            }
            for row in rows.iter_mut().filter(|row| row.kernel == Some(id)) {
                row.chosen |= chosen.contains(&(slot, id));
                row.slots.iter_mut().filter(|(of, _)| *of == slot).for_each(|of| of.1 = id);
            }
        }
        Ok(rows)
    }
}

impl Drop for Choice {
    fn drop(&mut self) {
        // Each of them was active before, so none is refused.
        self.0.iter().for_each(|(slot, kernel)| drop(force(slot, kernel)));
    }
}

/// Checks and measures a table. `step` hears of each cell that is done.
///
/// # Errors
/// A kernel gives a wrong answer, or fails its self-test.
pub fn measure(table: Table, choice: &Choice, plan: Plan, mut step: impl FnMut()) -> Result<Measured, Error> {
    let rows = choice.rows(table.slots)?;
    for row in &rows {
        row.force()?;
        if let Some((what, _)) = selftest::published().into_iter().find(|(_, right)| !right) {
            return Err(Error::failed(row.name(), format!("wrong answers: {what}")));
        }
    }
    let mut columns = Vec::new();
    for mut cell in table.cells {
        let taking_part: Vec<&Row> =
            rows.iter().filter(|row| row.kernel.is_none() || cell.has_slot).collect();
        let names = format!("{} {} {} {}", table.suite, table.rounds, table.title, cell.label);
        check(&taking_part, &mut cell, &names)?;
        columns.push(column(&rows, &taking_part, cell, plan));
        step();
    }
    Ok(Measured { suite: table.suite, rounds: table.rounds, title: table.title, rows, columns })
}

/// Compares every row's tags with the right ones, over the very data that will be timed.
fn check(rows: &[&Row], cell: &mut Cell, names: &str) -> Result<(), Error> {
    let right = cell.work.right();
    for row in rows {
        row.force()?;
        cell.work.passes(0, 1)();
        // Not even a tag that is left from the row before may pass.
        if cell.work.take_tags() != right {
            return Err(Error::failed(row.name(), format!("wrong answers in {names}")));
        }
    }
    Ok(())
}

/// Measures a cell.
fn column(rows: &[Row], taking_part: &[&Row], mut cell: Cell, plan: Plan) -> Column {
    // keylane comes first: its time says how many passes a sample has.
    let ready = taking_part.first().map(|row| row.force());
    let once = time(cell.work.passes(0, 1));
    drop(ready);
    let passes = (plan.nanoseconds / once.max(1.0)).clamp(1.0, 1e6) as usize;
    let units = (passes * cell.work.messages()) as f64;
    let samples =
        interleaved(&mut Race { rows: taking_part, cell: &mut cell, passes, shift: 0 }, plan.samples);
    let mut samples = samples.iter();
    let first = samples.clone().next();
    let figures = rows.iter().map(|row| {
        if !taking_part.iter().any(|other| other.kernel == row.kernel) {
            return Taken::No;
        }
        let figure = samples.next().and_then(|samples| Figure::of(samples, first, units));
        figure.map_or(Taken::Lost, |figure| {
            let few = figure.pairs < plan.samples;
            Taken::Figure(figure, few)
        })
    });
    Column { label: cell.label.clone(), length: cell.length, figures: figures.collect() }
}

/// The rows of a cell as contenders.
struct Race<'a> {
    rows: &'a [&'a Row],
    cell: &'a mut Cell,
    passes: usize,
    shift: usize,
}

impl Contest for Race<'_> {
    fn contenders(&self) -> usize {
        self.rows.len()
    }

    fn begin(&mut self, round: usize) {
        self.shift = shift(round);
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        // It was forced before, to be checked, so nothing can be wrong with it.
        let _ = self.rows.get(contender).map(|row| row.force());
        self.cell.work.passes(self.shift, self.passes)
    }
}
