//! Measures tables, cell by cell.

use super::figures::{Cell, Table};
use super::floors;
use crate::engine::{Engine, Form, Rounds, Side, missing};
use crate::turns;
use crate::work::Work;
use anyhow::Result;
use keylane_measure::canary::{Canary, Here, Looks};
use keylane_measure::record::Figure;
use keylane_measure::sample::Contest;
use std::cell::RefCell;
use std::rc::Rc;

/// How much to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The number of kept samples of each engine in each cell.
    pub samples: usize,
    /// Lengths of single messages.
    pub lengths: Vec<usize>,
    /// Lengths of long messages.
    pub long: Vec<usize>,
    /// Lengths of the messages of ablations.
    pub ablated: Vec<usize>,
    /// Numbers of messages of unpredictable lengths: within the cache, and beyond it.
    pub rows: Vec<usize>,
    /// Numbers of messages in a call.
    pub batches: Vec<usize>,
    /// Numbers of messages in a call, beside a loop.
    pub calls: Vec<usize>,
    /// Whether such calls also read messages from memory.
    pub from_memory: bool,
    /// Lengths of single messages of Poly1305.
    pub packets: Vec<usize>,
    /// The most entries of a map.
    pub entries: usize,
    /// The most samples to keep if one takes some tenths of a second.
    pub slow_samples: usize,
    /// Lengths of messages in pieces.
    pub streams: Vec<usize>,
    /// The approximate cycles of a sample, by a rough estimate of the engine's speed.
    pub cycles: usize,
    /// Only tables whose title contains this.
    pub only: Option<String>,
    /// Looks at the machine before a suite and each minute.
    pub canary: Rc<RefCell<Canary<Here>>>,
}

impl Plan {
    /// For a record. Its canary does not wait for a quiet machine.
    pub fn full() -> Self {
        Plan {
            samples: 31,
            lengths: (0..=64).chain([128, 256]).collect(),
            long: vec![1 << 10, 16 << 10, 64 << 10, 128 << 10, 1 << 20],
            ablated: vec![4, 8, 13, 16, 20, 64, 256, 1024],
            rows: vec![50_000, 1_000_000],
            batches: vec![1, 2, 3, 7, 8, 16, 32, 64, 50_000],
            calls: vec![
                1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 16, 18, 20, 24, 28, 31, 32, 33, 36, 40, 48, 56, 60,
                64, 66, 72, 80, 96, 112, 128, 160, 192, 256,
            ],
            from_memory: true,
            packets: vec![
                0, 16, 32, 48, 64, 96, 112, 128, 192, 256, 384, 512, 768, 1024, 1420, 2048, 4096, 8192,
                16384, 24576, 65536, 1048576,
            ],
            entries: 1_000_000,
            slow_samples: 5,
            streams: vec![16 << 10, 1 << 20],
            cycles: 1_000_000,
            only: None,
            canary: Rc::new(RefCell::new(Canary::here().impatient())),
        }
    }

    /// For a first look.
    pub fn quick() -> Self {
        Plan {
            samples: 7,
            lengths: vec![0, 1, 4, 7, 8, 12, 16, 20, 32, 64, 256],
            ablated: vec![8, 20, 1024],
            rows: vec![50_000],
            calls: vec![1, 2, 3, 4, 8, 15, 16, 18, 24, 31, 33, 48, 56, 66, 96, 128, 256],
            from_memory: false,
            packets: vec![0, 16, 64, 128, 192, 256, 512, 1024, 1420, 4096, 16384, 1048576],
            entries: 10_000,
            streams: vec![16 << 10],
            cycles: 500_000,
            ..Self::full()
        }
    }

    /// Waits while the machine is busy, as long as there is patience: before each cell.
    pub fn look(&self) {
        self.canary.borrow_mut().look();
    }

    /// What the canary saw since the last suite.
    pub fn end_suite(&self) -> Looks {
        self.canary.borrow_mut().end_suite()
    }

    /// Whether to measure a table of that title.
    pub(super) fn has(&self, title: &str) -> bool {
        self.only.as_ref().is_none_or(|only| title.contains(only))
    }
}

/// Receives each table when it is complete.
pub type Show<'a> = dyn FnMut(Table) -> Result<()> + 'a;

