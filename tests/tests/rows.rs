//! Walks the tables of keylane and of the lab. It checks every row that can run here and names every other
//! one.
//!
//! `cargo test -p keylane-conformance --test rows` prints a line for each row and, at the end, how many
//! passed. Arguments after `--`:
//!
//! * `--record` writes the rows that passed to `proven.csv`; `--cpu NAME` gives the CPU they ran on, if it
//!   is not this machine's;
//! * `--kernel NAME` walks only over the rows of one kernel.
//!
//! A row that cannot run here fails if its files differ from those proven elsewhere. It does not fail while a
//! proof is being made, by `--record` or with KEYLANE_PROVING in the environment (`cargo xtask cross`): other
//! rows' proofs may follow.

use keylane_conformance::proven::{self, Proof};
use keylane_conformance::target;
use keylane_conformance::walk::{Found, Outcome, walk};
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let record = arguments.iter().any(|argument| argument == "--record");
    let proving = record || env::var_os("KEYLANE_PROVING").is_some();
    let proofs = proven::load(root);
    let mut rows = Rows { root, proofs, proving, seen: Vec::new(), ran: Vec::new(), failed: 0 };
    walk(kernel.as_deref(), &mut |found| rows.tell(found));
    if kernel.is_none() {
        rows.of_other_builds();
    }
    if record {
        proven::record(root, target::NAME, &behind("--cpu").unwrap_or_else(cpu), &rows.ran);
        println!("proven.csv: {} rows recorded", rows.ran.len());
    }
    println!("rows: {} passed, {} failed", rows.ran.len(), rows.failed);
    if rows.failed == 0 && !rows.seen.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Rows<'a> {
    root: &'a Path,
    proofs: Vec<Proof>,
    /// Whether rows that cannot run here are only named.
    proving: bool,
    /// The slots and kernels of the table of this build.
    seen: Vec<(&'static str, &'static str)>,
    ran: Vec<(String, String)>,
    failed: usize,
}

impl Rows<'_> {
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

    /// Names the rows that were proven once but are not in this build: those of other architectures.
    fn of_other_builds(&mut self) {
        let here = |proof: &Proof| self.seen.iter().any(|(slot, kernel)| proof.is_of(slot, kernel));
        let elsewhere = self.proofs.iter().filter(|proof| !here(proof));
        let mut rows: Vec<(String, String)> =
            elsewhere.map(|proof| (proof.slot.clone(), proof.kernel.clone())).collect();
        rows.dedup();
        for (slot, kernel) in rows {
            self.not_run(&slot, &kernel, "not in this build");
        }
    }

    /// Names a row that cannot run here. It fails if its files differ from those proven.
    fn not_run(&mut self, slot: &str, kernel: &str, why: &str) {
        let digest = proven::kernel_digest(self.root, kernel).unwrap_or_default();
        let proofs = self.proofs.iter().filter(|proof| proof.is_of(slot, kernel));
        match proven::not_run(proofs, &digest) {
            Ok(last) => println!("{slot} {kernel} not run here: {why}; {last}"),
            Err(last) if self.proving => println!("{slot} {kernel} not run here: {why}; {last}"),
            Err(last) => {
                println!("{slot} {kernel} FAILED: not run here: {why}; {last}");
                self.failed += 1;
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
