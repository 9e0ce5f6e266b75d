//! A look at the machine before a suite and each minute: is the core quiet?
//!
//! The canary is code whose cycles follow from arithmetic: [`crowd`](crate::chain::crowd) takes as many cycles as one
//! of its chains, or the core is shared. No earlier record is asked.

use crate::chain;
use crate::clock::Calibration;
use crate::record::Noise;
use crate::sample::quantile;
use std::fmt;
use std::time::{Duration, Instant};

/// What the canary needs of the machine. A test has another one.
pub trait Machine {
    /// The time that has passed.
    fn now(&self) -> Duration;
    /// Waits.
    fn wait(&mut self, time: Duration);
    /// The crowding of the core now.
    fn crowding(&mut self) -> f64;
}

/// This machine.
#[derive(Debug)]
pub struct Here(Instant);

impl Machine for Here {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn wait(&mut self, time: Duration) {
        std::thread::sleep(time);
    }

    /// The median of many calibrations, 50 milliseconds or so.
    fn crowding(&mut self) -> f64 {
        let mut all: Vec<f64> = (0..251).map(|_| Calibration::before().crowding).collect();
        all.sort_by(f64::total_cmp);
        quantile(&all, 0.5).unwrap_or(1.0)
    }
}

/// Between two looks of a run.
const MINUTE: Duration = Duration::from_secs(60);

/// Between two looks while the machine is busy.
const PAUSE: Duration = Duration::from_secs(5);

/// From here on the core is busy: a neighbour takes a Zen 4 to 1.45. An idle Zen 5 is at 1.05, since four chains do not
/// reach full speed there, however long the loop is.
const BUSY: f64 = 0.1;

/// How long a run waits in all. After that it goes on, and looks on.
const PATIENCE: Duration = Duration::from_secs(600);

/// The canary of a run.
#[derive(Debug)]
pub struct Canary<M> {
    machine: M,
    /// When it looked last; `None` before a suite.
    looked: Option<Duration>,
    /// How long this run may still wait.
    patience: Duration,
    suite: Looks,
}

/// What the canary saw in a suite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Looks {
    /// How often it looked.
    pub looks: u32,
    /// How often the core was busy and no patience was left.
    pub busy: u32,
    /// How long the suite waited.
    pub waited: Duration,
}

impl Looks {
    /// Whether the core was busy so often that the suite's figures are reported and not judged.
    pub fn is_noisy(&self) -> bool {
        f64::from(self.busy) > Noise::MOST * f64::from(self.looks)
    }
}

impl fmt::Display for Looks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Looks { looks, busy, waited } = self;
        write!(f, "the core was busy at {busy} of {looks} looks, and the suite waited {} s", waited.as_secs())
    }
}

impl Canary<Here> {
    /// The canary of this machine.
    pub fn here() -> Self {
        Canary::new(Here(Instant::now()))
    }
}

impl<M: Machine> Canary<M> {
    /// The canary of a machine.
    pub fn new(machine: M) -> Self {
        Canary { machine, looked: None, patience: PATIENCE, suite: Looks::default() }
    }

    /// The same, without patience: it only looks.
    #[must_use]
    pub fn impatient(self) -> Self {
        Canary { patience: Duration::ZERO, ..self }
    }

    /// Looks, unless it did so within the last minute. While the core is busy it waits, as long as there is patience.
    /// On a CPU whose additions have no known time it does nothing.
    pub fn look(&mut self) {
        let is_due = |last: Duration| self.machine.now().saturating_sub(last) >= MINUTE;
        if !chain::IN_CYCLES || !self.looked.is_none_or(is_due) {
            return;
        }
        let mut is_busy = self.is_busy();
        while is_busy && self.patience >= PAUSE {
            self.machine.wait(PAUSE);
            self.patience -= PAUSE;
            self.suite.waited += PAUSE;
            is_busy = self.is_busy();
        }
        self.suite.looks += 1;
        self.suite.busy += u32::from(is_busy);
        self.looked = Some(self.machine.now());
    }

    /// Ends a suite: what was seen in it. The next look is due at once.
    pub fn end_suite(&mut self) -> Looks {
        self.looked = None;
        std::mem::take(&mut self.suite)
    }

    /// Whether the code takes longer than it must, or less: then the clock is in doubt.
    fn is_busy(&mut self) -> bool {
        (self.machine.crowding() - 1.0).abs() > BUSY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that is busy until some time.
    struct Fake {
        now: Duration,
        busy_until: Duration,
    }

    impl Machine for Fake {
        fn now(&self) -> Duration {
            self.now
        }

        fn wait(&mut self, time: Duration) {
            self.now += time;
        }

        fn crowding(&mut self) -> f64 {
            if self.now < self.busy_until { 1.45 } else { 1.004 }
        }
    }

    /// The crowding of an idle Zen 5.
    #[test]
    fn a_core_that_loses_a_step_now_and_then_is_quiet() {
        struct Zen5;
        impl Machine for Zen5 {
            fn now(&self) -> Duration {
                Duration::ZERO
            }
            fn wait(&mut self, _: Duration) {}
            fn crowding(&mut self) -> f64 {
                1.05
            }
        }
        let mut canary = Canary::new(Zen5);
        canary.look();
        assert_eq!(canary.end_suite(), Looks { looks: 1, busy: 0, waited: Duration::ZERO });
    }

    fn canary(busy_seconds: u64) -> Canary<Fake> {
        Canary::new(Fake { now: Duration::ZERO, busy_until: Duration::from_secs(busy_seconds) })
    }

    #[test]
    fn a_quiet_machine_is_looked_at_once_a_minute() {
        let mut canary = canary(0);
        for _ in 0..180 {
            canary.look();
            canary.machine.wait(Duration::from_secs(1));
        }
        let looks = canary.end_suite();
        assert_eq!(looks, Looks { looks: 3, busy: 0, waited: Duration::ZERO });
        assert!(!looks.is_noisy());
        // The next suite begins with a look.
        canary.look();
        assert_eq!(canary.end_suite().looks, 1);
    }

    #[test]
    fn it_waits_until_the_machine_is_quiet() {
        let mut canary = canary(33);
        canary.look();
        let looks = canary.end_suite();
        assert_eq!(looks, Looks { looks: 1, busy: 0, waited: Duration::from_secs(35) });
        assert_eq!(looks.to_string(), "the core was busy at 0 of 1 looks, and the suite waited 35 s");
    }

    /// Ten minutes in all, not for each suite; then the run goes on and is marked.
    #[test]
    fn it_gives_up_after_ten_minutes_in_all() {
        let mut canary = canary(1000);
        canary.look();
        let first = canary.end_suite();
        assert_eq!(first, Looks { looks: 1, busy: 1, waited: PATIENCE });
        assert!(first.is_noisy());
        canary.look();
        assert_eq!(canary.end_suite(), Looks { looks: 1, busy: 1, waited: Duration::ZERO });
        canary.machine.wait(PATIENCE);
        canary.look();
        assert!(!canary.end_suite().is_noisy());
    }

    #[test]
    fn without_patience_it_only_looks() {
        let mut canary = canary(1000).impatient();
        canary.look();
        assert_eq!(canary.end_suite(), Looks { looks: 1, busy: 1, waited: Duration::ZERO });
    }
}
