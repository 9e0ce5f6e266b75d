//! The file `proven.csv`: where each row was last proven.
//!
//! No machine runs every row. A row that cannot run on this machine relies on the last run elsewhere, on any
//! target, as long as its files are unchanged. A digest of the files detects changes.

use crate::variants::Variant;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use std::{fmt, fs};

/// The first line of the file.
pub const HEADER: &str = "slot,kernel,target,digest,commit,cpu,date";

/// A line of the file: a row that passed every check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The row's slot.
    pub slot: String,
    /// The row's kernel.
    pub kernel: String,
    /// The target it was built for.
    pub target: String,
    /// [`digest`] of the kernel's source file and of the files it shares with others.
    pub digest: String,
    /// The checked-out commit.
    pub commit: String,
    /// The model of the CPU, or the emulator and the CPU it emulates.
    pub cpu: String,
    /// The day, in UTC.
    pub date: String,
}

impl Proof {
    /// Parses a file. Panics on a line that is not a proof.
    pub fn parse(text: &str) -> Vec<Proof> {
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some(HEADER), "the first line of proven.csv");
        let proof = |line: &str| {
            let fields: Vec<String> = line.split(',').map(String::from).collect();
            let [slot, kernel, target, digest, commit, cpu, date] =
                fields.try_into().unwrap_or_else(|_| panic!("not seven fields: {line}"));
            Proof { slot, kernel, target, digest, commit, cpu, date }
        };
        lines.map(proof).collect()
    }

    /// Formats a file.
    pub fn write(proofs: &[Proof]) -> String {
        let lines = proofs.iter().map(Proof::to_string);
        std::iter::once(HEADER.to_string()).chain(lines).map(|line| line + "\n").collect()
    }

    /// Whether this proof is for that row.
    pub fn is_of(&self, slot: &str, kernel: &str) -> bool {
        self.slot == slot && self.kernel == kernel
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Proof { slot, kernel, target, digest, commit, cpu, date } = self;
        // Some CPU names contain a comma.
        let cpu = cpu.replace(',', " ");
        write!(f, "{slot},{kernel},{target},{digest},{commit},{cpu},{date}")
    }
}

/// The digest of a file: SipHash-2-4-128 under a key of zeros, by keylane-ref. It detects changes, not
/// forgeries.
pub fn digest(file: &[u8]) -> String {
    let tag = Variant::sip(2, 4, true).tag(&[0; 16], file);
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

/// Reports on a row that cannot run here: `Ok` if that is acceptable. `proofs` are the row's proofs on any
/// target; `digest` is that of the kernel's current files.
pub fn not_run<'a>(proofs: impl IntoIterator<Item = &'a Proof>, digest: &str) -> Result<String, String> {
    let last = |Proof { target, commit, cpu, date, .. }: &Proof| {
        format!("last proven {commit} {target} {cpu} {date}")
    };
    let proofs: Vec<&Proof> = proofs.into_iter().collect();
    match (proofs.iter().find(|proof| proof.digest == digest), proofs.first()) {
        (Some(same), _) => Ok(last(same)),
        (None, Some(other)) => Err(format!("{}, but its file has changed since", last(other))),
        (None, None) => Ok("never proven".into()),
    }
}

/// The digest of a kernel's source file and of the files it shares. The latter are the files without a row, in its
/// folder and in the folders above it, up to `arch`.
pub fn kernel_digest(root: &Path, kernel: &str) -> Option<String> {
    let crates = fs::read_dir(root.join("crates")).expect("crates");
    let arches = crates.map(|folder| folder.expect("a crate").path().join("src/arch"));
    let file = arches.filter(|arch| arch.is_dir()).find_map(|arch| find(&arch, &format!("{kernel}.rs")))?;
    let read = |file: &Path| fs::read_to_string(file).expect("a source file");
    let mut text = read(&file);
    for folder in file.ancestors().skip(1).take_while(|folder| !folder.ends_with("src")) {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
        files.sort();
        let texts = files.iter().filter(|path| path.is_file()).map(|path| read(path));
        text.extend(texts.filter(|text| !text.contains("\nkernel! {")));
    }
    Some(digest(text.as_bytes()))
}

/// Finds a file by name in a folder and the folders below it.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    fs::read_dir(folder).expect("a folder").find_map(|entry| {
        let path = entry.expect("an entry").path();
        if path.is_dir() { find(&path, name) } else { path.ends_with(name).then_some(path) }
    })
}

/// The proofs of the repository at `root`.
pub fn load(root: &Path) -> Vec<Proof> {
    fs::read_to_string(root.join("proven.csv")).map_or(Vec::new(), |text| Proof::parse(&text))
}

/// Records that these rows (slot and kernel) passed on this target. Other lines stay.
pub fn record(root: &Path, target: &str, cpu: &str, rows: &[(String, String)]) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let date = date(now.as_ref().map_or(0, Duration::as_secs));
    let commit = commit(root);
    let proof = |(slot, kernel): &(String, String)| Proof {
        slot: slot.clone(),
        kernel: kernel.clone(),
        target: target.into(),
        digest: kernel_digest(root, kernel).expect("a kernel's id is its file's stem"),
        commit: commit.clone(),
        cpu: cpu.into(),
        date: date.clone(),
    };
    let ran = |old: &Proof| old.target == target && rows.iter().any(|(slot, kernel)| old.is_of(slot, kernel));
    let mut proofs: Vec<Proof> = load(root).into_iter().filter(|old| !ran(old)).collect();
    proofs.extend(rows.iter().map(proof));
    proofs.sort_by_cached_key(|proof| (proof.slot.clone(), proof.kernel.clone(), proof.target.clone()));
    fs::write(root.join("proven.csv"), Proof::write(&proofs)).expect("proven.csv");
}

fn commit(root: &Path) -> String {
    let git = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root).output();
    let output = git.expect("git");
    assert!(output.status.success(), "git rev-parse");
    String::from_utf8(output.stdout).expect("a commit").trim().to_string()
}
