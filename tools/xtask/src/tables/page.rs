//! docs/results.html: every figure of bench/record/RESULTS.md as a page for a browser, with a plot for each table.

use super::marks::BEGIN;
use super::records::{Losses, RECORD, Records, Table};
use anyhow::{Context, Result, ensure};
use keylane_measure::page::{Across, COLOURS, Curve, Down, Plot, Point, page};
use keylane_measure::record::{Line, digits};
use maud::{Markup, html};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The page, below the root.
pub const PAGE: &str = "docs/results.html";

/// The page whose sections this one has, too.
const RESULTS: &str = "bench/record/RESULTS.md";

/// From the page to the root.
const ROOT: &str = "..";

/// Plots end at engines that take this many times keylane's cycles.
const MOST: f64 = 5.0;

/// A section of RESULTS.
struct Section {
    heading: String,
    /// What a table shows: `peers` or `engines`.
    form: String,
    suite: String,
}

/// A column of a table: an engine.
struct Engine<'a> {
    name: &'a str,
    colour: usize,
}

/// The page.
pub fn results(root: &Path, cpus: &[Records]) -> Result<String> {
    let text = fs::read_to_string(root.join(RESULTS)).context(RESULTS)?;
    let sections = sections(&text);
    ensure!(!sections.is_empty(), "{RESULTS} shows no suite");
    let mut shown = Vec::new();
    for records in cpus {
        shown.push(cpu(records, cpus, &sections)?);
    }
    let title = "keylane's results";
    let body = html! {
        header {
            h1 { (title) }
            p {
                "SipHash and Poly1305 by keylane and by others, on every CPU that was recorded. The same as a "
                a href=(format!("{ROOT}/{RESULTS}")) { "RESULTS.md" } "; "
                a href="BENCHMARKS.md" { "the method, the engines, and what the figures cannot show" } ". The page has no "
                "script and needs no network."
            }
        }
        main {
            (overview(cpus, &sections)?)
            section {
                h2 { "How to read this" }
                p {
                    "A plot shows every engine's time as a multiple of keylane's, cell by cell: the thick line at 1 is "
                    "keylane, and engines above it are slower. " b.lost { "Red marks" } " are the cells that keylane "
                    "loses: the fastest peer lies below 1, by more than A/A. A/A is by how much two series of samples of "
                    "keylane differ. The figures of a noisy record are reported, not judged. A plot ends at " (MOST) ". The tables below the plots have "
                    "medians in cycles. Their last column is keylane's cycles over the best peer's: the median over "
                    "pairs of samples, so above 1 keylane loses. The best peer is bold."
                }
            }
            form autocomplete="off" {
                (choice("CPU", "cpu", cpus.iter().map(|records| (records.folder(), records.name())), ""))
                (choice(
                    "Suite",
                    "suite",
                    sections.iter().map(|section| (section.suite.as_str(), section.heading.clone())),
                    "Every suite",
                ))
            }
            @for cpu in &shown { (cpu) }
        }
        footer { p { "Written by " code { "cargo xtask tables" } " from the newest records of each CPU." } }
    };
    Ok(page(title, &style(cpus, &sections), &body) + "\n")
}

/// The sections of RESULTS that have tables of keylane and its peers.
fn sections(text: &str) -> Vec<Section> {
    let mut heading = "";
    let mut sections = Vec::new();
    for line in text.lines() {
        if let Some(found) = line.strip_prefix("## ") {
            heading = found;
        } else if let Some(mark) = line.strip_prefix(BEGIN)
            && let Some((form, suite)) = mark.trim_end_matches(" -->").split_once(' ')
            && form != "loops"
        {
            let [heading, form, suite] = [heading, form, suite].map(str::to_owned);
            sections.push(Section { heading, form, suite });
        }
    }
    sections
}

/// Shows only what was chosen. A browser that does not know `:has` shows all.
fn style(cpus: &[Records], sections: &[Section]) -> String {
    let mut style = String::new();
    let names = cpus.iter().map(|records| ("cpu", records.folder()));
    for (kind, name) in names.chain(sections.iter().map(|section| ("suite", section.suite.as_str()))) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(style, "body:has(#{kind}-{name}:checked) .{kind}:not(.{name}) {{ display: none; }}");
    }
    style
}

