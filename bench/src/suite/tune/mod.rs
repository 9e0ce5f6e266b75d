//! `tune`: finds the length where each method beats the previous one on this CPU, and compares it with
//! keylane's table.
//!
//! Each method is compared with the previous one at every length of a ladder, in interleaved samples as in every suite.
//! The module [`lines`] defines how to force both, [`crossover`] finds where the new one begins to win, and [`report`]
//! prints.

mod crossover;
mod hashes;
mod ladder;
mod lines;
mod report;

use super::measure::cell;
use super::{Cell, Plan, Table, poly1305_batch, poly1305_one};
use crate::engine::Side;
use crate::engine::poly1305::{Engine, with_methods};
use anyhow::{Result, ensure};
use crossover::{Rung, crossover};
use keylane::job::kernel::Shape;
use keylane::job::limits::{Class, FROM_BYTES, Method};
use keylane::job::{poly1305, siphash};
use keylane::kernels::{self, Status};
use keylane_measure::sample::Quartiles;
use lines::{Before, Line, lines};
use std::io::Write;

const SUITE: &str = "tune";

/// The shortest messages at which a method is tried.
const SHORTEST: usize = 17;

/// How many times shorter samples are than in other suites: there are hundreds of lengths.
const SHORTER: usize = 4;

/// How often the ladder is climbed. For each length the middle ratio counts. Sometimes a measurement takes
/// about twenty cycles more, on either side, throughout one pass but not in the next.
const PASSES: usize = 3;

/// The results for a method.
struct Found {
    line: &'static Line,
    rungs: Vec<Rung>,
    /// The length from which it wins, if it does.
    from: Option<usize>,
    /// Dependent calls at that length, or at the longest.
    latency: Option<Rung>,
}

/// Measures every method that this CPU can use, prints the results of each when it is complete, and then all
/// lines of the table. Returns all figures for a record.
///
/// A kernel gives a wrong answer, the machine is too noisy for any figure of a method, or `out` fails.
pub fn tune(plan: &Plan, out: &mut impl Write) -> Result<Vec<Table>> {
    let samples = plan.samples.div_ceil(PASSES);
    let plan = &Plan { samples, cycles: plan.cycles / SHORTER, ..plan.clone() };
    report::head(out)?;
    let mut all: Vec<Found> = Vec::new();
    let mut tables = Vec::new();
    for line in lines()?.iter().filter(|line| plan.has(&format!("{:?}", line.method))) {
        if let Some(reason) = reason_to_leave_out(line)? {
            report::left_out(out, line, &reason)?;
            continue;
        }
        let known: Vec<(Method, usize)> =
            all.iter().map(|found| (found.line.method, found.from.unwrap_or(usize::MAX))).collect();
        let (found, table) = measure(line, &known, plan)?;
        report::found(out, &found)?;
        all.push(found);
        tables.push(table);
    }
    ensure!(!all.is_empty(), "this CPU can use none of these methods");
    report::table(out, &all)?;
    Ok(tables)
}

/// The reason why a method cannot be measured.
fn reason_to_leave_out(line: &Line) -> Result<Option<String>> {
    let kernel = kernels::list().find(|kernel| kernel.slot() == line.slot && kernel.id() == line.kernel);
    let Some(kernel) = kernel else { return Ok(Some("no such kernel in this build".to_owned())) };
    ensure!(kernel.status() != Status::FailedSelfTest, "{} failed its self-test", line.kernel);
    let lacking = || format!("this cpu lacks {}", kernel.missing().collect::<Vec<_>>().join(" "));
    Ok((kernel.status() == Status::NotOnThisCpu).then(lacking))
}

/// Measures a method. `known` contains the thresholds found for others.
fn measure(line: &'static Line, known: &[(Method, usize)], plan: &Plan) -> Result<(Found, Table)> {
    let more = [FROM_BYTES, line.method.of(Class::current())];
    let lengths =
        if line.is_of_hashes() { hashes::counts() } else { ladder::lengths(line.shortest(), &more) };
    let mut passes: Vec<Vec<(Rung, Cell)>> = lengths.iter().map(|_| Vec::new()).collect();
    for _ in 0..PASSES {
        for (&length, measured) in lengths.iter().zip(&mut passes) {
            let cell = compare(line, known, length, false, plan)?;
            measured.extend(rung(length, &cell).map(|rung| (rung, cell)));
        }
    }
    let (rungs, cells): (Vec<Rung>, Vec<Cell>) = passes.into_iter().filter_map(middle).unzip();
    ensure!(!rungs.is_empty(), "no sample was kept: this machine is too noisy");
    let from = crossover(&rungs);
    let latency = match from.or(rungs.last().map(|rung| rung.length)) {
        Some(length) if !line.is_batch() && !line.is_of_hashes() => {
            rung(length, &compare(line, known, length, true, plan)?)
        }
        _ => None,
    };
    let engines = vec![("before".to_owned(), Side::Ours), ("after".to_owned(), Side::OurOther)];
    let title = format!("{:?}", line.method);
    let table = Table { suite: SUITE, rounds: None, title, engines, missing: vec![], cells, notes: vec![] };
    Ok((Found { line, rungs, from, latency }, table))
}

