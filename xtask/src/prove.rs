//! The full run: the conformance suite over every row that this machine can run or emulate, recorded.

use crate::{cross, run};
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Runs all tests, then the rows once more to record them, then the suite for every other target.
pub fn prove(root: &Path) -> Result<()> {
    run(root, Command::new("cargo").args(["test", "--release", "--workspace"]))?;
    run(
        root,
        Command::new("cargo")
            .args(["test", "--release", "--package", "keylane-conformance", "--test", "rows"])
            .args(["--", "--record"]),
    )?;
    cross::cross(root, &cross::Options::FULL)
}
