//! The plots of README.md and docs/, drawn from records.

use super::forms;
use super::records::{Records, Table};
use super::svg::{Chart, Curve, Points, Shape};
use anyhow::{Context, Result, ensure};
use keylane_measure::record::{Line, digits};

/// A plot: keylane and its peers over the cells of a table.
struct Plot {
    file: &'static str,
    suite: &'static str,
    rounds: &'static str,
    table: &'static str,
    title: &'static str,
    across: &'static str,
    /// The divisor of the figures in a cell.
    per: fn(f64) -> f64,
    /// Where the x axis has ticks, and what they say.
    ticks: &'static [(f64, &'static str)],
}

/// The colours of peers, dark enough for text on white.
const COLOURS: [&str; 8] =
    ["#1f6fb4", "#c0392b", "#2a8a2a", "#7b4fa6", "#b35900", "#0b7d8a", "#7a4a3a", "#a83279"];

/// Peers form a band if their figures differ by less than this factor at every point.
const COINCIDE: f64 = 1.3;

/// The longest line of a name, in characters.
const NAME: usize = 20;

/// Where the x axis of messages has ticks.
const BYTES: &[(f64, &str)] = &[
    (16.0, "16"),
    (64.0, "64"),
    (256.0, "256"),
    (1024.0, "1 Ki"),
    (4096.0, "4 Ki"),
    (16384.0, "16 Ki"),
    (65536.0, "64 Ki"),
    (262144.0, "256 Ki"),
    (1048576.0, "1 Mi"),
];

const PLOTS: [Plot; 2] = [
    Plot {
        file: "poly1305.svg",
        suite: "poly1305-one",
        rounds: "",
        table: "independent calls",
        title: "Poly1305, one message, a key each: cycles a byte",
        across: "bytes in the message",
        per: |bytes| bytes,
        ticks: BYTES,
    },
    Plot {
        file: "siphash-batch.svg",
        suite: "siphash-batch",
        rounds: "2-4",
        table: "offsets, 4..20 bytes, by messages in a call",
        title: "SipHash-2-4, strings of 4 to 20 bytes: cycles a message",
        across: "messages in a call",
        per: |_| 1.0,
        ticks: &[
            (1.0, "1"),
            (8.0, "8"),
            (64.0, "64"),
            (512.0, "512"),
            (4096.0, "4,096"),
            (50000.0, "50,000"),
            (1000000.0, "1,000,000"),
        ],
    },
];

/// Every plot: the name of its file, and the SVG.
pub fn plots(records: &Records) -> Result<Vec<(&'static str, String)>> {
    let draw = |plot: &Plot| {
        let tables = records.tables(plot.suite)?;
        let is = |table: &&Table| table.rounds == plot.rounds && table.title == plot.table;
        let table = tables.iter().find(is).with_context(|| format!("{}: no {}", plot.suite, plot.table))?;
        Ok((plot.file, plot.draw(table, &records.cpu()?)))
    };
    PLOTS.iter().map(draw).collect()
}

/// OpenSSL's code beside keylane's, as the table in docs/research/RADIX.md: the name of the file, and the SVG.
pub fn openssl(cpus: &[Records]) -> Result<(String, String)> {
    let engine = "OpenSSL newest, raw";
    let tables = forms::independent(cpus, "poly1305-one", engine)?;
    let mut lengths = Vec::new();
    let mut curves = Vec::new();
    for ((name, table), &colour) in tables.iter().zip(COLOURS.iter().cycle()) {
        let points = ratios(table, engine);
        ensure!(!points.is_empty(), "{name}: nothing of {engine}");
        lengths.extend(points.iter().map(|point| point.0));
        curves.push(Curve { name: vec![labelled(name, &points)], shape: Shape::Thin(points), colour });
    }
    lengths.sort_by(f64::total_cmp);
    lengths.dedup();
    let ours = lengths.into_iter().map(|length| (length, 1.0)).collect();
    curves.push(Curve { name: vec!["keylane: 1".to_owned()], shape: Shape::Bold(ours), colour: "black" });
    let chart = Chart {
        title: "OpenSSL's Poly1305, a key for each message: times what keylane takes",
        subtitle: "The newest record of each CPU. Above 1, keylane is faster. Both axes are logarithmic."
            .to_owned(),
        across: "bytes in the message",
        ticks: BYTES.iter().map(|&(value, name)| (value, name.to_owned())).collect(),
        curves,
    };
    Ok(("poly1305-openssl.svg".to_owned(), chart.svg()))
}

/// An engine's cycles by keylane's, for each length. The axis has no 0.
fn ratios(table: &Table, engine: &str) -> Points {
    let point = |cell: &String| {
        let length = cell.parse::<f64>().ok().filter(|&length| length > 0.0)?;
        Some((length, table.line(engine, cell)?.cycles_median / table.ours(cell)?.cycles_median))
    };
    table.cells.iter().filter_map(point).collect()
}

/// Peers that coincide: their names, and their points.
type Band<'a> = Vec<(&'a str, Points)>;

