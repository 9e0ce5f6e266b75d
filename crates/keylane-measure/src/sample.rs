//! Paired and interleaved samples.
//!
//! Contenders are compared in one run, which consists of *rounds*. In each round every contender gives one
//! sample, forwards in one round and backwards in the next. So drifts of frequency, heat or neighbours affect
//! all of them alike. A ratio compares two samples of one round, some milliseconds apart. The median is taken
//! over the ratios, not over the samples.

use crate::chain::clear_vectors;
use crate::clock::{Calibration, Quiet, Sample, time};
use std::sync::{Mutex, PoisonError};

/// Contenders that are measured together.
pub trait Contest {
    /// The number of contenders.
    fn contenders(&self) -> usize;
    /// The contender that the others, and itself, are compared with.
    fn ours(&self) -> usize {
        0
    }
    /// Begins a round. Not timed.
    fn begin(&mut self, _round: usize) {}
    /// Prepares a contender and returns its work for one sample. Only the call of the work is timed, not the
    /// preparation before it and the freeing of memory after it.
    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_>;
}

/// The samples of one contender, by round: cycles, and whether the sample was kept.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    taken: Vec<(f64, bool)>,
}

impl Samples {
    /// Samples from elsewhere.
    pub fn new(taken: Vec<(f64, bool)>) -> Self {
        Samples { taken }
    }

    /// The number of kept samples.
    pub fn kept(&self) -> usize {
        self.cycles_kept().count()
    }

    /// Whether half of the samples were dropped, or more. What is left may be the luck of some moments.
    pub fn half_dropped(&self) -> bool {
        self.kept() * 2 <= self.taken.len()
    }

    /// The median of the cycles of the kept samples, between the quartiles of all samples: what was dropped must not
    /// make the spread look small. `None` if no sample was kept.
    pub fn cycles(&self) -> Option<Quartiles> {
        let all = Quartiles::of(self.taken.iter().map(|&(cycles, _)| cycles).collect())?;
        let kept = Quartiles::of(self.cycles_kept().collect())?;
        Some(Quartiles { median: kept.median, ..all })
    }

    /// The ratios to another contender's samples, over the rounds that kept both samples.
    pub fn ratio(&self, other: &Samples) -> Option<Quartiles> {
        Quartiles::of(self.pairs(other).map(|(mine, others)| mine / others).collect())
    }

    /// This contender's cycles minus another's, over the rounds that kept both samples.
    pub fn above(&self, other: &Samples) -> Option<Quartiles> {
        Quartiles::of(self.pairs(other).map(|(mine, others)| mine - others).collect())
    }

    /// The number of rounds that kept both samples.
    pub fn pairs_with(&self, other: &Samples) -> usize {
        self.pairs(other).count()
    }

    fn cycles_kept(&self) -> impl Iterator<Item = f64> + '_ {
        self.taken.iter().filter(|(_, kept)| *kept).map(|&(cycles, _)| cycles)
    }

    fn pairs<'a>(&'a self, other: &'a Samples) -> impl Iterator<Item = (f64, f64)> + 'a {
        let both = self.taken.iter().zip(&other.taken);
        both.filter(|((_, mine), (_, others))| *mine && *others).map(|(mine, others)| (mine.0, others.0))
    }
}

/// What [`interleaved`] has measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The samples of each contender.
    pub samples: Vec<Samples>,
    /// The contender that the others are compared with.
    pub ours: usize,
    /// A second series of samples of that contender: A/A. The two differ by nothing but the machine.
    pub again: Samples,
}

/// The median, with the quartiles as its spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// A quarter of the values is below.
    pub lower: f64,
    /// Half of the values are below.
    pub median: f64,
    /// Three quarters of the values are below.
    pub upper: f64,
}

impl Quartiles {
    /// The quartiles of some values.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let at = |part| quantile(&values, part);
        Some(Quartiles { lower: at(0.25)?, median: at(0.5)?, upper: at(0.75)? })
    }

    /// All three divided by `units`.
    pub fn per(self, units: f64) -> Self {
        Quartiles { lower: self.lower / units, median: self.median / units, upper: self.upper / units }
    }
}

/// The value that this part of the sorted values is below, interpolated between neighbours if necessary.
pub fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let place = part * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted.get(place.floor() as usize)?, sorted.get(place.ceil() as usize)?);
    Some(below + (above - below) * place.fract())
}

/// How many rounds to try for each requested pair before giving up on a busy machine.
const PATIENCE: usize = 3;

/// What this process knows about the core.
static QUIET: Mutex<Quiet> = Mutex::new(Quiet::new());

