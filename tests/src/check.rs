//! Comparing, counting, and remembering what differed.

use std::fmt::Debug;
use std::panic::resume_unwind;

/// How many differences are kept: more say nothing new.
const KEPT: usize = 5;

/// What a run of checks has found.
#[derive(Default)]
pub struct Check {
    /// Comparisons made.
    pub made: usize,
    /// Comparisons that failed.
    pub failed: usize,
    /// The first of them in words.
    pub differences: Vec<String>,
    /// Whether the first failure ends the run, by unwinding without a message: for those who want to
    /// know only whether there is one.
    pub impatient: bool,
}

impl Check {
    /// Compares; `place` says where, if the two differ.
    pub fn same<T: PartialEq + Debug>(&mut self, actual: T, expected: T, place: impl FnOnce() -> String) {
        self.made += 1;
        if actual != expected {
            self.fail(format!("{}: {actual:02x?}, not {expected:02x?}", place()));
        }
    }

    /// The answer must be any other.
    pub fn differs<T: PartialEq + Debug>(&mut self, actual: T, wrong: T, place: impl FnOnce() -> String) {
        self.made += 1;
        if actual == wrong {
            self.fail(format!("{}: {actual:02x?} is the answer that must be refused", place()));
        }
    }

    /// Notes a failure.
    pub fn fail(&mut self, difference: String) {
        self.failed += 1;
        if self.impatient {
            resume_unwind(Box::new(difference));
        }
        if self.differences.len() < KEPT {
            self.differences.push(difference);
        }
    }

    /// Whether something was checked and nothing failed.
    pub fn passed(&self) -> bool {
        self.made > 0 && self.failed == 0
    }
}