impl Plot {
    /// The points of an engine on one side. The axes have no 0, and some cells are no number.
    fn points(&self, table: &Table, engine: &str, side: &str) -> Option<Points> {
        let lines = table.cells.iter().filter_map(|cell| table.line(engine, cell));
        let point = |line: &Line| {
            let x = line.cell.parse().ok().filter(|&x| x > 0.0)?;
            Some((x, line.cycles_median / (self.per)(x)))
        };
        let points: Points = lines.filter(|line| line.side == side).filter_map(point).collect();
        (!points.is_empty()).then_some(points)
    }

    /// keylane and every peer, as SVG.
    fn draw(&self, table: &Table, cpu: &str) -> String {
        let of = |side: &'static str| {
            table
                .engines
                .iter()
                .filter_map(move |engine| Some((engine.as_str(), self.points(table, engine, side)?)))
        };
        let mut curves: Vec<Curve> = bands(of("peer"))
            .into_iter()
            .zip(COLOURS.iter().cycle())
            .map(|(band, &colour)| Curve { name: name(&band), shape: peers(band), colour })
            .collect();
        // keylane's line comes last, above the others.
        curves.extend(of("ours").map(|(engine, points)| Curve {
            name: vec![labelled(engine, &points)],
            shape: Shape::Bold(points),
            colour: "black",
        }));
        let chart = Chart {
            title: self.title,
            subtitle: format!("{cpu}. Lower is better. Both axes are logarithmic."),
            across: self.across,
            ticks: self.ticks.iter().map(|&(value, name)| (value, name.to_owned())).collect(),
            curves,
        };
        chart.svg()
    }
}

/// Puts peers that coincide together.
fn bands<'a>(peers: impl Iterator<Item = (&'a str, Points)>) -> Vec<Band<'a>> {
    let mut bands: Vec<Band<'a>> = Vec::new();
    for (name, points) in peers {
        let coincide = |other: &Points| {
            let close =
                |(a, b): (&(f64, f64), &(f64, f64))| a.0 == b.0 && (a.1 / b.1).max(b.1 / a.1) < COINCIDE;
            points.len() == other.len() && points.iter().zip(other).all(close)
        };
        match bands.iter_mut().find(|band| band.iter().all(|(_, other)| coincide(other))) {
            Some(band) => band.push((name, points)),
            None => bands.push(vec![(name, points)]),
        }
    }
    bands
}

/// A line for one peer, an area for more.
fn peers(mut band: Band<'_>) -> Shape {
    if band.len() == 1 {
        return Shape::Thin(band.remove(0).1);
    }
    let (lower, upper) = (0..band[0].1.len())
        .map(|i| {
            let all = || band.iter().map(|(_, points)| points[i].1);
            let x = band[0].1[i].0;
            ((x, all().fold(f64::INFINITY, f64::min)), (x, all().fold(0.0, f64::max)))
        })
        .unzip();
    Shape::Band(lower, upper)
}

/// A name with the last figure of the line.
fn labelled(name: &str, points: &Points) -> String {
    format!("{name}: {}", points.last().map_or(String::new(), |point| digits(point.1)))
}

/// The name of a band: each library once, as many to a line as there is room for.
fn name(band: &Band<'_>) -> Vec<String> {
    if let [(name, points)] = band.as_slice() {
        return vec![labelled(name, points)];
    }
    let mut libraries: Vec<&str> =
        band.iter().map(|(name, _)| name.split(' ').next().unwrap_or(name)).collect();
    libraries.dedup();
    let ends = || band.iter().filter_map(|(_, points)| points.last()).map(|point| point.1);
    let [least, most] = [ends().fold(f64::INFINITY, f64::min), ends().fold(0.0, f64::max)].map(digits);
    let mut lines = vec![format!("{} peers: {least} to {most}", band.len())];
    let mut line = String::new();
    for (i, library) in libraries.iter().enumerate() {
        let word = if i + 1 < libraries.len() { format!("{library}, ") } else { (*library).to_owned() };
        if line.len() + word.len() > NAME && !line.is_empty() {
            lines.push(line.trim_end().to_owned());
            line.clear();
        }
        line += &word;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn openssl_has_a_curve_for_each_cpu() {
        let cpus = Records::find(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
        let (file, svg) = openssl(&cpus).unwrap();
        let names = cpus.iter().filter(|cpu| svg.contains(&format!(">{}: ", cpu.name()))).count();
        assert!(names > 0 && svg.matches("<polyline").count() == names + 1, "{names} CPUs, and keylane");
        assert!(file.ends_with(".svg") && svg.contains(">keylane: 1<"));
    }

    #[test]
    fn peers_that_coincide_are_one_band() {
        let line = |y: f64| vec![(1.0, y), (2.0, y)];
        let of = |band: &Band<'_>| band.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ");
        let bands = bands([("a", line(1.0)), ("b", line(2.0)), ("c", line(1.2))].into_iter());
        assert_eq!(bands.iter().map(of).collect::<Vec<_>>(), ["a c", "b"]);
        assert_eq!(name(&bands[0]), ["2 peers: 1.00 to 1.20", "a, c"]);
        assert_eq!(name(&bands[1]), ["b: 2.00"]);
    }
}
