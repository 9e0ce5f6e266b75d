//! Measures a table: forces every kernel in turn, compares its tags, and interleaves the samples of all.

use super::figures::{Column, Measured, Row, Taken};
use super::suites::{Cell, Table};
use crate::error::Error;
use crate::selftest;
use keylane::kernels::{Status, force, list};
use keylane_measure::clock::{gigahertz, time};
use keylane_measure::data::shift;
use keylane_measure::record::Figure;
use keylane_measure::sample::{Contest, interleaved};

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Plan {
    /// How many samples to keep for each kernel in each cell.
    pub samples: usize,
    /// The approximate time of keylane's work in one sample.
    pub nanoseconds: f64,
}

/// The slots and the kernels that keylane, or KEYLANE_KERNEL, has chosen. Dropping it restores the choice.
pub struct Choice(pub Vec<(&'static str, &'static str)>);

impl Choice {
    pub fn now() -> Self {
        let active = list().filter(|kernel| kernel.status() == Status::Active);
        Choice(active.map(|kernel| (kernel.slot(), kernel.id())).collect())
    }

    /// keylane as its users get it, then every kernel of these slots that runs here. A kernel in several of
    /// these slots makes one row.
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
        // Each of them was active before, so `force` accepts it.
        self.0.iter().for_each(|(slot, kernel)| drop(force(slot, kernel)));
    }
}

/// Activates a row's kernels.
fn choose(row: &Row) -> Result<(), Error> {
    let choose =
        |&(slot, kernel): &(&str, &str)| force(slot, kernel).map_err(|why| Error::failed(kernel, why));
    row.slots.iter().try_for_each(choose)
}

/// Checks and measures a table. Calls `step` after each cell.
///
/// # Errors
/// A kernel gives a wrong answer, or fails its self-test.
pub fn measure(table: Table, choice: &Choice, plan: Plan, mut step: impl FnMut()) -> Result<Measured, Error> {
    let rows = choice.rows(table.slots)?;
    for row in &rows {
        choose(row)?;
        if let Some((what, _)) = selftest::calls().find(|(_, right)| !right) {
            return Err(Error::failed(row.id(), format!("wrong answers: {what}")));
        }
    }
    let (name, mut columns) = (table.name(), Vec::new());
    for mut cell in table.cells {
        let taking_part: Vec<&Row> =
            rows.iter().filter(|row| row.kernel.is_none() || cell.has_slot).collect();
        let names = format!("{name}, {}, {}", table.title, cell.label);
        check(&taking_part, &mut cell, &names)?;
        columns.push(column(&rows, &taking_part, cell, plan)?);
        step();
    }
    let (suite, rounds, title, clock) = (table.suite, table.rounds, table.title, gigahertz());
    Ok(Measured { name, suite, rounds, title, rows, columns, clock })
}

/// Compares every row's tags with the right ones, over the very data that will be timed.
fn check(rows: &[&Row], cell: &mut Cell, names: &str) -> Result<(), Error> {
    let right = cell.work.right();
    for row in rows {
        choose(row)?;
        cell.work.passes(0, 1)();
        // `take_tags` clears the tags, so those of the row before cannot pass.
        if cell.work.take_tags() != right {
            return Err(Error::failed(row.id(), format!("wrong answers in {names}")));
        }
    }
    Ok(())
}

/// Measures a cell.
fn column(rows: &[Row], taking_part: &[&Row], mut cell: Cell, plan: Plan) -> Result<Column, Error> {
    // keylane comes first: its time determines the number of passes in a sample.
    taking_part.first().map_or(Ok(()), |row| choose(row))?;
    let once = time(cell.work.passes(0, 1));
    let passes = (plan.nanoseconds / once.max(1.0)).clamp(1.0, 1e6) as usize;
    let units = (passes * cell.work.messages()) as f64;
    let measured =
        interleaved(&mut Race { rows: taking_part, cell: &mut cell, passes, shift: 0 }, plan.samples);
    let figures = rows.iter().map(|row| {
        let Some(contender) = taking_part.iter().position(|other| other.kernel == row.kernel) else {
            return Taken::No;
        };
        match Figure::of(&measured, contender, units).filter(|figure| !figure.half_dropped) {
            None => Taken::Lost,
            Some(figure) => Taken::Figure { few: figure.pairs < plan.samples, figure },
        }
    });
    Ok(Column { label: cell.label.clone(), length: cell.length, figures: figures.collect() })
}

/// The rows of a cell, as contenders.
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
        // `check` has forced it before, so this cannot fail.
        let _ = self.rows.get(contender).map(|row| choose(row));
        self.cell.work.passes(self.shift, self.passes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::suites::tables;
    use super::super::work::Work;
    use super::*;
    use crate::args::Suite;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    const LITTLE: Plan = Plan { samples: 1, nanoseconds: 1.0 };

    /// `measure` puts rows of the whole process in use, and `Choice::now` reads them: one test at a time.
    static ROWS: Mutex<()> = Mutex::new(());

    fn rows_alone() -> MutexGuard<'static, ()> {
        ROWS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tags with a wrong one at the end.
    struct Wrong(Vec<u128>);

    impl Work for Wrong {
        fn messages(&self) -> usize {
            3
        }

        fn passes(&mut self, _: usize, _: usize) -> Box<dyn FnMut() + '_> {
            Box::new(|| self.0 = vec![1, 2, 4])
        }

        fn take_tags(&mut self) -> Vec<u128> {
            std::mem::take(&mut self.0)
        }

        fn right(&self) -> Vec<u128> {
            vec![1, 2, 3]
        }
    }

    #[test]
    fn a_wrong_answer_ends_it() {
        let _alone = rows_alone();
        let cell = Cell { label: "3".into(), length: None, has_slot: true, work: Box::new(Wrong(vec![])) };
        let table = Table {
            suite: "suite".into(),
            rounds: "1-3",
            title: "title".into(),
            slots: &["poly1305-xn"],
            cells: vec![cell],
        };
        match measure(table, &Choice::now(), LITTLE, || panic!("no cell is done")) {
            Err(Error::Failed(message)) => {
                assert_eq!(message, "keylane: wrong answers in suite 1-3, title, 3")
            }
            _ => panic!("a wrong answer was accepted"),
        }
    }

    #[test]
    fn each_kernel_that_runs_here_is_a_row() {
        let _alone = rows_alone();
        let choice = Choice::now();
        for suite in [Suite::Poly1305Batch, Suite::Poly1305One] {
            let mut cells = 0;
            for mut table in tables(suite) {
                table.cells.retain(|cell| cell.length.is_none_or(|length| length < 1024));
                let (slots, expected) = (table.slots, table.cells.len());
                let Ok(measured) = measure(table, &choice, LITTLE, || cells += 1) else {
                    panic!("not measured")
                };
                assert_eq!((measured.columns.len(), cells), (expected, expected));
                for kernel in list().filter(|kernel| slots.contains(&kernel.slot())) {
                    let row = measured.rows.iter().find(|row| row.kernel == Some(kernel.id()));
                    assert_eq!(row.is_some(), kernel.status() != Status::NotOnThisCpu, "{}", kernel.id());
                    let chosen = choice.0.contains(&(kernel.slot(), kernel.id()));
                    assert!(!chosen || row.is_some_and(|row| row.chosen), "{}", kernel.id());
                }
            }
        }
        assert_eq!(Choice::now().0.len(), choice.0.len());
    }
}
