//! The light half of `cargo xtask`: what a first visit and quick CI need. It names no crate that has kernels, so that
//! it is built in seconds. The heavy half is `workshop/`, which uses this.

pub mod demo;
pub mod install;
pub mod proofs;
pub mod structure;
pub mod tables;

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// The commands of the workshop: the name, and a line for the help. Both programs read this list.
pub const WORKSHOP: [(&str, &str); 15] = [
    ("codegen", "Check what the compiler has made of every kernel, in the default release build"),
    (
        "taint",
        "Follow secrets through every kernel and call that valgrind can run: none may decide a branch or an address",
    ),
    ("steps", "Compare every step of the kernels that valgrind cannot run, with different secrets"),
    (
        "timing",
        "Test by the clock whether the kernels that valgrind cannot run take another time for other secrets",
    ),
    ("no-panic", "Check that no public call can panic, by what the linker leaves in a library of them"),
    (
        "sanitize",
        "Run the conformance suite with AddressSanitizer, and many threads at once with ThreadSanitizer",
    ),
    ("model", "Model every kernel's cycles on cores that are not at hand (docs/research/MODEL.md)"),
    ("manual", "Write the command's manual pages and shell completions"),
    ("cross", "Run the conformance suite for other architectures, under emulation, and print row by target"),
    (
        "mutants",
        "Plant defects into the kernels that run here, one at a time each, which the suite must find; mutants.csv",
    ),
    ("faulty", "Plant wrong kernels into the command, which must pass over them and say so"),
    ("fuzz", "Build the fuzz targets with a nightly compiler and run them (docs/SOUNDNESS.md)"),
    (
        "prove",
        "Run every test, here and for every other architecture, and record what was proven in proven.csv",
    ),
    (
        "record",
        "Measure every suite of bench/ beside every peer, record it, and write the docs' tables from it",
    ),
    ("tune", "Measure on this CPU from which lengths on each way to compute pays (job/thresholds.rs)"),
];
/// Prints a command as one would type it, runs it in `root`, and fails if it does.
pub fn run(root: &Path, command: &mut Command) -> Result<()> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    println!("$ {line}");
    let status = command.current_dir(root).status().with_context(|| line.clone())?;
    if !status.success() {
        bail!("{line}: {status}");
    }
    Ok(())
}

/// What a program prints.
pub fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| name.clone())?;
    if !output.status.success() {
        bail!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
