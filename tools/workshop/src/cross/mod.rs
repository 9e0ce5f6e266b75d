//! keylane on other architectures: built here, run under emulation, compared with this machine.

mod bochs;
pub mod planted;
pub mod run;
mod table;
mod targets;
pub mod toolchain;

use anyhow::{Context, Result, bail};
use keylane_conformance::target;
use keylane_records::passed::{self, Sources};
use run::{Cell, Row, Run, Told};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;
use table::Column;
use targets::{How, TARGETS, Target};
use toolchain::{Toolchain, is_here};
use xtask::tables;

/// What to do.
#[derive(clap::Args)]
pub struct Options {
    /// Only this target, and others if it is given again. Without it all, but Bochs only on a CPU without AVX-512 or
    /// GFNI
    #[arg(long = "target", value_name = "NAME")]
    targets: Vec<String>,
    /// Write what passed to tests/passed.csv
    #[arg(long)]
    record: bool,
    /// Plant a defect into each kernel instead, which the suite must find
    #[arg(long, conflicts_with = "record")]
    planted: bool,
    /// Only the kernels and the published answers, on each target's last CPU
    #[arg(long, conflicts_with_all = ["record", "planted"])]
    brief: bool,
}

impl Options {
    /// Every target, recorded.
    pub const FULL: Options = Options { targets: Vec::new(), record: true, planted: false, brief: false };
}

/// How many threads take targets: one target's tests run while another one is built.
const WORKERS: usize = 2;

/// Builds and runs the suite for each target and prints one table.
pub fn cross(root: &Path, options: &Options) -> Result<()> {
    let targets = wanted(&options.targets)?;
    let toolchain = Toolchain::find(root)?;
    if options.planted {
        return planted::planted(root, &toolchain, &targets);
    }
    let sources = Sources::read(root);
    let is_compared = |target: &&&Target| !matches!(target.how, How::Bochs { .. });
    let here = if targets.iter().any(|target| is_compared(&target)) { here(root)? } else { Vec::new() };
    let all = run::runs(&TARGETS.iter().collect::<Vec<_>>());
    let told: Mutex<Vec<(String, Told, Result<()>)>> = Mutex::default();
    let left = Mutex::new(targets.iter());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(target) = next(&left) {
                    for run in run::runs(&[target]).into_iter().filter(|run| run.last || !options.brief) {
                        let start = Instant::now();
                        let (rows, suite) = run.go(root, &toolchain, options.brief);
                        let passed = passed(&rows);
                        // The tests of `keylane`, the command, take longer than the suite and run no row.
                        if options.record && suite.is_ok() && !passed.is_empty() {
                            let _alone = lock(&told);
                            passed::record(root, &sources, run.target.name, &run.cpu(), &passed);
                        }
                        let result = suite.and_then(|()| {
                            if options.brief { Ok(()) } else { run.command(root, &toolchain) }
                        });
                        let word = if result.is_ok() { "good" } else { "FAILED" };
                        println!("{}: {word}, {} s", run.name(), start.elapsed().as_secs());
                        lock(&told).push((run.name(), rows, result));
                    }
                }
            });
        }
    });
    let told = told.into_inner().unwrap_or_default();
    let find = |run: &Run| told.iter().find(|(name, ..)| *name == run.name());

    println!();
    let architecture = target::NAME.split('-').next().unwrap_or_default();
    let heads = [architecture.into(), String::new()];
    let host = Column { heads, target: target::NAME, cpu: None, told: None };
    let runs = all.iter().filter(|run| !matches!(run.target.how, How::Compiles { .. }));
    let columns = runs.map(|run| Column::new(run, find(run).map(|(_, told, _)| told)));
    table::print(root, &std::iter::once(host).chain(columns).collect::<Vec<_>>());

    let mut faults = Vec::new();
    for run in &all {
        let Some((name, told, result)) = find(run) else { continue };
        if let Err(error) = result {
            faults.push(format!("{name}: {error}"));
        }
        match run.target.how {
            How::Compiles { build, .. } if result.is_ok() => {
                println!("{name}: {}", if build { "builds" } else { "is checked by the compiler" });
            }
            How::Compiles { .. } => (),
            How::Bochs { .. } => (),
            _ if told.fingerprints == here => println!("{name}: every fingerprint is that of this machine"),
            _ => faults.push(format!("{name}: {:?}, here {here:?}", told.fingerprints)),
        }
    }
    here.iter().for_each(|line| println!("fingerprint {line}"));
    for fault in &faults {
        eprintln!("{fault}");
    }
    if options.record {
        tables::tables(root, false)?;
    }
    if !faults.is_empty() {
        bail!("{} of {} runs failed", faults.len(), told.len());
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn next<T>(list: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    lock(list).next()
}

/// The rows that passed.
fn passed(told: &Told) -> Vec<Row> {
    let passed = told.rows.iter().filter(|(_, cell)| matches!(cell, Cell::Passed(_)));
    passed.map(|(row, _)| row.clone()).collect()
}

/// The targets of these names, or all; an error if a program that they need is not here.
fn wanted(names: &[String]) -> Result<Vec<&'static Target>> {
    let known = TARGETS.map(|target| target.name);
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("there is no target {name}; the targets are {}", known.join(" "));
    }
    let is_default = |target: &Target| !matches!(target.how, How::Bochs { .. }) || lacks_features();
    let wanted = |target: &&Target| match names {
        [] => is_default(target),
        _ => names.iter().any(|name| name == target.name),
    };
    let targets: Vec<&'static Target> = TARGETS.iter().filter(wanted).collect();
    let is_bochs = |target: &&Target| matches!(target.how, How::Bochs { .. });
    if targets.iter().copied().any(|target| is_bochs(&target))
        && !target::NAME.starts_with("x86_64-unknown-linux")
    {
        bail!("Bochs runs what is built for this machine, which is not x86-64 with Linux");
    }
    let lacking = targets.iter().filter(|target| match target.how {
        How::Qemu { emulator, debian, .. } => {
            !is_here(emulator)
                || !is_here(&format!("{debian}-gcc"))
                || !Path::new("/usr").join(debian).join("include").is_dir()
        }
        How::Node { .. } => !is_here("node") || !is_here("rust-lld"),
        How::Bochs { .. } => !bochs::is_complete(),
        How::Compiles { .. } => false,
    });
    let packages: BTreeSet<&str> = lacking.flat_map(|target| target.packages).copied().collect();
    if !packages.is_empty() {
        let packages: Vec<&str> = packages.into_iter().collect();
        bail!("programs are missing; apt-get install -y {}", packages.join(" "));
    }
    Ok(targets)
}

/// Whether this is an x86-64 machine, for which programs are built, whose CPU lacks AVX-512 or GFNI. A CPU with the
/// newest part of AVX-512 that a kernel requires has the others.
fn lacks_features() -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    return !(std::arch::is_x86_feature_detected!("avx512vbmi2")
        && std::arch::is_x86_feature_detected!("gfni"));
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    return false;
}

/// The fingerprints of this machine.
fn here(root: &Path) -> Result<Vec<String>> {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--quiet", "--release", "--package", "keylane-conformance", "--test", "fingerprint"]);
    let output = cargo.current_dir(root).output().context("cargo test")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = run::told(&text).fingerprints;
    if !output.status.success() || lines.is_empty() {
        bail!("no fingerprints of this machine:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(lines)
}
