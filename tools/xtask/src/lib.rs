//! The light half of `cargo xtask`: the commands for a first visit and for quick CI. It depends on no crate with kernels,
//! so it builds in seconds. The heavy half is `tools/workshop`, which uses this one.

pub mod archive;
pub mod checks;
pub mod demo;
pub mod duckdb;
pub mod glibc;
pub mod install;
pub mod passed;
pub mod prior;
pub mod structure;
pub mod tables;

use anyhow::{Context, Result, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The commands of the workshop: the name, and a line for the help. Both programs read this list.
pub const WORKSHOP: [(&str, &str); 17] = [
    ("codegen", "Check the machine code of every kernel in the default release build"),
    (
        "taint",
        "Follow secrets through every kernel that valgrind can run: none may decide a branch or an address",
    ),
    ("steps", "Compare every step of the kernels that valgrind cannot run, with different secrets"),
    ("timing", "Time the kernels that valgrind cannot run, with different secrets"),
    ("no-panic", "Check that no public call can panic: the linker must leave out the panic handler"),
    ("sanitize", "Run the conformance suite with AddressSanitizer, and many threads with ThreadSanitizer"),
    ("miri", "Interpret the rows that Miri knows: every access, checked by the rules of the language"),
    ("model", "Model every kernel's cycles on cores that are not available (docs/research/MODEL.md)"),
    (
        "dist",
        "Make what a release has, in target/dist: archives, packages, licences, sums (docs/RELEASING.md)",
    ),
    ("manual", "Write the command's manual pages and shell completions"),
    ("cross", "Run the conformance suite for other architectures under emulation"),
    ("mutants", "Plant defects into the kernels that run here; the suite must find each (tests/mutants.csv)"),
    ("faulty", "Plant wrong kernels into the command; it must pass over them and report them"),
    ("fuzz", "Build the fuzz targets with a nightly compiler and run them (docs/SOUNDNESS.md)"),
    (
        "test-all",
        "Run every test for every architecture, and record each row that passed in tests/passed.csv",
    ),
    ("record", "Measure every suite of bench/ beside every peer, and write the docs' tables from the record"),
    ("tune", "Measure the length at which each method starts to pay on this CPU (job/limits.rs)"),
];

/// Prints a command as a user would type it, runs it in `root`, and fails if the command fails.
pub fn run(root: &Path, command: &mut Command) -> Result<()> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    println!("$ {line}");
    let status = command.current_dir(root).status().with_context(|| line.clone())?;
    ensure!(status.success(), "{line}: {status}");
    Ok(())
}

/// The folder of what cargo builds under a profile. This program's is beside it.
pub fn built(profile: &str) -> Result<PathBuf> {
    let program = env::current_exe()?;
    let target = program.parent().and_then(Path::parent).context("a program in a target folder")?;
    Ok(target.join(profile))
}

/// Says that a check does not run, because what it needs is absent. With `CI=true` that is an error.
pub fn not_run(check: &str, why: &str) -> Result<()> {
    ensure!(env::var("CI").as_deref() != Ok("true"), "not run: {check}: {why}");
    println!("not run: {check}: {why}");
    Ok(())
}

/// The standard output of a program. Fails if the program fails.
pub fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| name.clone())?;
    ensure!(
        output.status.success(),
        "{name}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}
