//! The ablations' modelled cycles beside measured ones.

use super::forms::{row, rule};
use super::records::{Records, Table};
use anyhow::{Context as _, Result, ensure};
use std::collections::BTreeMap;

/// The suite that measures what the slot `SLOT` has modelled.
const SUITE: &str = "ablation-siphash";
const SLOT: &str = "siphash-x1-ablation";

/// Long messages, in bytes. Their difference has neither set-up nor end.
const LENGTHS: [&str; 2] = ["256", "1024"];

/// A work of the model, and the variant of SipHash and the cell that measure it. Without a cell, a word's cycles come
/// from `LENGTHS`.
const WORKS: [(&str, &str, Option<&str>); 3] =
    [("1-3", "1-3", None), ("2-4", "2-4", None), ("2-4 of 13 bytes", "2-4", Some("13"))];

/// A table of every kernel in the page's table of x86-64 that the records know: the model's cycles, then each CPU's.
pub fn modelled(page: &str, cpus: &[Records]) -> Result<String> {
    let modelled = cycles(page)?;
    let mut measured = Vec::new();
    let (mut heads, mut sources) = (vec!["cycles".to_owned(), "modelled, Ice Lake".to_owned()], Vec::new());
    for records in cpus.iter().filter(|records| records.has(SUITE)) {
        let (_, source) = records.shown(SUITE)?;
        sources.push(format!("`{source}`"));
        heads.push(records.name());
        measured.push(records.tables(SUITE)?);
    }
    let mut out = format!("\nMeasured in {}:\n\n", sources.join(", "));
    out += &row(&heads);
    out += &rule(1, heads.len() - 1);
    let mut rows = 0;
    for (work, rounds, cell) in WORKS {
        for ((kernel, _), cycles) in modelled.iter().filter(|((_, of), _)| of == work) {
            let figures: Vec<Option<f64>> =
                measured.iter().map(|tables| figure(tables, rounds, kernel, cell)).collect();
            if figures.iter().all(Option::is_none) {
                continue;
            }
            let figures = figures.iter().map(|it| it.map_or_else(String::new, |it| format!("{it:.2}")));
            let unit = if cell.is_some() { "a hash" } else { "a word" };
            let head = vec![format!("`{kernel}`, {work}, {unit}"), cycles.clone()];
            out += &row(&[head, figures.collect()].concat());
            rows += 1;
        }
    }
    ensure!(rows > 0, "the page's model and the records have no kernel in common");
    out.push('\n');
    Ok(out)
}

/// The cycles in the page's table of x86-64, by kernel and work.
fn cycles(page: &str) -> Result<BTreeMap<(String, String), String>> {
    let (_, table) = page.split_once("<!-- model x86_64: begin -->").context("the table of x86-64")?;
    let (table, _) = table.split_once("<!-- model x86_64: end -->").context("its end")?;
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    let lines = table.lines().map(cells).filter(|cells| cells.get(1).is_some_and(|slot| slot == SLOT));
    let cycles: BTreeMap<_, _> = lines
        .filter_map(|cells| match &cells[..] {
            [_, _, kernel, work, _, _, cycles, ..] => {
                Some(((kernel.trim_matches('`').to_owned(), work.clone()), cycles.clone()))
            }
            _ => None,
        })
        .collect();
    ensure!(
        !cycles.is_empty(),
        "the table of x86-64 has no {SLOT}; cargo xtask model --target x86_64 --record"
    );
    Ok(cycles)
}

/// A kernel's measured cycles for a hash of the cell, or for a word.
fn figure(tables: &[Table], rounds: &str, kernel: &str, cell: Option<&str>) -> Option<f64> {
    let table = tables.iter().find(|it| it.rounds == rounds && it.title.ends_with("constant length"))?;
    let median = |cell: &str| table.line(kernel, cell).map(|line| line.cycles_median);
    match cell {
        Some(cell) => median(cell),
        None => {
            let [short, long] = LENGTHS;
            let words = (long.parse::<f64>().ok()? - short.parse::<f64>().ok()?) / 8.0;
            Some((median(long)? - median(short)?) / words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_table_is_read() {
        let page = "| siphash-x1-ablation | `a` | 1-3 | word | 1.0 | 9.00 |  |\n<!-- model x86_64: begin -->\n\
                    | siphash-x1-ablation | `b` | 2-4 of 13 bytes | hash | 111.0 | 34.00 |  |\n\
                    | siphash-xn | `c` | 1-3 | word | 20.0 | 5.00 |  |\n<!-- model x86_64: end -->\n";
        let of = |kernel: &str, work: &str| (kernel.to_owned(), work.to_owned());
        let expected = BTreeMap::from([(of("b", "2-4 of 13 bytes"), "34.00".to_owned())]);
        assert_eq!(cycles(page).unwrap(), expected);
        assert!(cycles("<!-- model x86_64: begin -->\n<!-- model x86_64: end -->\n").is_err());
        assert!(cycles("no table").is_err());
    }
}
