//! Records: what was measured, as CSV, and beside it with what and how.

use crate::engine::absent;
use crate::sample::Quartiles;
use crate::suite::Table;
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Compilers, flags and libraries, as build.rs wrote them down.
const MADE: &str = include_str!(concat!(env!("OUT_DIR"), "/made.txt"));

/// The versions of the Rust crates.
const LOCK: &str = include_str!("../Cargo.lock");

/// The columns.
pub const HEAD: [&str; 18] = [
    "suite",
    "rounds",
    "table",
    "cell",
    "engine",
    "side",
    "cycles_lower",
    "cycles_median",
    "cycles_upper",
    "keylane_ratio_lower",
    "keylane_ratio_median",
    "keylane_ratio_upper",
    "above_keylane_lower",
    "above_keylane_median",
    "above_keylane_upper",
    "kept",
    "dropped",
    "pairs",
];

/// Writes tables as CSV: a line for each engine in each cell.
///
/// # Errors
/// Those of `out`.
pub fn csv(out: impl Write, tables: &[Table]) -> Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(HEAD)?;
    for table in tables {
        for cell in &table.cells {
            for ((engine, side), figure) in table.engines.iter().zip(&cell.figures) {
                let Some(figure) = figure else { continue };
                let rounds = table.rounds.map_or_else(String::new, |rounds| rounds.to_string());
                csv.write_record(
                    [table.suite, &rounds, &table.title, &cell.label, engine, side.word()]
                        .map(str::to_owned)
                        .into_iter()
                        .chain(numbers(Some(figure.cycles)))
                        .chain(numbers(figure.ratio))
                        .chain(numbers(figure.above))
                        .chain([figure.kept, figure.dropped, figure.pairs].map(|n| n.to_string())),
                )?;
            }
        }
    }
    csv.flush()?;
    Ok(())
}

fn numbers(quartiles: Option<Quartiles>) -> [String; 3] {
    let number = |of: fn(Quartiles) -> f64| quartiles.map_or(String::new(), |q| format!("{:.4}", of(q)));
    [number(|q| q.lower), number(|q| q.median), number(|q| q.upper)]
}

/// What a reader of the figures must know to repeat them.
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
    part("KEYLANE_KERNEL", &std::env::var("KEYLANE_KERNEL").unwrap_or_default());
    part("compilers and libraries", MADE);
    part("crates", &["siphasher", "poly1305", "aws-lc-sys", "openssl-src"].map(version).join("\n"));
    let absent: Vec<String> = absent().iter().map(|absent| absent.name.to_owned()).collect();
    part("engines not installed", &absent.join(", "));
    part("lscpu", &output("lscpu", &[]));
    text
}

/// The commit, and whether the tree differs from it anywhere but in the records, to which the suites before have
/// written.
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

/// What a command prints when it runs in the repository, or that it does not run.
fn output(command: &str, arguments: &[&str]) -> String {
    match Command::new(command).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => format!("{command} failed"),
    }
}

/// Writes `NAME.csv` and `NAME.txt` into a directory, which is made if need be.
///
/// # Errors
/// A file cannot be written.
pub fn write(directory: &Path, name: &str, tables: &[Table]) -> Result<()> {
    fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    let file = |extension| directory.join(format!("{name}.{extension}"));
    let mut figures = Vec::new();
    csv(&mut figures, tables)?;
    for (path, content) in [(file("csv"), figures), (file("txt"), circumstances().into_bytes())] {
        fs::write(&path, content).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
