//! Tables for a terminal.

use super::measure::{Column, Measured, Taken};
use super::run::{Run, VERSION, digits, length, unit};
use std::fmt::Write;

/// How wide a table may be: wider ones are folded.
const WIDTH: usize = 80;

/// From this length on figures are for a byte.
pub const LONG: usize = 1 << 10;

/// What is said before the tables.
pub fn head(run: &Run) -> String {
    format!("keylane {VERSION} on {} ({}), {}\n", run.machine.name, run.machine.model, run.date)
}

/// What is said behind them.
pub fn foot(run: &Run) -> String {
    let mut text = String::new();
    if run.tables.iter().flat_map(|table| &table.rows).any(|row| row.chosen) {
        text += "* chosen on this CPU\n";
    }
    let taken = || run.tables.iter().flat_map(|table| &table.columns).flat_map(|column| &column.figures);
    if taken().any(|taken| matches!(taken, Taken::Lost | Taken::Figure(_, true))) {
        text += "? fewer samples than asked for: the machine was too restless\n";
    }
    for absent in &run.absent {
        text += &format!("not on this cpu: {}, which lacks {}\n", absent.kernel, absent.lacks);
    }
    text
}

/// A table.
pub fn show(table: &Measured) -> String {
    let mut text = String::new();
    let is_long = |column: &&Column| column.length.is_some_and(|length| length >= LONG);
    let (long, short): (Vec<_>, Vec<_>) = table.columns.iter().partition(is_long);
    for (columns, each) in [(short, "message"), (long, "byte")] {
        let left = table.rows.iter().map(|row| row.name().len() + 2).max().unwrap_or(0);
        let cell = 2 + columns.iter().map(|column| label(column).len().max(6)).max().unwrap_or(0);
        for (part, columns) in columns.chunks((WIDTH.saturating_sub(left) / cell).max(1)).enumerate() {
            text += "\n";
            if part == 0 {
                let rounds = if table.rounds.is_empty() { "" } else { " " };
                // Writing to a `String` cannot fail.
                let _ = writeln!(
                    text,
                    "{}{rounds}{}, {}: {} a {each}",
                    table.suite,
                    table.rounds,
                    table.title,
                    unit()
                );
            }
            let heads: String = columns.iter().map(|column| format!("{:>cell$}", label(column))).collect();
            text += &format!("{:left$}{heads}\n", "");
            for (row, of) in table.rows.iter().enumerate() {
                let entries: String =
                    columns.iter().map(|column| format!("{:>cell$}", entry(column, row))).collect();
                if !entries.trim().is_empty() {
                    let mark = if of.chosen { " *" } else { "" };
                    text += &format!("{:left$}{entries}\n", format!("{}{mark}", of.name()));
                }
            }
        }
    }
    text
}

/// A column's head.
pub fn label(column: &Column) -> String {
    column.length.map_or_else(|| column.label.clone(), length)
}

/// A row's entry in a column: cycles a message, or a byte if it is long.
pub fn entry(column: &Column, row: usize) -> String {
    match column.figures.get(row) {
        None | Some(Taken::No) => String::new(),
        Some(Taken::Lost) => "?".to_owned(),
        Some(Taken::Figure(figure, few)) => {
            let bytes = column.length.filter(|&length| length >= LONG).unwrap_or(1);
            let figure = digits(figure.cycles.median / bytes as f64);
            if *few { figure + "?" } else { figure }
        }
    }
}
