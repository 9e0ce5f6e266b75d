//! SVG drawings as parts of a page. Positions are percentages: a drawing fills the width of its place on the
//! page, but letters keep their size. A colour is a number; the page's style has a class for each.

use super::figures::length;
use keylane_measure::record::digits;
use maud::{Markup, html};

/// The number of colours for kernels. keylane's own colour is number 0.
pub const COLOURS: usize = 8;

/// A line of a plot.
pub struct Curve {
    pub name: String,
    pub colour: usize,
    /// Lengths, each with its cycles per byte.
    pub points: Vec<(usize, f64)>,
}

/// A plot of cycles per byte over length, on logarithmic axes.
pub fn curves(about: &str, unit: &str, curves: &[Curve]) -> Markup {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let lengths = Scale::of(points().map(|&(length, _)| length as f64));
    let cycles = Scale::of(points().map(|&(_, cycles)| cycles));
    let (Some(lengths), Some(cycles)) = (lengths, cycles) else { return html! {} };
    let cycles = cycles.rounded();
    let x = |length: usize| 100.0 * lengths.at(length as f64);
    let y = |value: f64| 100.0 - 100.0 * cycles.at(value);
    let path = |curve: &Curve| {
        let places = curve.points.iter().map(|&(length, value)| format!("{:.2},{:.2}", x(length), y(value)));
        places.collect::<Vec<_>>().join(" ")
    };
    html! {
        p.axis { (unit) " a byte" }
        div.plot {
            svg role="img" aria-label=(about) {
                @for value in cycles.steps() {
                    line.grid x1="0" x2="100%" y1=(percent(y(value))) y2=(percent(y(value))) {}
                    text x="-8" y=(percent(y(value))) dy="0.32em" text-anchor="end" { (short(value)) }
                }
                @for value in lengths.octaves() {
                    line.grid x1=(percent(x(value))) x2=(percent(x(value))) y1="0" y2="100%" {}
                    text x=(percent(x(value))) y="100%" dy="1.5em" text-anchor="middle" { (length(value)) }
                }
                svg viewBox="0 0 100 100" preserveAspectRatio="none" {
                    @for curve in curves { polyline class={ "c" (curve.colour) } points=(path(curve)) {} }
                }
                @for curve in curves {
                    @for &(at, value) in &curve.points {
                        circle class={ "c" (curve.colour) } cx=(percent(x(at))) cy=(percent(y(value))) r="3" {
                            title { (curve.name) ", " (length(at)) ": " (digits(value)) " " (unit) " a byte" }
                        }
                    }
                }
            }
        }
        ul.legend {
            @for curve in curves {
                li {
                    svg aria-hidden="true" { line class={ "c" (curve.colour) } x1="0" x2="100%" y1="50%" y2="50%" {} }
                    (curve.name)
                }
            }
        }
    }
}

/// A bar.
pub struct Bar {
    pub name: String,
    pub colour: usize,
    pub value: f64,
}

/// Horizontal bars from 0, one below the other.
pub fn bars(about: &str, bars: &[Bar]) -> Markup {
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
    }
}
