//! Closures that are timed beside each other, for suites whose engines are not functions of a message.
//!
//! A column's contenders do the same work in interleaved samples; a table is built column by column.

use super::{Cell, Plan, Table};
use crate::engine::{Missing, Rounds, Side};
use keylane_measure::record::Figure;
use keylane_measure::sample::{Contest, interleaved};

/// Something that is timed.
pub(super) struct Contender<'a> {
    engine: String,
    side: Side,
    run: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    /// `run` is one pass of the column's work. It was checked before.
    pub(super) fn new(engine: impl Into<String>, side: Side, run: impl FnMut() + 'a) -> Self {
        Contender { engine: engine.into(), side, run: Box::new(run) }
    }
}

/// The contenders of a column, and how often a sample repeats their work.
struct Race<'a> {
    contenders: Vec<Contender<'a>>,
    passes: usize,
}

impl Contest for Race<'_> {
    fn contenders(&self) -> usize {
        self.contenders.len()
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        let (run, passes) = (&mut self.contenders[contender].run, self.passes);
        Box::new(move || (0..passes).for_each(|_| run()))
    }
}

/// The columns that were measured, and the engines in the order in which they came.
#[derive(Default)]
pub(super) struct Columns {
    engines: Vec<(String, Side)>,
    cells: Vec<Cell>,
}

impl Columns {
    /// Measures a column. A pass is `units` units of work, about `cycles` cycles in all; figures are for a unit.
    /// Ratios are to the contender whose side is [`Side::Ours`].
    pub(super) fn measure(
        &mut self,
        plan: &Plan,
        label: impl Into<String>,
        (units, cycles): (usize, usize),
        contenders: Vec<Contender<'_>>,
    ) {
        let passes = (plan.cycles / cycles.max(1)).max(1);
        let mut race = Race { contenders, passes };
        let samples = interleaved(&mut race, plan.samples);
        let ours = race.contenders.iter().position(|contender| contender.side == Side::Ours);
        let mut cell = Cell { label: label.into(), figures: vec![None; self.engines.len()], best_peer: None };
        let mut least = f64::INFINITY;
        for (contender, of) in race.contenders.iter().zip(&samples) {
            let figure = Figure::of(of, ours.map(|ours| &samples[ours]), (passes * units) as f64);
            let row = self.row(contender);
            let median = figure.as_ref().map_or(f64::INFINITY, |figure| figure.cycles.median);
            if contender.side == Side::Peer && median < least {
                (least, cell.best_peer) = (median, Some(row));
            }
            cell.figures.resize(self.engines.len(), None);
            cell.figures[row] = figure;
        }
        self.cells.push(cell);
    }

    fn row(&mut self, contender: &Contender<'_>) -> usize {
        let known = self.engines.iter().position(|(engine, _)| *engine == contender.engine);
        known.unwrap_or_else(|| {
            self.engines.push((contender.engine.clone(), contender.side));
            self.engines.len() - 1
        })
    }

    /// The table of these columns. `missing` are kernels that this CPU cannot run.
    pub(super) fn table(
        mut self,
        suite: &'static str,
        rounds: Option<Rounds>,
        title: impl Into<String>,
        missing: Vec<Missing>,
    ) -> Table {
        for cell in &mut self.cells {
            cell.figures.resize(self.engines.len(), None);
        }
        Table { suite, rounds, title: title.into(), engines: self.engines, missing, cells: self.cells }
    }
}
