//! The page: one file that a browser shows without a network, without a program in it, on light and on dark
//! ground. All text from outside is escaped by `maud`.

use super::measure::{Column, Measured, Taken};
use super::plot::{Bar, COLOURS, Curve, bars, curves};
use super::run::{Run, VERSION, digits, unit};
use super::suites::{all, name};
use super::table::{LONG, entry, label};
use clap::ValueEnum;
use keylane_measure::record::Line;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A record with peers.
pub struct Peers {
    /// The file's name.
    pub name: String,
    pub lines: Vec<Line>,
}

const STYLE: &str = include_str!("page.css");

/// The page.
pub fn page(run: &Run, peers: &[Peers]) -> String {
    let title = format!("keylane on {}", run.machine.name);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p { "keylane " (VERSION) ", " (run.date) ", " (run.machine.arch) ", " (run.machine.model) }
                }
                main {
                    (glance(run))
                    (reading(run))
                    @for &suite in all() {
                        @let tables: Vec<&Measured> =
                            run.tables.iter().filter(|table| table.suite == name(suite)).collect();
                        @if !tables.is_empty() {
                            section {
                                h2 { (name(suite)) }
                                @if let Some(help) = suite.to_possible_value().as_ref().and_then(|value| value.get_help()) {
                                    p { (help.to_string()) "." }
                                }
                                (section(&tables))
                            }
                        }
                    }
                    @for peers in peers { (beside(run, peers)) }
                }
                footer {
                    p { "Measured by " code { (run.command) } ", " (run.plan.samples) " samples for each figure." }
                }
            }
        }
    };
    page.into_string()
}

