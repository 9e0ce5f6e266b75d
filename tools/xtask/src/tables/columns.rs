//! Tables of records whose lines are (group, row, column, figure): those of programs that hash columns of files, of Redis,
//! and of Go's own map.

use super::forms::{row, rule};
use super::records::{Records, newest_of};
use anyhow::{Context as _, Result, ensure};
use std::fmt::Write as _;

/// The rows and columns of one group, from the newest FILE of a record, of any CPU. `unit` says what the figures are.
pub fn columns(cpus: &[Records], file: &str, unit: &str, group: &str) -> Result<String> {
    let (path, source) = newest_of(cpus, file)?;
    let mut found = Vec::new();
    for line in csv::Reader::from_path(&path)?.deserialize() {
        let (of, row, column, figure): (String, String, String, String) =
            line.with_context(|| source.clone())?;
        if of == group {
            found.push((row, column, figure));
        }
    }
    ensure!(!found.is_empty(), "{source} has nothing of {group}");
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    for (row, column, _) in &found {
        for (list, entry) in [(&mut rows, row), (&mut columns, column)] {
            if !list.contains(entry) {
                list.push(entry.clone());
            }
        }
    }
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "\n{unit} (`{source}`):\n");
    out += &row(&[vec![group.to_owned()], columns.clone()].concat());
    out += &rule(1, columns.len());
    for name in rows {
        let figure = |column: &String| {
            let line = found.iter().find(|(of, at, _)| *of == name && at == column);
            line.map_or_else(String::new, |(.., figure)| figure.clone())
        };
        let figures = columns.iter().map(figure);
        out += &row(&[vec![name.clone()], figures.collect()].concat());
    }
    out.push('\n');
    Ok(out)
}