/// A cell to measure, of engines that do a kind of work.
pub(super) trait Task<W: ?Sized = dyn Work> {
    /// The cell's heading.
    fn label(&self) -> String;
    /// The number of messages in a sample.
    fn messages(&self) -> usize;
    /// Whether kernels chosen by name take part.
    fn has_slot(&self) -> bool;
    /// Whether measured floors take part.
    fn has_floor(&self) -> bool {
        false
    }
    /// The computed floor: a lower bound on the cycles per message of any engine in this cell.
    fn floor(&self) -> Option<f64> {
        None
    }
    /// Whether engines of this form take part.
    fn has_form(&self, form: Form) -> bool {
        form == Form::Exact
    }
    /// Compares an engine's answers with the specification's.
    fn check(&mut self, engine: &Engine<W>) -> Result<()>;
    /// Moves the data. Not timed.
    fn shift(&mut self, shift: usize);
    /// The prepared work of a sample.
    fn work<'a>(&'a mut self, engine: &'a Engine<W>) -> Box<dyn FnMut() + 'a>;
}

/// Measures a table.
pub(super) fn table<W: ?Sized>(
    suite: &'static str,
    rounds: Option<Rounds>,
    title: &str,
    engines: &[Engine<W>],
    plan: &Plan,
    cells: impl IntoIterator<Item = impl Task<W>>,
) -> Result<Table> {
    let cells: Result<Vec<Cell>> = cells.into_iter().map(|mut task| cell(engines, plan, &mut task)).collect();
    let mut slots: Vec<&str> = engines.iter().flat_map(Engine::kernels).map(|&(slot, _)| slot).collect();
    slots.sort_unstable();
    slots.dedup();
    let missing = slots.into_iter().flat_map(missing).collect();
    let engines = engines.iter().map(|engine| (engine.name.clone(), engine.side));
    let engines = engines.chain([(floors::NAME.to_owned(), Side::Floor)]).collect();
    Ok(Table { suite, rounds, title: title.to_owned(), engines, missing, cells: cells?, notes: vec![] })
}

/// Measures a cell.
pub(super) fn cell<W: ?Sized>(engines: &[Engine<W>], plan: &Plan, task: &mut impl Task<W>) -> Result<Cell> {
    let has_side = |side: Side| match side {
        _ if turns::are_given() => side == Side::Ours,
        Side::Ours | Side::OurOther | Side::Peer | Side::Other => true,
        Side::OurKernel => task.has_slot(),
        Side::Floor => task.has_floor(),
    };
    let takes_part = |engine: &Engine<W>| task.has_form(engine.form) && has_side(engine.side);
    let taking_part: Vec<usize> = (0..engines.len()).filter(|&i| takes_part(&engines[i])).collect();
    let contenders: Vec<&Engine<W>> = taking_part.iter().map(|&i| &engines[i]).collect();
    for engine in &contenders {
        engine.ready();
        task.check(engine)?;
    }
    plan.look();
    let label = task.label();
    let measured = turns::measure(&mut Race { engines: &contenders, task }, plan.samples, &label);

    let messages = task.messages() as f64;
    let ours = contenders.iter().position(|engine| engine.side == Side::Ours);
    let mut figures = vec![None; engines.len()];
    for (contender, &engine) in taking_part.iter().enumerate() {
        figures[engine] = Figure::of(&measured, contender, messages);
    }
    let is_filed = taking_part.iter().all(|&engine| is_filed(engines[engine].side, figures[engine].as_ref()));
    let our_figure = ours.and_then(|ours| figures[taking_part[ours]].as_ref());
    let floor = task.floor().zip(our_figure).map(|(floor, ours)| floors::figure(floor, ours));
    figures.push(floor);
    let median =
        |&engine: &usize| figures[engine].as_ref().map_or(f64::INFINITY, |figure| figure.cycles.median);
    let peers = taking_part.iter().copied().filter(|&engine| engines[engine].side == Side::Peer);
    let best_peer = peers.min_by(|a, b| median(a).total_cmp(&median(b)));
    Ok(Cell { label, figures, best_peer, is_filed })
}

/// Whether a cell with this figure can be filed. Without a peer, another would pass for the best one.
pub(super) fn is_filed(side: Side, figure: Option<&Figure>) -> bool {
    !matches!(side, Side::Ours | Side::Peer) || figure.is_some_and(|figure| !figure.half_dropped)
}

/// The engines of a cell as contenders.
struct Race<'a, W: ?Sized, T> {
    engines: &'a [&'a Engine<W>],
    task: &'a mut T,
}

impl<W: ?Sized, T: Task<W>> Contest for Race<'_, W, T> {
    fn contenders(&self) -> usize {
        self.engines.len()
    }

    fn ours(&self) -> usize {
        self.engines.iter().position(|engine| engine.side == Side::Ours).unwrap_or_default()
    }

    fn begin(&mut self, round: usize) {
        self.task.shift(keylane_measure::data::shift(round));
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        self.engines[contender].ready();
        self.task.work(self.engines[contender])
    }
}
