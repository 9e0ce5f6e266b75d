//! The command: `cargo run --release -- --help`.

use anyhow::{Result, ensure};
use clap::{Args, Parser, Subcommand};
use keylane_bench::engine::absent;
use keylane_bench::suite::{
    Plan, SUITES, Suite, against_macs, bitslice, halfsiphash_batch, maps, poly1305_batch, poly1305_one,
    poly1305_radix, siphash_batch, siphash_one, tune,
};
use keylane_bench::{compare, record, setup, table};
use std::io::stdout;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// keylane's kernels timed beside other implementations
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// SipHash, one message at a time
    SiphashOne(Measure),
    /// SipHash, many messages in one call
    SiphashBatch(Measure),
    /// HalfSipHash, many messages in one call
    HalfsiphashBatch(Measure),
    /// Every suite
    All(Measure),
    /// Bitsliced SipHash, compute and transposes apart
    Bitslice(Measure),
    /// Poly1305, one message at a time
    Poly1305One(Measure),
    /// Poly1305, many messages in one call
    Poly1305Batch(Measure),
    /// Poly1305, every kernel for one message by its base and its instructions
    Poly1305Radix(Measure),
    /// std's HashMap with keylane's hashers, std's and others
    Maps(Measure),
    /// SipHash and Poly1305 beside what a user might pick instead
    AgainstMacs(Measure),
    /// Measure kernel/thresholds.rs: from which length on each way to compute pays on this CPU
    Tune(Tune),
    /// Tell whether two records differ by more than their spread; exit code 1 if they do
    Compare {
        /// The first: a directory of a record, or one of its files
        a: PathBuf,
        /// The second
        b: PathBuf,
        /// How many percent medians must be apart
        #[arg(long, value_name = "PERCENT", default_value_t = 5.0)]
        least: f64,
    },
    /// Say what the absent engines need
    Setup {
        /// Install it with apt-get
        #[arg(long)]
        install: bool,
    },
}

#[derive(Args)]
struct Tune {
    /// Few samples
    #[arg(long)]
    quick: bool,

    /// Only the ways whose names contain TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Write the figures and their circumstances into DIR
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
}

#[derive(Args)]
struct Measure {
    /// Few samples, few lengths, no data out of the cache: for a look, not for a record
    #[arg(long)]
    quick: bool,

    /// Only the tables whose title contains TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Write the figures and their circumstances into DIR
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    match run() {
        // Whoever reads the tables, as head does, has seen enough.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        result => result,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<std::io::Error>();
    error.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn run() -> Result<ExitCode> {
    match Cli::parse().command {
        Command::Compare { a, b, least } => return compare_records(&a, &b, least),
        Command::SiphashOne(arguments) => measure("siphash-one", siphash_one, arguments),
        Command::SiphashBatch(arguments) => measure("siphash-batch", siphash_batch, arguments),
        Command::HalfsiphashBatch(arguments) => measure("halfsiphash-batch", halfsiphash_batch, arguments),
        Command::All(arguments) => measure_all(&SUITES, arguments),
        Command::Bitslice(arguments) => measure("bitslice", bitslice, arguments),
        Command::Poly1305One(arguments) => measure("poly1305-one", poly1305_one, arguments),
        Command::Poly1305Batch(arguments) => measure("poly1305-batch", poly1305_batch, arguments),
        Command::Poly1305Radix(arguments) => measure("poly1305-radix", poly1305_radix, arguments),
        Command::Maps(arguments) => measure("maps", maps, arguments),
        Command::AgainstMacs(arguments) => measure("against-macs", against_macs, arguments),
        Command::Tune(arguments) => measure_ways(arguments),
        Command::Setup { install } => set_up(install),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Runs a suite, printing each table as it comes.
fn measure(name: &str, suite: Suite, arguments: Measure) -> Result<()> {
    measure_all(&[(name, suite)], arguments)
}

/// Runs suites, printing each table as it comes.
fn measure_all(suites: &[(&str, Suite)], arguments: Measure) -> Result<()> {
    let plan = plan(arguments.quick, arguments.only)?;
    let absent = absent();
    let mut all = Vec::new();
    for (name, suite) in suites {
        let mut tables = Vec::new();
        suite(&plan, &mut |table| {
            table::print(&mut stdout().lock(), &table, &absent, plan.samples)?;
            tables.push(table);
            Ok(())
        })?;
        if let Some(directory) = arguments.record.as_deref().filter(|_| !tables.is_empty()) {
            record::write(directory, name, &tables)?;
        }
        all.append(&mut tables);
    }
    ensure!(!all.is_empty(), "no title of a table contains that text");
    table::print_end(&mut stdout().lock(), &all)
}

/// Measures the ways to compute, printing what each gives as it comes.
fn measure_ways(arguments: Tune) -> Result<()> {
    let tables = tune(&plan(arguments.quick, arguments.only)?, &mut stdout().lock())?;
    if let Some(directory) = arguments.record.as_deref() {
        record::write(directory, "tune", &tables)?;
    }
    Ok(())
}

/// What was asked for, if this program can be trusted with it.
fn plan(quick: bool, only: Option<String>) -> Result<Plan> {
    ensure!(!cfg!(debug_assertions), "this is not a release build: its figures would mean nothing");
    ensure!(cfg!(inline_all), "built without inline-all: start cargo in the directory bench");
    keylane::kernels::environment()?;
    let plan = if quick { Plan::quick() } else { Plan::full() };
    Ok(Plan { only, ..plan })
}

fn compare_records(a: &Path, b: &Path, least: f64) -> Result<ExitCode> {
    let found = compare::compare(&compare::read(a)?, &compare::read(b)?, least / 100.0);
    ensure!(found.compared > 0, "the two records have no cell in common");
    compare::print(&mut stdout().lock(), &found)?;
    Ok(if found.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn set_up(install: bool) -> Result<()> {
    let packages = setup::packages();
    if packages.is_empty() {
        println!("Every engine is here.");
    } else if install {
        setup::install(&packages)?;
        println!("The next cargo run builds the engines that were absent.");
    } else {
        println!("apt-get update && apt-get install --no-install-recommends {}", packages.join(" "));
    }
    Ok(())
}
