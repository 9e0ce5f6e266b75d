//! Regret and monotony: what a cell must hold, and the figures of a table.

/// Calls of fewer messages may take [`SMALL_CALL_CYCLES`] more than the best choice, whatever their regret.
const SMALL_CALL: usize = 16;
const SMALL_CALL_CYCLES: f64 = 12.0;

/// The greatest regret of other calls.
const REGRET: f64 = 1.3;

/// How many times as long as a longer call a call may take.
pub(super) const MONOTONY: f64 = 1.1;

/// The same for the few cells that are excepted.
const MONOTONY_OF_EXCEPTIONS: f64 = 1.2;

/// How often a cell is measured before it counts as bad.
const TIMES: usize = 3;

/// The calls whose time is compared with the loop's: fewer messages go one by one.
const BESIDE_LOOP: std::ops::RangeInclusive<usize> = 16..=128;

/// The geometric mean, or `None` of nothing.
pub(super) fn geometric_mean(ratios: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = ratios.into_iter().fold((0.0, 0), |(sum, count), ratio| (sum + ratio.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// Which measurement of a cell counts: the first that is not bad, or else the last of [`TIMES`].
pub(super) fn thrice<M>(
    first: Option<M>,
    is_bad: impl Fn(&M) -> bool,
    mut again: impl FnMut() -> Option<M>,
) -> Option<M> {
    let mut measured = first;
    for _ in 1..TIMES {
        if measured.as_ref().is_some_and(|measured| !is_bad(measured)) {
            break;
        }
        measured = again().or(measured);
    }
    measured
}

/// For each call the longer call that takes the least time, if there is a longer one: its index, and the ratio of the times.
/// The times are those of whole calls, by the number of messages.
pub(super) fn monotony(times: &[f64]) -> Vec<Option<(usize, f64)>> {
    let longer = |call: usize| (call + 1..times.len()).min_by(|&a, &b| times[a].total_cmp(&times[b]));
    (0..times.len()).map(|call| longer(call).map(|longer| (longer, times[call] / times[longer]))).collect()
}

/// What was measured of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::suite) struct Judged {
    /// The number of messages.
    pub n: usize,
    /// The cycles of the whole call.
    pub cycles: f64,
    /// The call's time by that of the best choice.
    pub regret: f64,
    /// The cycles of the whole call above those of the best choice.
    pub above: f64,
    /// The call's time by the loop's.
    pub beside_loop: f64,
    /// The call's time by its own, measured again.
    pub again: f64,
    /// The greatest ratio to a longer call, once that is known.
    pub monotony: f64,
}

impl Judged {
    /// Whether the regret is greater than it may be.
    pub fn is_regretted(&self) -> bool {
        self.regret > REGRET && (self.n >= SMALL_CALL || self.above > SMALL_CALL_CYCLES)
    }
}

/// What the columns of a summary are: `small` is the most cycles above the best choice of a call of fewer than 16 messages.
const HEADS: [&str; 12] = [
    "cells",
    "regret",
    "worst",
    "small",
    "bad",
    "monotony",
    "bad",
    "> 1.2",
    "call/loop",
    "best/loop",
    "A/A",
    "worst",
];

/// A line of a summary.
fn columns(kind: &str, figures: [String; 12]) -> String {
    let places = figures.iter().zip(HEADS).map(|(figure, head)| {
        let width = 2 + head.len().max(5);
        format!("{figure:>width$}")
    });
    format!("{kind:26}{}", places.collect::<String>())
}

/// The figures of some cells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verdict {
    cells: usize,
    mean: f64,
    worst: Option<(f64, usize)>,
    worst_small: Option<(f64, usize)>,
    regretted: usize,
    monotony: (f64, usize),
    shrinking: [usize; 2],
    beside_loop: Option<[f64; 2]>,
    again: [f64; 2],
}

impl Verdict {
    /// The figures, or `None` of nothing.
    pub fn of(cells: &[Judged]) -> Option<Self> {
        let greatest =
            |figures: &mut dyn Iterator<Item = (f64, usize)>| figures.max_by(|(a, _), (b, _)| a.total_cmp(b));
        let is_small = |cell: &&Judged| cell.n < SMALL_CALL;
        let beside = || cells.iter().filter(|cell| BESIDE_LOOP.contains(&cell.n));
        let call = geometric_mean(beside().map(|cell| cell.beside_loop));
        let best = geometric_mean(beside().map(|cell| cell.beside_loop / cell.regret));
        let spread = |cell: &Judged| cell.again.max(1.0 / cell.again);
        let above = |limit: f64| cells.iter().filter(|cell| cell.monotony > limit).count();
        Some(Verdict {
            cells: cells.len(),
            mean: geometric_mean(cells.iter().map(|cell| cell.regret))?,
            worst: greatest(
                &mut cells.iter().filter(|cell| !is_small(cell)).map(|cell| (cell.regret, cell.n)),
            ),
            worst_small: greatest(&mut cells.iter().filter(is_small).map(|cell| (cell.above, cell.n))),
            regretted: cells.iter().filter(|cell| cell.is_regretted()).count(),
            monotony: greatest(&mut cells.iter().map(|cell| (cell.monotony, cell.n)))?,
            shrinking: [above(MONOTONY), above(MONOTONY_OF_EXCEPTIONS)],
            beside_loop: call.zip(best).map(|(call, best)| [call, best]),
            again: [geometric_mean(cells.iter().map(spread))?, cells.iter().map(spread).fold(1.0, f64::max)],
        })
    }

    /// The heads of [`Verdict::line`].
    pub fn heads() -> String {
        columns("", HEADS.map(str::to_owned))
    }

    /// The figures of a kind of call in a line.
    pub fn line(&self, kind: &str) -> String {
        let worst = self.worst.map_or("-".to_owned(), |(worst, _)| format!("{worst:.2}"));
        let small = self.worst_small.map_or("-".to_owned(), |(above, _)| format!("{above:.0}"));
        let beside = |i: usize| self.beside_loop.map_or("-".to_owned(), |of| format!("{:.3}", of[i]));
        let figures = [
            self.cells.to_string(),
            format!("{:.3}", self.mean),
            worst,
            small,
            self.regretted.to_string(),
            format!("{:.2}", self.monotony.0),
            self.shrinking[0].to_string(),
            self.shrinking[1].to_string(),
            beside(0),
            beside(1),
            format!("{:.3}", self.again[0]),
            format!("{:.2}", self.again[1]),
        ];
        columns(kind, figures)
    }

    /// The figures in words, a line each.
    pub fn lines(&self) -> Vec<String> {
        let mut regret = format!("regret {:.3} in the mean", self.mean);
        if let Some((worst, n)) = self.worst {
            regret += &format!(", {worst:.2} at worst ({n} messages)");
        }
        if let Some((above, n)) = self.worst_small {
            regret += &format!(
                "; below {SMALL_CALL} messages {above:.0} cycles a call above the best choice at worst ({n})"
            );
        }
        let [again, most] = self.again;
        let ([over, far_over], (monotony, n)) = (self.shrinking, self.monotony);
        let mut lines = vec![
            regret,
            format!("A/A {again:.3} in the mean, {most:.2} at worst"),
            format!("monotony {monotony:.2} at worst ({n} messages)"),
            format!(
                "bad in three measurements, of {} cells: {} by regret; by monotony {over}, {far_over} of them above \
                 {MONOTONY_OF_EXCEPTIONS}",
                self.cells, self.regretted
            ),
        ];
        if let Some([call, best]) = self.beside_loop {
            let (first, last) = (BESIDE_LOOP.start(), BESIDE_LOOP.end());
            lines.push(format!(
                "call / loop, {first} to {last} messages: {call:.3} in the mean; the best choice in each cell {best:.3}"
            ));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: Judged =
        Judged { n: 20, cycles: 100.0, regret: 1.0, above: 0.0, beside_loop: 0.5, again: 1.0, monotony: 1.0 };

    #[test]
    fn a_geometric_mean_is_that_of_ratios() {
        assert_eq!(geometric_mean([]), None);
        assert!((geometric_mean([2.0, 0.5]).unwrap() - 1.0).abs() < 1e-12);
        assert!((geometric_mean([2.0, 8.0]).unwrap() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_cell_is_bad_if_it_is_bad_three_times() {
        let bad = |&measured: &f64| measured > 1.1;
        let count = |first, next: &[Option<f64>]| {
            let mut next = next.iter();
            let counts = thrice(first, bad, || *next.next().unwrap());
            (counts, next.len())
        };
        assert_eq!(count(Some(1.1), &[None]), (Some(1.1), 1), "a good cell is measured once");
        assert_eq!(count(Some(1.5), &[Some(1.0), None]), (Some(1.0), 1));
        assert_eq!(count(Some(1.5), &[Some(1.4), Some(1.0)]), (Some(1.0), 0));
        assert_eq!(count(Some(1.5), &[Some(1.4), Some(1.3)]), (Some(1.3), 0));
        // No sample was kept: the cell is measured again, and what was measured before stays.
        assert_eq!(count(None, &[None, Some(1.3)]), (Some(1.3), 0));
        assert_eq!(count(Some(1.5), &[None, None]), (Some(1.5), 0));
        assert_eq!(count(None, &[None, None]), (None, 0));
    }

    #[test]
    fn a_call_is_compared_with_the_fastest_longer_one() {
        assert_eq!(monotony(&[]), []);
        assert_eq!(
            monotony(&[10.0, 30.0, 20.0, 40.0]),
            [Some((2, 0.5)), Some((2, 1.5)), Some((3, 0.5)), None]
        );
    }

    #[test]
    fn small_calls_may_take_some_cycles_more() {
        let regretted = |n, regret, above| Judged { n, regret, above, ..CELL }.is_regretted();
        assert!(regretted(16, 1.31, 1.0) && !regretted(16, 1.3, 99.0));
        assert!(regretted(15, 1.31, 12.1) && !regretted(15, 1.31, 12.0) && !regretted(15, 1.2, 99.0));
    }

    #[test]
    fn a_verdict_has_the_worst_cells_and_the_means() {
        assert_eq!(Verdict::of(&[]), None);
        let cells = [
            Judged { n: 8, regret: 1.0, above: 5.0, monotony: 1.15, ..CELL },
            Judged { n: 16, regret: 1.0, beside_loop: 0.5, again: 0.5, ..CELL },
            Judged { n: 64, regret: 1.21, beside_loop: 0.72, monotony: 1.25, ..CELL },
            Judged { n: 256, regret: 1.4, beside_loop: 9.0, ..CELL },
        ];
        let verdict = Verdict::of(&cells).unwrap();
        assert_eq!((verdict.cells, verdict.regretted, verdict.shrinking), (4, 1, [2, 1]));
        assert_eq!((verdict.worst, verdict.worst_small), (Some((1.4, 256)), Some((5.0, 8))));
        assert_eq!(verdict.monotony, (1.25, 64));
        let [call, best] = verdict.beside_loop.unwrap();
        assert!((call - 0.6).abs() < 1e-9 && (best - 0.6 / 1.1).abs() < 1e-9);
        assert!((verdict.mean - (1.21f64 * 1.4).powf(0.25)).abs() < 1e-9);
        // Half the time is as far from A/A as twice the time.
        assert_eq!(verdict.again[1], 2.0);
        assert!((verdict.again[0] - 2f64.powf(0.25)).abs() < 1e-9);
        assert_eq!(verdict.line("call").len(), Verdict::heads().len());
        assert_eq!(verdict.lines().len(), 5);
        assert_eq!(Verdict::of(&cells[..1]).unwrap().lines().len(), 4, "no calls to compare with the loop");
    }
}
