//! SVG drawings as parts of a page. Positions are percentages: a drawing fills the width of its place on the
//! page, but letters keep their size. A colour is a number; the page's style has a class for each.

use super::length;
use crate::record::digits;
use maud::{Markup, html};

/// The number of colours beside number 0, which is keylane's own.
pub const COLOURS: usize = 10;

/// A plot of curves.
pub struct Plot<'a> {
    /// What it shows, for readers who do not see it.
    pub about: &'a str,
    /// What the y axis shows.
    pub axis: &'a str,
    /// The x axis.
    pub across: Across<'a>,
    /// The y axis.
    pub down: Down,
    /// The curves, those behind the others first.
    pub curves: &'a [Curve],
    /// Points to mark, each on a stem that stands on the line of 1.
    pub marks: &'a [Point],
}

/// What the x axis of a plot shows.
pub enum Across<'a> {
    /// Lengths in bytes, on a logarithmic scale.
    Lengths,
    /// These cells side by side. A point's x is the number of its cell.
    Cells(&'a [String]),
}

/// What the y axis of a plot shows, on a logarithmic scale.
pub enum Down {
    /// Figures.
    Figures,
    /// Ratios around 1. What lies above this one is cut off.
    Ratios(f64),
}

/// A line of a plot.
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub colour: usize,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a plot.
pub struct Point {
    /// Its place across.
    pub x: f64,
    /// Its value.
    pub y: f64,
    /// What a browser tells of it. A point without words is a small dot, or none if the curve has many.
    pub about: String,
}

/// The most labels of cells. The last cell has one.
const LABELS: usize = 17;

/// Labels of more letters than this, all together, are slanted.
const LETTERS: usize = 36;

/// Curves of more points have no small dots.
const DOTS: usize = 24;

/// What an x axis makes of places and labels.
struct Ruler<'a> {
    /// The position of a place, from 0 to 1.
    at: Box<dyn Fn(f64) -> f64 + 'a>,
    /// The places that have a label.
    labels: Vec<(f64, String)>,
    /// If the labels are slanted: the letters of the longest one.
    slanted: Option<usize>,
}

impl Plot<'_> {
    /// The plot as a part of a page; nothing if it has no point.
    pub fn draw(&self) -> Markup {
        let drawn = || self.curves.iter().filter(|curve| !curve.points.is_empty());
        let points = || drawn().flat_map(|curve| &curve.points);
        let Some((cycles, steps)) = self.down.scale(points().map(|point| point.y)) else { return html! {} };
        let Some(ruler) = self.across.ruler(points().map(|point| point.x)) else { return html! {} };
        let x = |place: f64| 100.0 * (ruler.at)(place);
        let y = |value: f64| 100.0 - 100.0 * cycles.at(value);
        let line = |points: &[Point]| {
            let places = points.iter().map(|point| format!("{:.1},{:.1}", x(point.x), y(point.y)));
            places.collect::<Vec<_>>().join(" ")
        };
        // A line without length has round ends: a dot.
        let dots = |points: &[Point]| {
            let quiet = points.iter().filter(|point| point.about.is_empty() && points.len() <= DOTS);
            quiet.map(|point| format!("M{:.1} {:.1}h0", x(point.x), y(point.y))).collect::<String>()
        };
        let inner = if matches!(self.down, Down::Ratios(_)) { "cut" } else { "whole" };
        let across = steps.iter().map(|&value| format!("M0 {:.1}H100", y(value)));
        let upright = ruler.labels.iter().map(|(place, _)| format!("M{:.1} 0V100", x(*place)));
        let grid: String = across.chain(upright).collect();
        html! {
            p.axis { (self.axis) }
            div.plot.slanted[ruler.slanted.is_some()] style=[ruler.slanted.map(|most| format!("--letters: {most}"))] {
                svg role="img" aria-label=(self.about) {
                    svg viewBox="0 0 100 100" preserveAspectRatio="none" { path.grid d=(grid) {} }
                    g.down { @for &value in &steps { text y=(percent(y(value))) { (short(value)) } } }
                    g.across {
                        @for (place, label) in &ruler.labels {
                            @let x = percent(x(*place));
                            // A slanted label turns about its own place.
                            @if ruler.slanted.is_some() { svg x=(x) y="100%" { text { (label) } } }
                            @else { text x=(x) y="100%" { (label) } }
                        }
                    }
                    svg class=(inner) viewBox="0 0 100 100" preserveAspectRatio="none" {
                        @for curve in drawn() {
                            polyline class={ "c" (curve.colour) } points=(line(&curve.points)) {}
                            @let dots = dots(&curve.points);
                            @if !dots.is_empty() { path class={ "c" (curve.colour) } d=(dots) {} }
                        }
                    }
                    @for curve in self.curves {
                        @for point in curve.points.iter().filter(|point| !point.about.is_empty()) {
                            (circle(&format!("c{}", curve.colour), [x(point.x), y(point.y)], &point.about))
                        }
                    }
                    @for mark in self.marks {
                        line.lost x1=(percent(x(mark.x))) x2=(percent(x(mark.x))) y1=(percent(y(1.0))) y2=(percent(y(mark.y))) {}
                        (circle("lost", [x(mark.x), y(mark.y)], &mark.about))
                    }
                }
            }
            ul.legend {
                @for curve in drawn() {
                    li {
                        svg aria-hidden="true" { line class={ "c" (curve.colour) } x1="0" x2="100%" y1="50%" y2="50%" {} }
                        (curve.name)
                        @if curve.points.iter().all(|point| point.y > cycles.high) { " (above)" }
                    }
                }
            }
        }
    }
}

