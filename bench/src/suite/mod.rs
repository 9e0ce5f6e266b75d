//! The suites: which engines are compared over which data.
//!
//! A suite is a list of tables, and a table a list of cells. In a cell all engines do the same work, in
//! interleaved samples. Before they are timed, their answers in this cell are compared with the
//! specification's.

#[cfg(feature = "internals")]
mod ablation_siphash;
mod against_loop;
mod against_macs;
#[cfg(feature = "internals")]
mod bitslice;
mod contenders;
mod floors;
mod halfsiphash_batch;
mod maps;
mod poly1305_batch;
mod poly1305_one;
#[cfg(feature = "internals")]
mod poly1305_radix;
mod siphash_batch;
mod siphash_one;
mod streams;
mod tags;
#[cfg(feature = "internals")]
mod tune;

#[cfg(feature = "internals")]
use ablation_siphash::ablation_siphash;
use against_loop::against_loop;
use against_macs::against_macs;
#[cfg(feature = "internals")]
use bitslice::bitslice;
use halfsiphash_batch::halfsiphash_batch;
use maps::maps;
use poly1305_batch::poly1305_batch;
use poly1305_one::poly1305_one;
#[cfg(feature = "internals")]
use poly1305_radix::poly1305_radix;
use siphash_batch::siphash_batch;
use siphash_one::siphash_one;
use streams::{poly1305_stream, siphash_stream};
#[cfg(feature = "internals")]
pub use tune::tune;

use crate::engine::{Engine, Form, Missing, Rounds, Side, missing};
use crate::turns;
use crate::work::Work;
use anyhow::Result;
use keylane_measure::canary::{Canary, Here, Looks};
use keylane_measure::record::{Figure, Noise};
use keylane_measure::sample::{Contest, Quartiles};
use std::cell::RefCell;
use std::rc::Rc;

/// A suite.
pub struct Suite {
    /// Its name: a subcommand, and the stem of its records' file names.
    pub name: &'static str,
    /// What it measures.
    pub about: &'static str,
    /// Measures it, and shows each table when it is complete.
    pub run: fn(&Plan, &mut Show<'_>) -> Result<()>,
}

/// Every suite.
pub const SUITES: &[Suite] = &[
    Suite { name: "siphash-one", about: "SipHash, one message at a time", run: siphash_one },
    Suite { name: "siphash-batch", about: "SipHash, many messages in one call", run: siphash_batch },
    Suite { name: "siphash-stream", about: "SipHash of messages in pieces", run: siphash_stream },
    Suite {
        name: "halfsiphash-batch",
        about: "HalfSipHash, many messages in one call",
        run: halfsiphash_batch,
    },
    #[cfg(feature = "internals")]
    Suite {
        name: "ablation-siphash",
        about: "SipHash, one message at a time with one thing changed",
        run: ablation_siphash,
    },
    #[cfg(feature = "internals")]
    Suite {
        name: "bitslice",
        about: "Bitsliced SipHash, computation and transposes timed separately",
        run: bitslice,
    },
    Suite { name: "poly1305-one", about: "Poly1305, one message at a time", run: poly1305_one },
    Suite { name: "poly1305-stream", about: "Poly1305 of messages in pieces", run: poly1305_stream },
    Suite { name: "poly1305-batch", about: "Poly1305, many messages in one call", run: poly1305_batch },
    #[cfg(feature = "internals")]
    Suite {
        name: "poly1305-radix",
        about: "Poly1305, every kernel for one message by its base and its instructions",
        run: poly1305_radix,
    },
    Suite {
        name: "maps",
        about: "std's HashMap with keylane's hashers, std's and others, and keylane-map",
        run: maps,
    },
    Suite {
        name: "against-macs",
        about: "SipHash and Poly1305 compared with alternatives",
        run: against_macs,
    },
    Suite {
        name: "against-loop",
        about: "Every batch call compared with a loop over the single call, and with the kernel",
        run: against_loop,
    },
];

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
    fn has(&self, title: &str) -> bool {
        self.only.as_ref().is_none_or(|only| title.contains(only))
    }
}

/// Receives each table when it is complete.
pub type Show<'a> = dyn FnMut(Table) -> Result<()> + 'a;

/// Cells to compare.
pub struct Table {
    /// The suite's name.
    pub suite: &'static str,
    /// The variant of SipHash.
    pub rounds: Option<Rounds>,
    /// The work measured.
    pub title: String,
    /// The engines' names, in order, and their relation to keylane.
    pub engines: Vec<(String, Side)>,
    /// The kernels of the engines' slot that this CPU cannot run.
    pub missing: Vec<Missing>,
    /// The columns.
    pub cells: Vec<Cell>,
    /// What stands below the table: a line each.
    pub notes: Vec<String>,
}

impl Table {
    /// Its noise: of the cells that are filed, and how many are not.
    pub fn noise(&self) -> Noise {
        let unfiled = self.cells.iter().filter(|cell| !cell.is_filed).count();
        Noise { unfiled, ..Noise::of(&crate::record::lines(std::slice::from_ref(self))) }
    }

    /// The geometric mean of the ratio keylane / best peer, if several cells have a peer.
    pub fn mean_ratio(&self) -> Option<f64> {
        let ratios: Vec<f64> = self.cells.iter().filter_map(Cell::ratio).map(|ratio| ratio.median).collect();
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        (ratios.len() > 1).then(|| (logarithms / ratios.len() as f64).exp())
    }
}

/// One column of a table.
pub struct Cell {
    /// Its heading.
    pub label: String,
    /// One figure for each of the table's engines, or `None` if it does not take part.
    pub figures: Vec<Option<Figure>>,
    /// The index of the best peer.
    pub best_peer: Option<usize>,
    /// Whether keylane and all peers kept more than half of their samples.
    pub is_filed: bool,
}

impl Cell {
    /// The ratio keylane / best peer of the cycles, if the cell is filed.
    pub fn ratio(&self) -> Option<Quartiles> {
        self.is_filed.then_some(())?;
        self.figures.get(self.best_peer?)?.as_ref()?.ratio
    }
}

/// A cell to measure, of engines that do a kind of work.
trait Task<W: ?Sized = dyn Work> {
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
fn table<W: ?Sized>(
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
fn cell<W: ?Sized>(engines: &[Engine<W>], plan: &Plan, task: &mut impl Task<W>) -> Result<Cell> {
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
fn is_filed(side: Side, figure: Option<&Figure>) -> bool {
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
