//! Closures to time together, for suites whose engines are not functions of a message.
//!
//! A column's contenders do the same work in interleaved samples; a table is built column by column.

use super::{Cell, Plan, Table, is_filed};
use crate::engine::{Missing, Rounds, Side};
use crate::turns;
use keylane_measure::record::Figure;
use keylane_measure::sample::Contest;
use std::hint::black_box;

/// A contender.
pub(super) struct Contender<'a> {
    engine: String,
    side: Side,
    run: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    /// `run` is one pass of the column's work. It has been checked before.
    pub(super) fn new(engine: impl Into<String>, side: Side, run: impl FnMut() + 'a) -> Self {
        Contender { engine: engine.into(), side, run: Box::new(run) }
    }
}

/// The state of the caches at the start of a sample.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// As the previous samples have left them.
    Left,
    /// Warm: the work is done once before, without timing.
    Warm,
    /// Cold: [`COLD`] bytes of other data have passed through them.
    Cold,
}

/// More than all caches hold that a core has or shares.
const COLD: usize = 64 << 20;

/// The contenders of a column, and how often a sample repeats their work.
struct Race<'a> {
    contenders: Vec<Contender<'a>>,
    passes: usize,
    start: Start,
    /// [`COLD`] bytes, if there is a cold start.
    other_data: Vec<u64>,
}

impl Contest for Race<'_> {
    fn contenders(&self) -> usize {
        self.contenders.len()
    }

    fn ours(&self) -> usize {
        let ours = self.contenders.iter().position(|contender| contender.side == Side::Ours);
        ours.unwrap_or_default()
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        let (run, passes) = (&mut self.contenders[contender].run, self.passes);
        match self.start {
            Start::Left => {}
            Start::Warm => run(),
            Start::Cold => self.other_data.iter_mut().for_each(|word| *word = black_box(*word + 1)),
        }
        Box::new(move || (0..passes).for_each(|_| run()))
    }
}

/// The measured columns, and the engines in their order of appearance.
#[derive(Default)]
pub(super) struct Columns {
    engines: Vec<(String, Side)>,
    cells: Vec<Cell>,
}

impl Columns {
    /// Measures a column. A pass is `units` units of work and about `cycles` cycles; figures are per unit.
    /// Ratios are relative to the contender whose side is [`Side::Ours`].
    pub(super) fn measure(
        &mut self,
        plan: &Plan,
        label: impl Into<String>,
        work: (usize, usize),
        contenders: Vec<Contender<'_>>,
    ) {
        self.measure_from(Start::Left, plan, label, work, contenders);
    }

    /// The same, with a given state of the caches. With a cold start, a sample is one pass.
    pub(super) fn measure_from(
        &mut self,
        start: Start,
        plan: &Plan,
        label: impl Into<String>,
        (units, cycles): (usize, usize),
        mut contenders: Vec<Contender<'_>>,
    ) {
        if turns::are_given() {
            contenders.retain(|contender| contender.side == Side::Ours);
        }
        let label = label.into();
        let (passes, other_data) = match start {
            Start::Left | Start::Warm => ((plan.cycles / cycles.max(1)).max(1), vec![]),
            Start::Cold => (1, vec![0; COLD / size_of::<u64>()]),
        };
        let mut race = Race { contenders, passes, start, other_data };
        plan.look();
        let measured = turns::measure(&mut race, plan.samples, &label);
        let figures = vec![None; self.engines.len()];
        let mut cell = Cell { label, figures, best_peer: None, is_filed: true };
        let mut least = f64::INFINITY;
        for (i, contender) in race.contenders.iter().enumerate() {
            let figure = Figure::of(&measured, i, (passes * units) as f64);
            let row = self.row(contender);
            cell.is_filed &= is_filed(contender.side, figure.as_ref());
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
        Table {
            suite,
            rounds,
            title: title.into(),
            engines: self.engines,
            missing,
            cells: self.cells,
            notes: vec![],
        }
    }
}
