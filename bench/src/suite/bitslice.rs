//! `bitslice`: the lab's bitsliced kernels beside the scalar loop and every kernel of keylane's slot,
//! compute and transposes apart.
//!
//! All figures of a table come from the same rounds of samples. Ratios are to the first figure of the
//! table, the scalar loop: its cycles divided by theirs.

use super::{Cell, Plan, Show, Table};
use crate::engine::rows::{absent_rows, rows};
use crate::engine::{KEY, Rounds, Side};
use anyhow::{Result, ensure};
use keylane::kernel::select::Runnable;
use keylane::kernel::siphash::{Batch, Counted, Layout, Messages, State, Tags, Xn};
use keylane::kernel::table::SIPHASH_XN;
use keylane::siphash::{Key, SipHash};
use keylane_lab::bitslice::{self as lanes, Bytes256};
use keylane_lab::table::{self as lab, Steps, groups};
use keylane_measure::chain::veil;
use keylane_measure::data::Random;
use keylane_measure::record::Figure;
use keylane_measure::sample::{Contest, Samples, interleaved};
use std::hint::black_box;
use std::num::NonZeroU8;

const SUITE: &str = "bitslice";

/// Messages in a call: some groups of the widest kernel, as keys and tags in the first cache.
const MESSAGES: usize = 2048;

/// Cycles that a message takes, about.
const CYCLES: usize = 10;

/// The name of the scalar loop.
const SCALAR: &str = "keylane one by one";

/// Measures the suite and gives each table when it is complete.
///
/// # Errors
/// A kernel gives a wrong answer, or `show` fails.
pub fn bitslice(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let wanted = |title: &str| plan.only.as_ref().is_none_or(|only| title.contains(only));
    for rounds in Rounds::USUAL {
        for kind in [Kind::U64s, Kind::Rows7] {
            if wanted(kind.title()) {
                show(hashes(plan, rounds, kind)?)?;
            }
        }
    }
    if wanted(TRANSPOSE) {
        show(transpose(plan)?)?;
    }
    if wanted(OR) {
        show(or(plan))?;
    }
    Ok(())
}

/// Something that is timed.
struct Contender<'a> {
    engine: String,
    column: &'static str,
    run: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    fn new(engine: impl Into<String>, column: &'static str, run: impl FnMut() + 'a) -> Self {
        Contender { engine: engine.into(), column, run: Box::new(run) }
    }
}

struct Race<'a>(Vec<Contender<'a>>, usize);

impl Contest for Race<'_> {
    fn contenders(&self) -> usize {
        self.0.len()
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        let (run, passes) = (&mut self.0[contender].run, self.1);
        Box::new(move || (0..passes).for_each(|_| run()))
    }
}

/// Measures all contenders together. The first one is what the others are compared with.
fn table(
    plan: &Plan,
    rounds: Option<Rounds>,
    title: &str,
    units: usize,
    columns: &[&str],
    contenders: Vec<Contender<'_>>,
) -> Table {
    let passes = (plan.cycles / (CYCLES * MESSAGES)).max(1);
    let mut race = Race(contenders, passes);
    let samples = interleaved(&mut race, plan.samples);
    let first = samples.first();
    let figure = |engine: &str, column: &str| {
        let of = |contender: &Contender<'_>| contender.engine == engine && contender.column == column;
        let samples: &Samples = &samples[race.0.iter().position(of)?];
        Figure::of(samples, first, (passes * units) as f64)
    };
    let mut engines: Vec<(String, Side)> = Vec::new();
    for contender in &race.0 {
        if !engines.iter().any(|(engine, _)| *engine == contender.engine) {
            let side = if engines.is_empty() { Side::Ours } else { Side::OurOther };
            engines.push((contender.engine.clone(), side));
        }
    }
    let cell = |column: &&str| Cell {
        label: (*column).to_owned(),
        figures: engines.iter().map(|(engine, _)| figure(engine, column)).collect(),
        best_peer: None,
    };
    let cells = columns.iter().map(cell).collect();
    let missing = absent_rows(&SIPHASH_XN).chain(absent_rows(&lab::SIPHASH_XN)).collect();
    Table { suite: SUITE, rounds, title: title.to_owned(), engines, missing, cells }
}

/// The messages.
#[derive(Clone, Copy)]
enum Kind {
    /// Keys of 8 bytes.
    U64s,
    /// The prior work's: 7 bytes.
    Rows7,
}

