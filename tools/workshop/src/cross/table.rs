//! The table: row by run, joined with `tests/passed.csv`.

use super::run::{Cell, Row, Run, Told};
use super::targets::How;
use keylane_records::passed::{self, Pass, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the words of the table mean.
const LEGEND: &str = "  1234      ran now and passed so many checks
  FAILED    ran now and failed
  no sha3   the CPU lacks these features
  @0123abc  not run now; passed at this commit, and its files are the same
  !0123abc  not run now; passed at this commit, and its files have changed since
  -         not in this build, or nothing is recorded of it";

/// A column: a target, on a CPU or with features, and what ran now.
pub struct Column<'a> {
    /// The words above it.
    pub heads: [String; 2],
    /// The target.
    pub target: &'a str,
    /// What tests/passed.csv calls what it runs on; any CPU if it says nothing.
    pub cpu: Option<String>,
    /// What ran.
    pub told: Option<&'a Told>,
}

impl<'a> Column<'a> {
    /// The column of a run.
    pub fn new(run: &Run, told: Option<&'a Told>) -> Self {
        let name = run.name();
        let (head, variant) = name.split_once(' ').unwrap_or((&name, ""));
        let heads = [head.into(), variant.into()];
        // A target that is run in one way is recorded by its name.
        let is_bochs = matches!(run.target.how, How::Bochs { .. });
        Column { heads, target: run.target.name, cpu: (!is_bochs).then(|| run.cpu()), told }
    }
}

/// Prints it.
pub fn print(root: &Path, columns: &[Column<'_>]) {
    let passes = passed::load(root);
    let sources = Sources::read(root);
    let rows: BTreeSet<Row> = passes
        .iter()
        .map(|pass| (pass.slot.clone(), pass.kernel.clone()))
        .chain(columns.iter().filter_map(|column| column.told).flat_map(|told| told.rows.keys().cloned()))
        .collect();
    let digests: BTreeMap<&str, String> =
        rows.iter().map(|(_, kernel)| (&**kernel, sources.digest(kernel).unwrap_or_default())).collect();
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| {
            let cells = rows.iter().map(|row| cell(column, row, &passes, &digests).len());
            cells.chain(column.heads.iter().map(String::len)).max().unwrap_or(0)
        })
        .collect();
    let line = |slot: &str, kernel: &str, cells: &dyn Fn(&Column<'_>) -> String| {
        let cells =
            columns.iter().zip(&widths).map(|(column, &width)| format!("  {:>width$}", cells(column)));
        println!("{}", format!("{slot:<16} {kernel:<28}{}", cells.collect::<String>()).trim_end());
    };
    line("slot", "kernel", &|column| column.heads[0].clone());
    line("", "", &|column| column.heads[1].clone());
    for row in &rows {
        line(&row.0, &row.1, &|column| cell(column, row, &passes, &digests));
    }
    println!("{LEGEND}");
}

fn cell(column: &Column<'_>, row: &Row, passes: &[Pass], digests: &BTreeMap<&str, String>) -> String {
    if let Some(told) = column.told {
        return match told.rows.get(row) {
            Some(Cell::Passed(checks)) => checks.to_string(),
            Some(Cell::Failed) => "FAILED".into(),
            Some(Cell::Missing(features)) => format!("no {features}"),
            None => "-".into(),
        };
    }
    let of_column = |pass: &&Pass| {
        pass.is_of(&row.0, &row.1)
            && pass.target == column.target
            && column.cpu.as_ref().is_none_or(|cpu| pass.cpu == *cpu)
    };
    match passes.iter().find(of_column) {
        Some(pass) if Some(&pass.digest) == digests.get(&*row.1) => format!("@{}", pass.commit),
        Some(pass) => format!("!{}", pass.commit),
        None => "-".into(),
    }
}