fn circle(class: &str, [x, y]: [f64; 2], about: &str) -> Markup {
    let radius = if class == "lost" { "4" } else { "3" };
    html! { circle class=(class) cx=(percent(x)) cy=(percent(y)) r=(radius) { title { (about) } } }
}

impl Across<'_> {
    fn ruler(&self, places: impl Iterator<Item = f64> + Clone) -> Option<Ruler<'_>> {
        match self {
            Across::Lengths => {
                let lengths = Scale::of(places)?;
                let labels = lengths.octaves().into_iter().map(|bytes| (bytes as f64, length(bytes)));
                let labels = labels.collect();
                Some(Ruler { at: Box::new(move |length| lengths.at(length)), labels, slanted: None })
            }
            Across::Cells(cells) => {
                let (last, apart) = (cells.len().checked_sub(1)?, cells.len().div_ceil(LABELS));
                let is_shown = |i: usize| i == last || (i.is_multiple_of(apart) && i + apart <= last);
                let shown = cells.iter().enumerate().filter(|(i, _)| is_shown(*i));
                let labels: Vec<(f64, String)> = shown.map(|(i, cell)| (i as f64, cell.clone())).collect();
                let letters = || labels.iter().map(|(_, label)| label.len());
                let is_slanted = letters().map(|letters| letters + 2).sum::<usize>() > LETTERS;
                let slanted = letters().max().filter(|_| is_slanted);
                let at = Box::new(|cell| (cell + 0.5) / cells.len() as f64);
                Some(Ruler { at, labels, slanted })
            }
        }
    }
}

impl Down {
    /// The scale for these values, and the values with a line across the plot.
    fn scale(&self, values: impl Iterator<Item = f64> + Clone) -> Option<(Scale, Vec<f64>)> {
        let scale = Scale::of(values)?;
        match self {
            Down::Figures => Some((scale.rounded(), scale.rounded().steps())),
            &Down::Ratios(most) => {
                let scale = Scale { low: scale.low, high: scale.high.min(most) }.around_one();
                Some((scale, scale.ratios()))
            }
        }
    }
}

/// A bar.
pub struct Bar {
    /// Its name.
    pub name: String,
    /// Its colour.
    pub colour: usize,
    /// Its length.
    pub value: f64,
}

