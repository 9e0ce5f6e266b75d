//! The README's plots, drawn from records.

use super::records::{Records, Table};
use anyhow::{Context, Result};
use keylane_measure::record::Line;
use plotters::prelude::*;

/// A plot: a line for each engine, over the cells of a table, both axes logarithmic.
struct Plot {
    file: &'static str,
    suite: &'static str,
    rounds: &'static str,
    table: &'static str,
    title: &'static str,
    across: &'static str,
    up: &'static str,
    /// What a figure is divided by in a cell.
    per: fn(f64) -> f64,
    /// Where no line is in the way.
    names: SeriesLabelPosition,
}

/// The peers' colours, in their order.
const COLOURS: [RGBColor; 10] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 160, 44),
    RGBColor(148, 103, 189),
    RGBColor(255, 127, 14),
    RGBColor(23, 190, 207),
    RGBColor(140, 86, 75),
    RGBColor(227, 119, 194),
    RGBColor(127, 127, 127),
    RGBColor(188, 189, 34),
];

const PLOTS: [Plot; 2] = [
    Plot {
        file: "poly1305.svg",
        suite: "poly1305-one",
        rounds: "",
        table: "independent calls",
        title: "Poly1305, one message, a key each: cycles a byte",
        across: "bytes",
        up: "cycles a byte",
        per: |bytes| bytes,
        names: SeriesLabelPosition::UpperRight,
    },
    Plot {
        file: "siphash-batch.svg",
        suite: "siphash-batch",
        rounds: "2-4",
        table: "offsets, 4..20 bytes, by messages in a call",
        title: "SipHash-2-4, strings of 4 to 20 bytes: cycles a message",
        across: "messages in a call",
        up: "cycles a message",
        per: |_| 1.0,
        names: SeriesLabelPosition::MiddleRight,
    },
];

/// Every plot: the name of its file, and the SVG.
pub fn plots(records: &Records) -> Result<Vec<(&'static str, String)>> {
    let draw = |plot: &Plot| {
        let tables = records.tables(plot.suite)?;
        let is = |table: &&Table| table.rounds == plot.rounds && table.title == plot.table;
        let table = tables.iter().find(is).with_context(|| format!("{}: no {}", plot.suite, plot.table))?;
        Ok((plot.file, plot.draw(table).with_context(|| plot.file)?))
    };
    PLOTS.iter().map(draw).collect()
}

/// A line: the engine, whether it is keylane, and its points.
type Curve<'a> = (&'a str, bool, Vec<(f64, f64)>);

impl Plot {
    /// keylane's line, or a peer's. Cells that are no number are left out, and so is 0, which no such axis has.
    fn curve<'a>(&self, table: &'a Table, engine: &'a str) -> Option<Curve<'a>> {
        let lines: Vec<&Line> = table.cells.iter().filter_map(|cell| table.line(engine, cell)).collect();
        let side = lines.first()?.side.as_str();
        let point = |line: &&Line| {
            let x = line.cell.parse().ok().filter(|&x| x > 0.0)?;
            Some((x, line.cycles_median / (self.per)(x)))
        };
        let points: Vec<(f64, f64)> = lines.iter().filter_map(point).collect();
        (["ours", "peer"].contains(&side) && !points.is_empty()).then_some((engine, side == "ours", points))
    }

    /// keylane and every peer, as SVG.
    fn draw(&self, table: &Table) -> Result<String> {
        // keylane's line comes last, above the others.
        let mut curves: Vec<Curve<'_>> =
            table.engines.iter().filter_map(|engine| self.curve(table, engine)).collect();
        curves.sort_by_key(|&(_, ours, _)| ours);
        let range = |of: fn(&(f64, f64)) -> f64| {
            let all = || curves.iter().flat_map(|(.., points)| points).map(of);
            all().fold(f64::INFINITY, f64::min)..all().fold(0.0, f64::max) * 1.2
        };
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, (860, 440)).into_drawing_area();
            area.fill(&WHITE)?;
            let mut chart = ChartBuilder::on(&area)
                .caption(self.title, ("sans-serif", 20))
                .margin(12)
                .x_label_area_size(42)
                .y_label_area_size(60)
                .build_cartesian_2d(
                    range(|point| point.0).log_scale(),
                    range(|point| point.1).log_scale().base(2.0),
                )?;
            let number = |value: &f64| format!("{value}");
            chart
                .configure_mesh()
                .light_line_style(WHITE)
                .x_desc(self.across)
                .y_desc(self.up)
                .x_label_formatter(&number)
                .y_label_formatter(&number)
                .draw()?;
            for ((name, ours, points), colour) in curves.iter().zip(COLOURS.iter().cycle()) {
                let style = if *ours { BLACK.stroke_width(3) } else { colour.stroke_width(1) };
                chart
                    .draw_series(LineSeries::new(points.clone(), style).point_size(2))?
                    .label(*name)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
            }
            chart
                .configure_series_labels()
                .position(self.names.clone())
                .background_style(WHITE)
                .border_style(BLACK.mix(0.2))
                .draw()?;
            area.present()?;
        }
        Ok(svg)
    }
}
