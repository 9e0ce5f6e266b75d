//! The tables to measure. Their names and cells are those of the records in `bench/record`, so that the two
//! can be compared.

use super::work::{Data, Half, Sip, Work, poly1305_batch, poly1305_one};
use crate::args::Suite;
use clap::ValueEnum;
use std::rc::Rc;

/// Cells to compare: in each cell, all kernels do the same work.
pub struct Table {
    pub suite: String,
    /// The SipHash variant, such as `2-4`; empty if there is none.
    pub rounds: &'static str,
    pub title: String,
    /// The slots whose kernels are compared.
    pub slots: &'static [&'static str],
    pub cells: Vec<Cell>,
}

impl Table {
    /// The suite and the rounds.
    pub fn name(&self) -> String {
        format!("{} {}", self.suite, self.rounds).trim_end().to_owned()
    }
}

/// One column.
pub struct Cell {
    /// What distinguishes it from its neighbours.
    pub label: String,
    /// The length of each message, if the columns are lengths.
    pub length: Option<usize>,
    /// Whether the messages reach a slot. Shorter ones are hashed by inlined code, which is not a kernel.
    pub has_slot: bool,
    pub work: Box<dyn Work>,
}

/// Lengths of single messages, and the length from which they reach a slot.
const SIPHASH: [usize; 7] = [0, 8, 16, 32, 64, 128, 256];
const SIPHASH_LONG: [usize; 3] = [1 << 10, 16 << 10, 128 << 10];
const SIPHASH_SLOT: usize = 512;
const POLY1305: [usize; 11] = [0, 16, 64, 128, 256, 512, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20];
const POLY1305_SLOT: usize = 145;

/// Numbers of messages in a call.
const BATCHES: [usize; 3] = [8, 64, 50_000];

/// Every suite, in the order of measurement.
pub fn all() -> &'static [Suite] {
    Suite::value_variants()
}

/// A suite's name.
pub fn name(suite: Suite) -> String {
    suite.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The tables of a suite.
pub fn tables(suite: Suite) -> Vec<Table> {
    let table = |rounds, title: &str, slots, cells| Table {
        suite: name(suite),
        rounds,
        title: title.to_owned(),
        slots,
        cells,
    };
    match suite {
        Suite::SiphashOne => {
            fn cells<const C: usize, const D: usize>(lengths: &[usize]) -> Vec<Cell> {
                let hash = Sip::<C, D>::new();
                lengths.iter().map(|&len| Cell::of_length(len, SIPHASH_SLOT, hash.one(len))).collect()
            }
            let (short, long) = ("constant length, independent calls", "long messages, independent calls");
            let slots = &["siphash-x1-long"];
            vec![
                table("1-3", short, slots, cells::<1, 3>(&SIPHASH)),
                table("1-3", long, slots, cells::<1, 3>(&SIPHASH_LONG)),
                table("2-4", short, slots, cells::<2, 4>(&SIPHASH)),
                table("2-4", long, slots, cells::<2, 4>(&SIPHASH_LONG)),
            ]
        }
        Suite::SiphashBatch => {
            fn cells<const C: usize, const D: usize>(data: &Rc<Data>) -> Vec<Cell> {
                let hash = Sip::<C, D>::new();
                BATCHES.map(|size| Cell::of_batch(size, hash.many(data, size))).into()
            }
            let shapes = [
                ("u64", Data::u64s as fn() -> Rc<Data>),
                ("rows of 16 bytes", Data::rows16),
                ("offsets, 4..20 bytes", || Data::offsets(4..=20)),
                ("offsets, 1..199 bytes", || Data::offsets(1..=199)),
            ];
            let tables = shapes.map(|(shape, data)| {
                let title = format!("{shape}, by messages in a call");
                let slots = &["siphash-xn"];
                [
                    table("1-3", &title, slots, cells::<1, 3>(&data())),
                    table("2-4", &title, slots, cells::<2, 4>(&data())),
                ]
            });
            tables.into_iter().flatten().collect()
        }
        Suite::HalfsiphashBatch => {
            let (title, slots) = ("u64, by messages in a call", &["halfsiphash-xn"]);
            let (data13, hash13) = (Data::u64s(), Half::<1, 3>::new());
            let (data24, hash24) = (Data::u64s(), Half::<2, 4>::new());
            vec![
                table(
                    "1-3",
                    title,
                    slots,
                    BATCHES.map(|n| Cell::of_batch(n, hash13.many(&data13, n))).into(),
                ),
                table(
                    "2-4",
                    title,
                    slots,
                    BATCHES.map(|n| Cell::of_batch(n, hash24.many(&data24, n))).into(),
                ),
            ]
        }
        Suite::Poly1305One => {
            let cells = POLY1305.map(|len| Cell::of_length(len, POLY1305_SLOT, poly1305_one(len)));
            vec![table("", "independent calls", &["poly1305-x1", "poly1305-pn"], cells.into())]
        }
        Suite::Poly1305Batch => {
            let cells = [64..=64, 1420..=1420, 40..=1500].map(|lengths| {
                let (least, most) = (*lengths.start(), *lengths.end());
                let label = if least == most { least.to_string() } else { format!("{least}..{most}") };
                Cell { label, length: None, has_slot: true, work: poly1305_batch(lengths) }
            });
            vec![table("", "64 messages in a call, by their lengths", &["poly1305-xn"], cells.into())]
        }
    }
}

impl Cell {
    fn of_length(length: usize, slot_from: usize, work: Box<dyn Work>) -> Self {
        Cell { label: length.to_string(), length: Some(length), has_slot: length >= slot_from, work }
    }

    fn of_batch(size: usize, work: Box<dyn Work>) -> Self {
        Cell { label: size.to_string(), length: None, has_slot: true, work }
    }
}
