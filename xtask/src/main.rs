//! keylane's own chores: `cargo xtask --help`.

mod codegen;
mod constant_time;
mod cross;
mod demo;
mod faulty;
mod fuzz;
mod install;
mod listing;
mod manual;
mod marks;
mod model;
mod mutants;
mod no_panic;
mod plant;
mod prove;
mod record;
mod sanitize;
mod steps;
mod structure;
mod tables;
mod timing;
mod tune;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Parser)]
#[command(about = "keylane's own chores")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Build the command, hash this repository's files under a fresh key and verify them
    Demo,
    /// Check that the floors are floors and that every kernel file has its row
    Structure,
    /// Check what the compiler has made of every kernel, in the default release build
    Codegen,
    /// Follow secrets through every kernel and call that valgrind can run: none may decide a branch or an address
    Taint,
    /// Compare every step of the kernels that valgrind cannot run, with different secrets
    Steps,
    /// Test by the clock whether the kernels that valgrind cannot run take another time for other secrets
    Timing {
        /// Samples a kernel
        #[arg(long, default_value_t = 20_000)]
        samples: usize,
        /// Write what was found to bench/record
        #[arg(long)]
        record: bool,
    },
    /// Check that no public call can panic, by what the linker leaves in a library of them
    NoPanic,
    /// Run the conformance suite with AddressSanitizer, and many threads at once with ThreadSanitizer
    Sanitize,
    /// Model every kernel's cycles on cores that are not at hand (docs/research/MODEL.md)
    Model(model::Options),
    /// Build the C library and install it: header, libraries, pkg-config, CMake, manual page
    Install(install::Options),
    /// Write the command's manual pages and shell completions
    Manual {
        /// The folder to write to
        #[arg(default_value = "target/manual")]
        folder: PathBuf,
    },
    /// Run the conformance suite for other architectures, under emulation, and print row by target
    Cross(cross::Options),
    /// Plant defects into the kernels that run here, one at a time each, which the suite must find; mutants.csv
    Mutants(mutants::Options),
    /// Plant wrong kernels into the command, which must pass over them and say so
    Faulty,
    /// Build the fuzz targets with a nightly compiler and run them (docs/SOUNDNESS.md)
    Fuzz(fuzz::Options),
    /// Run every test, here and for every other architecture, and record what was proven in proven.csv
    Prove,
    /// Measure every suite of bench/ beside every peer, record it, and write the docs' tables from it
    Record(record::Options),
    /// Write the tables of README.md and docs/ from the newest records
    Tables {
        /// Write nothing; fail if a page differs from what the records say
        #[arg(long)]
        check: bool,
    },
    /// Measure on this CPU from which lengths on each way to compute pays (kernel/thresholds.rs)
    Tune {
        /// For the bench: --quick, --only TEXT, --record DIR
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask stands in the repository")?;
    match Cli::parse().chore {
        Chore::Demo => demo::demo(root),
        Chore::Record(options) => record::record(root, &options),
        Chore::Tables { check } => tables::tables(root, check),
        Chore::Structure => structure::structure(root),
        Chore::Codegen => codegen::codegen(root),
        Chore::Taint => taint(root),
        Chore::Steps => steps::steps(root),
        Chore::Timing { samples, record } => timing::timing(root, samples, record),
        Chore::NoPanic => no_panic::no_panic(root),
        Chore::Sanitize => sanitize::sanitize(root),
        Chore::Model(options) => model::model(root, &options),
        Chore::Install(options) => install::install(root, &options),
        Chore::Manual { folder } => manual::manual(&root.join(folder)),
        Chore::Cross(options) => cross::cross(root, &options),
        Chore::Mutants(options) => mutants::mutants(root, &options),
        Chore::Faulty => faulty::faulty(root),
        Chore::Fuzz(options) => fuzz::fuzz(root, &options),
        Chore::Prove => prove::prove(root),
        Chore::Tune { arguments } => tune::tune(root, &arguments),
    }
}

/// Runs tests/tests/taint.rs, which without valgrind fails here.
fn taint(root: &Path) -> Result<()> {
    let test = ["test", "--release", "--package", "keylane-conformance", "--test", "taint"];
    run(root, Command::new("cargo").args(test).env("CI", "true"))
}

/// Prints a command as one would type it, runs it in `root`, and fails if it does.
fn run(root: &Path, command: &mut Command) -> Result<()> {
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
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| name.clone())?;
    if !output.status.success() {
        bail!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
