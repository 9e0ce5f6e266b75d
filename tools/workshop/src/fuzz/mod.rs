//! The fuzz targets: built by cargo-fuzz, run from what is known, and told in one line each.

mod planted;

use crate::{marks, output, run};
use anyhow::{Context, Result, bail};
use keylane_fuzz::{TARGETS, corpus};
use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package of the targets, their corpus and what they find.
const PACKAGE: &str = "tests/fuzz-targets";

/// The message where fuzzing is not possible.
const NEEDED: &str = "fuzzing needs a nightly compiler (rustup toolchain install nightly) and cargo-fuzz \
     (cargo install cargo-fuzz --locked)";

/// What to do.
#[derive(clap::Args)]
pub struct Options {
    /// Targets; every one if none is named
    targets: Vec<String>,
    /// How long each runs
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Keep what was found beside the seeds and reaches new code, in tests/fuzz-targets/corpus
    #[arg(long)]
    keep: bool,
    /// Write what was run and what it reached to docs/SOUNDNESS.md
    #[arg(long)]
    record: bool,
    /// Plant a defect for each target into a copy of the sources, which the targets must find
    #[arg(long)]
    planted: bool,
}

impl Options {
    /// Every target for a while.
    pub const SHORT: Options =
        Options { targets: Vec::new(), seconds: 10, keep: false, record: false, planted: false };

    /// The targets that are asked for.
    fn targets(&self) -> Result<Vec<&'static str>> {
        let all = || TARGETS.iter().map(|target| target.name);
        if self.targets.is_empty() {
            return Ok(all().collect());
        }
        let known = |name: &String| {
            all().find(|known| known == name).with_context(|| {
                format!("there is no target {name}; there are {}", all().collect::<Vec<_>>().join(" "))
            })
        };
        self.targets.iter().map(known).collect()
    }
}

/// Builds and runs the targets.
pub fn fuzz(root: &Path, options: &Options) -> Result<()> {
    let targets = options.targets()?;
    output(&mut cargo_fuzz(root, &["--version"])).context(NEEDED)?;
    if options.planted {
        return planted::planted(root, &targets, options.seconds);
    }
    build(root, &targets)?;
    let mut told = Vec::new();
    for name in targets {
        let folder = unpack(root, name)?;
        let seconds = format!("-max_total_time={}", options.seconds);
        let ran = fuzz_one(root, root, name, &[folder.as_path()], &[&seconds, "-timeout=60"])?;
        println!("{ran}");
        if ran.found {
            print!("{}", ran.end());
        } else if options.keep {
            keep(root, name, &folder)?;
        }
        told.push(ran);
    }
    if options.record {
        record(root, options.seconds, &told)?;
    }
    let found: Vec<&str> = told.iter().filter(|ran| ran.found).map(|ran| ran.name).collect();
    if !found.is_empty() {
        bail!("a fault was found by {}: its input is in {PACKAGE}/artifacts", found.join(", "));
    }
    Ok(())
}

/// `cargo fuzz` of the nightly compiler.
fn cargo_fuzz(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    // These belong to the caller, which is a cargo of another toolchain.
    for variable in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC", "RUSTDOC", "CARGO_TARGET_DIR"] {
        command.env_remove(variable);
    }
    command.args(["+nightly", "fuzz"]).args(arguments).current_dir(root);
    command
}

/// The folder of what is built.
fn target_folder(root: &Path) -> String {
    root.join("target/fuzz").display().to_string()
}

/// The feature that a target needs: only `csv` is worth the minutes that Arrow takes to build.
fn features(name: &str) -> &'static [&'static str] {
    if name == "csv" { &["--features", "column"] } else { &[] }
}

/// Builds the targets: those without a feature at once if all are wanted, else one after the other.
fn build(root: &Path, targets: &[&str]) -> Result<()> {
    let folder = target_folder(root);
    let build = |names: &[&str], features: &[&str]| {
        run(
            root,
            cargo_fuzz(root, &["build", "--fuzz-dir", PACKAGE, "--target-dir", &folder])
                .args(features)
                .args(names),
        )
    };
    let all = targets.len() == TARGETS.len();
    if all {
        build(&[], &[])?;
    }
    let left = targets.iter().filter(|name| !all || !features(name).is_empty());
    left.into_iter().try_for_each(|name| build(&[name], features(name)))
}

/// Writes the seeds of a target and what is kept of it to the folder where cargo-fuzz looks for them.
fn unpack(root: &Path, name: &str) -> Result<PathBuf> {
    let folder = root.join(PACKAGE).join("corpus").join(name);
    fs::create_dir_all(&folder)?;
    for (i, seed) in known(name)?.iter().enumerate() {
        fs::write(folder.join(format!("known-{i}")), seed)?;
    }
    Ok(folder)
}

