//! The end of a tag was checked by two solvers for every input, and its code is still the same.

use keylane_symbols::numbers::smt::QUESTIONS;
use sha2::{Digest, Sha256};

/// The answers that `smt/solve.py --record` wrote.
const RESULTS: &str = include_str!("../smt/results.csv");

#[test]
fn two_solvers_found_no_wrong_tag() {
    for (name, question) in QUESTIONS {
        let digest: String = Sha256::digest(question()).iter().map(|byte| format!("{byte:02x}")).collect();
        // A line for each solver.
        let begins = format!("{name},{digest},");
        let answers =
            RESULTS.lines().filter(|line| line.starts_with(&begins) && line.ends_with(",unsat")).count();
        assert!(answers >= 2, "{name} has no recorded answers: run tests/symbols/smt/solve.py --record");
    }
}
