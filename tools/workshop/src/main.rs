//! The heavy half of `cargo xtask`: the commands that measure, model, emulate, fuzz and record.

mod aarch64;
mod codegen;
mod constant_time;
mod cross;
mod dist;
mod faulty;
mod fuzz;
mod listing;
mod manual;
mod marks;
mod miri;
mod model;
mod mutants;
mod no_panic;
mod plant;
mod record;
mod sanitize;
mod steps;
mod test_all;
mod timing;
mod tune;
mod workload;

use anyhow::{Context, Result};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::{WORKSHOP, output, run};

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

// `WORKSHOP` has the help text of each.
#[derive(Subcommand)]
enum Chore {
    Codegen {
        /// The instruction set
        #[arg(long, value_enum, default_value = "x86_64")]
        target: listing::Isa,
        /// Only the comparisons of tags, on 32-bit CPUs and others
        #[arg(long, conflicts_with = "target")]
        verify: bool,
    },
    Taint,
    Steps,
    Timing {
        /// Samples a kernel
        #[arg(long, default_value_t = 20_000)]
        samples: usize,
        /// Write the result to bench/record
        #[arg(long)]
        record: bool,
    },
    NoPanic,
    Sanitize {
        /// Record the run in docs/SOUNDNESS.md
        #[arg(long)]
        record: bool,
    },
    Miri {
        /// Record the run in docs/SOUNDNESS.md
        #[arg(long)]
        record: bool,
    },
    Model(model::Options),
    Dist(dist::Options),
    Manual {
        /// The folder to write to
        #[arg(default_value = "target/manual")]
        folder: PathBuf,
    },
    Cross(cross::Options),
    Mutants(mutants::Options),
    Faulty,
    Fuzz(fuzz::Options),
    TestAll,
    Record(record::Options),
    Tune {
        /// For the bench: --quick, --only TEXT, --record DIR
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> Result<()> {
    // From the environment: two clones that share a target folder share the program.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").context("run it by cargo xtask")?;
    let root = Path::new(&package).ancestors().nth(2).context("xtask stands in the repository")?;
    match Cli::from_arg_matches(&command().get_matches())?.chore {
        Chore::Record(options) => record::record(root, &options),
        Chore::Codegen { verify: true, .. } => codegen::verify(root),
        Chore::Codegen { target, .. } => codegen::codegen(root, target),
        Chore::Taint => taint(root),
        Chore::Steps => steps::steps(root),
        Chore::Timing { samples, record } => timing::timing(root, samples, record),
        Chore::NoPanic => no_panic::no_panic(root),
        Chore::Sanitize { record } => sanitize::sanitize(root, record),
        Chore::Miri { record } => miri::miri(root, record),
        Chore::Model(options) => model::model(root, &options),
        Chore::Dist(options) => dist::dist(root, &options),
        Chore::Manual { folder } => manual::manual(&root.join(folder)),
        Chore::Cross(options) => cross::cross(root, &options),
        Chore::Mutants(options) => mutants::mutants(root, &options),
        Chore::Faulty => faulty::faulty(root),
        Chore::Fuzz(options) => fuzz::fuzz(root, &options),
        Chore::TestAll => test_all::test_all(root),
        Chore::Tune { arguments } => tune::tune(root, &arguments),
    }
}

/// The commands, with their help texts from `WORKSHOP`.
fn command() -> clap::Command {
    let describe = |command: clap::Command, &(name, about): &(&'static str, &'static str)| {
        command.mut_subcommand(name, |command| command.about(about).long_about(None))
    };
    WORKSHOP.iter().fold(Cli::command(), describe)
}

/// Runs tests/conformance/tests/taint.rs. Without valgrind it fails.
fn taint(root: &Path) -> Result<()> {
    let test = ["test", "--release", "--package", "keylane-conformance", "--test", "taint"];
    run(root, Command::new("cargo").args(test).env("CI", "true"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_programs_know_the_same_commands() {
        let listed: Vec<&str> = WORKSHOP.iter().map(|(name, _)| *name).collect();
        let command = Cli::command();
        let here: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(here, listed);
    }
}
