//! The README's table: a few cells of many suites.

use super::SIZES;
use super::forms::{row, rule};
use super::records::{Records, Table};
use anyhow::{Context, Result};
use keylane_measure::record::{Line, digits};

/// A row: what it says, where the cells are, and how many units of work each is.
struct Row {
    what: &'static str,
    suite: &'static str,
    table: &'static str,
    /// Rounds and cell.
    cells: &'static [(&'static str, &'static str)],
    units: f64,
}

const SIPHASH: [&[(&str, &str)]; 3] = [
    &[("1-3", "50000"), ("2-4", "50000")],
    &[("1-3", "dependent"), ("2-4", "dependent")],
    &[("1-3", "16384"), ("2-4", "16384")],
];

const ROWS: [Row; 9] = [
    Row {
        what: "50,000 `u64` keys, SipHash-1-3 / 2-4",
        suite: "siphash-batch",
        table: "u64, by messages in a call",
        cells: SIPHASH[0],
        units: 1.0,
    },
    Row {
        what: "50,000 strings of 4 to 20 bytes",
        suite: "siphash-batch",
        table: "offsets, 4..20 bytes, by messages in a call",
        cells: SIPHASH[0],
        units: 1.0,
    },
    Row {
        what: "50,000 strings of 1 to 199 bytes",
        suite: "siphash-batch",
        table: "offsets, 1..199 bytes, by messages in a call",
        cells: SIPHASH[0],
        units: 1.0,
    },
    Row {
        what: "one `u64` key, in a chain of dependent calls",
        suite: "siphash-one",
        table: "u64 in a register",
        cells: SIPHASH[1],
        units: 1.0,
    },
    Row {
        what: "one message of 16 KiB, cycles a byte",
        suite: "siphash-one",
        table: "long messages, independent calls",
        cells: SIPHASH[2],
        units: 16384.0,
    },
    Row {
        what: "Poly1305, a key each: 16 / 64 / 256 bytes",
        suite: "poly1305-one",
        table: "independent calls",
        cells: &[("", "16"), ("", "64"), ("", "256")],
        units: 1.0,
    },
    Row {
        what: "1420 bytes / 16 KiB",
        suite: "poly1305-one",
        table: "independent calls",
        cells: &[("", "1420"), ("", "16384")],
        units: 1.0,
    },
    Row {
        what: "1 MiB, cycles a byte",
        suite: "poly1305-one",
        table: "independent calls",
        cells: &[("", "1048576")],
        units: 1048576.0,
    },
    Row {
        what: "64 messages of 64 / 1420 / 40 to 1500 bytes",
        suite: "poly1305-batch",
        table: "64 messages in a call, by their lengths",
        cells: &[("", "64"), ("", "1420"), ("", "40..1500")],
        units: 1.0,
    },
];

/// The whole table, and which records it is from.
pub fn summary(records: &Records) -> Result<String> {
    let heads =
        ["cycles a message", "keylane", "keylane, one by one", "best peer", "which"].map(str::to_owned);
    let mut out = row(&heads) + &rule(1, 3).replace(" |\n", " | --- |\n");
    let mut sources = Vec::new();
    for Row { what, suite, table, cells, units } in &ROWS {
        let tables = records.tables(suite)?;
        let place = |&(rounds, cell): &(&str, &str)| {
            let found = tables.iter().find(|found| found.rounds == rounds && found.title == *table);
            found
                .map(|found| (found, cell.to_owned()))
                .with_context(|| format!("{suite}: no {rounds} {table}"))
        };
        let places = cells.iter().map(place).collect::<Result<Vec<_>>>()?;
        let figures = |lines: &[&Line]| -> String {
            let figures: Vec<String> = lines.iter().map(|line| digits(line.cycles_median / units)).collect();
            figures.join(" / ")
        };
        let ours: Vec<&Line> = places.iter().filter_map(|(table, cell)| table.ours(cell)).collect();
        let each = places.iter().filter_map(|(table, cell)| table.line("keylane one by one", cell));
        let best: Vec<&Line> = places.iter().filter_map(|(table, cell)| table.best_peer(cell)).collect();
        let mut names: Vec<&str> = best.iter().map(|line| line.engine.as_str()).collect();
        names.dedup();
        let each = figures(&each.collect::<Vec<_>>());
        out += &row(&[what.to_string(), figures(&ours), each, figures(&best), names.join(" / ")]);
        let folder =
            |(table, _): &(&Table, _)| table.source.rsplit_once('/').map(|(folder, _)| format!("`{folder}`"));
        sources.extend(places.iter().filter_map(folder));
    }
    sources.sort();
    sources.dedup();
    Ok(format!("{out}\nFrom {}. {}\n", sources.join(", "), losses(records)?))
}

/// How many cells keylane loses, suite by suite, and how badly.
fn losses(records: &Records) -> Result<String> {
    let (mut all, mut lost_of_all, mut suites) = (0, 0, Vec::new());
    for suite in records.stems()?.iter().filter(|stem| *stem != SIZES && *stem != "tune") {
        let tables = records.tables(suite)?;
        let cells = tables.iter().flat_map(|table| table.cells.iter().map(move |cell| (table, cell)));
        let ratios = cells.filter_map(|(table, cell)| {
            table.ours(cell)?;
            table.best_peer(cell)?.keylane_ratio_median
        });
        let ratios: Vec<f64> = ratios.collect();
        let lost: Vec<f64> = ratios.iter().copied().filter(|&ratio| ratio > 1.0).collect();
        all += ratios.len();
        lost_of_all += lost.len();
        if let Some(worst) = lost.iter().copied().reduce(f64::max) {
            suites.push(format!(
                "{} of {} in `{suite}` (by a factor of {worst:.2} at most)",
                lost.len(),
                ratios.len()
            ));
        }
    }
    Ok(format!("Of {all} cells with a peer keylane loses {lost_of_all}: {}.", suites.join(", ")))
}