impl Kind {
    fn title(self) -> &'static str {
        match self {
            Kind::U64s => "u64, bitsliced",
            Kind::Rows7 => "rows of 7 bytes, bitsliced",
        }
    }
}

/// The messages in each form that something wants.
struct Data {
    kind: Kind,
    /// First words.
    words: Vec<u64>,
    /// The lower 7 bytes of each word, one behind the other.
    rows: Vec<[u8; 7]>,
}

impl Data {
    fn new(kind: Kind) -> Self {
        let mut random = Random::new(3);
        let mut words: Vec<u64> = (0..MESSAGES).map(|_| random.next_u64()).collect();
        if let Kind::Rows7 = kind {
            words.iter_mut().for_each(|word| *word = *word << 8 >> 8 | 7 << 56);
        }
        let seven = |word: &u64| *word.to_le_bytes().first_chunk().expect("7 of 8 bytes");
        Data { kind, rows: words.iter().map(seven).collect(), words }
    }

    fn messages(&self) -> Messages<'_> {
        match self.kind {
            Kind::U64s => Messages::U64s(&self.words),
            Kind::Rows7 => Messages::Bytes(Layout::Rows { bytes: self.rows.as_flattened(), width: 7 }),
        }
    }

    /// The tags, by the specification.
    fn tags(&self, rounds: Rounds) -> Vec<u64> {
        let (c, d) = rounds.numbers();
        let of_eight = |word: &u64| keylane_ref::siphash64(c, d, &KEY, &word.to_le_bytes());
        let of_seven = |row: &[u8; 7]| keylane_ref::siphash64(c, d, &KEY, row);
        match self.kind {
            Kind::U64s => self.words.iter().map(of_eight).collect(),
            Kind::Rows7 => self.rows.iter().map(of_seven).collect(),
        }
    }

    /// The scalar loop.
    #[inline(always)]
    fn one_by_one<const C: usize, const D: usize>(&self, hash: &SipHash<C, D>, tags: &mut [u64]) {
        match self.kind {
            Kind::U64s => {
                for (tag, &word) in tags.iter_mut().zip(&self.words) {
                    *tag = hash.hash_u64(word);
                }
            }
            Kind::Rows7 => {
                for (tag, row) in tags.iter_mut().zip(&self.rows) {
                    *tag = hash.hash_array(row);
                }
            }
        }
    }
}

/// The scalar loop, with its rounds compiled in.
type Loop<'a> = Box<dyn FnMut(&mut [u64]) + 'a>;

/// A table of hashes.
fn hashes(plan: &Plan, rounds: Rounds, kind: Kind) -> Result<Table> {
    let data = &Data::new(kind);
    let right = data.tags(rounds);
    let (c, d) = rounds.numbers();
    let count = |x: u32| NonZeroU8::new(x as u8).expect("at least one round");
    let counted = Counted::new(count(c), count(d));
    let [k0, k1] = [0, 8].map(|at| u64::from_le_bytes(*KEY[at..].first_chunk().expect("8 bytes")));
    let initial = &State::new([k0, k1], false);
    let run = |row: &Runnable<Xn<u64>>, tags: &mut [u64]| {
        let (messages, tags) = (data.messages(), Tags::Narrow(tags));
        row.run(Batch { initial, rounds: counted, fold: false, messages, tags });
    };
    let plan_of_groups = &lanes::Plan::new(initial, counted, matches!(kind, Kind::U64s), false);
    let check = |name: &str, tags: &[u64]| {
        ensure!(tags == right, "{name}: wrong answers");
        Ok(())
    };

    let mut contenders = Vec::new();
    let mut tags = vec![0; MESSAGES];
    let key = &Key::from_bytes(KEY);
    let mut one_by_one: Loop<'_> = match rounds {
        Rounds::R12 => {
            let hash = SipHash::<1, 2>::new(key);
            Box::new(move |tags| data.one_by_one(&hash, tags))
        }
        Rounds::R13 => {
            let hash = SipHash::<1, 3>::new(key);
            Box::new(move |tags| data.one_by_one(&hash, tags))
        }
        Rounds::R24 => {
            let hash = SipHash::<2, 4>::new(key);
            Box::new(move |tags| data.one_by_one(&hash, tags))
        }
    };
    one_by_one(&mut tags);
    check(SCALAR, &tags)?;
    contenders.push(Contender::new(SCALAR, "whole", {
        let mut tags = tags.clone();
        move || one_by_one(&mut tags)
    }));
    let many: Vec<Runnable<Xn<u64>>> =
        rows(&SIPHASH_XN)?.into_iter().chain(rows(&lab::SIPHASH_XN)?).collect();
    for row in many {
        let mut tags = vec![0; MESSAGES];
        run(&row, &mut tags);
        check(row.id(), &tags)?;
        contenders.push(Contender::new(row.id(), "whole", move || run(&row, &mut tags)));
    }
    for [mut compute, mut planes, mut words] in groups_thrice() {
        let (id, lanes) = (compute.id(), compute.lanes());
        let mut tags = vec![0; MESSAGES];
        for (group, tags) in data.words.chunks_exact(lanes).zip(tags.chunks_exact_mut(lanes)) {
            words.planes(plan_of_groups, group);
            words.compute(plan_of_groups);
            words.words(false, tags);
        }
        check(id, &tags)?;
        let times = MESSAGES / lanes;
        contenders.push(Contender::new(id, "compute", move || {
            (0..times).for_each(|_| compute.compute(plan_of_groups));
        }));
        contenders.push(Contender::new(id, "in", move || {
            data.words.chunks_exact(lanes).for_each(|group| planes.planes(plan_of_groups, group));
        }));
        contenders.push(Contender::new(id, "out", move || {
            tags.chunks_exact_mut(lanes).for_each(|tags| words.words(false, tags));
        }));
    }
    let columns = ["whole", "compute", "in", "out"];
    Ok(table(plan, Some(rounds), kind.title(), MESSAGES, &columns, contenders))
}

