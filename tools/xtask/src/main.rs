//! The commands for developers: `cargo xtask --help`.

use anyhow::{Context, Result};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::path::Path;
use std::process::{self, Command};
use xtask::{WORKSHOP, demo, duckdb, glibc, install, passed, prior, structure, tables};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "keylane's commands for developers",
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Build the command, hash this repository's files under a fresh key and verify them
    Demo,
    /// Build the extension for DuckDB
    Duckdb(duckdb::Options),
    /// Check the layers, the places of `unsafe`, and that every kernel file has its row
    Structure,
    /// Check that every row has passed with its files as they are; before a release
    Passed,
    /// Check that a shared library needs no newer glibc than docs/INSTALL.md says
    Glibc(glibc::Options),
    /// Build the C library and install it: header, libraries, pkg-config, CMake, manual page
    Install(install::Options),
    /// Measure again what a piece of prior work measured, beside its figures and the newest records
    Prior(prior::Options),
    /// Write the tables of README.md and docs/ from the newest records
    Tables {
        /// Write nothing; fail if a page differs from the records
        #[arg(long)]
        check: bool,
    },
}

fn main() -> Result<()> {
    // From the environment: two clones that share a target folder share the program.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").context("run it by cargo xtask")?;
    let root = Path::new(&package).ancestors().nth(2).context("xtask stands in the repository")?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|name| WORKSHOP.iter().any(|(heavy, _)| name == heavy)) {
        workshop(root, &arguments)?;
    }
    match Cli::from_arg_matches(&Cli::command().after_help(heavy()).get_matches())?.chore {
        Chore::Demo => demo::demo(root),
        Chore::Duckdb(options) => duckdb::duckdb(root, &options),
        Chore::Structure => structure::structure(root),
        Chore::Passed => passed::passed(root),
        Chore::Glibc(options) => glibc::glibc(root, &options),
        Chore::Install(options) => install::install(root, &options),
        Chore::Prior(options) => prior::prior(root, &options),
        Chore::Tables { check } => tables::tables(root, check),
    }
}

/// The help for the commands of the workshop.
fn heavy() -> String {
    let lines = WORKSHOP.iter().map(|(name, about)| format!("  {name:<9}  {about}\n"));
    format!("Commands of the workshop, which xtask builds first (minutes):\n{}", lines.collect::<String>())
}

/// Builds the workshop, runs one of its commands, and exits with its status. Without `--package`, Cargo takes the
/// features of the whole workspace: what its tests have built serves here too.
fn workshop(root: &Path, arguments: &[OsString]) -> Result<()> {
    let run = ["run", "--quiet", "--release", "--bin", "keylane-workshop", "--"];
    let status =
        Command::new("cargo").args(run).args(arguments).current_dir(root).status().context("cargo")?;
    process::exit(status.code().unwrap_or(1))
}
