//! Cycles, without a cycle counter.
//!
//! The clock is the CPU time of the thread, so time that other threads take does not count. A CPU changes its
//! frequency from one millisecond to the next. So each sample has a calibration just before it and one just
//! after it. A calibration times a chain of dependent additions, whose cycles are known ([`chain`]). The two
//! calibrations convert the nanoseconds of the sample into cycles.

use crate::chain;

/// Additions per calibration.
pub const STEPS: u64 = 512_000;

/// The largest accepted difference of a sample's two calibrations, relative to the smaller one. Beyond it the
/// frequency in between is unknown, and the sample is dropped.
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

/// The nanoseconds that a calibration takes now.
pub fn calibrate() -> f64 {
    time(|| chain::adds(STEPS))
}

/// The CPU's frequency now, in GHz: the best of some calibrations.
pub fn gigahertz() -> f64 {
    let best = (0..20).map(|_| calibrate()).fold(f64::INFINITY, f64::min);
    STEPS as f64 / best
}

/// A sample: the nanoseconds of the work and of the calibrations around it.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The calibration just before.
    pub before: f64,
    /// The work.
    pub work: f64,
    /// The calibration just after.
    pub after: f64,
}

impl Sample {
    /// The cycles of the work, or `None` if the calibrations differ too much.
    pub fn cycles(&self) -> Option<f64> {
        let (least, most) = (self.before.min(self.after), self.before.max(self.after));
        let frequency = (STEPS as f64 / self.before + STEPS as f64 / self.after) / 2.0;
        (most <= least * (1.0 + TOLERANCE)).then_some(self.work * frequency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_come_from_the_mean_frequency() {
        // 4 and 3.92 additions per nanosecond.
        let sample = Sample { before: 128_000.0, work: 1000.0, after: 512_000.0 / 3.92 };
        assert!((sample.cycles().unwrap() - 3960.0).abs() < 1e-6);
    }

    #[test]
    fn a_sample_between_unlike_calibrations_is_dropped() {
        let sample = |before, after| Sample { before, work: 1.0, after }.cycles();
        assert!(sample(100.0, 102.9).is_some() && sample(102.9, 100.0).is_some());
        assert!(sample(100.0, 103.1).is_none() && sample(103.1, 100.0).is_none());
    }
}