/// Three groups of each row, so that each step has its own state.
fn groups_thrice() -> Vec<[Box<dyn Steps>; 3]> {
    let all = groups().into_iter().zip(groups()).zip(groups());
    all.map(|((a, b), c)| [a, b, c]).collect()
}

/// Calls of 256 lanes in a pass.
const CALLS: usize = MESSAGES / 256;

const TRANSPOSE: &str = "8 x 256 bits transposed, a call for a message";

/// The transpose of 8 x 256 bits alone.
fn transpose(plan: &Plan) -> Result<Table> {
    let bytes: [u8; 256] = *Random::new(3).bytes(256).first_chunk().expect("256 bytes");
    let mut contenders = Vec::new();
    for row in rows(&lab::TRANSPOSE_8X256)?.into_iter().rev() {
        let mut planes = [[0; 4]; 8];
        contenders.push(Contender::new(row.id(), "cycles", move || {
            for _ in 0..CALLS {
                row.run(Bytes256 { bytes: black_box(&bytes), planes: &mut planes });
                black_box(&mut planes);
            }
        }));
    }
    Ok(table(plan, None, TRANSPOSE, CALLS, &["cycles"], contenders))
}

const OR: &str = "256 pairs of 4-bit numbers or'ed, a call for a message";

/// What the prior work begins with: a bitwise or of 256 pairs of 4-bit numbers. Bitsliced, there are 4 x
/// 256 bits.
fn or(plan: &Plan) -> Table {
    let (a, b): ([u8; 256], [u8; 256]) = ([5; 256], [9; 256]);
    let one_by_one = move || {
        let mut results = [0; 256];
        for _ in 0..CALLS {
            for ((result, &a), &b) in results.iter_mut().zip(black_box(&a)).zip(black_box(&b)) {
                *result = veil(u64::from(a | b)) as u8;
            }
            black_box(&mut results);
        }
    };
    let bytes = move || {
        let mut results = [0; 256];
        for _ in 0..CALLS {
            let pairs = black_box(&a).iter().zip(black_box(&b));
            results.iter_mut().zip(pairs).for_each(|(result, (a, b))| *result = a | b);
            black_box(&mut results);
        }
    };
    let (a, b): ([u64; 16], [u64; 16]) = ([5; 16], [9; 16]);
    let bits = move || {
        let mut results = [0; 16];
        for _ in 0..CALLS {
            let pairs = black_box(&a).iter().zip(black_box(&b));
            results.iter_mut().zip(pairs).for_each(|(result, (a, b))| *result = a | b);
            black_box(&mut results);
        }
    };
    let contenders = vec![
        Contender::new("one by one", "cycles", one_by_one),
        Contender::new("bytes as compiled", "cycles", bytes),
        Contender::new("bitsliced as compiled", "cycles", bits),
    ];
    table(plan, None, OR, CALLS, &["cycles"], contenders)
}
