//! `bitslice`: the lab's bitsliced kernels, compared with the scalar loop and every kernel of keylane's slot.
//! Computation and transposes are timed separately.
//!
//! All figures of a table come from the same rounds of samples. Ratios are relative to the first figure of
//! the table, the scalar loop: its cycles divided by theirs.

use super::{Cell, Plan, Show, Table};
use crate::engine::rows::{absent_rows, rows};
use crate::engine::{KEY, Rounds, Side};
use anyhow::{Result, ensure};
use keylane::dispatch::select::Runnable;
use keylane::dispatch::table::SIPHASH_XN;
use keylane::job::siphash::{Batch, Counted, Layout, Messages, State, Tags, Xn};
use keylane::siphash::{Key, SipHash};
use keylane_lab::bitslice::{self as lanes, Bytes256};
use keylane_lab::table::{self as lab, Steps, groups};
use keylane_measure::chain::veil;
use keylane_measure::data::Random;
use keylane_measure::record::Figure;
use keylane_measure::sample::{Contest, interleaved};
use std::hint::black_box;
use std::num::NonZeroU8;

const SUITE: &str = "bitslice";

/// Messages in a call: the prior work's 256, a group of the widest kernel, and several groups. Their keys and tags
/// still fit in the first-level cache.
const MESSAGES: [usize; 3] = [256, 512, 2048];

/// The approximate cycles per message.
const CYCLES: usize = 10;

/// The name of the scalar loop.
const SCALAR: &str = "keylane one by one";

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// A kernel gives a wrong answer, or `show` fails.
pub fn bitslice(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let wanted = |title: &str| plan.only.as_ref().is_none_or(|only| title.contains(only));
    for rounds in Rounds::USUAL {
        for (kind, n) in [Kind::U64s, Kind::Rows7].into_iter().flat_map(|kind| MESSAGES.map(|n| (kind, n))) {
            if wanted(&kind.title(n)) {
                show(hashes(plan, rounds, kind, n)?)?;
            }
        }
    }
    if wanted(STATES) {
        show(states(plan)?)?;
    }
    if wanted(TRANSPOSE) {
        show(transpose(plan)?)?;
    }
    if wanted(OR) {
        show(or(plan)?)?;
    }
    Ok(())
}

/// A contender.
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

/// Measures all contenders together. A pass is `units` units of work and about `cycles` cycles. The others
/// are compared with the first contender.
fn table(
    plan: &Plan,
    rounds: Option<Rounds>,
    title: &str,
    (units, cycles): (usize, usize),
    columns: &[&str],
    contenders: Vec<Contender<'_>>,
) -> Table {
    let passes = (plan.cycles / cycles).max(1);
    let mut race = Race(contenders, passes);
    plan.look();
    let measured = interleaved(&mut race, plan.samples);
    let figure = |engine: &str, column: &str| {
        let of = |contender: &Contender<'_>| contender.engine == engine && contender.column == column;
        Figure::of(&measured, race.0.iter().position(of)?, (passes * units) as f64)
    };
    let mut engines: Vec<(String, Side)> = Vec::new();
    for contender in &race.0 {
        if !engines.iter().any(|(engine, _)| *engine == contender.engine) {
            let side = if engines.is_empty() { Side::Ours } else { Side::OurOther };
            engines.push((contender.engine.clone(), side));
        }
    }
    let cell = |column: &&str| {
        let figures: Vec<_> = engines.iter().map(|(engine, _)| figure(engine, column)).collect();
        let is_lost = figures.first().is_some_and(|ours| ours.as_ref().is_some_and(|ours| ours.half_dropped));
        Cell { label: (*column).to_owned(), figures, best_peer: None, is_filed: !is_lost }
    };
    let cells = columns.iter().map(cell).collect();
    let missing = absent_rows(&SIPHASH_XN).chain(absent_rows(&lab::SIPHASH_XN)).collect();
    Table { suite: SUITE, rounds, title: title.to_owned(), engines, missing, cells, notes: vec![] }
}

