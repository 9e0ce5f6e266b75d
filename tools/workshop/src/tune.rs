//! Measures the table of thresholds on this CPU.

use crate::run;
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Runs the measurement, which is in `bench/`.
pub fn tune(root: &Path, arguments: &[String]) -> Result<()> {
    let mut bench = Command::new("cargo");
    bench.args(["run", "--release", "--quiet", "--", "tune"]).args(arguments);
    run(&root.join("bench"), &mut bench)
}
