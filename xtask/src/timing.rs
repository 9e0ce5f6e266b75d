//! The clock's word on the rows that valgrind cannot run: Welch's t between zeros and random secrets.
//!
//! The test is in `tests/src/secret/timing.rs`; each row has a process of its own (`secret_probe time`). A planted leak
//! must be seen, or this machine is too noisy for the others to mean anything.

use crate::steps::Probe;
use crate::{output, run};
use anyhow::{Context, Result, bail};
use keylane_conformance::secret::planted;
use std::path::Path;
use std::process::Command;

/// The planted row whose leak a clock can see.
const LEAKING: &str = "twice_the_work_for_a_bit_of_the_key";

/// From here on |t| is taken for a leak: by chance that happens less often than once in 10^20 runs.
const LEAK: f64 = 10.0;

/// t for each row, printed as it comes.
pub fn timing(root: &Path, samples: usize) -> Result<Vec<(String, f64)>> {
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        println!("timing: not run: the rows that it is for are of x86-64");
        return Ok(Vec::new());
    }
    let build = ["build", "--release", "--package", "keylane-conformance", "--bin", "secret_probe"];
    run(root, Command::new("cargo").args(build))?;
    let probe = Probe::find()?;
    let samples = samples.to_string();
    let t = |row: &str| -> Result<f64> {
        let mut command = Command::new(&probe.path);
        let text =
            output(command.arg("time").args(row.split(' ')).arg(&samples).env_remove("KEYLANE_KERNEL"))?;
        text.trim().parse().with_context(|| format!("{row}: {text}"))
    };
    let mut found = Vec::new();
    for row in probe.rows_beyond_valgrind()? {
        let t = t(&row)?;
        println!("{row} t = {t}{}", if t.abs() < LEAK { "" } else { ", FAILED: a leak" });
        found.push((row.split(' ').next_back().unwrap_or_default().to_owned(), t));
    }
    let leak = planted::SLOT.runnable().find(|leak| leak.id() == LEAKING).context("the planted row")?;
    let seen = t(&format!("planted {}", leak.id()))?;
    println!("planted {} t = {seen}", leak.id());
    if seen.abs() < LEAK {
        bail!("the planted leak was not seen");
    }
    match found.iter().find(|(_, t)| t.abs() >= LEAK) {
        Some((kernel, t)) => bail!("{kernel}: t = {t}"),
        None => Ok(found),
    }
}
