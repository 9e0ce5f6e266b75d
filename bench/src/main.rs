//! The command: `cargo run --release -- --help`.

use anyhow::{Context, Result, ensure};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use keylane_bench::engine::{absent, restore};
use keylane_bench::record::{Filing, Noises};
#[cfg(feature = "internals")]
use keylane_bench::suite::tune;
use keylane_bench::suite::{Plan, SUITES, Suite};
use keylane_bench::{compare, pair, setup, table, turns};
use keylane_measure::canary::Canary;
use std::cell::RefCell;
use std::io::stdout;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

/// Times keylane's kernels and other implementations
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Every suite
    All(Measure),
    /// Measure the thresholds of job/limits.rs: the length where each method beats the previous one on
    /// this CPU
    #[cfg(feature = "internals")]
    Tune(Measure),
    /// Tell whether two records differ by more than their spread and A/A; exit code 1 if quiet ones do
    Compare {
        /// The first record: its directory, or one of its files
        a: PathBuf,
        /// The second record
        b: PathBuf,
        /// The smallest difference of medians that counts, in percent
        #[arg(long, value_name = "PERCENT", default_value_t = 5.0)]
        least: f64,
    },
    /// Measure another commit's kernels beside these: the ratios of both programs' times, sampled in turns
    Pair {
        /// The other commit. This bench must compile with its crates
        commit: String,
        #[command(flatten)]
        cells: Cells,
    },
    /// Measure cells when it is this process's turn
    #[command(hide = true)]
    Serve(Cells),
    /// Print the packages that the absent engines need
    Setup {
        /// Install them with apt-get
        #[arg(long)]
        install: bool,
    },
}

#[derive(Args)]
struct Measure {
    /// Few samples, few lengths, no data beyond the caches: for a first look, not for a record
    #[arg(long)]
    quick: bool,

    /// Measure only tables whose title contains TEXT; with tune, methods whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Write the figures and how they were measured into DIR
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,

    /// The same of sources that are not committed: for a look
    #[arg(long, value_name = "DIR", conflicts_with = "record")]
    draft: Option<PathBuf>,
}

impl Measure {
    /// Where the figures go, if anywhere. Ask for it before minutes are spent.
    fn filing(&self) -> Result<Option<Filing>> {
        let record = self.record.clone().map(Filing::new).transpose()?;
        Ok(record.or(self.draft.clone().map(Filing::draft)))
    }
}

/// The cells of `pair`.
#[derive(Args)]
struct Cells {
    /// Suites; without any, those of batches and of single messages
    suites: Vec<String>,

    /// Measure only tables whose title contains TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Few samples, few lengths, no data beyond the caches
    #[arg(long)]
    quick: bool,
}

/// What `pair` measures if no suite is named.
const PAIRED: &[&str] = &[
    "siphash-one",
    "siphash-batch",
    "halfsiphash-batch",
    "poly1305-one",
    "poly1305-batch",
    #[cfg(feature = "aead")]
    "aead-one",
    #[cfg(feature = "aead")]
    "aead-many",
    "against-loop",
];

impl Cells {
    fn suites(&self) -> Result<Vec<&'static Suite>> {
        let names = self.suites.iter().map(String::as_str);
        let names: Vec<&str> = if self.suites.is_empty() { PAIRED.to_vec() } else { names.collect() };
        let suite = |name: &&str| SUITES.iter().find(|suite| suite.name == *name);
        names.iter().map(|name| suite(name).with_context(|| format!("no suite {name:?}"))).collect()
    }

    /// The same as arguments of another process.
    fn arguments(&self) -> Vec<String> {
        let mut arguments = self.suites.clone();
        arguments.extend(self.quick.then(|| "--quick".to_owned()));
        arguments.extend(self.only.iter().map(|only| format!("--only={only}")));
        arguments
    }
}

