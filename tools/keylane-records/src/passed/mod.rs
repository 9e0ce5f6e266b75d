//! The file `tests/passed.csv`: where each row last passed.
//!
//! No machine runs every row. A row that cannot run on this machine relies on the last run elsewhere, on any
//! target, as long as its files are unchanged. A digest of the files detects changes. A row whose files have
//! changed since is *stale* ([`Standing`]).

pub mod bochs;
mod sources;

pub use sources::Sources;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};
use std::{fmt, fs};

/// The first line of the file.
pub const HEADER: &str = "slot,kernel,target,digest,commit,cpu,date";

/// A line of the file: a row that passed every check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The row's slot.
    pub slot: String,
    /// The row's kernel.
    pub kernel: String,
    /// The target it was built for.
    pub target: String,
    /// [`Sources::digest`] of the kernel.
    pub digest: String,
    /// The checked-out commit.
    pub commit: String,
    /// The model of the CPU, or the emulator and the CPU it emulates.
    pub cpu: String,
    /// The day, in UTC.
    pub date: String,
}

impl Pass {
    /// Parses a file. Panics on a line without seven fields.
    pub fn parse(text: &str) -> Vec<Pass> {
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some(HEADER), "the first line of tests/passed.csv");
        let pass = |line: &str| {
            let fields: Vec<String> = line.split(',').map(String::from).collect();
            let [slot, kernel, target, digest, commit, cpu, date] =
                fields.try_into().unwrap_or_else(|_| panic!("not seven fields: {line}"));
            Pass { slot, kernel, target, digest, commit, cpu, date }
        };
        lines.map(pass).collect()
    }

    /// Formats a file.
    pub fn write(passes: &[Pass]) -> String {
        let lines = passes.iter().map(Pass::to_string);
        std::iter::once(HEADER.to_string()).chain(lines).map(|line| line + "\n").collect()
    }

    /// Whether it is of that row.
    pub fn is_of(&self, slot: &str, kernel: &str) -> bool {
        self.slot == slot && self.kernel == kernel
    }

    /// Whether the CPU was emulated.
    pub fn is_emulated(&self) -> bool {
        ["qemu-", "node", "bochs"].iter().any(|emulator| self.cpu.starts_with(emulator))
    }

    /// How to run the row there anew.
    pub fn renewal(&self) -> String {
        let cross = |target: &str| format!("run `cargo xtask cross --record --target {target}`");
        let real = format!("`cargo xtask test-all` on a CPU like {}", self.cpu);
        if self.is_emulated() {
            cross(&self.target)
        } else if bochs::KERNELS.contains(&&*self.kernel) {
            format!("{}, or {real}", cross(bochs::TARGET))
        } else {
            format!("run {real}")
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pass { slot, kernel, target, digest, commit, cpu, date } = self;
        // Some CPU names contain a comma.
        let cpu = cpu.replace(',', " ");
        write!(f, "{slot},{kernel},{target},{digest},{commit},{cpu},{date}")
    }
}

/// The digest of a file: SipHash-2-4-128 under a key of zeros, by keylane-ref. It detects changes, not
/// forgeries.
pub fn digest(file: &[u8]) -> String {
    let tag = keylane_ref::siphash128(2, 4, &[0; 16], file);
    tag.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The UTC date of a Unix time, as YYYY-MM-DD.
pub fn date(seconds: u64) -> String {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut days = seconds / 86400;
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// What the passes of a row say of its current files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing<'a> {
    /// The files are the same as in this pass.
    Passed(&'a Pass),
    /// The files have changed since this pass, the last one.
    Stale(&'a Pass),
    /// There is no pass.
    Never,
}

impl<'a> Standing<'a> {
    /// Judges a row by its passes on any target, and by the digest of the kernel's current files.
    pub fn new(passes: impl IntoIterator<Item = &'a Pass>, digest: &str) -> Self {
        let passes: Vec<&Pass> = passes.into_iter().collect();
        match passes.iter().find(|pass| pass.digest == digest) {
            Some(same) => Standing::Passed(same),
            None => passes.into_iter().max_by_key(|pass| &pass.date).map_or(Standing::Never, Standing::Stale),
        }
    }
}

impl fmt::Display for Standing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Standing::Passed(last) | Standing::Stale(last)) = self else { return write!(f, "never passed") };
        let Pass { target, commit, cpu, date, .. } = last;
        write!(f, "last passed {commit} {target} {cpu} {date}")?;
        if let Standing::Stale(_) = self { write!(f, ", its files changed since") } else { Ok(()) }
    }
}

/// The passes of the repository at `root`.
pub fn load(root: &Path) -> Vec<Pass> {
    fs::read_to_string(root.join("tests/passed.csv")).map_or(Vec::new(), |text| Pass::parse(&text))
}

/// Records that these rows (slot and kernel) passed on this target. `sources` were read before the
/// build, since they may change during a long run. Other lines stay, if their kernel is still there.
pub fn record(root: &Path, sources: &Sources, target: &str, cpu: &str, rows: &[(String, String)]) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let date = date(now.as_ref().map_or(0, Duration::as_secs));
    let commit = commit(root);
    let pass = |(slot, kernel): &(String, String)| Pass {
        slot: slot.clone(),
        kernel: kernel.clone(),
        target: target.into(),
        digest: sources.digest(kernel).expect("a kernel's id is its file's stem"),
        commit: commit.clone(),
        cpu: cpu.into(),
        date: date.clone(),
    };
    let ran = |old: &Pass| old.target == target && rows.iter().any(|(slot, kernel)| old.is_of(slot, kernel));
    let kernels = sources.kernels();
    let stays = |old: &Pass| !ran(old) && kernels.contains(&&*old.kernel);
    let mut passes: Vec<Pass> = load(root).into_iter().filter(stays).collect();
    passes.extend(rows.iter().map(pass));
    passes.sort_by_cached_key(|pass| (pass.slot.clone(), pass.kernel.clone(), pass.target.clone()));
    // Whole: a test of another target may read it just now.
    let new = root.join("tests/passed.csv.new");
    fs::write(&new, Pass::write(&passes)).expect("tests/passed.csv.new");
    fs::rename(new, root.join("tests/passed.csv")).expect("tests/passed.csv");
}

fn commit(root: &Path) -> String {
    let git = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root).output();
    let output = git.expect("git");
    assert!(output.status.success(), "git rev-parse");
    String::from_utf8(output.stdout).expect("a commit").trim().to_string()
}
