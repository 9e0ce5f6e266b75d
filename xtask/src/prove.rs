//! The conformance suite over every row that this machine can run, recorded.

use crate::run;
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Runs all tests, then the rows once more to rewrite `proven.csv`.
pub fn prove(root: &Path) -> Result<()> {
    run(root, Command::new("cargo").args(["test", "--release", "--workspace"]))?;
    run(
        root,
        Command::new("cargo")
            .args(["test", "--release", "--package", "keylane-conformance", "--test", "rows"])
            .args(["--", "--record"]),
    )
}
