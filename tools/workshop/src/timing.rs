//! Times the rows that valgrind cannot run: dudect-bencher's t between zeros and random secrets.
//!
//! `tests/conformance/src/secret/timing.rs` has the timed code. Each row runs in a separate process (`secret_probe time`). If a
//! planted leak is not found, this machine is too noisy for the results to mean anything.

use crate::steps::Probe;
use crate::{output, record};
use anyhow::{Context, Result, bail};
use keylane_conformance::secret::planted;
use keylane_records::Records;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The planted row whose leak a clock can see.
const LEAKING: &str = "twice_the_work_for_a_bit_of_the_key";

/// A |t| of at least this counts as a leak, as in dudect.
const LEAK: f64 = 10.0;

/// Prints t for each row as it comes, and records it with `--record`.
pub fn timing(root: &Path, samples: usize, is_recorded: bool) -> Result<()> {
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        println!("timing: not run: the rows that it is for are of x86-64");
        return Ok(());
    }
    let probe = Probe::build(root)?;
    let leak = planted::SLOT.runnable().find(|leak| leak.id() == LEAKING).context("the planted row")?;
    let leak = format!("planted {}", leak.id());
    let mut leaks = Vec::new();
    let mut told = String::new();
    for row in probe.rows_beyond_valgrind(&Records::load(root)?)?.into_iter().chain([leak.clone()]) {
        let found = t(&probe, &row, samples)?;
        let line = format!("{row}: {} samples, t = {found:+.2}\n", samples);
        print!("{line}");
        told += &line;
        if found.abs() >= LEAK {
            leaks.push(row);
        }
    }
    if !leaks.contains(&leak) {
        bail!("the planted leak was not found");
    }
    leaks.retain(|row| *row != leak);
    if !leaks.is_empty() {
        bail!("time depends on secrets, |t| >= {LEAK}: {}", leaks.join(", "));
    }
    if is_recorded {
        let folder = root.join("bench/record").join(record::folder(None)?).join("constant-time");
        fs::create_dir_all(&folder)?;
        let origin = record::origin(root, &format!("cargo xtask timing --samples {samples} --record"))?;
        fs::write(folder.join("timing.txt"), format!("{origin}\n== result\n{told}"))?;
    }
    Ok(())
}

/// The t of a row.
fn t(probe: &Probe, row: &str, samples: usize) -> Result<f64> {
    let mut command = Command::new(&probe.path);
    command.arg("time").args(row.split(' ')).arg(samples.to_string()).env_remove("KEYLANE_KERNEL");
    let text = output(&mut command)?;
    let number = text.split_once("max t = ").and_then(|(_, behind)| behind.split(',').next());
    number.and_then(|t| t.parse().ok()).with_context(|| format!("{row}: {text}"))
}