/// Buttons of which one is chosen, the first at the beginning.
fn choice<'a>(
    legend: &str,
    kind: &str,
    names: impl Iterator<Item = (&'a str, String)>,
    every: &str,
) -> Markup {
    let button = |i: usize, name: &str, text: &str| {
        html! {
            label { input type="radio" name=(kind) id={ (kind) "-" (name) } value=(name) checked[i == 0]; (text) }
        }
    };
    html! {
        fieldset {
            legend { (legend) }
            @for (i, (name, text)) in names.enumerate() { (button(i, name, &text)) }
            @if !every.is_empty() { (button(1, "every", every)) }
        }
    }
}

/// A row for each suite, a column for each CPU: how many cells keylane loses, and the worst.
fn overview(cpus: &[Records], sections: &[Section]) -> Result<Markup> {
    let of = |suite: Option<&str>| -> Result<Vec<Markup>> {
        let text = |records: &Records| {
            let suites = suite.map_or_else(|| records.suites(), |suite| Ok(vec![suite.to_owned()]))?;
            let is_noisy = suite.is_some_and(|suite| records.is_noisy(suite));
            Ok(if is_noisy {
                html! { "noisy" }
            } else {
                brief(&Losses::of(records, &suites)?)
            })
        };
        cpus.iter().map(text).collect()
    };
    let mut rows = Vec::new();
    for section in sections {
        rows.push((section, of(Some(&section.suite))?));
    }
    let all = of(None)?;
    Ok(html! {
        section {
            h2 { "Where keylane loses" }
            p {
                "Cells that keylane loses, of all cells with a peer, and the worst of keylane's cycles over the best peer's. "
                "Noisy records are not judged."
            }
            div.scroll {
                table.wrap {
                    thead { tr { th {} @for records in cpus { th { (records.name()) } } } }
                    tbody {
                        @for (section, cells) in &rows {
                            tr {
                                th { label for={ "suite-" (section.suite) } { (section.heading) } }
                                @for cell in cells { td { (cell) } }
                            }
                        }
                        tr.sum { th { "All" } @for cell in &all { td { (cell) } } }
                    }
                }
            }
        }
    })
}

/// How many cells are lost, and the worst.
fn brief(losses: &Losses) -> Markup {
    html! {
        @if losses.cells > 0 { span { (losses.lost) " of " (losses.cells) } }
        @if let Some(worst) = losses.worst { ", " span { (format!("{worst:.2}")) } }
    }
}

/// The figures of a CPU.
fn cpu(records: &Records, cpus: &[Records], sections: &[Section]) -> Result<Markup> {
    let mut parts = Vec::new();
    for section in sections {
        let suite = &section.suite;
        parts.push((section, if records.has(suite) { Some(records.tables(suite)?) } else { None }));
    }
    let (origin, lacks) = (records.origin()?, records.lacks(cpus)?);
    Ok(html! {
        div class={ "cpu " (records.folder()) } {
            h2 { (records.cpu()?) }
            p.quiet {
                "Record "
                @for folder in &origin.folders { a href=(format!("{ROOT}/{RECORD}/{folder}")) { (folder) } ", " }
                "measured " (origin.dates.join(", ")) " at commit " (origin.commits.join(", ")) "."
                @if !lacks.is_empty() { " Not recorded here: " (lacks.join(", ")) "." }
            }
            @for (section, tables) in &parts {
                section class={ "suite " (section.suite) } {
                    h3 { (section.heading) }
                    @match tables {
                        None => { p.quiet { "The record of this CPU has no " (section.suite) "." } }
                        Some(tables) => {
                            div.plots { @for table in tables { (drawn(table, section)) } }
                        }
                    }
                }
            }
        }
    })
}

/// A table with its plot.
fn drawn(table: &Table, section: &Section) -> Markup {
    let engines = engines(table, section);
    let name = table.name();
    html! {
        article {
            h4 { (name) }
            p.quiet { (table.verdict()) "." }
            (plot(table, &engines, &format!("{name}; the figures are below")))
            details {
                summary { "Figures of " (table.cells.len()) " cells, cycles" }
                (figures(table, &engines))
            }
        }
    }
}

