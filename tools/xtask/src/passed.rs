//! Where each row last passed, and whether its files have changed since: `tests/passed.csv` for readers.

use crate::tables::slots::Slots;
use anyhow::{Result, ensure};
use keylane_records::passed::{Pass, Sources, Standing, load};
use std::collections::BTreeSet;
use std::path::Path;

/// Names every row that is stale or has never passed, and fails if there is one.
pub fn passed(root: &Path) -> Result<()> {
    let (passes, slots) = (load(root), Slots::read(root)?);
    let rows = rows(&passes, &Sources::read(root), slots.pairs());
    let mut faults = 0;
    for row in &rows {
        let renewal = match row.standing() {
            Standing::Passed(_) => continue,
            Standing::Stale(last) => last.renewal(),
            Standing::Never => "run `cargo xtask test-all`".into(),
        };
        println!("{} {}: {}; {renewal}", row.slot, row.kernel, row.standing());
        faults += 1;
    }
    ensure!(faults == 0, "{faults} of {} rows are stale or have never passed: no release", rows.len());
    println!("passed: {} rows, each with its files as they are", rows.len());
    Ok(())
}

/// The tables of docs/PASSED.md: the places, then the rows.
pub fn table(root: &Path, slots: &Slots) -> String {
    format(&rows(&load(root), &Sources::read(root), slots.pairs()))
}

/// A row of keylane's tables or the lab's.
struct Row {
    /// Empty for a kernel without a pass.
    slot: String,
    kernel: String,
    /// The digest of its current files.
    digest: String,
    passes: Vec<Pass>,
}

/// The rows of the passes, then those of the core's table without one, then the lab's kernels without one. A kernel in
/// two slots has two rows: a pass of one says nothing of the other.
fn rows<'a>(
    passes: &'a [Pass],
    sources: &'a Sources,
    table: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<Row> {
    let mut names: Vec<(&str, &str)> = passes.iter().map(|pass| (&*pass.slot, &*pass.kernel)).collect();
    names.dedup();
    for pair in table {
        if !names.contains(&pair) {
            names.push(pair);
        }
    }
    for kernel in sources.kernels() {
        if names.iter().all(|(_, name)| *name != kernel) {
            names.push(("", kernel));
        }
    }
    let row = |(slot, kernel): (&str, &str)| Row {
        slot: slot.into(),
        kernel: kernel.into(),
        digest: sources.digest(kernel).unwrap_or_default(),
        passes: passes.iter().filter(|pass| pass.is_of(slot, kernel)).cloned().collect(),
    };
    names.into_iter().map(row).collect()
}

impl Row {
    fn standing(&self) -> Standing<'_> {
        Standing::new(&self.passes, &self.digest)
    }

    /// The passes of its current files, or all if it is stale.
    fn shown(&self) -> Vec<&Pass> {
        let is_stale = matches!(self.standing(), Standing::Stale(_));
        self.passes.iter().filter(|pass| is_stale || pass.digest == self.digest).collect()
    }
}

/// A target, and what it ran on.
type Place<'a> = (&'a str, &'a str);

fn place(pass: &Pass) -> Place<'_> {
    (&pass.target, &pass.cpu)
}

fn format(rows: &[Row]) -> String {
    let places: BTreeSet<Place<'_>> = rows.iter().flat_map(Row::shown).map(place).collect();
    let places: Vec<Place<'_>> = places.into_iter().collect();
    let mut text = String::from("| place | target | CPU or emulator |\n| --- | --- | --- |\n");
    for (i, (target, cpu)) in places.iter().enumerate() {
        text += &format!("| {} | {target} | {cpu} |\n", i + 1);
    }
    text += "\n| slot | kernel | places | last passed | standing |\n| --- | --- | --- | --- | --- |\n";
    for row in rows {
        let shown = row.shown();
        let number =
            |pass: &&Pass| places.iter().position(|&other| other == place(pass)).map_or(0, |i| i + 1);
        let mut numbers: Vec<usize> = shown.iter().map(number).collect();
        numbers.sort_unstable();
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        let date = shown.iter().map(|pass| &*pass.date).max().unwrap_or_default();
        let standing = match row.standing() {
            Standing::Passed(_) => "passed",
            Standing::Stale(_) => "**stale**",
            Standing::Never => "**never passed**",
        };
        let (slot, kernel) = (&row.slot, &row.kernel);
        text += &format!("| {slot} | {kernel} | {} | {date} | {standing} |\n", numbers.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(target: &str, digest: &str) -> Pass {
        Pass {
            slot: "siphash-xn".into(),
            kernel: "siphash_x1".into(),
            target: target.into(),
            digest: digest.into(),
            commit: "0123abc".into(),
            cpu: format!("CPU of {target}"),
            date: "2026-09-01".into(),
        }
    }

    fn row(passes: &[Pass]) -> Row {
        Row {
            slot: "siphash-xn".into(),
            kernel: "siphash_x1".into(),
            digest: "now".into(),
            passes: passes.to_vec(),
        }
    }

    #[test]
    fn a_table_says_where_and_what_is_stale() {
        let passed = row(&[pass("b", "now"), pass("a", "now"), pass("c", "before")]);
        let stale = row(&[pass("d", "before"), Pass { date: "2026-08-01".into(), ..pass("b", "before") }]);
        let text = format(&[passed, stale, Row { slot: String::new(), ..row(&[]) }]);
        let places = "| 1 | a | CPU of a |\n| 2 | b | CPU of b |\n| 3 | d | CPU of d |\n\n";
        assert!(text.contains(places), "{text}");
        let rows = [
            "| siphash-xn | siphash_x1 | 1 2 | 2026-09-01 | passed |",
            "| siphash-xn | siphash_x1 | 2 3 | 2026-09-01 | **stale** |",
            "|  | siphash_x1 |  |  | **never passed** |",
        ];
        assert!(text.contains(&rows.join("\n")), "{text}");
    }
}