/// Measures both sides at a length; in dependent calls if `dependent`, which only applies to single messages.
fn compare(
    line: &Line,
    known: &[(Method, usize)],
    length: usize,
    dependent: bool,
    plan: &Plan,
) -> Result<Cell> {
    if line.is_of_hashes() {
        return hashes::compare(line, length, plan);
    }
    let sides = line.sides(known, length);
    if line.is_batch() {
        cell(&sides, plan, &mut poly1305_batch::Cell::new(length..=length, plan.cycles))
    } else {
        cell(&sides, plan, &mut poly1305_one::Cell::new(length, dependent, plan.cycles))
    }
}

impl Line {
    /// Whether a call takes many messages of Poly1305.
    fn is_batch(&self) -> bool {
        self.slot == poly1305::Xn::SLOT
    }

    /// Whether a call takes many messages of SipHash or HalfSipHash. The ladder counts them.
    fn is_of_hashes(&self) -> bool {
        [siphash::Xn::<u64>::SLOT, siphash::Xn::<u32>::SLOT].contains(&self.slot)
    }

    /// The shortest messages at which the method can be used. For a loop within a kernel that is [`FROM_BYTES`]:
    /// `mac` itself computes shorter messages, on both sides.
    fn shortest(&self) -> usize {
        if self.before == Before::Scalar || self.is_batch() { SHORTEST } else { FROM_BYTES }
    }

    /// Both sides, for messages of this length.
    fn sides(&self, known: &[(Method, usize)], length: usize) -> [Engine; 2] {
        let side = |name, side, from, unlimited| {
            with_methods(name, side, (self.slot, self.kernel), self.methods(from, known), unlimited)
        };
        let unlimited = length < FROM_BYTES && !self.is_batch();
        [side("before", Side::Ours, usize::MAX, false), side("after", Side::OurOther, 1, unlimited)]
    }
}

/// The pass with the median ratio.
fn middle(mut passes: Vec<(Rung, Cell)>) -> Option<(Rung, Cell)> {
    passes.sort_by(|(a, _), (b, _)| a.ratio.median.total_cmp(&b.ratio.median));
    let middle = passes.len() / 2;
    passes.into_iter().nth(middle)
}

/// The figures of both sides at a length, unless no pair of samples was kept.
fn rung(length: usize, cell: &Cell) -> Option<Rung> {
    let [Some(before), Some(after), ..] = &cell.figures[..] else { return None };
    let gain = after.ratio?;
    let ratio = Quartiles { lower: 1.0 / gain.upper, median: 1.0 / gain.median, upper: 1.0 / gain.lower };
    Some(Rung { length, before: before.cycles.median, after: after.cycles.median, ratio })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `compare` checks answers before it times anything. Figures that were kept become a rung, although the cell
    /// may have further ones, such as a floor.
    #[test]
    fn both_sides_of_every_way_give_the_right_answers() {
        let plan = Plan { samples: 1, cycles: 1000, ..Plan::quick() };
        let of_a_batch = Line {
            method: Method::P2Sse2,
            slot: poly1305::Xn::SLOT,
            kernel: "poly1305_x1_u64",
            before: Before::Loop(&[]),
        };
        let here = |line: &&Line| reason_to_leave_out(line).unwrap().is_none();
        for line in lines().unwrap().iter().chain([&of_a_batch]).filter(here) {
            for (length, dependent) in [(17, false), (300, false), (300, true)] {
                let length = if line.is_of_hashes() { length.min(64) } else { length };
                let cell = compare(line, &[], length, dependent, &plan).unwrap();
                // On a busy machine both sides may have samples, but no pair of them.
                let kept = matches!(&cell.figures[..], [Some(_), Some(after), ..] if after.ratio.is_some());
                assert_eq!(rung(length, &cell).is_some(), kept);
            }
        }
    }
}