/// Measures until every contender has `pairs` samples that were kept in the same round as a sample of the
/// contender that they are compared with. On a busy machine there may be fewer: whoever shows figures must show their
/// number.
pub fn interleaved(contest: &mut impl Contest, pairs: usize) -> Measured {
    let (contenders, ours) = (contest.contenders(), contest.ours());
    // The second series of ours comes last, as far from the first as it can be.
    let mut samples = vec![Samples::default(); contenders + 1];
    for round in 0..pairs * PATIENCE {
        let enough = |of: &Samples| samples.get(ours).is_none_or(|ours| of.pairs_with(ours) >= pairs);
        if samples.iter().all(enough) {
            break;
        }
        contest.begin(round);
        for turn in 0..=contenders {
            let series = if round % 2 == 0 { turn } else { contenders - turn };
            // Preparing the work may take long, so the calibration comes after it.
            let mut run = contest.work(if series == contenders { ours } else { series });
            clear_vectors();
            let before = Calibration::before();
            let work = time(&mut run);
            let sample = Sample { before, work, after: Calibration::after() };
            let mut quiet = QUIET.lock().unwrap_or_else(PoisonError::into_inner);
            quiet.learn(&sample);
            let is_kept = sample.is_steady() && !sample.is_crowded(quiet.crowding());
            samples[series].taken.push((sample.cycles(), is_kept));
        }
    }
    let again = samples.pop().unwrap_or_default();
    Measured { samples, ours, again }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(cycles: &[Option<f64>]) -> Samples {
        Samples::new(cycles.iter().map(|cycles| (cycles.unwrap_or(100.0), cycles.is_some())).collect())
    }

    #[test]
    fn quartiles() {
        assert_eq!(Quartiles::of(vec![]), None);
        let of = |values: &[f64]| Quartiles::of(values.to_vec()).unwrap();
        assert_eq!(of(&[5.0]), Quartiles { lower: 5.0, median: 5.0, upper: 5.0 });
        assert_eq!(of(&[4.0, 1.0, 3.0, 2.0, 5.0]), Quartiles { lower: 2.0, median: 3.0, upper: 4.0 });
        assert_eq!(of(&[1.0, 2.0]), Quartiles { lower: 1.25, median: 1.5, upper: 1.75 });
        assert_eq!(of(&[2.0, 4.0]).per(2.0).median, 1.5);
    }

    #[test]
    fn a_ratio_is_taken_within_a_round() {
        // The machine is ten times slower in the second round. In the third, a sample is missing.
        let a = samples(&[Some(1.0), Some(10.0), None, Some(1.0)]);
        let b = samples(&[Some(2.0), Some(20.0), Some(9.0), Some(2.0)]);
        assert_eq!(a.ratio(&b), Some(Quartiles { lower: 0.5, median: 0.5, upper: 0.5 }));
        assert_eq!(b.above(&a), Some(Quartiles { lower: 1.0, median: 1.0, upper: 5.5 }));
        assert_eq!((a.kept(), b.kept(), a.pairs_with(&b)), (3, 4, 3));
    }

    /// Three of eight samples were dropped. They widen the spread, and leave the median alone.
    #[test]
    fn the_spread_is_that_of_all_samples() {
        let of = |dropped: f64| {
            let kept = [1.0, 1.0, 1.0, 1.0, 1.0].map(|cycles| (cycles, true));
            Samples::new(kept.into_iter().chain([(dropped, false); 3]).collect()).cycles().unwrap()
        };
        assert_eq!(of(1.0), Quartiles { lower: 1.0, median: 1.0, upper: 1.0 });
        assert_eq!(of(2.0), Quartiles { lower: 1.0, median: 1.0, upper: 2.0 });
        assert_eq!(samples(&[None]).cycles(), None);
    }

    #[test]
    fn half_of_the_samples_are_too_few() {
        assert!(samples(&[]).half_dropped() && samples(&[Some(1.0), None]).half_dropped());
        assert!(!samples(&[Some(1.0), None, Some(1.0)]).half_dropped());
    }

    /// Counts the calls of its contenders.
    struct Counted([usize; 2]);

    impl Contest for Counted {
        fn contenders(&self) -> usize {
            2
        }

        fn ours(&self) -> usize {
            1
        }

        fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
            self.0[contender] += 1;
            Box::new(|| ())
        }
    }

    #[test]
    fn ours_is_measured_twice_in_a_round() {
        let mut counted = Counted([0; 2]);
        let measured = interleaved(&mut counted, 2);
        assert_eq!((measured.samples.len(), measured.ours), (2, 1));
        let rounds = measured.again.taken.len();
        assert_eq!(counted.0, [rounds, 2 * rounds]);
        assert!((2..=2 * PATIENCE).contains(&rounds));
    }
}
