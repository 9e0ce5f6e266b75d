//! The README's table: a few cells of many suites.

use super::SIZES;
use super::forms::row;
use super::records::{Records, Table};
use anyhow::{Context, Result};
use keylane_measure::record::digits;

/// A row: what it says, and the cell it shows.
struct Row {
    what: &'static str,
    suite: &'static str,
    rounds: &'static str,
    table: &'static str,
    cell: &'static str,
}

const ROWS: [Row; 8] = [
    Row {
        what: "SipHash-1-3, one `u64`, each call waits for the last",
        suite: "siphash-one",
        rounds: "1-3",
        table: "u64 in a register",
        cell: "dependent",
    },
    Row {
        what: "SipHash-1-3, 8 `u64` in a call",
        suite: "siphash-batch",
        rounds: "1-3",
        table: "u64, by messages in a call",
        cell: "8",
    },
    Row {
        what: "SipHash-1-3, 50,000 `u64` in a call",
        suite: "siphash-batch",
        rounds: "1-3",
        table: "u64, by messages in a call",
        cell: "50000",
    },
    Row {
        what: "SipHash-2-4, one string of 4 to 20 bytes",
        suite: "siphash-one",
        rounds: "2-4",
        table: "unpredictable length, independent calls, 50000 rows",
        cell: "4..20",
    },
    Row {
        what: "SipHash-2-4, 50,000 such strings in a call",
        suite: "siphash-batch",
        rounds: "2-4",
        table: "offsets, 4..20 bytes, by messages in a call",
        cell: "50000",
    },
    Row {
        what: "Poly1305, one message of 64 bytes",
        suite: "poly1305-one",
        rounds: "",
        table: "independent calls",
        cell: "64",
    },
    Row {
        what: "Poly1305, one message of 16 KiB",
        suite: "poly1305-one",
        rounds: "",
        table: "independent calls",
        cell: "16384",
    },
    Row {
        what: "Poly1305, 64 messages of 40 to 1500 bytes in a call",
        suite: "poly1305-batch",
        rounds: "",
        table: "64 messages in a call, by their lengths",
        cell: "40..1500",
    },
];

/// A part of the cells, by suite and cell, and its name.
type Part = (&'static str, fn(&str, &str) -> bool);

/// Where keylane may lose. A cell belongs to the first part that has it.
const PARTS: [Part; 4] = [
    ("batches of 2 to 64 messages", |suite, cell| {
        suite.ends_with("hash-batch")
            && cell.parse().is_ok_and(|messages: usize| (2..=64).contains(&messages))
    }),
    ("single SipHash messages", |suite, _| suite == "siphash-one"),
    ("streams fed in pieces", |suite, _| suite.ends_with("-stream")),
    ("other calls", |_, _| true),
];

/// The whole table, then the CPU, the records and the losses.
pub fn summary(records: &Records) -> Result<String> {
    let heads = ["cycles a message", "keylane", "best other", "which", "times faster"].map(str::to_owned);
    let mut out = row(&heads) + "| --- | ---: | ---: | --- | ---: |\n";
    let mut sources = Vec::new();
    for Row { what, suite, rounds, table, cell } in &ROWS {
        let tables = records.tables(suite)?;
        let found = tables.iter().find(|found| found.rounds == *rounds && found.title == *table);
        let found = found.with_context(|| format!("{suite}: no {rounds} {table}"))?;
        let place = || format!("{suite}: {rounds} {table}: {cell}");
        let ours = found.ours(cell).with_context(place)?;
        let best = found.best_peer(cell).with_context(place)?;
        let faster = 1.0 / best.keylane_ratio_median.with_context(place)?;
        out += &row(&[
            (*what).to_owned(),
            digits(ours.cycles_median),
            digits(best.cycles_median),
            best.engine.clone(),
            format!("{faster:.2}"),
        ]);
        sources.extend(found.source.rsplit_once('/').map(|(folder, _)| format!("[`{folder}`]({folder})")));
    }
    sources.sort();
    sources.dedup();
    let [cpu, sources] = [records.cpu()?, sources.join(", ")];
    Ok(format!("{out}\nMedians on {cpu}; record {sources}.\n{}\n", losses(records)?))
}

/// The number of cells that keylane loses, and the parts with most of the losses.
fn losses(records: &Records) -> Result<String> {
    let mut all = 0;
    let mut parts = PARTS.map(|(name, _)| (name, Vec::new()));
    for suite in records.stems()?.iter().filter(|stem| *stem != SIZES && *stem != "tune") {
        for table in &records.tables(suite)? {
            for (cell, ratio) in ratios(table) {
                all += 1;
                let part = PARTS.iter().position(|(_, has)| has(suite, cell)).filter(|_| ratio > 1.0);
                if let Some(part) = part {
                    parts[part].1.push(ratio);
                }
            }
        }
    }
    parts.sort_by_key(|(_, lost)| std::cmp::Reverse(lost.len()));
    let lost_of_all: usize = parts.iter().map(|(_, lost)| lost.len()).sum();
    // As many parts as have three quarters of the losses.
    let mut named = 0;
    let mut mostly = Vec::new();
    for (name, lost) in parts {
        if named * 4 >= lost_of_all * 3 {
            break;
        }
        named += lost.len();
        let worst = lost.iter().copied().fold(1.0, f64::max);
        mostly.push(format!("{name} ({}, at worst {worst:.2} times the cycles)", lost.len()));
    }
    let mostly = if mostly.is_empty() { String::new() } else { format!(", mostly {}", mostly.join(" and ")) };
    Ok(format!("keylane loses {lost_of_all} of {all} cells{mostly}: [every cell](bench/record/RESULTS.md)."))
}

/// Cells with a peer, and keylane's cycles over the best peer's.
fn ratios(table: &Table) -> impl Iterator<Item = (&str, f64)> {
    table.cells.iter().filter_map(|cell| {
        table.ours(cell)?;
        Some((cell.as_str(), table.best_peer(cell)?.keylane_ratio_median?))
    })
}
