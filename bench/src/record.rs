//! Records: the figures as CSV, and a text that describes how they were measured.

use crate::engine::absent;
use crate::suite::Table;
use anyhow::{Context, Result};
use keylane_measure::canary::Looks;
use keylane_measure::commit::committed;
use keylane_measure::record::{self, Line, Noise};
use keylane_measure::{chain, clock};
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compilers, flags and libraries, as recorded by build.rs.
const MADE: &str = include_str!(concat!(env!("OUT_DIR"), "/made.txt"));

/// The versions of the Rust crates.
const LOCK: &str = include_str!("../Cargo.lock");

/// The crates that are timed.
const CRATES: [&str; 15] = [
    "siphasher",
    "poly1305",
    "aws-lc-sys",
    "openssl-src",
    "foldhash",
    "ahash",
    "hmac",
    "sha2",
    "blake3",
    "highway",
    "cmac",
    "aes",
    "aes-gcm",
    "xxhash-rust",
    "rapidhash",
];

/// The lines of tables.
pub fn lines(tables: &[Table]) -> Vec<Line> {
    tables.iter().flat_map(Table::lines).collect()
}

/// The noise of a suite: of its tables, and of the machine.
pub struct Noises {
    tables: Vec<(String, Noise)>,
    looks: Looks,
}

impl Noises {
    /// What these tables and the canary say.
    pub fn of(tables: &[Table], looks: Looks) -> Self {
        let name = |table: &Table| {
            let rounds = table.rounds.map(|rounds| format!("{rounds}, ")).unwrap_or_default();
            rounds + &table.title
        };
        Noises { tables: tables.iter().map(|table| (name(table), table.noise())).collect(), looks }
    }

    /// Whether the figures are reported and not judged.
    pub fn is_noisy(&self) -> bool {
        self.all().is_noisy() || self.looks.is_noisy()
    }

    fn all(&self) -> Noise {
        Noise::sum(self.tables.iter().map(|(_, noise)| *noise))
    }
}

impl fmt::Display for Noises {
    /// One line that begins with the verdict, as xtask reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.is_noisy() { record::NOISY } else { "quiet" }, self.all())?;
        if self.looks.looks > 0 {
            write!(f, "; {}", self.looks)?;
        }
        Ok(())
    }
}

/// Everything needed to repeat the measurement, and how noisy it was.
pub fn circumstances(commit: &str, noises: &Noises) -> String {
    let mut text = String::new();
    let mut part = |title: &str, body: &str| {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "== {title}\n{}\n", body.trim_end());
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    part("command", &format!("cargo run --release -- {}", arguments.join(" ")));
    part("date", &output("date", &["-u", "+%Y-%m-%d %H:%M UTC"]));
    part("commit", commit);
    let each: String = noises.tables.iter().map(|(name, noise)| format!("\n{name}: {noise}")).collect();
    part("noise", &(noises.to_string() + &each));
    if chain::IN_CYCLES {
        part("clock", &format!("{:.2} GHz", clock::gigahertz()));
    }
    part("KEYLANE_KERNEL", &std::env::var("KEYLANE_KERNEL").unwrap_or_default());
    part("compilers and libraries", MADE);
    part("crates", &CRATES.map(version).join("\n"));
    let absent: Vec<String> = absent().iter().map(|absent| absent.name.to_owned()).collect();
    part("engines not installed", &absent.join(", "));
    part("lscpu", &output("lscpu", &[]));
    text
}

/// A crate with its version.
fn version(name: &str) -> String {
    let head = format!("name = \"{name}\"");
    let mut lines = LOCK.lines().skip_while(|line| *line != head);
    let version = lines.nth(1).and_then(|line| line.strip_prefix("version = "));
    format!("{name} {}", version.unwrap_or("of unknown version").trim_matches('"'))
}

/// The output of a command run in the repository, or a note that it does not run.
fn output(command: &str, arguments: &[&str]) -> String {
    match Command::new(command).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => format!("{command} failed"),
    }
}

/// Where records go, and the commit that they are of.
pub struct Filing {
    directory: PathBuf,
    commit: String,
}

impl Filing {
    /// Into this directory. Ask for it before minutes are spent.
    ///
    /// # Errors
    /// The sources are not committed.
    pub fn new(directory: PathBuf) -> Result<Self> {
        let commit = committed(Path::new(env!("CARGO_MANIFEST_DIR")))?;
        Ok(Filing { directory, commit })
    }

    /// Into this directory, whatever the sources are: for a look, not for a record that others are to repeat.
    #[must_use]
    pub fn draft(directory: PathBuf) -> Self {
        Filing { directory, commit: "a draft".to_owned() }
    }

    /// Writes `NAME.csv` and `NAME.txt` into the directory, and makes it if necessary. If every cell lost half of its
    /// samples there is nothing to write, and it says so.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, name: &str, tables: &[Table], noises: &Noises) -> Result<()> {
        let lines = lines(tables);
        if lines.is_empty() {
            eprintln!("{name} is not filed: every cell lost half of its samples");
            return Ok(());
        }
        fs::create_dir_all(&self.directory).with_context(|| self.directory.display().to_string())?;
        let file = |extension| self.directory.join(format!("{name}.{extension}"));
        let mut figures = Vec::new();
        record::write(&mut figures, lines)?;
        let text = circumstances(&self.commit, noises);
        for (path, content) in [(file("csv"), figures), (file("txt"), text.into_bytes())] {
            fs::write(&path, content).with_context(|| path.display().to_string())?;
        }
        Ok(())
    }
}