/// The messages.
#[derive(Clone, Copy)]
enum Kind {
    /// Keys of 8 bytes.
    U64s,
    /// Keys of 7 bytes: one word each, as the prior work's messages.
    Rows7,
}

impl Kind {
    fn title(self, n: usize) -> String {
        let messages = match self {
            Kind::U64s => "u64",
            Kind::Rows7 => "rows of 7 bytes",
        };
        format!("{messages}, bitsliced, {n} in a call")
    }
}

/// The messages in each form that a contender needs.
struct Data {
    kind: Kind,
    /// First words.
    words: Vec<u64>,
    /// The lower 7 bytes of each word, one after the other.
    rows: Vec<[u8; 7]>,
}

impl Data {
    fn new(kind: Kind, n: usize) -> Self {
        let mut random = Random::new(3);
        let mut words: Vec<u64> = (0..n).map(|_| random.next_u64()).collect();
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

/// A table of hashes, `n` in a call.
fn hashes(plan: &Plan, rounds: Rounds, kind: Kind, n: usize) -> Result<Table> {
    let data = &Data::new(kind, n);
    let right = data.tags(rounds);
    let (c, d) = rounds.numbers();
    let count = |x: u32| NonZeroU8::new(x as u8).expect("at least one round");
    let counted = Counted::new(count(c), count(d));
    let [k0, k1] = [0, 8].map(|at| u64::from_le_bytes(*KEY[at..].first_chunk().expect("8 bytes")));
    let initial = &State::new([k0, k1], false);
    let run = |row: &Runnable<Xn<u64>>, tags: &mut [u64]| {
        let (messages, tags) = (data.messages(), Tags::Single(tags));
        row.run(Batch { initial, rounds: counted, fold: false, messages, tags });
    };
    let plan_of_groups = &lanes::Plan::new(initial, counted, matches!(kind, Kind::U64s), false);
    let check = |name: &str, tags: &[u64]| {
        ensure!(tags == right, "{name}: wrong answers");
        Ok(())
    };

    let mut contenders = Vec::new();
    let mut tags = vec![0; n];
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
        let mut tags = vec![0; n];
        run(&row, &mut tags);
        check(row.id(), &tags)?;
        contenders.push(Contender::new(row.id(), "whole", move || run(&row, &mut tags)));
    }
    for [mut compute, mut planes, mut words] in groups_thrice() {
        let (id, lanes) = (compute.id(), compute.lanes());
        if lanes > n {
            continue;
        }
        let mut tags = vec![0; n];
        for (group, tags) in data.words.chunks_exact(lanes).zip(tags.chunks_exact_mut(lanes)) {
            words.planes(plan_of_groups, group);
            words.compute(plan_of_groups);
            words.words(false, tags);
        }
        check(id, &tags)?;
        let times = n / lanes;
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
    Ok(table(plan, Some(rounds), &kind.title(n), (n, CYCLES * n), &columns, contenders))
}

/// Three groups of each row: each step has a separate state.
fn groups_thrice() -> Vec<[Box<dyn Steps>; 3]> {
    let all = groups().into_iter().zip(groups()).zip(groups());
    all.map(|((a, b), c)| [a, b, c]).collect()
}

const STATES: &str = "u64, bitsliced, the computation in 8 states of each kernel";

/// The names of the states of a kernel.
const NAMES: [&str; 8] = ["1", "2", "3", "4", "5", "6", "7", "8"];

/// The computation alone, in states at several addresses: a state that does not fit into the first-level cache may take
/// longer than another. The first line is the scalar loop.
fn states(plan: &Plan) -> Result<Table> {
    let rounds = Rounds::R24;
    let data = &Data::new(Kind::U64s, 512);
    let some = |x: u8| NonZeroU8::new(x).expect("at least one round");
    let initial = &State::new([1, 2], false);
    let plan_of_groups = &lanes::Plan::new(initial, Counted::new(some(2), some(4)), true, false);
    let mut tags = vec![0; 512];
    let hash = SipHash::<2, 4>::new(&Key::from_bytes(KEY));
    let mut contenders = vec![Contender::new(SCALAR, NAMES[0], move || data.one_by_one(&hash, &mut tags))];
    for (kernel, _) in groups().iter().enumerate() {
        for name in NAMES {
            let mut group = groups().swap_remove(kernel);
            let times = 512 / group.lanes();
            group.planes(plan_of_groups, &data.words[..group.lanes()]);
            let run = move || (0..times).for_each(|_| group.compute(plan_of_groups));
            contenders.push(Contender::new(groups()[kernel].id(), name, run));
        }
    }
    Ok(table(plan, Some(rounds), STATES, (512, CYCLES * 512), &NAMES, contenders))
}

/// Calls of 256 lanes per pass.
const CALLS: usize = 8;

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
    Ok(table(plan, None, TRANSPOSE, (CALLS, CYCLES * 256 * CALLS), &["cycles"], contenders))
}

const OR: &str = "256 pairs of 4-bit numbers or'ed, a call for a message";

/// Aligned to a cache line, so that no load or store crosses one.
#[derive(Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Line<T>(T);

/// Numbers of 4 bits, one in each byte.
type Bytes = Line<[u8; 256]>;

/// The same numbers as planes: bit b of number i is bit `i % 64` of word `4 b + i / 64`.
type Planes = Line<[u64; 16]>;

fn planes(numbers: &Bytes) -> Planes {
    let mut planes = [0; 16];
    for (i, &number) in numbers.0.iter().enumerate() {
        for b in 0..4 {
            planes[4 * b + i / 64] |= u64::from(number >> b & 1) << (i % 64);
        }
    }
    Line(planes)
}

/// The first example of the prior work: a bitwise OR of 256 pairs of 4-bit numbers. It shows what bitslicing gains if a
/// number is narrower than its container. It also shows that any vector brings most of the gain over one pair at a
/// time. The numbers take 256 bytes as bytes, and half of that as planes.
fn or(plan: &Plan) -> Result<Table> {
    let numbers = |seed| -> [u8; 256] { *Random::new(seed).bytes(256).first_chunk().expect("256 bytes") };
    let (a, b): (Bytes, Bytes) =
        (Line(numbers(3).map(|byte| byte & 15)), Line(numbers(4).map(|byte| byte & 15)));
    let (planes_a, planes_b) = (planes(&a), planes(&b));
    let right = Line(std::array::from_fn(|i| a.0[i] | b.0[i]));

    let one_by_one = move |results: &mut Bytes| {
        for ((result, &a), &b) in results.0.iter_mut().zip(&black_box(&a).0).zip(&black_box(&b).0) {
            *result = veil(u64::from(a | b)) as u8;
        }
    };
    let bytes = move |results: &mut Bytes| {
        let pairs = black_box(&a).0.iter().zip(&black_box(&b).0);
        results.0.iter_mut().zip(pairs).for_each(|(result, (a, b))| *result = a | b);
    };
    let bits = move |results: &mut Planes| {
        let pairs = black_box(&planes_a).0.iter().zip(&black_box(&planes_b).0);
        results.0.iter_mut().zip(pairs).for_each(|(result, (a, b))| *result = a | b);
    };
    let contenders = vec![
        calls("one by one", one_by_one, Line([0; 256]), &right)?,
        calls("bytes as compiled", bytes, Line([0; 256]), &right)?,
        calls("bitsliced as compiled", bits, Line([0; 16]), &planes(&right))?,
    ];
    Ok(table(plan, None, OR, (CALLS, CYCLES * 256 * CALLS), &["cycles"], contenders))
}

/// A contender, after checking its answer.
fn calls<'a, T: Copy + PartialEq + 'a>(
    engine: &str,
    run: impl Fn(&mut T) + 'a,
    mut results: T,
    right: &T,
) -> Result<Contender<'a>> {
    run(&mut results);
    ensure!(results == *right, "{engine}: wrong answers");
    Ok(Contender::new(engine, "cycles", move || {
        let mut results = results;
        for _ in 0..CALLS {
            run(&mut results);
            black_box(&mut results);
        }
    }))
}
