//! Tables for a terminal.

use super::figures::{Column, Measured, Row, Taken};
use super::run::{Run, VERSION, unit};

/// The line below the cycles.
const SPEED: &str = "keylane, GB/s";

/// The width of a table. Wider tables are folded.
const WIDTH: usize = 80;

/// The text before the tables.
pub fn head(run: &Run) -> String {
    format!("keylane {VERSION} on {} ({}), {}\n", run.machine.name, run.machine.model, run.date)
}

/// The text after the tables.
pub fn foot(run: &Run) -> String {
    let mut text = String::new();
    if run.tables.iter().flat_map(|table| &table.rows).any(|row| row.chosen) {
        text += "* chosen on this CPU\n";
    }
    let taken = || run.tables.iter().flat_map(|table| &table.columns).flat_map(|column| &column.figures);
    if taken().any(|taken| matches!(taken, Taken::Lost | Taken::Figure { few: true, .. })) {
        text += "? fewer samples than asked for: the machine was too busy\n";
    }
    text += &format!("noise: {}\n", run.noise());
    if run.is_noisy() {
        text += "the machine was busy: these figures are reported, not judged\n";
    }
    for absent in &run.absent {
        text += &format!("not on this cpu: {}, which lacks {}\n", absent.kernel, absent.lacks);
    }
    text
}

/// A table.
pub fn show(table: &Measured) -> String {
    let mut text = String::new();
    let names: Vec<String> = table.rows.iter().map(Row::name).collect();
    let left = names.iter().map(String::len).chain([SPEED.len()]).max().unwrap_or(0);
    for columns in table.parts() {
        let (each, _) = columns.first().map_or(("message", 1.0), Column::each);
        text += &format!("\n{}, {}: {} a {each}\n", table.name, table.title, unit());
        let cell = 2 + columns.iter().map(|column| column.head().len().max(6)).max().unwrap_or(0);
        for columns in columns.chunks((WIDTH.saturating_sub(left) / cell).max(1)) {
            let mut line = |name: &str, entry: &dyn Fn(&Column) -> String| {
                let entries: String =
                    columns.iter().map(|column| format!("{:>cell$}", entry(column))).collect();
                if !entries.trim().is_empty() {
                    text += &format!("{name:left$}{entries}\n");
                }
            };
            line("", &Column::head);
            for (row, name) in names.iter().enumerate() {
                line(name, &|column| column.entry(row));
            }
            line(SPEED, &|column| column.speed(table.clock));
        }
    }
    text
}
