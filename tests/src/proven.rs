//! Which row was last proven where: `proven.csv`.
//!
//! No machine runs every row. A row that cannot run on the one at hand stands on the last run
//! elsewhere, as long as its file is the same; a digest of the file tells.

use crate::variants::Variant;
use std::fmt;

/// The first line of the file.
pub const HEADER: &str = "slot,kernel,digest,commit,cpu,date";

/// A line of the file: a row passed every check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The row's slot.
    pub slot: String,
    /// The row's kernel.
    pub kernel: String,
    /// [`digest`] of the kernel's source file and those that it shares with others.
    pub digest: String,
    /// The commit that was checked out.
    pub commit: String,
    /// The model of the CPU.
    pub cpu: String,
    /// The day, in UTC.
    pub date: String,
}

impl Proof {
    /// The proofs of a file. Panics on a line that is none.
    pub fn parse(text: &str) -> Vec<Proof> {
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some(HEADER), "the first line of proven.csv");
        let proof = |line: &str| {
            let fields: Vec<String> = line.split(',').map(String::from).collect();
            let [slot, kernel, digest, commit, cpu, date] =
                fields.try_into().unwrap_or_else(|_| panic!("not six fields: {line}"));
            Proof { slot, kernel, digest, commit, cpu, date }
        };
        lines.map(proof).collect()
    }

    /// The text of a file.
    pub fn write(proofs: &[Proof]) -> String {
        let lines = proofs.iter().map(Proof::to_string);
        std::iter::once(HEADER.to_string()).chain(lines).map(|line| line + "\n").collect()
    }

    /// Whether this is a proof of that row.
    pub fn is_of(&self, slot: &str, kernel: &str) -> bool {
        self.slot == slot && self.kernel == kernel
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Proof { slot, kernel, digest, commit, cpu, date } = self;
        // Some CPUs have a comma in their names.
        let cpu = cpu.replace(',', " ");
        write!(f, "{slot},{kernel},{digest},{commit},{cpu},{date}")
    }
}

/// The digest of a file: SipHash-2-4-128 under a key of zeros, by keylane-ref. It finds changes, not
/// forgeries.
pub fn digest(file: &[u8]) -> String {
    let tag = Variant::sip(2, 4, true).tag(&[0; 16], file);
    tag.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The day so many seconds after 1970-01-01, in UTC, as YYYY-MM-DD.
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

/// What is to be said of a row that cannot run here, and whether that is good enough: `digest` is
/// that of the kernel's file as it is now.
pub fn not_run(proof: Option<&Proof>, digest: &str) -> Result<String, String> {
    let Some(proof) = proof else {
        return Ok("never proven".into());
    };
    let Proof { commit, cpu, date, .. } = proof;
    let last = format!("last proven {commit} {cpu} {date}");
    if proof.digest == digest { Ok(last) } else { Err(format!("{last}, but its file has changed since")) }
}
