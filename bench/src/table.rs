//! Tables for a terminal.

use crate::engine::{Absent, Missing, Side};
use crate::record::Noises;
use crate::suite::{Cell, Table};
use keylane_measure::record::{Figure, digits};
use keylane_measure::sample::Quartiles;
use keylane_measure::{chain, clock};
use std::io::{Result, Write};

/// The width of a table. Wider tables are folded.
const WIDTH: usize = 110;

/// How titles of tables begin whose cells are lengths of long messages.
const LONG_TITLE: &str = "long messages";

/// The unit of figures.
pub fn unit() -> &'static str {
    if chain::IN_CYCLES { "cycles" } else { "steps of the calibration" }
}

/// Prints a table. `pairs` is the requested number of pairs of samples: figures from fewer are marked.
///
/// # Errors
/// Those of `out`.
pub fn print(out: &mut impl Write, table: &Table, absent: &[Absent], pairs: usize) -> Result<()> {
    let rounds = table.rounds.map_or_else(String::new, |rounds| format!(" {rounds}"));
    writeln!(out, "\n{}{rounds}, {}: {} a message", table.suite, table.title, unit())?;
    let noise = table.noise();
    writeln!(out, "noise: {noise}")?;
    // A summary measures nothing itself, so it lacks nothing.
    let absent = if table.cells.is_empty() { &[] } else { absent };
    for Absent { name, packages } in absent {
        writeln!(out, "not installed: {name}: apt-get install {}", packages.join(" "))?;
    }
    for Missing { name, features } in &table.missing {
        writeln!(out, "not on this cpu: {name}, which needs {}", features.join(" "))?;
    }
    let has = |cells: &[Cell], row: usize| cells.iter().any(|cell| cell.figures[row].is_some());
    let forms: Vec<(usize, &str)> = (0..table.engines.len())
        .filter(|&row| matches!(table.engines[row].1, Side::OurOther | Side::Floor | Side::Other))
        .filter(|&row| has(&table.cells, row))
        .map(|row| (row, table.engines[row].0.as_str()))
        .collect();
    let ours = table.engines.iter().find(|(_, side)| *side == Side::Ours);
    let ours = ours.map_or("keylane", |(name, _)| name.as_str());
    let names = table.engines.iter().map(|(name, _)| name.len());
    let compared = forms.iter().map(|(_, name)| name.len() + " / ".len() + ours.len());
    let left = names.chain(compared).chain(["keylane / best peer".len()]).max().unwrap_or(0);
    let column = 2 + table.cells.iter().map(|cell| cell.label.len().max(9)).max().unwrap_or(0);
    for cells in table.cells.chunks(((WIDTH - left) / column).max(1)) {
        let mut line = |head: &str, entry: &dyn Fn(&Cell) -> String| {
            write!(out, "{head:left$}")?;
            for cell in cells {
                write!(out, "{:>column$}", entry(cell))?;
            }
            writeln!(out)
        };
        line("", &|cell| cell.label.clone())?;
        for (row, (name, _)) in table.engines.iter().enumerate() {
            if !has(cells, row) {
                continue;
            }
            line(name, &|cell| {
                let Some(figure) = &cell.figures[row] else { return String::new() };
                let mark = match figure {
                    Figure { half_dropped: true, .. } => "!",
                    _ if !cell.is_filed => "!",
                    _ if figure.pairs < pairs => "?",
                    _ => "",
                };
                let best = if is_best(table, cell, row, noise.aa) { "*" } else { "" };
                format!("{best}{}{mark}", digits(figure.cycles.median))
            })?;
        }
        let ratio = |cell: &Cell, of: fn(&Quartiles) -> f64| {
            cell.ratio().map_or("-".to_owned(), |ratio| format!("{:.3}", of(&ratio)))
        };
        if cells.iter().any(|cell| cell.best_peer.is_some()) {
            line("keylane / best peer", &|cell| ratio(cell, |ratio| ratio.median))?;
            line("  lower quartile", &|cell| ratio(cell, |ratio| ratio.lower))?;
            line("  upper quartile", &|cell| ratio(cell, |ratio| ratio.upper))?;
        }
        if table.title.starts_with(LONG_TITLE) && chain::IN_CYCLES {
            let clock = clock::gigahertz();
            let speed = |cell: &Cell, row: usize| {
                let bytes: f64 = cell.label.parse().ok()?;
                let figure = cell.figures[row].as_ref()?;
                Some(format!("{:.2}", bytes / figure.cycles.median * clock))
            };
            let ours = table.engines.iter().position(|(_, side)| *side == Side::Ours);
            line("GB/s, keylane", &|cell| ours.and_then(|row| speed(cell, row)).unwrap_or_default())?;
            line("GB/s, best peer", &|cell| {
                cell.best_peer.and_then(|row| speed(cell, row)).unwrap_or_default()
            })?;
        }
        let compared = |cell: &Cell, row: usize, of: fn(&Figure) -> Option<String>| {
            cell.figures[row].as_ref().and_then(of).unwrap_or_default()
        };
        for &(row, name) in forms.iter().filter(|(row, _)| has(cells, *row)) {
            line(&format!("{name} / {ours}"), &|cell| {
                compared(cell, row, |figure| Some(format!("{:.3}", 1.0 / figure.ratio?.median)))
            })?;
            // Only for forms of keylane: a difference to a floor cannot be saved, and an engine that promises
            // less is no alternative.
            if table.engines[row].1 == Side::OurOther {
                line(&format!("{name} - {ours}"), &|cell| {
                    compared(cell, row, |figure| Some(format!("{:.2}", figure.above?.median)))
                })?;
            }
        }
        writeln!(out)?;
    }
    if let Some(mean) = table.mean_ratio() {
        writeln!(out, "keylane / best peer, geometric mean of all columns: {mean:.3}")?;
    }
    for note in &table.notes {
        writeln!(out, "{note}")?;
    }
    out.flush()
}

/// Whether a row is the best peer of a cell, or takes as long up to A/A.
fn is_best(table: &Table, cell: &Cell, row: usize, aa: f64) -> bool {
    let median = |row: usize| cell.figures.get(row)?.as_ref().map(|figure| figure.cycles.median);
    let best = cell.best_peer.and_then(median).unwrap_or(0.0);
    table.engines[row].1 == Side::Peer && median(row).is_some_and(|median| median <= best * (1.0 + aa))
}

/// Prints how noisy a suite was.
///
/// # Errors
/// Those of `out`.
pub fn print_noise(out: &mut impl Write, suite: &str, noises: &Noises) -> Result<()> {
    let judged = if noises.is_noisy() { "; its figures are reported, not judged" } else { "" };
    writeln!(out, "\n{suite} is {noises}{judged}")
}

/// Prints the meaning of the marks in the tables, and how many cells of quiet suites keylane loses.
///
/// # Errors
/// Those of `out`.
pub fn print_end(out: &mut impl Write, tables: &[Table]) -> Result<()> {
    writeln!(
        out,
        "* best peer, or as fast up to A/A   ? fewer samples than asked for   ! half of the samples lost: not filed\n\
         keylane / best peer above 1 by more than A/A: keylane loses"
    )?;
    let (mut lost, mut all) = (0, 0);
    for table in tables {
        let noise = table.noise();
        let ratios = || table.cells.iter().filter_map(Cell::ratio);
        lost += ratios().filter(|ratio| noise.is_slower(ratio.median)).count();
        all += table.cells.iter().filter(|cell| cell.is_filed).count();
    }
    if all > 0 {
        writeln!(out, "keylane loses {lost} of {all} cells")?;
    }
    Ok(())
}
