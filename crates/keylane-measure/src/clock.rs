//! Cycles, without a cycle counter.
//!
//! The clock is the CPU time of the thread, so the time in which others had the CPU does not count.
//! A CPU changes its frequency from one millisecond to the next; so the nanoseconds of a sample are
//! turned into cycles by two calibrations, one just before it and one just after it: the time of a
//! chain of dependent additions, whose cycles are known ([`chain`]).

use crate::chain;

/// Additions in a calibration.
pub const STEPS: u64 = 512_000;

/// By how much a sample's two calibrations may differ, as a part of the smaller one. Beyond that
/// nobody knows the frequency in between, and the sample is dropped.
pub const TOLERANCE: f64 = 0.03;

/// The CPU time of this thread, in nanoseconds.
#[cfg(unix)]
fn now() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds since the first call: time in which others had the CPU counts as well.
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

/// A sample: nanoseconds of the work and of the calibrations around it.
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
    /// The cycles of the work; nothing if the calibrations differ too much.
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
        // 4 and 3.92 additions a nanosecond.
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
