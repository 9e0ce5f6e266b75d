//! Compares answers, counts comparisons, and keeps the differences.

use std::fmt::Debug;
use std::panic::resume_unwind;

/// How many differences to keep. More would tell nothing new.
const KEPT: usize = 5;

/// The results of a run of checks.
#[derive(Default)]
pub struct Check {
    /// Comparisons made.
    pub made: usize,
    /// Comparisons that failed.
    pub failed: usize,
    /// The first differences, as text.
    pub differences: Vec<String>,
    /// Whether the first failure ends the run, by unwinding without a message. For callers that only need to
    /// know whether there is a failure.
    pub impatient: bool,
}

impl Check {
    /// Compares. If the two differ, `place` describes where.
    pub fn same<T: PartialEq + Debug>(&mut self, actual: T, expected: T, place: impl FnOnce() -> String) {
        self.made += 1;
        if actual != expected {
            self.fail(|| format!("{}: {actual:02x?}, not {expected:02x?}", place()));
        }
    }

    /// Checks that the answer is not `wrong`.
    pub fn differs<T: PartialEq + Debug>(&mut self, actual: T, wrong: T, place: impl FnOnce() -> String) {
        self.made += 1;
        if actual == wrong {
            self.fail(|| format!("{}: {actual:02x?} is the answer that must be refused", place()));
        }
    }

    /// Records a failure. `difference` describes it, which takes long, and only the first are kept.
    pub fn fail(&mut self, difference: impl FnOnce() -> String) {
        self.failed += 1;
        if self.impatient {
            resume_unwind(Box::new(difference()));
        }
        if self.differences.len() < KEPT {
            self.differences.push(difference());
        }
    }

    /// Whether something was checked and nothing failed.
    pub fn passed(&self) -> bool {
        self.made > 0 && self.failed == 0
    }
}