/// The figures that people look for first: of each suite, what keylane takes for its largest cell.
fn glance(run: &Run) -> Markup {
    let mut tiles: Vec<&Measured> = Vec::new();
    for table in &run.tables {
        let by_length = table.columns.iter().all(|column| column.length.is_some());
        match tiles.iter_mut().find(|known| known.suite == table.suite && known.rounds == table.rounds) {
            None => tiles.push(table),
            Some(known) if by_length => *known = table,
            Some(_) => {}
        }
    }
    html! {
        div.tiles {
            @for table in tiles {
                @if let Some(column) = table.columns.last() && let Some(ours) = column.median(0) {
                    @let (each, divisor) = match column.length {
                        Some(length) if length >= LONG => ("byte", length as f64),
                        _ => ("message", 1.0),
                    };
                    div {
                        h2 { (table.suite) " " (table.rounds) }
                        p { b { (digits(ours / divisor)) } " " (unit()) " a " (each) }
                        p {
                            (table.title) ": " (label(column))
                            @if let Some(portable) = best_portable(table, column) && portable > ours * CLOSE {
                                "; " (digits(portable / ours)) " times as fast as the best portable kernel"
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Differences below this are not to be read as real.
const CLOSE: f64 = 1.05;

/// What the best of the kernels takes that run on every CPU.
fn best_portable(table: &Measured, column: &Column) -> Option<f64> {
    let portable = table.rows.iter().enumerate().filter(|(_, row)| row.portable);
    portable.filter_map(|(row, _)| column.median(row)).reduce(f64::min)
}

/// How to read the page, and what was chosen.
fn reading(run: &Run) -> Markup {
    html! {
        section {
            h2 { "How to read this" }
            p {
                "Lower is better: a figure is the median of the CPU " (unit()) " that one message takes, or from 1 KiB on "
                "one byte. " b { "keylane" } " is what a program gets that leaves the choice to keylane; the rows below "
                "it are kernels that were chosen by name, and " b { "*" } " marks the one that keylane chooses. Its row "
                "and keylane's are the same code: how far they differ shows how far figures can be trusted. Differences "
                "below 5 % or one cycle are not to be read as real from one run. " b { "?" } " marks figures from fewer "
                "samples than asked for. Before it was timed each kernel gave the right tags of the very messages that "
                "it was timed with."
            }
            div.scroll {
                table {
                    caption { "Chosen on this CPU" }
                    thead { tr { th.text { "slot" } th.text { "kernel" } } }
                    tbody { @for (slot, kernel) in &run.chosen { tr { th { (slot) } td.text { (kernel) } } } }
                }
            }
            @for absent in &run.absent {
                p.absent { "Not on this CPU: " code { (absent.kernel) } ", which lacks " (absent.lacks) "." }
            }
        }
    }
}

/// The tables of a suite with their drawings.
fn section(tables: &[&Measured]) -> Markup {
    let by_length = |table: &Measured| table.columns.iter().all(|column| column.length.is_some());
    let mut rounds: Vec<&str> = tables.iter().map(|table| table.rounds).collect();
    rounds.dedup();
    rounds.sort_unstable();
    rounds.dedup();
    html! {
        @for rounds in rounds {
            @let tables: Vec<&Measured> = tables.iter().copied().filter(|table| table.rounds == rounds).collect();
            article {
                @if !rounds.is_empty() { h3 { "Rounds " (rounds) } }
                @if tables.iter().all(|table| by_length(table)) {
                    (curves("Cycles a byte over length, a line for each kernel; the figures are below", unit(), &lines(&tables)))
                }
                @for table in &tables {
                    @if !by_length(table) {
                        h4 { (table.title) }
                        div.groups {
                            @for column in &table.columns {
                                div {
                                    h5 { (label(column)) }
                                    (bars(&format!("{}, {}; the figures are below", table.title, label(column)), &bars_of(table, column)))
                                }
                            }
                        }
                    }
                    (figures(table))
                }
            }
        }
    }
}

/// The colour of a row.
fn colour(row: usize) -> usize {
    if row == 0 { 0 } else { 1 + (row - 1) % COLOURS }
}

/// A row's name, marked if it is keylane's choice.
fn marked(table: &Measured, row: usize) -> String {
    table.rows.get(row).map_or_else(String::new, |row| {
        if row.chosen { format!("{} *", row.name()) } else { row.name().to_owned() }
    })
}

/// Each row as a line through the columns of tables that have the same rows.
fn lines(tables: &[&Measured]) -> Vec<Curve> {
    let Some(first) = tables.first() else { return Vec::new() };
    let points = |row: usize| {
        let columns = tables.iter().flat_map(|table| &table.columns);
        let point = columns.filter_map(move |column| {
            let length = column.length.filter(|&length| length > 0)?;
            Some((length, column.median(row)? / length as f64))
        });
        point.collect::<Vec<_>>()
    };
    let curve = |row| Curve { name: marked(first, row), colour: colour(row), points: points(row) };
    (0..first.rows.len()).map(curve).collect()
}

/// Each row of a column as a bar.
fn bars_of(table: &Measured, column: &Column) -> Vec<Bar> {
    let bar = |row| Some(Bar { name: marked(table, row), colour: colour(row), value: column.median(row)? });
    (0..table.rows.len()).filter_map(bar).collect()
}

/// A table, in two where some figures are for a byte.
fn figures(table: &Measured) -> Markup {
    let is_long = |column: &&Column| column.length.is_some_and(|length| length >= LONG);
    let (long, short): (Vec<_>, Vec<_>) = table.columns.iter().partition(is_long);
    let spread = |taken: &Taken| match taken {
        Taken::Figure(figure, _) => {
            let quartiles = figure.cycles;
            Some(format!(
                "a message: {} to {} by quartiles, {} samples",
                digits(quartiles.lower),
                digits(quartiles.upper),
                figure.kept
            ))
        }
        _ => None,
    };
    html! {
        @for (columns, each) in [(short, "message"), (long, "byte")] {
            @if !columns.is_empty() {
                div.scroll {
                    table {
                        caption { (table.title) ": " (unit()) " a " (each) }
                        thead { tr { th {} @for column in &columns { th { (label(column)) } } } }
                        tbody {
                            @for row in 0..table.rows.len() {
                                @if columns.iter().any(|column| !entry(column, row).is_empty()) {
                                    tr {
                                        th { (marked(table, row)) }
                                        @for column in &columns {
                                            td title=[column.figures.get(row).and_then(spread)] { (entry(column, row)) }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The peers of a record, in the cells that were measured here too.
fn beside(run: &Run, peers: &Peers) -> Markup {
    let of = |line: &&Line, table: &Measured, cell: &str| {
        line.suite == table.suite
            && line.rounds == table.rounds
            && line.table == table.title
            && line.cell == cell
    };
    let mut groups = Vec::new();
    for table in &run.tables {
        for column in &table.columns {
            let theirs = peers.lines.iter().filter(|line| of(line, table, &column.label));
            let mut group: Vec<Bar> = theirs
                .filter_map(|line| {
                    let (name, colour) = match line.side.as_str() {
                        "ours" => ("keylane, in the record".to_owned(), 0),
                        "peer" => (line.engine.clone(), COLOURS),
                        _ => return None,
                    };
                    Some(Bar { name, colour, value: line.cycles_median })
                })
                .collect();
            if group.iter().any(|bar| bar.colour != 0) {
                group.extend(column.median(0).map(|value| Bar {
                    name: "keylane, here".to_owned(),
                    colour: 0,
                    value,
                }));
                group.sort_by(|a, b| a.value.total_cmp(&b.value));
                groups.push((table, column, group));
            }
        }
    }
    html! {
        section {
            h2 { "Beside peers" }
            p {
                (unit()) " a message of the record " code { (peers.name) } ", which was taken at another time. Compare "
                "them only if it was this CPU: keylane's two rows should then agree."
            }
            @if groups.is_empty() { p { "The record has no peers in the cells that were measured here." } }
            @for same in groups.chunk_by(|(a, ..), (b, ..)| std::ptr::eq(*a, *b)) {
                @if let Some((table, ..)) = same.first() {
                    article {
                        h4 { (table.suite) " " (table.rounds) ", " (table.title) }
                        div.groups {
                            @for (_, column, group) in same {
                                div { h5 { (label(column)) } (bars(&format!("Peers, {}", label(column)), group)) }
                            }
                        }
                        (peers_table(same.iter().map(|(_, column, group)| (label(column), &group[..])).collect()))
                    }
                }
            }
        }
    }
}

/// The figures of groups of bars: a column for each group.
fn peers_table(groups: Vec<(String, &[Bar])>) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for bar in groups.iter().flat_map(|(_, bars)| *bars) {
        if !names.contains(&bar.name.as_str()) {
            names.push(&bar.name);
        }
    }
    html! {
        div.scroll {
            table {
                caption { (unit()) " a message" }
                thead { tr { th {} @for (head, _) in &groups { th { (head) } } } }
                tbody {
                    @for name in names {
                        tr {
                            th { (name) }
                            @for (_, bars) in &groups {
                                td { @if let Some(bar) = bars.iter().find(|bar| bar.name == name) { (digits(bar.value)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
