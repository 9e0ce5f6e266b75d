//! Tables as Markdown.

use super::records::{Records, Table};
use anyhow::{Context as _, Result, ensure};
use keylane_measure::record::{Line, digits};
use std::fmt::Write as _;

/// A line of a table. Names come from records, so what means something to Markdown is written as itself.
pub fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('<', "&lt;")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// The line below the heads: `words` columns of words, then `figures` columns of figures.
pub fn rule(words: usize, figures: usize) -> String {
    row(&[vec!["---".to_owned(); words], vec!["---:".to_owned(); figures]].concat())
}

/// Lines of a name and figures as a table; the first line has the heads.
pub fn figures(lines: &[Vec<String>]) -> String {
    let Some((heads, lines)) = lines.split_first() else { return String::new() };
    let mut out = row(heads) + &rule(1, heads.len().saturating_sub(1));
    out.extend(lines.iter().map(|line| row(line)));
    out
}

fn chosen<'a>(tables: &'a [Table], text: &str) -> Result<Vec<&'a Table>> {
    let chosen: Vec<&Table> = tables.iter().filter(|table| table.name().contains(text)).collect();
    ensure!(!chosen.is_empty(), "no title contains {text:?}");
    Ok(chosen)
}

/// A row for each engine, a column for each cell. The parts of a name that commas divide stand in columns of
/// their own.
pub fn engines(tables: &[Table], text: &str) -> Result<String> {
    let mut out = String::new();
    for table in chosen(tables, text)? {
        let parts = |name: &String| name.split(", ").map(str::to_owned).collect::<Vec<_>>();
        let columns = table.engines.iter().map(|name| parts(name).len()).max().unwrap_or(1);
        let is_lost = |line: &Line| {
            line.side == "peer" && line.keylane_ratio_median.is_some_and(|ratio| table.is_lost(ratio))
        };
        let lost = table.lines().any(is_lost);
        let legend = if lost { "; bold: faster than keylane" } else { "" };
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "\n{} (`{}`{legend}; {}):\n", table.name(), table.source, table.verdict());
        out += &row(&[vec![String::new(); columns], table.cells.clone()].concat());
        out += &rule(columns, table.cells.len());
        for engine in &table.engines {
            let mut cells = parts(engine);
            cells.resize(columns, String::new());
            let figure = |cell: &String| {
                let line = table.line(engine, cell)?;
                let mark = if is_lost(line) { "**" } else { "" };
                Some(format!("{mark}{}{mark}", digits(line.cycles_median)))
            };
            cells.extend(table.cells.iter().map(|cell| figure(cell).unwrap_or_default()));
            out += &row(&cells);
        }
    }
    out.push('\n');
    Ok(out)
}

/// A row for each cell: keylane, the best peer and their ratio, bold where keylane loses.
pub fn peers(tables: &[Table], text: &str) -> Result<String> {
    let mut out = String::new();
    for table in chosen(tables, text)? {
        if table.losses().cells == 0 {
            continue;
        }
        let mut rows = String::new();
        for (cell, ratio) in table.ratios() {
            let (Some(ours), Some(best)) = (table.ours(cell), table.best_peer(cell)) else { continue };
            let mark = if table.is_lost(ratio) { "**" } else { "" };
            let mut figures = vec![
                cell.to_owned(),
                digits(ours.cycles_median),
                digits(best.cycles_median),
                best.engine.clone(),
                format!("{mark}{ratio:.3}{mark}"),
            ];
            figures.extend(speeds(table, cell, [ours.cycles_median, best.cycles_median]));
            rows += &row(&figures);
        }
        let _ = writeln!(out, "\n{} (`{}`): {}\n", table.name(), table.source, table.verdict());
        let mut heads = vec!["cell", "keylane", "best peer", "which", "keylane / best peer"];
        let speeds = ["bytes a cycle, keylane", "best peer", "GB/s, keylane", "best peer"];
        heads.extend(&speeds[..speeds_of(table)]);
        out += &row(&heads.into_iter().map(str::to_owned).collect::<Vec<_>>());
        out += &format!("| --- | ---: | ---: | --- | ---: |{}\n", " ---: |".repeat(speeds_of(table)));
        out += &rows;
    }
    ensure!(!out.is_empty(), "no cell has a peer");
    out.push('\n');
    Ok(out)
}

