//! Tables of the suite `columns`: nanoseconds a row of programs that hash columns of files.

use super::forms::{row, rule};
use super::records::Records;
use anyhow::{Context as _, Result, ensure};
use std::fmt::Write as _;

/// A row for each program, a column for each work, from the newest `columns/FILE.csv`. Its lines are those of one format.
pub fn columns(records: &Records, file: &str, format: &str) -> Result<String> {
    let (path, source) = records.newest(&format!("columns/{file}"))?;
    let mut found = Vec::new();
    for line in csv::Reader::from_path(&path)?.deserialize() {
        let (of, program, work, figure): (String, String, String, String) =
            line.with_context(|| source.clone())?;
        if of == format {
            found.push((program, work, figure));
        }
    }
    ensure!(!found.is_empty(), "{source} has nothing of {format}");
    let (mut programs, mut works) = (Vec::new(), Vec::new());
    for (program, work, _) in &found {
        for (list, entry) in [(&mut programs, program), (&mut works, work)] {
            if !list.contains(entry) {
                list.push(entry.clone());
            }
        }
    }
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "\nNanoseconds a row (`{source}`):\n");
    out += &row(&[vec![format.to_owned()], works.clone()].concat());
    out += &rule(1, works.len());
    for program in programs {
        let figure = |work: &String| {
            let line = found.iter().find(|(of, at, _)| *of == program && at == work);
            line.map_or_else(String::new, |(.., figure)| figure.clone())
        };
        let figures = works.iter().map(figure);
        out += &row(&[vec![program.clone()], figures.collect()].concat());
    }
    out.push('\n');
    Ok(out)
}