fn main() -> Result<ExitCode> {
    match run() {
        // The reader of the tables, such as head, needs no more.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        result => result,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<std::io::Error>();
    error.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn run() -> Result<ExitCode> {
    let mut command = Cli::command();
    for suite in SUITES {
        command =
            command.subcommand(Measure::augment_args(clap::Command::new(suite.name).about(suite.about)));
    }
    let matches = command.get_matches();
    let named = matches.subcommand().and_then(|(name, arguments)| {
        Some((SUITES.iter().find(|suite| suite.name == name)?, Measure::from_arg_matches(arguments)))
    });
    if let Some((suite, arguments)) = named {
        measure(std::slice::from_ref(suite), arguments?)?;
        return Ok(ExitCode::SUCCESS);
    }
    match Cli::from_arg_matches(&matches)?.command {
        Command::All(arguments) => measure(SUITES, arguments),
        Command::Compare { a, b, least } => return compare_records(&a, &b, least),
        #[cfg(feature = "internals")]
        Command::Tune(arguments) => measure_methods(arguments),
        Command::Pair { commit, cells } => measure_pair(&commit, &cells),
        Command::Serve(cells) => serve(&cells),
        Command::Setup { install } => set_up(install),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Runs suites and prints each table when it is complete.
fn measure(suites: &[Suite], arguments: Measure) -> Result<()> {
    let filing = arguments.filing()?;
    let plan = plan(arguments.quick, arguments.only)?;
    let absent = absent();
    let mut measured = 0;
    let mut judged = Vec::new();
    for suite in suites {
        let mut tables = Vec::new();
        restore();
        (suite.run)(&plan, &mut |table| {
            table::print(&mut stdout().lock(), &table, &absent, plan.samples)?;
            tables.push(table);
            Ok(())
        })?;
        if tables.is_empty() {
            continue;
        }
        let noises = Noises::of(&tables, plan.end_suite());
        if let Some(filing) = &filing {
            filing.write(suite.name, &tables, &noises)?;
        }
        table::print_noise(&mut stdout().lock(), suite.name, &noises)?;
        measured += tables.len();
        if !noises.is_noisy() {
            judged.append(&mut tables);
        }
    }
    ensure!(measured > 0, "no title of a table contains that text");
    Ok(table::print_end(&mut stdout().lock(), &judged)?)
}

/// Measures the methods and prints the results of each when it is complete.
#[cfg(feature = "internals")]
fn measure_methods(arguments: Measure) -> Result<()> {
    let filing = arguments.filing()?;
    let plan = plan(arguments.quick, arguments.only)?;
    let tables = tune(&plan, &mut stdout().lock())?;
    let noises = Noises::of(&tables, plan.end_suite());
    if let Some(filing) = filing {
        filing.write("tune", &tables, &noises)?;
    }
    Ok(table::print_noise(&mut stdout().lock(), "tune", &noises)?)
}

/// Measures another commit's kernels beside these.
fn measure_pair(commit: &str, cells: &Cells) -> Result<()> {
    // Names are checked before anything is built.
    cells.suites()?;
    let plan = plan(cells.quick, None)?;
    let [new, old] = pair::build::programs(commit)?;
    pair::run([&new, &old], &cells.arguments(), plan.samples, &mut stdout().lock())
}

/// Measures cells whenever it is this process's turn.
fn serve(cells: &Cells) -> Result<()> {
    let plan = plan(cells.quick, cells.only.clone())?;
    turns::serve();
    for suite in cells.suites()? {
        restore();
        (suite.run)(&plan, &mut |table| Ok(turns::end_table(&table)?))?;
    }
    Ok(turns::end()?)
}

/// The plan for these arguments, if this program can be trusted to measure.
fn plan(quick: bool, only: Option<String>) -> Result<Plan> {
    ensure!(!cfg!(debug_assertions), "this is not a release build: its figures would mean nothing");
    ensure!(cfg!(inline_all), "built without inline-all: start cargo in the directory bench");
    keylane::kernels::environment()?;
    let plan = if quick { Plan::quick() } else { Plan::full() };
    let canary = if quick { Canary::here().impatient() } else { Canary::here() };
    Ok(Plan { only, canary: Rc::new(RefCell::new(canary)), ..plan })
}

fn compare_records(a: &Path, b: &Path, least: f64) -> Result<ExitCode> {
    ensure!(least.is_finite() && least >= 0.0, "--least {least}: not a percentage");
    let found = compare::compare(&compare::read(a)?, &compare::read(b)?, least / 100.0);
    ensure!(found.compared > 0, "the two records have no cell in common");
    compare::print(&mut stdout().lock(), &found)?;
    let differs = !found.differences.is_empty() && !found.is_noisy;
    Ok(if differs { ExitCode::from(1) } else { ExitCode::SUCCESS })
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
