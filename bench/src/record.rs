//! Records: the figures as CSV, and a text that describes how they were measured.

use crate::engine::absent;
use crate::suite::Table;
use anyhow::{Context, Result};
use keylane_measure::record::{self, Line};
use keylane_measure::{chain, clock};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
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

/// The lines of tables: one for each engine in each cell.
pub fn lines(tables: &[Table]) -> Vec<Line> {
    let mut lines = Vec::new();
    for table in tables {
        let rounds = table.rounds.map_or_else(String::new, |rounds| rounds.to_string());
        for cell in &table.cells {
            for ((engine, side), figure) in table.engines.iter().zip(&cell.figures) {
                let names = [table.suite, &rounds, &table.title, &cell.label, engine, side.word()];
                lines.extend(figure.as_ref().map(|figure| figure.line(names)));
            }
        }
    }
    lines
}

/// Everything needed to repeat the measurement.
pub fn circumstances() -> String {
    let mut text = String::new();
    let mut part = |title: &str, body: &str| {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "== {title}\n{}\n", body.trim_end());
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    part("command", &format!("cargo run --release -- {}", arguments.join(" ")));
    part("date", &output("date", &["-u", "+%Y-%m-%d %H:%M UTC"]));
    part("commit", &commit());
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

/// The commit, and whether the tree differs from it. Records do not count: earlier suites have written to
/// them.
fn commit() -> String {
    let commit = output("git", &["rev-parse", "HEAD"]);
    let changed =
        output("git", &["status", "--porcelain", "--untracked-files=no", "--", ":/", ":(exclude)record"]);
    let dirty = if changed.trim().is_empty() { "" } else { "-dirty" };
    format!("{}{dirty}", commit.trim())
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

/// Writes `NAME.csv` and `NAME.txt` into a directory, and makes the directory if necessary.
///
/// # Errors
/// A file cannot be written.
pub fn write(directory: &Path, name: &str, tables: &[Table]) -> Result<()> {
    fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    let file = |extension| directory.join(format!("{name}.{extension}"));
    let mut figures = Vec::new();
    record::write(&mut figures, lines(tables))?;
    for (path, content) in [(file("csv"), figures), (file("txt"), circumstances().into_bytes())] {
        fs::write(&path, content).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
