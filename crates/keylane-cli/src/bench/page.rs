//! The page of a run.

use super::figures::{Column, Measured, Row, Taken};
use super::run::{Run, VERSION, unit};
use super::suites::{all, name};
use clap::ValueEnum;
use keylane_measure::page::{Across, Bar, COLOURS, Curve, Down, Plot, Point, bars, length};
use keylane_measure::record::{Figure, Line, digits};
use maud::{Markup, html};

/// A record with peers.
pub struct Peers {
    /// The file's name.
    pub name: String,
    pub lines: Vec<Line>,
}

/// The page.
pub fn page(run: &Run, peers: &[Peers]) -> String {
    let title = format!("keylane on {}", run.machine.name);
    let body = html! {
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
            p {
                "Noise: " (run.noise().to_string()) "."
                @if run.is_noisy() { " " b { "The machine was busy: these figures are reported, not judged." } }
            }
        }
    };
    keylane_measure::page::page(&title, "", &body)
}

/// The figures people look for first: in each suite, keylane's figure for the largest cell.
fn glance(run: &Run) -> Markup {
    let mut tiles: Vec<&Measured> = Vec::new();
    for table in &run.tables {
        match tiles.iter_mut().find(|known| known.suite == table.suite && known.rounds == table.rounds) {
            None => tiles.push(table),
            Some(known) if table.is_by_length() => *known = table,
            Some(_) => {}
        }
    }
    html! {
        div.tiles {
            @for table in tiles {
                @if let Some(column) = table.columns.last() && let Some(ours) = column.median(0) {
                    @let (each, count) = column.each();
                    div {
                        h2 { (table.name) }
                        p { b { (digits(ours / count)) } " " (unit()) " a " (each) }
                        p {
                            (table.title) ": " (column.head())
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

/// A smaller ratio means nothing.
const CLOSE: f64 = 1.05;

/// The median of the fastest portable kernel.
fn best_portable(table: &Measured, column: &Column) -> Option<f64> {
    let portable = table.rows.iter().enumerate().filter(|(_, row)| row.portable);
    portable.filter_map(|(row, _)| column.median(row)).reduce(f64::min)
}

/// How to read the page, and which kernels were chosen.
fn reading(run: &Run) -> Markup {
    html! {
        section {
            h2 { "How to read this" }
            p {
                "Lower is better: a figure is the median CPU " (unit()) " per message or, for messages of 1 KiB or more, "
                "per byte. " b { "keylane" } " is what a program gets if it leaves the choice of kernel to keylane. The "
                "lines below it are kernels chosen by name; " b { "*" } " marks keylane's choice. That line and keylane's "
                "run the same code: their difference shows how far figures can be trusted. In a single run, a difference "
                "below 5 % or one cycle means nothing. " b { "?" } " marks figures from fewer samples than asked for. "
                "Before it was timed, each kernel gave the right tags for the very messages it was timed on."
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

/// The tables of a suite, with their drawings.
fn section(tables: &[&Measured]) -> Markup {
    let mut rounds: Vec<&str> = tables.iter().map(|table| table.rounds).collect();
    rounds.dedup();
    rounds.sort_unstable();
    rounds.dedup();
    html! {
        @for rounds in rounds {
            @let tables: Vec<&Measured> = tables.iter().copied().filter(|table| table.rounds == rounds).collect();
            article {
                @if !rounds.is_empty() { h3 { "Rounds " (rounds) } }
                // Other work on the machine may have left no sample of any row.
                @if tables.iter().all(|table| table.columns.iter().all(|column| bars_of(table, column).is_empty())) {
                    p.absent { "No plot: other work on this machine left no sample." }
                } @else if tables.iter().all(|table| table.is_by_length()) {
                    (by_length(&tables))
                }
                @for table in &tables {
                    @if !table.is_by_length() {
                        h4 { (table.title) }
                        div.groups {
                            @for column in &table.columns {
                                @let drawn = bars_of(table, column);
                                @if !drawn.is_empty() {
                                    div {
                                        h5 { (column.head()) }
                                        (bars(&format!("{}, {}; the figures are below", table.title, column.head()), &drawn))
                                    }
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

/// Each row as a line through the columns of these tables, which have the same rows.
fn by_length(tables: &[&Measured]) -> Markup {
    let Some(first) = tables.first() else { return html! {} };
    let axis = format!("{} a byte", unit());
    let columns = || tables.iter().flat_map(|table| &table.columns);
    let point = |row: usize, name: &str, column: &Column| {
        let bytes = column.length.filter(|&bytes| bytes > 0)?;
        let y = column.median(row)? / bytes as f64;
        let about = format!("{name}, {}: {} {axis}", length(bytes), digits(y));
        Some(Point { x: bytes as f64, y, about })
    };
    let curve = |(i, row): (usize, &Row)| {
        let name = row.name();
        let points = columns().filter_map(|column| point(i, &name, column)).collect();
        Curve { name, colour: colour(i), points }
    };
    let curves: Vec<Curve> = first.rows.iter().enumerate().map(curve).collect();
    let plot = Plot {
        about: "Cycles a byte over length, a line for each kernel; the figures are below",
        axis: &axis,
        across: Across::Lengths,
        down: Down::Figures,
        curves: &curves,
        marks: &[],
    };
    plot.draw()
}

/// Each row of a column as a bar.
fn bars_of(table: &Measured, column: &Column) -> Vec<Bar> {
    let bar =
        |(i, row): (usize, &Row)| Some(Bar { name: row.name(), colour: colour(i), value: column.median(i)? });
    table.rows.iter().enumerate().filter_map(bar).collect()
}

/// A table, split in two if some figures are per byte.
fn figures(table: &Measured) -> Markup {
    let spread = |taken: &Taken| match taken {
        Taken::Figure { figure: Figure { cycles, kept, .. }, .. } => {
            let (lower, upper) = (digits(cycles.lower), digits(cycles.upper));
            Some(format!("a message: {lower} to {upper} by quartiles; samples: {kept}"))
        }
        _ => None,
    };
    html! {
        @for columns in table.parts() {
            @let each = columns.first().map_or("message", |column| column.each().0);
            div.scroll {
                table {
                    caption { (table.title) ": " (unit()) " a " (each) }
                    thead { tr { th {} @for column in columns { th { (column.head()) } } } }
                    tbody {
                        @for (i, row) in table.rows.iter().enumerate() {
                            @if columns.iter().any(|column| !column.entry(i).is_empty()) {
                                tr {
                                    th { (row.name()) }
                                    @for column in columns {
                                        td title=[column.figures.get(i).and_then(spread)] { (column.entry(i)) }
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

/// The peers of a record, in the cells measured here.
fn beside(run: &Run, peers: &Peers) -> Markup {
    html! {
        section {
            h2 { "Compared with peers" }
            p {
                "The peers of the record " code { (peers.name) } ", which was taken at another time. Compare figures "
                "only if it was taken on this CPU: the two figures of keylane should then agree."
            }
            @let tables: Vec<_> = run.tables.iter().map(|table| (table, peers.beside(table))).collect();
            @if tables.iter().all(|(_, groups)| groups.is_empty()) {
                p { "The record has no peers in the cells that were measured here." }
            }
            @for (table, groups) in &tables {
                @if !groups.is_empty() {
                    article {
                        h4 { (table.name) ", " (table.title) }
                        div.groups {
                            @for group in groups {
                                div {
                                    h5 { (group.head) ": " (unit()) " a " (group.each) }
                                    (bars(&format!("Peers, {}; the figures are below", group.head), &group.bars))
                                }
                            }
                        }
                        @for groups in groups.chunk_by(|a, b| a.each == b.each) { (peers_table(groups)) }
                    }
                }
            }
        }
    }
}

/// keylane and its peers in a cell.
struct Group {
    head: String,
    /// The unit of a figure.
    each: &'static str,
    /// The fastest first.
    bars: Vec<Bar>,
}

impl Peers {
    /// The cells of a table for which the record has peers.
    fn beside(&self, table: &Measured) -> Vec<Group> {
        let group = |column: &Column| {
            let (each, count) = column.each();
            let bar = |name: &str, colour, cycles: f64| Bar {
                name: name.to_owned(),
                colour,
                value: cycles / count,
            };
            let is_here = |line: &&Line| {
                [&line.suite, &line.rounds, &line.table, &line.cell]
                    == [&table.suite, table.rounds, &table.title, &column.label]
            };
            let theirs = self.lines.iter().filter(is_here).filter_map(|line| match line.side.as_str() {
                "ours" => Some(bar("keylane, in the record", 0, line.cycles_median)),
                "peer" => Some(bar(&line.engine, COLOURS, line.cycles_median)),
                _ => None,
            });
            let here = column.median(0).map(|cycles| bar("keylane, here", 0, cycles));
            let mut bars: Vec<Bar> = here.into_iter().chain(theirs).collect();
            bars.sort_by(|a, b| a.value.total_cmp(&b.value));
            bars.iter().any(|bar| bar.colour == COLOURS).then(|| Group { head: column.head(), each, bars })
        };
        table.columns.iter().filter_map(group).collect()
    }
}

/// The figures of groups, one column each.
fn peers_table(groups: &[Group]) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for bar in groups.iter().flat_map(|group| &group.bars) {
        if !names.contains(&bar.name.as_str()) {
            names.push(&bar.name);
        }
    }
    let entry = |group: &Group, name: &str| {
        let bar = group.bars.iter().find(|bar| bar.name == name);
        bar.map_or_else(String::new, |bar| digits(bar.value))
    };
    html! {
        div.scroll {
            table {
                caption { (unit()) " a " (groups.first().map_or("message", |group| group.each)) }
                thead { tr { th {} @for group in groups { th { (group.head) } } } }
                tbody {
                    @for name in names {
                        tr {
                            th { (name) }
                            @for group in groups { td { (entry(group, name)) } }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures::Row;
    use super::super::machine::Machine;
    use super::super::measure::Plan;
    use super::super::run::Absent;
    use super::*;
    use keylane_measure::canary::Looks;
    use keylane_measure::sample::{Measured as Taking, Samples};

    const HOSTILE: &str = "</title><script src=\"http://here\">&'";

    fn figure(cycles: f64) -> Figure {
        let again = Samples::new(vec![(cycles, true)]);
        Figure::of(&Taking { samples: vec![again.clone()], ours: 0, again }, 0, 1.0).unwrap()
    }

    /// A table of two kernels. The second one takes part in the last column only.
    fn table(suite: &str, title: &str, columns: &[(&str, Option<usize>)]) -> Measured {
        let row = |kernel, portable| Row { kernel, chosen: portable, portable, slots: vec![] };
        let column = |(i, &(label, length)): (usize, &(&str, Option<usize>))| Column {
            label: label.into(),
            length,
            figures: vec![
                Taken::Figure { figure: figure(20.0), few: false },
                if i + 1 < columns.len() {
                    Taken::No
                } else {
                    Taken::Figure { figure: figure(50.0), few: true }
                },
            ],
        };
        Measured {
            name: format!("{suite} 1-3"),
            suite: suite.into(),
            rounds: "1-3",
            title: title.into(),
            rows: vec![row(None, false), row(Some("one_kernel"), true)],
            columns: columns.iter().enumerate().map(column).collect(),
            clock: 2.0,
        }
    }

    #[test]
    fn long_messages_have_a_speed_in_the_terminal() {
        let text = super::super::table::show(&table("s", "t", &[("16", Some(16)), ("1024", Some(1024))]));
        let speeds: Vec<&str> = text.lines().filter(|line| line.contains("GB/s")).collect();
        assert_eq!(speeds.len(), 1, "{text}");
        // 1024 bytes in 20 cycles at 2 GHz.
        assert_eq!(speeds[0].split_whitespace().last(), Some("102"), "{text}");
    }

    fn example() -> String {
        let run = Run {
            machine: Machine { name: HOSTILE.into(), model: "model".into(), arch: "arch" },
            date: "today".into(),
            command: format!("keylane bench --html {HOSTILE}"),
            plan: Plan { samples: 7, nanoseconds: 1.0 },
            chosen: vec![("a-slot", "one_kernel")],
            tables: vec![
                table("siphash-one", "by length", &[("0", Some(0)), ("16", Some(16)), ("1024", Some(1024))]),
                table("siphash-batch", "u64", &[("8", None), ("64", None)]),
            ],
            looks: Looks::default(),
            absent: vec![Absent { kernel: "other_kernel", lacks: "avx1024".into() }],
        };
        let line = |engine, side| figure(10.0).line(["siphash-batch", "1-3", "u64", "64", engine, side]);
        let lines = vec![line("keylane", "ours"), line(HOSTILE, "peer"), line("not shown", "floor")];
        let none = Peers { name: "empty".into(), lines: vec![] };
        page(&run, &[Peers { name: HOSTILE.into(), lines }, none])
    }

    #[test]
    fn what_comes_from_outside_is_text() {
        let page = example();
        assert!(!page.contains("<script") && !page.contains("src=\""), "{page}");
        assert_eq!(page.matches("<title>").count() - page.matches("<circle").count(), 1);
        assert!(page.contains("&lt;/title&gt;&lt;script"));
    }

    #[test]
    fn every_element_is_closed() {
        let page = example();
        let mut open = Vec::new();
        for tag in page.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').unwrap();
            let name = tag.split_whitespace().next().unwrap();
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name)),
                None if ["!DOCTYPE", "meta"].contains(&name) => {}
                None => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn the_page_has_every_figure() {
        let page = example();
        // Cycles per byte, in the curve and in the table, and a figure from too few samples.
        for text in [
            "one_kernel *, 1 KiB: 0.049 cycles a byte",
            "<td title=\"a message: 50.0 to 50.0",
            ">0.049?</td>",
        ] {
            assert!(page.contains(&text.replace("cycles", unit())), "{text}");
        }
        for text in ["other_kernel</code>, which lacks avx1024", ">50.0?</td>", "keylane, in the record"] {
            assert!(page.contains(text), "{text}");
        }
        assert!(!page.contains("not shown"));
        assert!(page.contains("The record has no peers in the cells that were measured here."));
    }
}
