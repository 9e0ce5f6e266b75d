//! The full run. It runs the conformance suite over every row that this machine can run or emulate, and records the
//! rows that passed. It runs the mutants that are not recorded yet, and the command with wrong kernels and under load.

use crate::listing::Isa;
use crate::{codegen, cross, faulty, fuzz, miri, mutants, no_panic, run, sanitize, steps, taint};
use anyhow::Result;
use std::path::Path;
use std::process::Command;
use xtask::passed;

/// Runs and records the rows here, then the suite for every other target. After that no row may be stale. Then come all
/// tests. The checks that are no tests come last: code, secrets, panics, memory, defects, fuzzing.
pub fn test_all(root: &Path) -> Result<()> {
    let cargo = |arguments: &[&str]| run(root, Command::new("cargo").args(arguments));
    cargo(&["test", "--release", "--package", "keylane-conformance", "--test", "rows", "--", "--record"])?;
    cross::cross(root, &cross::Options::FULL)?;
    passed::passed(root)?;
    cargo(&["test", "--release", "--workspace"])?;
    cargo(&["test", "--release", "--manifest-path", "bench/lab/Cargo.toml", "--target-dir", "target/lab"])?;
    // What only these features build: Parquet and Arrow.
    cargo(&["test", "--release", "--package", "keylane-files", "--features", "ipc,parquet"])?;
    cargo(&["test", "--release", "--package", "keylane-cli", "--features", "column"])?;
    for isa in [Isa::X86_64, Isa::Aarch64] {
        codegen::codegen(root, isa)?;
    }
    taint(root)?;
    steps::steps(root)?;
    no_panic::no_panic(root)?;
    sanitize::sanitize(root, true)?;
    miri::miri(root, true)?;
    cargo(&["test", "--release", "--package", "keylane-cli", "--test", "cli", "--", "--ignored"])?;
    faulty::faulty(root)?;
    mutants::mutants(root, &mutants::Options::NEW)?;
    fuzz::fuzz(root, &fuzz::Options::SHORT)
}
