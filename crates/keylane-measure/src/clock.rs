//! Cycles, without a cycle counter.
//!
//! The clock is the CPU time of the thread, so time that other threads take does not count. A CPU changes its
//! frequency from one millisecond to the next, and the other thread of a core comes and goes. So each sample has a
//! [`Calibration`] just before it and one just after it. A calibration times two loops whose cycles are known
//! ([`chain`]):
//!
//! * One chain of additions gives the frequency. It turns the nanoseconds of the sample into cycles.
//! * Several chains side by side fill the core's units. On a quiet core they take as long as the one chain; beside a
//!   busy neighbour they take longer. The one over the other is the *crowding*.

use crate::chain;

/// Additions of the chain of a calibration.
pub const STEPS: u64 = 512_000;

/// Additions of each chain of the second part, which needs only to show a difference of [`TOLERANCE`].
const CROWD_STEPS: u64 = 256_000;

/// The largest accepted difference of a sample's two frequencies, and of its crowding from the quiet one. Beyond it
/// the sample is dropped.
pub const TOLERANCE: f64 = 0.03;

/// The CPU time of this thread, in nanoseconds.
#[cfg(unix)]
fn now() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds since the first call. Time that other threads take counts as well.
#[cfg(not(unix))]
fn now() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64() * 1e9
}

/// The nanoseconds that `work` takes.
pub fn time(work: impl FnOnce()) -> f64 {
    let start = now();
    work();
    now() - start
}

/// The state of the core at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    /// The nanoseconds of the chain.
    pub chain: f64,
    /// How many times as long the chains side by side take, step by step: 1 on a quiet core.
    pub crowding: f64,
}

impl Calibration {
    /// Before a sample: the chain comes last, next to the sample.
    pub fn before() -> Self {
        let crowd = crowd();
        Calibration::of(chain_time(), crowd)
    }

    /// After a sample: the chain comes first.
    pub fn after() -> Self {
        let chain = chain_time();
        Calibration::of(chain, crowd())
    }

    fn of(chain: f64, crowd: f64) -> Self {
        Calibration { chain, crowding: crowd / CROWD_STEPS as f64 / (chain / STEPS as f64) }
    }
}

fn chain_time() -> f64 {
    time(|| chain::adds(STEPS))
}

fn crowd() -> f64 {
    time(|| chain::crowd(CROWD_STEPS))
}

/// The CPU's frequency now, in GHz: the best of some calibrations.
pub fn gigahertz() -> f64 {
    let best = (0..20).map(|_| chain_time()).fold(f64::INFINITY, f64::min);
    STEPS as f64 / best
}

/// A sample: the nanoseconds of the work, and the calibrations around it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The calibration just before.
    pub before: Calibration,
    /// The work.
    pub work: f64,
    /// The calibration just after.
    pub after: Calibration,
}

impl Sample {
    /// The cycles of the work, by the mean of the two frequencies.
    pub fn cycles(&self) -> f64 {
        let frequency = (STEPS as f64 / self.before.chain + STEPS as f64 / self.after.chain) / 2.0;
        self.work * frequency
    }

    /// Whether the two frequencies agree.
    pub fn is_steady(&self) -> bool {
        let (before, after) = (self.before.chain, self.after.chain);
        before.max(after) <= before.min(after) * (1.0 + TOLERANCE)
    }

    /// Whether the core was crowded before or after the work: beside its quiet crowding.
    pub fn is_crowded(&self, quiet: f64) -> bool {
        [self.before, self.after].iter().any(|at| (at.crowding / quiet - 1.0).abs() > TOLERANCE)
    }
}

/// The crowding of this core when it is quiet: the one that a tenth of the calibrations of this run stay below. It is
/// 1, but for the ends of loops and for cores with fewer units. The least of all would be the luck of one clock tick.
#[derive(Clone, Debug)]
pub struct Quiet {
    /// How many calibrations had a crowding in each half percent, the last one for all above.
    counts: [u32; Quiet::BINS],
}

impl Quiet {
    const BINS: usize = 600;
    /// Bins for a crowding of 1.
    const ONE: f64 = 200.0;

    /// What is known when a run begins: nothing.
    pub const fn new() -> Self {
        Quiet { counts: [0; Quiet::BINS] }
    }

    /// Adds the calibrations of a sample. Those between unlike frequencies say nothing.
    pub fn learn(&mut self, sample: &Sample) {
        if sample.is_steady() {
            for at in [sample.before, sample.after] {
                // A float becomes the nearest integer that there is.
                let bin = (at.crowding * Quiet::ONE) as usize;
                self.counts[bin.min(Quiet::BINS - 1)] += 1;
            }
        }
    }

    /// The quiet crowding so far.
    pub fn crowding(&self) -> f64 {
        let tenth = self.counts.iter().map(|&count| u64::from(count)).sum::<u64>() / 10;
        let mut below = 0;
        let bin = self.counts.iter().position(|&count| {
            below += u64::from(count);
            below > tenth
        });
        bin.map_or(1.0, |bin| (bin as f64 + 0.5) / Quiet::ONE)
    }
}

impl Default for Quiet {
    fn default() -> Self {
        Quiet::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(chains: [f64; 2], crowding: [f64; 2]) -> Sample {
        let [before, after] = [0, 1].map(|i| Calibration { chain: chains[i], crowding: crowding[i] });
        Sample { before, work: 1000.0, after }
    }

    #[test]
    fn cycles_come_from_the_mean_frequency() {
        // 4 and 3.92 additions per nanosecond.
        let sample = sample([128_000.0, 512_000.0 / 3.92], [1.0; 2]);
        assert!((sample.cycles() - 3960.0).abs() < 1e-6);
    }

    #[test]
    fn a_sample_between_unlike_frequencies_is_unsteady() {
        let is_steady = |before, after| sample([before, after], [1.0; 2]).is_steady();
        assert!(is_steady(100.0, 102.9) && is_steady(102.9, 100.0));
        assert!(!is_steady(100.0, 103.1) && !is_steady(103.1, 100.0));
    }

    /// The numbers are those of Zen 4: 1.004 alone, 1.45 beside a busy thread of the same core.
    #[test]
    fn a_busy_neighbour_marks_a_sample() {
        let steady = |crowding| sample([100.0; 2], crowding);
        let mut quiet = Quiet::new();
        assert_eq!(quiet.crowding(), 1.0);
        (0..60).for_each(|_| quiet.learn(&steady([1.004; 2])));
        (0..40).for_each(|_| quiet.learn(&steady([1.45; 2])));
        assert!((quiet.crowding() - 1.004).abs() < 0.005, "{}", quiet.crowding());
        for (crowding, is_crowded) in
            [([1.004, 1.01], false), ([1.45, 1.004], true), ([1.004, 1.45], true), ([0.9, 1.0], true)]
        {
            assert_eq!(steady(crowding).is_crowded(quiet.crowding()), is_crowded, "{crowding:?}");
        }
        // Calibrations between unlike frequencies teach nothing, and no number is out of range.
        (0..1000).for_each(|_| quiet.learn(&sample([100.0, 200.0], [0.5; 2])));
        quiet.learn(&steady([f64::INFINITY, f64::NAN]));
        assert!((quiet.crowding() - 1.004).abs() < 0.005);
    }

    /// A core with fewer units than chains has another quiet crowding.
    #[test]
    fn the_quiet_crowding_is_that_of_this_run() {
        let mut quiet = Quiet::new();
        (0..100).for_each(|_| quiet.learn(&sample([100.0; 2], [1.333; 2])));
        assert!(!sample([100.0; 2], [1.335; 2]).is_crowded(quiet.crowding()));
    }
}