/// Horizontal bars from 0, one below the other; nothing without a bar.
pub fn bars(about: &str, bars: &[Bar]) -> Markup {
    if bars.is_empty() {
        return html! {};
    }
    let most = bars.iter().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
    html! {
        div.bars role="img" aria-label=(about) {
            @for bar in bars {
                span { (bar.name) }
                svg aria-hidden="true" {
                    rect class={ "c" (bar.colour) } width=(percent(100.0 * bar.value / most)) height="100%" rx="2" {}
                }
                b { (digits(bar.value)) }
            }
        }
    }
}

fn percent(value: f64) -> String {
    format!("{value:.2}%")
}

/// A number at an axis, without trailing zeros.
fn short(value: f64) -> String {
    let digits = format!("{value:.4}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// The range of positive values, from the least to the greatest.
    fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let low = values.clone().reduce(f64::min)?;
        let high = values.reduce(f64::max)?;
        (low > 0.0 && high.is_finite()).then_some(Scale { low, high })
    }

    /// The position of a value on the scale, from 0 to 1.
    fn at(&self, value: f64) -> f64 {
        let span = (self.high / self.low).ln();
        if span > 0.0 { (value / self.low).ln() / span } else { 0.5 }
    }

    /// The same scale, widened at both ends to a round number: 1, 2 or 5 times a power of ten.
    fn rounded(&self) -> Self {
        let below =
            ROUND.iter().rev().map(|digit| digit * decade(self.low)).find(|&step| step <= self.low * SLACK);
        let above =
            ROUND.iter().map(|digit| digit * decade(self.high)).find(|&step| step * SLACK >= self.high);
        Scale { low: below.unwrap_or(decade(self.low)), high: above.unwrap_or(10.0 * decade(self.high)) }
    }

    /// The same scale, widened to ratios around 1.
    fn around_one(&self) -> Self {
        let (low, high) = (self.low.min(1.0), self.high.max(1.0));
        let below = RATIOS.into_iter().rev().find(|&ratio| ratio * SLACK < low);
        let above = RATIOS.into_iter().find(|&ratio| ratio * SLACK > high);
        Scale { low: below.unwrap_or(low), high: above.unwrap_or(high) }
    }

    /// The ratios on the scale that are far enough from those nearer to 1.
    fn ratios(&self) -> Vec<f64> {
        let mut shown = vec![1.0_f64];
        let (below, above): (Vec<f64>, Vec<f64>) = RATIOS.into_iter().partition(|&ratio| ratio < 1.0);
        for side in [below.into_iter().rev().collect(), above] {
            let mut last = 1.0;
            for ratio in side {
                let is_on = self.low <= ratio * SLACK && ratio <= self.high * SLACK;
                if is_on && (self.at(ratio) - self.at(last)).abs() > APART {
                    shown.push(ratio);
                    last = ratio;
                }
            }
        }
        shown.sort_by(f64::total_cmp);
        shown
    }

    /// The round numbers of the scale.
    fn steps(&self) -> Vec<f64> {
        let decades = (decade(self.low).log10().round() as i32)..=(decade(self.high).log10().round() as i32);
        let steps = decades.flat_map(|power| ROUND.map(|digit| digit * 10f64.powi(power)));
        steps.filter(|&step| step * SLACK >= self.low && step <= self.high * SLACK).collect()
    }

    /// At most six powers of two on the scale.
    fn octaves(&self) -> Vec<usize> {
        let first = self.low.log2().ceil() as u32;
        let last = self.high.log2().floor() as u32;
        let apart = last.saturating_sub(first).div_ceil(5).max(1);
        (first..=last).step_by(apart as usize).filter_map(|power| 1usize.checked_shl(power)).collect()
    }
}

/// The digits of round numbers.
const ROUND: [f64; 3] = [1.0, 2.0, 5.0];

/// Ratios for the lines across a plot.
const RATIOS: [f64; 19] =
    [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0];

/// Labels of the y axis are so far apart, as a part of its height.
const APART: f64 = 0.05;