/// The seeds of a target, and what is kept of it.
fn known(name: &str) -> Result<Vec<Vec<u8>>> {
    let target = TARGETS.iter().find(|target| target.name == name).context("a target")?;
    let mut known = (target.seeds)();
    known.extend(corpus::read(name)?);
    Ok(known)
}

/// What a run of a target told.
struct Ran {
    name: &'static str,
    /// Whether it found a fault.
    found: bool,
    /// What it printed.
    log: String,
}

/// Runs a target as it was built for `source` on inputs of these folders.
fn fuzz_one(
    root: &Path,
    source: &Path,
    name: &'static str,
    folders: &[&Path],
    flags: &[&str],
) -> Result<Ran> {
    let log = root.join("target/fuzz").join(name).with_extension("log");
    let mut command =
        cargo_fuzz(source, &["run", "--fuzz-dir", PACKAGE, "--target-dir", &target_folder(root)]);
    command
        .args(features(name))
        .arg(name)
        .args(folders)
        .arg("--")
        .args(flags)
        .args(["-print_final_stats=1", "-rss_limit_mb=4096"]);
    let file = File::create(&log)?;
    let status = command.stdout(file.try_clone()?).stderr(file).status()?;
    let log = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    let ran = Ran { name, found: !status.success(), log };
    if ran.number("inline 8-bit counters").is_none() {
        bail!("{name} did not run:\n{}", ran.end());
    }
    Ok(ran)
}

impl Ran {
    /// The last lines.
    fn end(&self) -> String {
        let lines: Vec<&str> = self.log.lines().collect();
        lines[lines.len().saturating_sub(60)..].iter().map(|line| format!("    {line}\n")).collect()
    }

    /// The number before, or behind, the last occurrence of some words.
    fn number(&self, words: &str) -> Option<usize> {
        let (before, behind) = self.log.rsplit_once(words)?;
        let word = if words.ends_with(':') {
            behind.split_whitespace().next()?
        } else {
            before.trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?
        };
        word.parse().ok()
    }

    fn executions(&self) -> usize {
        self.number("stat::number_of_executed_units:").unwrap_or(0)
    }

    /// Edges of the program's graph of control flow that were reached, and that there are.
    fn edges(&self) -> [usize; 2] {
        [self.number(" cov:").unwrap_or(0), self.number("inline 8-bit counters").unwrap_or(0)]
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [reached, all] = self.edges();
        let word = if self.found { "FAULT" } else { "no fault" };
        write!(f, "{}: {word}, {} executions, {reached} of {all} edges", self.name, self.executions())
    }
}

/// Keeps the inputs of a folder that reach edges which the seeds do not.
fn keep(root: &Path, name: &'static str, folder: &Path) -> Result<()> {
    let seeds = tempfile::tempdir()?;
    let target = TARGETS.iter().find(|target| target.name == name).context("a target")?;
    let mut known = HashSet::new();
    for (i, seed) in (target.seeds)().into_iter().enumerate() {
        fs::write(seeds.path().join(i.to_string()), &seed)?;
        known.insert(seed);
    }
    let flags = ["-merge=1", "-use_counters=0", "-use_cmp=0"];
    fuzz_one(root, root, name, &[seeds.path(), folder], &flags)?;
    let mut kept = Vec::new();
    for file in fs::read_dir(seeds.path())? {
        let input = fs::read(file?.path())?;
        if !known.contains(&input) {
            kept.push(input);
        }
    }
    println!("{name}: {} inputs of {} bytes are kept", kept.len(), kept.iter().map(Vec::len).sum::<usize>());
    Ok(corpus::write(name, kept)?)
}

/// Writes down what was run.
fn record(root: &Path, seconds: u32, told: &[Ran]) -> Result<()> {
    let rows = told.iter().map(|ran| {
        let ([reached, all], word) = (ran.edges(), if ran.found { "FAULT" } else { "none" });
        format!("| `{}` | {} | {reached} of {all} | {word} |\n", ran.name, ran.executions())
    });
    let text = format!(
        "{}: {seconds} seconds for each target.\n\n\
         | target | executions | edges reached | faults |\n| --- | --- | --- | --- |\n{}",
        marks::origin(root)?,
        rows.collect::<String>(),
    );
    marks::record(&root.join("docs/SOUNDNESS.md"), "fuzzing", &text)
}