/// keylane, then the others: peers only, or everything that was measured but floors.
fn engines<'a>(table: &'a Table, section: &Section) -> Vec<Engine<'a>> {
    let side = |name: &str| table.lines().find(|line| line.engine == name).map_or("", |line| &line.side);
    let is_shown = |name: &&String| match side(name) {
        "ours" | "peer" => true,
        side => section.form == "engines" && side != "floor",
    };
    let mut names: Vec<&String> = table.engines.iter().filter(is_shown).collect();
    names.sort_by_key(|name| side(name) != "ours");
    let ours = names.iter().filter(|name| side(name) == "ours").count();
    let colour = |i: usize| if i < ours { 0 } else { 1 + (i - ours) % COLOURS };
    names.iter().enumerate().map(|(i, name)| Engine { name, colour: colour(i) }).collect()
}

/// The engine's cycles over keylane's.
fn times(line: &Line) -> Option<f64> {
    if line.side == "ours" { Some(1.0) } else { Some(1.0 / line.keylane_ratio_median?) }
}

fn plot(table: &Table, engines: &[Engine<'_>], about: &str) -> Markup {
    let points = |engine: &Engine<'_>| {
        let cells = table.cells.iter().enumerate();
        let point = cells.filter_map(|(i, cell)| {
            let y = times(table.line(engine.name, cell)?)?;
            Some(Point { x: i as f64, y, about: String::new() })
        });
        point.collect()
    };
    let curves: Vec<Curve> = engines
        .iter()
        .map(|engine| Curve { name: engine.name.to_owned(), colour: engine.colour, points: points(engine) })
        .collect();
    let mark = |(i, cell): (usize, &String)| {
        let (ours, best) = (table.ours(cell)?, table.best_peer(cell)?);
        let ratio = table.ratio(cell).filter(|&ratio| table.is_lost(ratio))?;
        let [mine, theirs] = [ours, best].map(|line| digits(line.cycles_median));
        let about = format!("{cell}: keylane {mine}, {} {theirs}; {ratio:.3} times", best.engine);
        Some(Point { x: i as f64, y: 1.0 / ratio, about })
    };
    let marks: Vec<Point> = table.cells.iter().enumerate().filter_map(mark).collect();
    let plot = Plot {
        about,
        axis: "times keylane's cycles",
        across: Across::Cells(&table.cells),
        down: Down::Ratios(MOST),
        curves: &curves,
        marks: &marks,
    };
    plot.draw()
}

fn figures(table: &Table, engines: &[Engine<'_>]) -> Markup {
    let has_peer = table.cells.iter().any(|cell| table.ratio(cell).is_some());
    let figure = |cell: &str, engine: &Engine<'_>| {
        let Some(line) = table.line(engine.name, cell) else { return html! { td {} } };
        let is_best = table.best_peer(cell).is_some_and(|best| best.engine == line.engine);
        let cycles = digits(line.cycles_median);
        html! { td { @if is_best { b { (cycles) } } @else { (cycles) } } }
    };
    html! {
        div.scroll {
            table {
                caption { "Record " code { (table.source) } }
                thead {
                    tr {
                        th.text { "cell" }
                        @for engine in engines { th { (engine.name) } }
                        @if has_peer { th { "keylane / best peer" } }
                    }
                }
                tbody {
                    @for cell in &table.cells {
                        tr {
                            th { (cell) }
                            @for engine in engines { (figure(cell, engine)) }
                            @if has_peer {
                                @match table.ratio(cell) {
                                    None => { td {} }
                                    Some(ratio) => { td.lost[table.is_lost(ratio)] { (format!("{ratio:.3}")) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_those_of_the_page_of_text() {
        let text = "# Results\n\n<!-- measured cpus -->\n<!-- end of measured -->\n\n## One message\n\nText.\n\n\
                    <!-- measured peers siphash-one -->\n<!-- end of measured -->\n";
        let sections = sections(text);
        let [section] = &sections[..] else { panic!("one section") };
        assert_eq!((section.heading.as_str(), section.form.as_str()), ("One message", "peers"));
        assert_eq!(section.suite, "siphash-one");
    }
}