/// How many columns of speeds a table has: for long messages the bytes a cycle, and, if the record names the clock, GB/s.
fn speeds_of(table: &Table) -> usize {
    match (table.title.starts_with("long messages"), table.clock) {
        (false, _) => 0,
        (true, None) => 2,
        (true, Some(_)) => 4,
    }
}

/// Those columns of a cell, keylane's and the best peer's.
fn speeds(table: &Table, cell: &str, cycles: [f64; 2]) -> Vec<String> {
    let bytes: f64 = cell.parse().unwrap_or(f64::NAN);
    let by = |clock: f64| cycles.map(|cycles| format!("{:.2}", bytes / cycles * clock));
    let all = by(1.0).into_iter().chain(table.clock.map(by).into_iter().flatten());
    all.take(speeds_of(table)).collect()
}

/// The most that a call may take of another's time to be as fast: measurements of one program differ by as much.
const AS_FAST: f64 = 1.03;

/// A row for each call that is compared with a loop: how many cells are slower than it, the worst, and the mean.
pub fn loops(tables: &[Table], text: &str) -> Result<String> {
    let mut out = "\n".to_owned();
    if tables.iter().any(|table| table.is_noisy) {
        out += "A noisy record, reported and not judged:\n\n";
    }
    out += &row(&["call", "cells", "slower", "worst", "at", "mean", "noise"].map(str::to_owned));
    out += "| --- | ---: | ---: | ---: | --- | ---: | --- |\n";
    for table in chosen(tables, text)? {
        let ratios: Vec<(&str, f64)> = table.ratios().collect();
        let is_slower = |ratio: f64| ratio > AS_FAST && table.noise.is_slower(ratio);
        let slower = ratios.iter().filter(|(_, ratio)| is_slower(*ratio)).count();
        let worst = ratios.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
        let (cell, worst) = worst.with_context(|| format!("{}: no cell", table.name()))?;
        let mark = if slower > 0 && !table.is_noisy { "**" } else { "" };
        out += &row(&[
            table
                .title
                .replace(", by messages in a call", "")
                .replace("SipHash, ", &format!("SipHash-{}, ", table.rounds)),
            ratios.len().to_string(),
            slower.to_string(),
            format!("{mark}{worst:.2}{mark}"),
            cell.to_owned(),
            format!("{:.2}", table.losses().mean),
            table.noise.to_string(),
        ]);
    }
    out.push('\n');
    Ok(out)
}

/// Independent calls of a suite, on each CPU where they have this engine.
pub fn independent(cpus: &[Records], suite: &str, engine: &str) -> Result<Vec<(String, Table)>> {
    let mut tables = Vec::new();
    for records in cpus.iter().filter(|records| records.has(suite)) {
        let table = records.tables(suite)?.into_iter().find(|table| table.title == "independent calls");
        let table = table.filter(|table| table.engines.iter().any(|of| of == engine));
        tables.extend(table.map(|table| (records.name(), table)));
    }
    ensure!(!tables.is_empty(), "no {engine} in {suite}");
    Ok(tables)
}

/// A row for each cell of independent calls: keylane's cycles and one other engine's, a pair of columns for each CPU.
pub fn beside(cpus: &[Records], suite: &str, engine: &str) -> Result<String> {
    let tables = independent(cpus, suite, engine)?;
    let heads = tables.iter().flat_map(|(name, _)| [format!("{name}, keylane"), format!("{name}, {engine}")]);
    let mut out = "\n".to_owned() + &row(&["bytes".to_owned()].into_iter().chain(heads).collect::<Vec<_>>());
    out += &rule(0, 1 + 2 * tables.len());
    for cell in &tables[0].1.cells {
        let figures = tables.iter().flat_map(|(_, table)| [table.ours(cell), table.line(engine, cell)]);
        let figures = figures.map(|line| line.map_or_else(String::new, |line| digits(line.cycles_median)));
        out += &row(&[cell.clone()].into_iter().chain(figures).collect::<Vec<_>>());
    }
    out.push('\n');
    Ok(out)
}

