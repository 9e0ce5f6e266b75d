//! The full run: the conformance suite over every row that this machine can run or emulate, recorded.

use crate::{codegen, cross, no_panic, run, sanitize, steps, taint};
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Runs and records the rows here, then the suite for every other target, then all tests, which see that no row is
/// without a proof, and what is no test: code, secrets, panics, memory.
pub fn prove(root: &Path) -> Result<()> {
    let cargo = |arguments: &[&str]| run(root, Command::new("cargo").args(arguments));
    cargo(&["test", "--release", "--package", "keylane-conformance", "--test", "rows", "--", "--record"])?;
    cross::cross(root, &cross::Options::FULL)?;
    cargo(&["test", "--release", "--workspace"])?;
    codegen::codegen(root)?;
    taint(root)?;
    steps::steps(root)?;
    no_panic::no_panic(root)?;
    sanitize::sanitize(root)
}
