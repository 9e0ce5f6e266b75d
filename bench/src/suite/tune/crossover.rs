//! Finds the length from which one method is faster than another.

use keylane_measure::sample::Quartiles;

/// A ratio this close to 1 means nothing.
const SLACK: f64 = 0.01;

/// Two methods at one length.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The length.
    pub length: usize,
    /// Cycles per message by the previous method.
    pub before: f64,
    /// Cycles per message by the new method.
    pub after: f64,
    /// The ratio new / previous of the cycles, sample by sample.
    pub ratio: Quartiles,
}

impl Rung {
    /// Whether the new method is slower, beyond noise.
    fn is_lost(&self) -> bool {
        self.ratio.median > 1.0 + SLACK && self.ratio.lower > 1.0
    }

    /// Whether the new method is faster, beyond noise.
    fn is_won(&self) -> bool {
        self.ratio.median < 1.0 - SLACK && self.ratio.upper < 1.0
    }
}

/// The least length from which the new method is faster and stays so: at no longer length is it slower,
/// beyond noise. `None` if there is no such length.
pub fn crossover(rungs: &[Rung]) -> Option<usize> {
    let behind = rungs.iter().rposition(Rung::is_lost).map_or(0, |last| last + 1);
    let kept = &rungs[behind..];
    kept.iter()
        .find(|rung| rung.ratio.median < 1.0)
        .filter(|_| kept.iter().any(Rung::is_won))
        .map(|rung| rung.length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rungs 16 bytes apart, each with its ratio as the median and with quartiles at distance `spread`.
    fn rungs(ratios: &[f64], spread: f64) -> Vec<Rung> {
        let rung = |(i, &median): (usize, &f64)| Rung {
            length: 16 * (i + 1),
            before: 100.0,
            after: 100.0 * median,
            ratio: Quartiles { lower: median - spread, median, upper: median + spread },
        };
        ratios.iter().enumerate().map(rung).collect()
    }

    #[test]
    fn never() {
        assert_eq!(crossover(&[]), None);
        assert_eq!(crossover(&rungs(&[1.3, 1.2, 1.1, 1.05], 0.002)), None);
        // It is faster only at some lengths.
        assert_eq!(crossover(&rungs(&[1.3, 0.8, 0.9, 1.05], 0.002)), None);
        // It is equally fast.
        assert_eq!(crossover(&rungs(&[1.002, 0.998, 1.001, 0.999], 0.002)), None);
    }

    #[test]
    fn always() {
        assert_eq!(crossover(&rungs(&[0.9, 0.8, 0.7], 0.002)), Some(16));
    }

    #[test]
    fn from_some_length_on() {
        assert_eq!(crossover(&rungs(&[1.5, 1.2, 0.95, 0.9], 0.002)), Some(48));
        // A sawtooth: the length after its last tooth.
        assert_eq!(crossover(&rungs(&[1.2, 0.9, 1.1, 0.8, 0.95, 0.7], 0.002)), Some(64));
    }

    #[test]
    fn noise_near_the_crossing_does_not_count_as_a_loss() {
        assert_eq!(crossover(&rungs(&[1.1, 1.004, 0.997, 1.006, 0.998, 0.97, 0.9], 0.003)), Some(48));
        // Nor does a ratio with quartiles on both sides of 1, far beyond the crossing.
        assert_eq!(crossover(&rungs(&[1.1, 0.9, 0.85, 0.8], 0.002)), Some(32));
        let mut noisy = rungs(&[1.1, 0.9, 1.02, 0.8], 0.002);
        noisy[2].ratio.lower = 0.9;
        assert_eq!(crossover(&noisy), Some(32));
    }
}
