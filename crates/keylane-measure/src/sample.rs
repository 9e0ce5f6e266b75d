//! Paired and interleaved samples.
//!
//! What is compared is measured in one run, in *rounds*: in each round every contender gives one
//! sample, forwards in one round and backwards in the next, so that whatever drifts (frequency, heat,
//! neighbours) meets all of them alike. A ratio is taken within a round, between two samples some
//! milliseconds apart, and the median is over the ratios, not over the samples.

use crate::chain::clear_vectors;
use crate::clock::{Sample, calibrate, time};

/// What is measured together.
pub trait Contest {
    /// How many contenders there are.
    fn contenders(&self) -> usize;
    /// Begins a round. Not timed.
    fn begin(&mut self, _round: usize) {}
    /// Makes a contender ready and gives its work: one sample. Only the call of the work is timed, not
    /// what is done before, nor what is freed after.
    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_>;
}

/// The samples of one contender, by round: cycles, or nothing if the sample was dropped.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    cycles: Vec<Option<f64>>,
}

impl Samples {
    /// Samples that were taken elsewhere.
    pub fn new(cycles: Vec<Option<f64>>) -> Self {
        Samples { cycles }
    }

    /// How many samples were kept.
    pub fn kept(&self) -> usize {
        self.cycles.iter().flatten().count()
    }

    /// How many samples were dropped.
    pub fn dropped(&self) -> usize {
        self.cycles.len() - self.kept()
    }

    /// The cycles of the kept samples.
    pub fn cycles(&self) -> Option<Quartiles> {
        Quartiles::of(self.cycles.iter().flatten().copied().collect())
    }

    /// The ratios to another contender's samples, over the rounds in which both were kept.
    pub fn ratio(&self, other: &Samples) -> Option<Quartiles> {
        Quartiles::of(self.pairs(other).map(|(mine, others)| mine / others).collect())
    }

    /// By how many cycles this contender's samples are above another's, over the rounds in which both
    /// were kept.
    pub fn above(&self, other: &Samples) -> Option<Quartiles> {
        Quartiles::of(self.pairs(other).map(|(mine, others)| mine - others).collect())
    }

    /// In how many rounds both samples were kept.
    pub fn pairs_with(&self, other: &Samples) -> usize {
        self.pairs(other).count()
    }

    fn pairs<'a>(&'a self, other: &'a Samples) -> impl Iterator<Item = (f64, f64)> + 'a {
        self.cycles.iter().zip(&other.cycles).filter_map(|(mine, others)| Some(((*mine)?, (*others)?)))
    }
}

/// The median, and the spread as the quartiles around it.
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
    /// The quartiles of some values, between two of them where none stands at the place.
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

    /// All three divided by a number.
    pub fn per(self, units: f64) -> Self {
        Quartiles { lower: self.lower / units, median: self.median / units, upper: self.upper / units }
    }
}

/// How many rounds may be begun for each pair that is asked for, before a restless machine is given up.
const PATIENCE: usize = 5;

/// Measures until every contender has `pairs` kept samples in rounds in which the first one's sample
/// was kept too. There may be fewer if the machine is too restless: who shows figures must show
/// their number.
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
            // What makes the work ready may take long, so the calibration comes after it.
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
        // The machine is ten times slower in the second round; a sample is missing in the third.
        let a = Samples::new(vec![Some(1.0), Some(10.0), None, Some(1.0)]);
        let b = Samples::new(vec![Some(2.0), Some(20.0), Some(9.0), Some(2.0)]);
        assert_eq!(a.ratio(&b), Some(Quartiles { lower: 0.5, median: 0.5, upper: 0.5 }));
        assert_eq!(b.above(&a), Some(Quartiles { lower: 1.0, median: 1.0, upper: 5.5 }));
        assert_eq!((a.kept(), a.dropped(), b.kept()), (3, 1, 4));
        assert_eq!(a.pairs_with(&b), 3);
    }
}
