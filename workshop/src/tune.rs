//! The table of thresholds, measured on this CPU.

use crate::run;
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Has the bench measure every way to compute.
pub fn tune(root: &Path, arguments: &[String]) -> Result<()> {
    let mut bench = Command::new("cargo");
    bench.args(["run", "--release", "--quiet", "--", "tune"]).args(arguments);
    run(&root.join("bench"), &mut bench)
}
