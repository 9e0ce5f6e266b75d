//! Walks the tables of keylane and of the lab. It checks every row that can run here and names every other
//! one.
//!
//! `cargo test -p keylane-conformance --test rows` prints a line for each row and, at the end, how many
//! passed. Arguments after `--`:
//!
//! * `--record` writes the rows that passed to `tests/passed.csv`; `--cpu NAME` gives the CPU they ran on, if it
//!   is not this machine's;
//! * `--kernel NAME` walks only over the rows of one kernel;
//! * `--brief` checks what a slow emulator can check ([`Extent::Brief`]).
//!
//! A row that cannot run here is *stale* if its files differ from those that passed elsewhere. It is named and does
//! not fail: `cargo xtask passed` fails on it, before a release.

use keylane_conformance::rows::Extent;
use keylane_conformance::target;
use keylane_conformance::walk::{Found, Outcome, walk};
use keylane_records::passed::{self, Pass, Sources, Standing};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    if let Err(error) = keylane::kernels::environment() {
        eprintln!("KEYLANE_KERNEL: {error}");
        return ExitCode::from(2);
    }
    let arguments: Vec<String> = env::args().collect();
    let behind = |option: &str| {
        let place = arguments.iter().position(|argument| argument == option)?;
        Some(arguments.get(place + 1).unwrap_or_else(|| panic!("{option} has a value")).clone())
    };
    let kernel = behind("--kernel");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let record = has("--record");
    assert!(!(record && has("--brief")), "a brief walk is not recorded");
    let passes = passed::load(root);
    // A machine that is emulated as a whole has the program alone.
    let sources = root.join("crates").is_dir().then(|| Sources::read(root));
    let mut rows = Rows { sources, passes, seen: Vec::new(), ran: Vec::new(), failed: 0, stale: 0 };
    let extent = if has("--brief") { Extent::Brief } else { Extent::Whole };
    walk(kernel.as_deref(), extent, &mut |found| rows.tell(found));
    if kernel.is_none() {
        rows.of_other_builds();
    }
    if record {
        let sources = rows.sources.as_ref().expect("the sources, to record their digests");
        passed::record(root, sources, target::NAME, &behind("--cpu").unwrap_or_else(cpu), &rows.ran);
        println!(
            "tests/passed.csv: {} rows recorded; `cargo xtask tables` shows them in docs/PASSED.md",
            rows.ran.len()
        );
    }
    if let (Some(kernel), true) = (&kernel, rows.seen.is_empty()) {
        println!(
            "{kernel}: no row of this build; `cargo xtask passed` names the rows of other architectures"
        );
    }
    println!("rows: {} passed, {} failed, {} stale", rows.ran.len(), rows.failed, rows.stale);
    if rows.failed == 0 && !rows.seen.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Rows {
    sources: Option<Sources>,
    passes: Vec<Pass>,
    /// The slots and kernels of the table of this build.
    seen: Vec<(&'static str, &'static str)>,
    ran: Vec<(String, String)>,
    failed: usize,
    stale: usize,
}

impl Rows {
    fn tell(&mut self, found: Found) {
        self.seen.push((found.slot, found.kernel));
        match &found.outcome {
            Outcome::Passed(_) => {
                println!("{found}");
                self.ran.push((found.slot.into(), found.kernel.into()));
            }
            Outcome::Failed(_) => {
                println!("{found}");
                self.failed += 1;
            }
            Outcome::Missing(features) => {
                self.not_run(found.slot, found.kernel, &format!("missing {}", features.join(" ")));
            }
        }
    }

    /// Names the rows that passed once but are not in this build: those of other architectures.
    fn of_other_builds(&mut self) {
        let here = |pass: &Pass| self.seen.iter().any(|(slot, kernel)| pass.is_of(slot, kernel));
        let elsewhere = self.passes.iter().filter(|pass| !here(pass));
        let mut rows: Vec<(String, String)> =
            elsewhere.map(|pass| (pass.slot.clone(), pass.kernel.clone())).collect();
        rows.dedup();
        for (slot, kernel) in rows {
            self.not_run(&slot, &kernel, "not in this build");
        }
    }

    /// Names a row that cannot run here, and how to run it if its files have changed.
    fn not_run(&mut self, slot: &str, kernel: &str, why: &str) {
        let digest = self.sources.as_ref().and_then(|sources| sources.digest(kernel)).unwrap_or_default();
        let passes = self.passes.iter().filter(|pass| pass.is_of(slot, kernel));
        let standing = Standing::new(passes, &digest);
        let not_run = format!("not run here: {why}; {standing}");
        match standing {
            Standing::Passed(_) => println!("{slot} {kernel} {not_run}"),
            Standing::Never => println!("{slot} {kernel} NEVER PASSED: {not_run}"),
            Standing::Stale(last) => {
                println!("{slot} {kernel} STALE: {not_run}; {}", last.renewal());
                self.stale += 1;
            }
        }
    }
}

/// The CPU's name by Linux, with the numbers that identify its kind; else the architecture.
fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |key: &str| {
        let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
        pairs.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
    };
    match (field("model name"), field("cpu family"), field("model")) {
        (Some(name), Some(family), Some(model)) => format!("{name} family {family} model {model}"),
        _ => env::consts::ARCH.to_string(),
    }
}
