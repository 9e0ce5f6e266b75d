//! Times rows for one Poly1305 message where `bench/` does not build, such as in 32-bit code. Prints a record as CSV.
//! `docs/research/RADIX.md` gives the commands. Each call computes the tag of a whole message under its own key.
//!
//! * By block: every row for blocks of keylane and of the lab, at a few lengths.
//! * By length: `poly1305_p2_sse2` beside the portable kernels, at many.

use keylane::dispatch::select::Runnable;
use keylane::dispatch::table::{POLY1305_PN, POLY1305_X1};
use keylane::job::limits::Method;
use keylane::job::poly1305::{Blocks, Key, Message, Pn, State, X1};
use keylane_lab::table;
use keylane_measure::data::{Bytes, shift};
use keylane_measure::record::{Figure, Line, write};
use keylane_measure::sample::{Contest, interleaved};
use std::hint::black_box;
use std::io;

/// The cycles of a sample, about.
const CYCLES: usize = 100_000;

/// Pairs of samples.
const PAIRS: usize = 15;

/// Lengths for the rows for blocks.
const LENGTHS: [usize; 6] = [16, 24, 64, 256, 1420, 16384];

/// The last lengths of the parts of the ladder, and the steps of each.
const STEPS: [(usize, usize); 4] = [(512, 32), (2048, 128), (8192, 512), (16384, 4096)];

/// The ladder's rows, and the length from which `poly1305_p2_sse2` takes eight steps at a time.
const SIDES: [(&str, &str, usize); 4] = [
    ("poly1305_x1_u32", "poly1305_x1_u32", usize::MAX),
    ("poly1305_x1_u64", "poly1305_x1_u64", usize::MAX),
    ("poly1305_p2_sse2 by 4", "poly1305_p2_sse2", usize::MAX),
    ("poly1305_p2_sse2 by 8", "poly1305_p2_sse2", 1),
];

fn main() -> io::Result<()> {
    let mut lines = Vec::new();
    for length in LENGTHS {
        let rows = POLY1305_X1.runnable().chain(table::POLY1305_X1.runnable());
        let sides = rows.map(|row| Side {
            name: row.id().to_owned(),
            by_8: usize::MAX,
            tag: Box::new(move |key, message| by_block(&row, key, message)),
        });
        lines.extend(measure("by block", length, sides.collect()));
    }
    for length in ladder() {
        let sides = SIDES.into_iter().filter_map(|(name, id, by_8)| {
            let row = POLY1305_PN.runnable().find(|row| row.id() == id)?;
            let tag = Box::new(move |key: &Key, message: &[u8]| whole(&row, key, message));
            Some(Side { name: name.to_owned(), by_8, tag })
        });
        lines.extend(measure("by length", length, sides.collect()));
    }
    write(io::stdout(), lines).map_err(io::Error::other)
}

/// Every length is measured one byte beyond the step before, and at the step.
fn ladder() -> Vec<usize> {
    let mut lengths = vec![16, 64, 128];
    let mut end = 128;
    for (last, step) in STEPS {
        while end < last {
            lengths.extend([end + 1, end + step]);
            end += step;
        }
    }
    lengths
}

/// Computes the tag of a message under a key.
type ComputeTag = Box<dyn Fn(&Key, &[u8]) -> u128>;

/// A row, and how it computes a tag.
struct Side {
    name: String,
    by_8: usize,
    tag: ComputeTag,
}

/// By a row that absorbs block after block.
fn by_block(row: &Runnable<X1>, key: &Key, message: &[u8]) -> u128 {
    let mut state = State::new(*key);
    let (blocks, tail) = message.as_chunks();
    row.run(Blocks { state: &mut state, blocks, tail });
    state.tag()
}

/// By a row that takes a whole message.
fn whole(row: &Runnable<Pn>, key: &Key, message: &[u8]) -> u128 {
    let mut tag = 0;
    row.run(Message::Whole { key, message, tag: &mut tag });
    tag
}

/// Rows at one length.
struct AtLength {
    sides: Vec<Side>,
    bytes: Bytes,
    calls: usize,
    shift: usize,
}

impl Contest for AtLength {
    fn contenders(&self) -> usize {
        self.sides.len()
    }

    fn begin(&mut self, round: usize) {
        self.shift = shift(round);
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        let side = &self.sides[contender];
        Method::P2Sse2By8.assume(side.by_8);
        let (message, calls) = (self.bytes.at(self.shift), self.calls);
        let work = move || {
            for i in 0..calls {
                black_box((side.tag)(&key(i), black_box(message)));
            }
        };
        // The first call after another row finds a cold cache.
        work();
        Box::new(work)
    }
}

fn key(i: usize) -> Key {
    Key::from_bytes(&[i as u8 | 1; 32])
}

/// Measures the sides at a length, after their tags were compared.
fn measure(title: &str, length: usize, sides: Vec<Side>) -> Vec<Line> {
    let calls = CYCLES / (60 + 2 * length) + 1;
    let mut contest = AtLength { sides, bytes: Bytes::new(length, 1), calls, shift: 0 };
    let tags: Vec<u128> = contest.sides.iter().map(|side| (side.tag)(&key(7), contest.bytes.at(0))).collect();
    assert!(tags.iter().all(|tag| Some(tag) == tags.first()), "{length}: different tags: {tags:x?}");
    let measured = interleaved(&mut contest, PAIRS);
    let bits = if size_of::<usize>() == 4 { "32-bit code" } else { "64-bit code" };
    let cell = format!("{length} bytes");
    let figures = contest.sides.iter().enumerate().filter_map(|(i, side)| {
        let figure = Figure::of(&measured, i, calls as f64)?;
        Some(figure.line(["poly1305-rows", "", &format!("{title}, {bits}"), &cell, &side.name, "kernel"]))
    });
    figures.collect()
}