/// Allows for rounding errors, which are smaller.
const SLACK: f64 = 1.000_001;

/// The greatest power of ten up to a value.
fn decade(value: f64) -> f64 {
    10f64.powi((value * SLACK).log10().floor() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(values: &[f64]) -> Scale {
        Scale::of(values.iter().copied()).unwrap()
    }

    #[test]
    fn scales() {
        assert_eq!(Scale::of([].into_iter()), None);
        assert_eq!(Scale::of([0.0, 1.0].into_iter()), None);
        let of = scale(&[0.13, 4.2, 0.5]).rounded();
        assert_eq!((short(of.low), short(of.high)), ("0.1".into(), "5".into()));
        let steps: Vec<String> = of.steps().into_iter().map(short).collect();
        assert_eq!(steps, ["0.1", "0.2", "0.5", "1", "2", "5"]);
        assert_eq!((of.at(of.low), of.at(of.high)), (0.0, 1.0));
        assert_eq!(scale(&[10.0, 70.0]).rounded(), Scale { low: 10.0, high: 100.0 });
        assert_eq!(scale(&[7.0]).at(7.0), 0.5);
        assert_eq!(scale(&[8.0, 16384.0]).octaves(), [8, 64, 512, 4096]);
        assert_eq!(scale(&[16.0, 1048576.0]).octaves(), [16, 256, 4096, 65536, 1048576]);
        let of = scale(&[0.93, 1.3]).around_one();
        assert_eq!((of, of.ratios()), (Scale { low: 0.9, high: 1.5 }, vec![0.9, 1.0, 1.1, 1.2, 1.5]));
        let of = scale(&[0.04, 5.0]).around_one();
        assert_eq!(of, Scale { low: 0.02, high: 5.0 });
        assert_eq!(of.ratios(), [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0]);
        assert_eq!(scale(&[1.0, 1.0]).around_one().ratios(), [0.9, 1.0]);
    }

    fn curve(points: &[(f64, f64)]) -> Curve {
        let point = |&(x, y): &(f64, f64)| Point { x, y, about: String::new() };
        Curve { name: "engine".into(), colour: 1, points: points.iter().map(point).collect() }
    }

    fn drawn(cells: &[String], curves: &[Curve], marks: &[Point]) -> String {
        let (across, down) = (Across::Cells(cells), Down::Ratios(5.0));
        Plot { about: "a plot", axis: "ratio", across, down, curves, marks }.draw().into_string()
    }

    #[test]
    fn cells_stand_side_by_side() {
        let cells = ["8", "4..20"].map(str::to_owned);
        let mark = Point { x: 1.0, y: 0.9, about: "4..20: 1.111".into() };
        let plot = drawn(&cells, &[curve(&[(0.0, 1.0), (1.0, 0.9)])], &[mark]);
        assert!(plot.contains(r#"points="25.0,"#) && plot.contains(" 75.0,"), "{plot}");
        assert!(plot.contains(r#"<circle class="lost" cx="75.00%""#), "{plot}");
        assert!(plot.contains("<title>4..20: 1.111</title>") && !plot.contains("slanted"), "{plot}");
        assert!(drawn(&cells, &[curve(&[(0.0, 9.0), (1.0, 6.0)])], &[]).contains("engine (above)"));
        assert_eq!(drawn(&cells, &[], &[]), "");
    }

    #[test]
    fn many_cells_have_few_labels() {
        let cells: Vec<String> = (0..67).map(|cell| format!("cell {cell}")).collect();
        let points: Vec<(f64, f64)> = (0..67).map(|cell| (f64::from(cell), 1.0)).collect();
        let plot = drawn(&cells, &[curve(&points)], &[]);
        assert_eq!(plot.matches("<text>").count(), 17, "{plot}");
        assert!(plot.contains(">cell 60<") && !plot.contains(">cell 64<") && plot.contains(">cell 66<"));
        assert!(plot.contains(r#"<div class="plot slanted" style="--letters: 7">"#), "{plot}");
    }
}
