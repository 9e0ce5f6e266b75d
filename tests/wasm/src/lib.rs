//! The conformance suite as one function of a WebAssembly module without imports: the walk over all rows, and
//! the fingerprints. `run.mjs` calls it in node and prints its report.

#![cfg(target_family = "wasm")]
#![allow(unsafe_code)]

use keylane_conformance::rows::Extent;
use keylane_conformance::walk::{Outcome, walk};
use keylane_conformance::{fingerprint, target};
use std::panic;
use std::sync::{Mutex, PoisonError};

/// The lines so far.
static REPORT: Mutex<String> = Mutex::new(String::new());

fn tell(line: impl ToString) {
    let mut report = REPORT.lock().unwrap_or_else(PoisonError::into_inner);
    *report += &(line.to_string() + "\n");
}

/// Runs the suite and returns the number of rows that failed. A panic reports its message and ends in a trap.
// SAFETY: no other function of the module has this name, or one of std's.
#[unsafe(no_mangle)]
pub extern "C" fn conformance() -> u32 {
    panic::set_hook(Box::new(|panic| tell(format_args!("FAILED: {panic}"))));
    tell(format_args!("built for {}", target::NAME));
    let (mut passed, mut failed) = (0, 0);
    walk(None, Extent::Whole, &mut |found| {
        match found.outcome {
            Outcome::Passed(_) => passed += 1,
            Outcome::Failed(_) => failed += 1,
            Outcome::Missing(_) => (),
        }
        tell(found);
    });
    fingerprint::lines().into_iter().for_each(|line| tell(format_args!("fingerprint {line}")));
    tell(format_args!("rows: {passed} passed, {failed} failed"));
    failed
}

/// The lines so far: their address plus 2^32 times their length.
// SAFETY: as above.
#[unsafe(no_mangle)]
pub extern "C" fn report() -> u64 {
    let report = REPORT.lock().unwrap_or_else(PoisonError::into_inner);
    report.as_ptr().addr() as u64 | (report.len() as u64) << 32
}
