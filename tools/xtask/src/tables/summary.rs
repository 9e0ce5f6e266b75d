//! The README's table: a few cells of many suites. And how many cells keylane loses on each CPU.

use super::forms::{row, rule};
use super::records::{Losses, Records};
use anyhow::{Context, Result};
use keylane_measure::record::digits;
use std::fmt::Write as _;

/// A row: what it says, and the cell it shows.
struct Row {
    what: &'static str,
    suite: &'static str,
    rounds: &'static str,
    table: &'static str,
    cell: &'static str,
}

const ROWS: [Row; 11] = [
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
        what: "Poly1305, 64 messages of 1420 bytes in a call",
        suite: "poly1305-batch",
        rounds: "",
        table: "64 messages in a call, by their lengths",
        cell: "1420",
    },
    Row {
        what: "ChaCha20-Poly1305, one packet of 1420 bytes sealed",
        suite: "aead-one",
        rounds: "",
        table: "sealed, by length",
        cell: "1420",
    },
    Row {
        what: "ChaCha20-Poly1305, 64 packets of 64 bytes sealed in a call",
        suite: "aead-many",
        rounds: "",
        table: "sealed, 64 packets in a call, by their lengths",
        cell: "64",
    },
    Row {
        what: "ChaCha20-Poly1305, 64 packets of 40 to 1420 bytes sealed in a call",
        suite: "aead-many",
        rounds: "",
        table: "sealed, 64 packets in a call, by their lengths",
        cell: "40..1420",
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

/// The table of each CPU, below its name.
pub fn summaries(cpus: &[Records]) -> Result<String> {
    let mut out = "\n".to_owned();
    for records in cpus {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "**{}**\n\n{}", records.cpu()?, summary(records)?);
    }
    Ok(out)
}

/// The table of a CPU, then its name and the records.
pub fn summary(records: &Records) -> Result<String> {
    let heads = ["cycles a message", "keylane", "best other", "times faster", "which"].map(str::to_owned);
    let mut out = row(&heads) + "| --- | ---: | ---: | ---: | --- |\n";
    let (mut sources, mut noisy) = (Vec::new(), Vec::new());
    let recorded = records.suites()?;
    for Row { what, suite, rounds, table, cell } in &ROWS {
        // The table of records names the suites that are not recorded.
        if !recorded.iter().any(|recorded| recorded == suite) {
            continue;
        }
        let tables = records.tables(suite)?;
        let found = tables.iter().find(|found| found.rounds == *rounds && found.title == *table);
        let found = found.with_context(|| format!("{suite}: no {rounds} {table}"))?;
        let place = || format!("{suite}: {rounds} {table}: {cell}");
        let ours = found.ours(cell).with_context(place)?;
        let best = found.best_peer(cell).with_context(place)?;
        let ratio = best.keylane_ratio_median.with_context(place)?;
        // A difference below A/A is none.
        let is_same = (ratio - 1.0).abs() <= found.noise.aa;
        let faster = if is_same { "the same".to_owned() } else { format!("{:.2}", 1.0 / ratio) };
        if found.is_noisy && !noisy.contains(suite) {
            noisy.push(*suite);
        }
        out += &row(&[
            (*what).to_owned(),
            digits(ours.cycles_median),
            digits(best.cycles_median),
            faster,
            best.engine.clone(),
        ]);
        sources.extend(found.source.rsplit_once('/').map(|(folder, _)| format!("`{folder}`")));
    }
    sources.sort();
    sources.dedup();
    let noisy = if noisy.is_empty() {
        String::new()
    } else {
        format!(" Reported and not judged, since the machine was busy: {}.", noisy.join(", "))
    };
    Ok(format!(
        "{out}\nMedians on {}, also of the ratios of paired samples; record {}.{noisy}\n\n",
        records.cpu()?,
        sources.join(", ")
    ))
}

/// A row for each CPU: how many cells keylane loses, the parts with most of the losses, and the worst cell.
pub fn cpus(cpus: &[Records]) -> Result<String> {
    let heads = ["", "keylane loses", "mostly", "the worst cell", "noisy, not judged"].map(str::to_owned);
    let mut out = row(&heads) + "| --- | ---: | --- | --- | --- |\n";
    for records in cpus {
        let losses = Losses::of(records, &records.suites()?)?;
        let all = format!("{} of {} cells", losses.lost, losses.cells);
        let mut noisy = records.suites()?;
        noisy.retain(|suite| records.is_noisy(suite));
        out += &row(&[records.cpu()?, all, mostly(records)?, worst(records)?, noisy.join(", ")]);
    }
    Ok(out)
}

/// A row for each CPU: where its record is, when and of which commit it was made, and what it lacks.
pub fn origins(cpus: &[Records]) -> Result<String> {
    let heads = ["", "record", "measured", "commit", "not recorded"].map(str::to_owned);
    let mut out = row(&heads) + &rule(5, 0);
    for records in cpus {
        let origin = records.origin()?;
        let record = |folder: &String| format!("[{folder}]({folder})");
        out += &row(&[
            records.cpu()?,
            origin.folders.iter().map(record).collect::<Vec<_>>().join(", "),
            origin.dates.join(", "),
            origin.commits.join(", "),
            records.lacks(cpus)?.join(", "),
        ]);
    }
    Ok(out)
}

/// The cell with the greatest ratio, and the peer there.
fn worst(records: &Records) -> Result<String> {
    let mut worst = (1.0, String::new());
    for suite in &records.suites()? {
        for table in &records.tables(suite)? {
            for (cell, ratio) in table.ratios().filter(|&(_, ratio)| table.is_lost(ratio)) {
                if ratio > worst.0 {
                    let peer = table.best_peer(cell).map_or("", |best| &best.engine);
                    worst = (ratio, format!("{ratio:.2}: {peer}; {}, {cell}", table.name()));
                }
            }
        }
    }
    Ok(worst.1)
}

/// As many parts as have three quarters of the losses.
fn mostly(records: &Records) -> Result<String> {
    let mut parts = PARTS.map(|(name, _)| (name, Vec::new()));
    for suite in &records.suites()? {
        for table in &records.tables(suite)? {
            for (cell, ratio) in table.ratios().filter(|&(_, ratio)| table.is_lost(ratio)) {
                if let Some(part) = PARTS.iter().position(|(_, has)| has(suite, cell)) {
                    parts[part].1.push(ratio);
                }
            }
        }
    }
    parts.sort_by_key(|(_, lost)| std::cmp::Reverse(lost.len()));
    let all: usize = parts.iter().map(|(_, lost)| lost.len()).sum();
    let mut named = 0;
    let mut mostly = Vec::new();
    for (name, lost) in parts {
        if named * 4 >= all * 3 {
            break;
        }
        named += lost.len();
        let worst = lost.iter().copied().fold(1.0, f64::max);
        mostly.push(format!("{name} ({}, at worst {worst:.2})", lost.len()));
    }
    Ok(mostly.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_have_a_worst_and_a_mean() {
        let losses = Losses::count([(0.5, false), (1.0, false), (2.0, true), (1.25, true)].into_iter());
        assert_eq!((losses.cells, losses.lost, losses.worst), (4, 2, Some(2.0)));
        assert!((losses.mean - 1.25_f64.powf(0.25)).abs() < 1e-9);
        assert_eq!(Losses::count([(0.9, false)].into_iter()).worst, None);
    }
}
