//! Walks the table, and the lab's: every row that can run here is checked, and every other one is named.
//!
//! `cargo test -p keylane-conformance --test rows` prints a line for each row and, at the end, how
//! many passed. With `-- --record` behind it, the rows that passed are written to `proven.csv`.

use keylane::kernel::select::{AnySlot, RowInfo, Runnable, Slot};
use keylane::kernel::table;
use keylane::kernels::Status;
use keylane_conformance::proven::{self, Proof};
use keylane_conformance::rows::{Checked, Row, check_rows};
use keylane_conformance::vectors::Published;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, SystemTime};
use std::{env, fs};

fn main() -> ExitCode {
    if let Err(error) = keylane::kernels::environment() {
        eprintln!("KEYLANE_KERNEL: {error}");
        return ExitCode::from(2);
    }
    let record = env::args().any(|argument| argument == "--record");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut walk = Walk::new(root);
    walk.slot(&table::SIPHASH_X1_LONG);
    walk.slot(&table::SIPHASH_XN);
    walk.slot(&keylane_lab::table::SIPHASH_XN);
    walk.slot(&table::HALFSIPHASH_XN);
    walk.slot(&table::POLY1305_X1);
    walk.slot(&keylane_lab::table::POLY1305_X1);
    walk.slot(&table::POLY1305_PN);
    walk.slot(&table::POLY1305_XN);
    walk.slots_left_out();
    walk.rows_of_other_builds();
    if record {
        walk.record();
    }
    println!("rows: {} passed, {} failed", walk.passed, walk.failed);
    if walk.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Walk<'a> {
    root: &'a Path,
    published: Published,
    proofs: Vec<Proof>,
    /// The slots and kernels of the table of this build.
    seen: Vec<(&'static str, &'static str)>,
    ran: Vec<(&'static str, &'static str)>,
    passed: usize,
    failed: usize,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Path) -> Self {
        let proofs =
            fs::read_to_string(root.join("proven.csv")).map_or(Vec::new(), |text| Proof::parse(&text));
        let published = Published::load();
        // A file that lost its cases must not pass quietly.
        assert_eq!((published.hashes.len(), published.macs.len()), (1619, 866), "published answers");
        assert_eq!((published.presets.len(), published.composites.len()), (4, 2), "published answers");
        Walk { root, published, proofs, seen: Vec::new(), ran: Vec::new(), passed: 0, failed: 0 }
    }

    /// Checks the rows of a slot that can run here and names the others.
    fn slot<S: Checked>(&mut self, slot: &'static Slot<S>) {
        let infos: Vec<RowInfo> = (0..).map_while(|row| slot.info(row)).collect();
        let lanes = |id: &str| infos.iter().find(|info| info.id == id).map_or(1, |info| info.lanes);
        let row = |kernel: Runnable<S>| Row { lanes: lanes(kernel.id()), kernel };
        let rows: Vec<Row<S>> = slot.runnable().map(row).collect();
        let checks = check_rows(&rows, &self.published);
        let mut ran = rows.iter().map(|row| row.kernel.id()).zip(checks).peekable();
        for info in &infos {
            self.seen.push((S::SLOT, info.id));
            let found = ran.next_if(|(id, _)| *id == info.id).map(|(_, check)| check);
            match (found, info.status) {
                (Some(check), Status::Active | Status::Ready) if check.passed() => {
                    println!("{} {} ran ({} checks)", S::SLOT, info.id, check.made);
                    self.ran.push((S::SLOT, info.id));
                    self.passed += 1;
                }
                (Some(check), status) => {
                    let (made, failed) = (check.made, check.failed);
                    println!("{} {} FAILED {failed} of {made} checks, status: {status}", S::SLOT, info.id);
                    check.differences.iter().for_each(|difference| println!("  {difference}"));
                    self.failed += 1;
                }
                (None, Status::NotOnThisCpu) => {
                    let missing: Vec<&str> =
                        info.requires.without(keylane::cpu::Features::available()).names().collect();
                    self.not_run(S::SLOT, info.id, &format!("missing {}", missing.join(" ")));
                }
                (None, status) => {
                    println!("{} {} FAILED: it could run and did not, status: {status}", S::SLOT, info.id);
                    self.failed += 1;
                }
            }
        }
    }

    /// A slot of the table that `main` does not name.
    fn slots_left_out(&mut self) {
        for slot in table::SLOTS {
            if !self.seen.iter().any(|(name, _)| *name == slot.name()) {
                println!("{} FAILED: the walk leaves this slot out", slot.name());
                self.failed += 1;
            }
        }
    }

    /// Rows that were proven once and are not in this build: those of other architectures.
    fn rows_of_other_builds(&mut self) {
        let here = |proof: &Proof| self.seen.iter().any(|(slot, kernel)| proof.is_of(slot, kernel));
        let elsewhere: Vec<Proof> = self.proofs.iter().filter(|proof| !here(proof)).cloned().collect();
        for proof in elsewhere {
            self.not_run(&proof.slot, &proof.kernel, "not in this build");
        }
    }

    /// Names a row that cannot run here; it fails if its file is another than the one proven.
    fn not_run(&mut self, slot: &str, kernel: &str, why: &str) {
        let proof = self.proofs.iter().find(|proof| proof.is_of(slot, kernel));
        let digest = self.digest(kernel).unwrap_or_default();
        match proven::not_run(proof, &digest) {
            Ok(last) => println!("{slot} {kernel} not run here: {why}; {last}"),
            Err(last) => {
                println!("{slot} {kernel} FAILED: not run here: {why}; {last}");
                self.failed += 1;
            }
        }
    }

    /// The digest of a kernel's source file and of the files beside it that declare no row: what the
    /// kernels of a folder share.
    fn digest(&self, kernel: &str) -> Option<String> {
        let crates = fs::read_dir(self.root.join("crates")).expect("crates");
        let arches = crates.map(|folder| folder.expect("a crate").path().join("src/arch"));
        let file =
            arches.filter(|arch| arch.is_dir()).find_map(|arch| find(&arch, &format!("{kernel}.rs")))?;
        let read = |file: &Path| fs::read_to_string(file).expect("a source file");
        let folder = fs::read_dir(file.parent()?).expect("the kernel's folder");
        let mut shared: Vec<PathBuf> = folder.map(|entry| entry.expect("a file").path()).collect();
        shared.sort();
        let texts = shared.iter().filter(|path| path.is_file()).map(|path| read(path));
        let texts = texts.filter(|text| !text.contains("\nkernel! {"));
        Some(proven::digest((read(&file) + &texts.collect::<String>()).as_bytes()))
    }

    /// Writes down the rows that ran; those that did not keep their lines.
    fn record(&self) {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let date = proven::date(now.as_ref().map_or(0, Duration::as_secs));
        let (commit, cpu) = (commit(self.root), cpu());
        let proof = |&(slot, kernel): &(&str, &str)| Proof {
            slot: slot.into(),
            kernel: kernel.into(),
            digest: self.digest(kernel).expect("a kernel's id is its file's stem"),
            commit: commit.clone(),
            cpu: cpu.clone(),
            date: date.clone(),
        };
        let mut proofs: Vec<Proof> = self.ran.iter().map(proof).collect();
        let old = |proof: &&Proof| !self.ran.iter().any(|(slot, kernel)| proof.is_of(slot, kernel));
        proofs.extend(self.proofs.iter().filter(old).cloned());
        fs::write(self.root.join("proven.csv"), Proof::write(&proofs)).expect("proven.csv");
        println!("proven.csv: {} rows recorded", self.ran.len());
    }
}

/// A file of that name in a folder or in those below it.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    fs::read_dir(folder).expect("a folder").find_map(|entry| {
        let path = entry.expect("an entry").path();
        if path.is_dir() { find(&path, name) } else { path.ends_with(name).then_some(path) }
    })
}

fn commit(root: &Path) -> String {
    let git = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root).output();
    let output = git.expect("git");
    assert!(output.status.success(), "git rev-parse");
    String::from_utf8(output.stdout).expect("a commit").trim().to_string()
}

/// The CPU as Linux names it, with the numbers that tell one kind from another, else the architecture.
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