/// A row for each other kernel in independent calls: the shortest message from which it is always faster than this one, a
/// column for each CPU.
pub fn crossovers(cpus: &[Records], suite: &str, engine: &str) -> Result<String> {
    let tables = independent(cpus, suite, engine)?;
    let mut kernels: Vec<&str> = Vec::new();
    for kernel in tables.iter().flat_map(|(_, table)| &table.engines) {
        if kernel.starts_with("keylane ") && kernel != engine && !kernels.contains(&kernel.as_str()) {
            kernels.push(kernel);
        }
    }
    let heads = tables.iter().map(|(name, _)| name.clone());
    let mut lines = vec![["kernel".to_owned()].into_iter().chain(heads).collect::<Vec<_>>()];
    for kernel in kernels {
        let cells = tables.iter().map(|(_, table)| {
            let of = |engine, cell| table.line(engine, cell).map(|line| line.cycles_median);
            let cells = table.cells.iter();
            let both = cells.filter_map(|cell| Some((cell.as_str(), of(kernel, cell)?, of(engine, cell)?)));
            crossover(&both.collect::<Vec<_>>()).to_owned()
        });
        let name = kernel.trim_start_matches("keylane ");
        lines.push([format!("`{name}`")].into_iter().chain(cells).collect());
    }
    Ok(format!("\n{}\n", figures(&lines)))
}

/// The first cell from which on the first figure is less than the second, by more than two runs of one program differ.
fn crossover<'a>(cells: &[(&'a str, f64, f64)]) -> &'a str {
    let from = cells.iter().rposition(|(_, a, b)| *b <= AS_FAST * a).map_or(0, |last| last + 1);
    match (cells.is_empty(), cells.get(from)) {
        (true, _) => "",
        (false, None) => "never",
        (false, Some((cell, ..))) => cell,
    }
}

/// A row for each kernel: how many bytes its code has.
pub fn sizes((source, sizes): &(String, Vec<(String, String)>)) -> Result<String> {
    ensure!(!sizes.is_empty(), "{source}: no such kernel");
    let mut out = format!("\nBytes of code (`{source}`):\n\n")
        + &row(&["kernel", "bytes"].map(str::to_owned))
        + &rule(1, 1);
    sizes.iter().for_each(|(kernel, size)| out += &row(&[format!("`{kernel}`"), size.clone()]));
    out.push('\n');
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_have_speeds() {
        let of = |title, clock| {
            let table = Table::empty(title, clock);
            let speeds = speeds(&table, "131072", [148_473.0, 141_591.0]);
            assert_eq!(speeds.len(), speeds_of(&table));
            speeds
        };
        let title = "long messages, independent calls";
        assert_eq!(of(title, None), ["0.88", "0.93"]);
        assert_eq!(of(title, Some(3.2)), ["0.88", "0.93", "2.82", "2.96"]);
        assert!(of("constant length, independent calls", Some(3.2)).is_empty());
    }

    #[test]
    fn a_kernel_crosses_where_it_stays_faster() {
        let cells = |figures: [f64; 4]| {
            let lengths = ["64", "128", "256", "512"].into_iter().zip(figures);
            crossover(&lengths.map(|(length, figure)| (length, figure, 100.0)).collect::<Vec<_>>())
        };
        assert_eq!(cells([120.0, 90.0, 80.0, 70.0]), "128");
        assert_eq!(cells([90.0, 120.0, 80.0, 70.0]), "256", "once slower");
        assert_eq!(cells([90.0, 90.0, 90.0, 90.0]), "64");
        assert_eq!(cells([90.0, 90.0, 90.0, 99.0]), "never", "level");
        assert_eq!(crossover(&[]), "");
    }
}
