//! Paired and interleaved samples.
//!
//! Contenders are compared in one run, which consists of *rounds*. In each round every contender gives one
//! sample, forwards in one round and backwards in the next. So drifts of frequency, heat or neighbours affect
//! all of them alike. A ratio compares two samples of one round, some milliseconds apart. The median is taken
//! over the ratios, not over the samples.

use crate::chain::clear_vectors;
use crate::clock::{Sample, calibrate, time};

/// Contenders that are measured together.
pub trait Contest {
    /// The number of contenders.
    fn contenders(&self) -> usize;
    /// Begins a round. Not timed.
    fn begin(&mut self, _round: usize) {}
    /// Prepares a contender and returns its work for one sample. Only the call of the work is timed, not the
    /// preparation before it and the freeing of memory after it.
    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_>;
}

/// The samples of one contender, by round: cycles, or `None` if the sample was dropped.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    cycles: Vec<Option<f64>>,
}

impl Samples {
    /// Samples from elsewhere.
    pub fn new(cycles: Vec<Option<f64>>) -> Self {
        Samples { cycles }
    }

    /// The number of kept samples.
    pub fn kept(&self) -> usize {
        self.cycles.iter().flatten().count()
    }

    /// The number of dropped samples.
    pub fn dropped(&self) -> usize {
        self.cycles.len() - self.kept()
    }

    /// The cycles of the kept samples.
    pub fn cycles(&self) -> Option<Quartiles> {
        Quartiles::of(self.cycles.iter().flatten().copied().collect())
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

    fn pairs<'a>(&'a self, other: &'a Samples) -> impl Iterator<Item = (f64, f64)> + 'a {
        self.cycles.iter().zip(&other.cycles).filter_map(|(mine, others)| Some(((*mine)?, (*others)?)))
    }
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
    /// The quartiles of some values, interpolated between neighbours if necessary.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let at = |part: f64| {
            let place = part * last as f64;
            let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        Some(Quartiles { lower: at(0.25), median: at(0.5), upper: at(0.75) })
    }

    /// All three divided by `units`.
    pub fn per(self, units: f64) -> Self {
        Quartiles { lower: self.lower / units, median: self.median / units, upper: self.upper / units }
    }
}

/// How many rounds to try for each requested pair before giving up on a noisy machine.
const PATIENCE: usize = 5;

/// Measures until every contender has `pairs` samples that were kept in the same round as a sample of the
/// first contender. On a noisy machine there may be fewer: whoever shows figures must show their number.
pub fn interleaved(contest: &mut impl Contest, pairs: usize) -> Vec<Samples> {
    let contenders = contest.contenders();
    let mut samples = vec![Samples::default(); contenders];
    for round in 0..pairs * PATIENCE {
        let enough = |of: &Samples| samples.first().is_none_or(|first| of.pairs_with(first) >= pairs);
        if samples.iter().all(enough) {
            break;
        }
        contest.begin(round);
        for turn in 0..contenders {
            let contender = if round % 2 == 0 { turn } else { contenders - 1 - turn };
            // Preparing the work may take long, so the calibration comes after it.
            let mut run = contest.work(contender);
            clear_vectors();
            let before = calibrate();
            let work = time(&mut run);
            let after = calibrate();
            samples[contender].cycles.push(Sample { before, work, after }.cycles());
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let a = Samples::new(vec![Some(1.0), Some(10.0), None, Some(1.0)]);
        let b = Samples::new(vec![Some(2.0), Some(20.0), Some(9.0), Some(2.0)]);
        assert_eq!(a.ratio(&b), Some(Quartiles { lower: 0.5, median: 0.5, upper: 0.5 }));
        assert_eq!(b.above(&a), Some(Quartiles { lower: 1.0, median: 1.0, upper: 5.5 }));
        assert_eq!((a.kept(), a.dropped(), b.kept()), (3, 1, 4));
        assert_eq!(a.pairs_with(&b), 3);
    }
}
