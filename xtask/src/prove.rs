//! The full run: the conformance suite over every row that this machine can run or emulate, recorded.

use crate::{cross, fuzz, run};
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Runs and records the rows here, then the suite for every other target, then all tests, which see that no row is
/// without a proof, then the fuzz targets.
pub fn prove(root: &Path) -> Result<()> {
    let cargo = |arguments: &[&str]| run(root, Command::new("cargo").args(arguments));
    cargo(&["test", "--release", "--package", "keylane-conformance", "--test", "rows", "--", "--record"])?;
    cross::cross(root, &cross::Options::FULL)?;
    cargo(&["test", "--release", "--workspace"])?;
    fuzz::fuzz(root, &fuzz::Options::SHORT)
}
