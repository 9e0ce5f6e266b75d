//! Charts as SVG: lines over logarithmic axes, each named at its right end; and bars.

use std::fmt::Write as _;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 430.0;
/// The area of the lines, in pixels. The names of the lines stand to the right of it.
const LEFT: f64 = 52.0;
const RIGHT: f64 = 588.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 380.0;
/// From the end of a line to its name.
const GAP: f64 = 16.0;
/// The height of a line of text in a name.
const LEADING: f64 = 16.0;

/// Points of a curve, x ascending.
pub type Points = Vec<(f64, f64)>;

/// The shape of a curve.
pub enum Shape {
    /// A thick line with dots, above all others.
    Bold(Points),
    /// A thin line.
    Thin(Points),
    /// The area between two lines over the same x.
    Band(Points, Points),
}

/// A curve, its colour, and its name as lines of text.
pub struct Curve {
    pub shape: Shape,
    pub colour: &'static str,
    pub name: Vec<String>,
}

/// A chart.
pub struct Chart<'a> {
    pub title: &'a str,
    /// A line below the title.
    pub subtitle: String,
    /// What the x axis shows.
    pub across: &'a str,
    /// Where the x axis has a tick, and what it says.
    pub ticks: Vec<(f64, String)>,
    pub curves: Vec<Curve>,
}

impl Curve {
    fn points(&self) -> impl Iterator<Item = &(f64, f64)> {
        let (one, other) = match &self.shape {
            Shape::Bold(points) | Shape::Thin(points) => (points, None),
            Shape::Band(lower, upper) => (lower, Some(upper)),
        };
        one.iter().chain(other.into_iter().flatten())
    }

    /// The height in pixels of the right end, or of its middle.
    fn end(&self, down: &Axis) -> f64 {
        let last = |points: &Points| points.last().map_or(BOTTOM, |point| down.at(point.1));
        match &self.shape {
            Shape::Bold(points) | Shape::Thin(points) => last(points),
            Shape::Band(lower, upper) => last(lower).midpoint(last(upper)),
        }
    }
}

/// A logarithmic axis: the values and the pixels of its ends.
struct Axis {
    values: (f64, f64),
    pixels: (f64, f64),
}

impl Axis {
    fn at(&self, value: f64) -> f64 {
        let (first, last) = self.values;
        self.pixels.0 + (self.pixels.1 - self.pixels.0) * (value / first).ln() / (last / first).ln()
    }
}

impl Chart<'_> {
    /// The whole file.
    pub fn svg(&self) -> String {
        let range = |of: fn(&(f64, f64)) -> f64| {
            let all = || self.curves.iter().flat_map(Curve::points).map(of);
            (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max))
        };
        let across = Axis { values: range(|point| point.0), pixels: (LEFT, RIGHT) };
        let (least, most) = range(|point| point.1);
        let marks = marks(least, most);
        // The axis begins at a tick below every line.
        let first = marks.first().map_or(least, |&first| first.min(least));
        let down = Axis { values: (first, most * 1.1), pixels: (BOTTOM, TOP) };

        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        out += &text(LEFT - 36.0, 24.0, "start", "font-size=\"17\" font-weight=\"bold\"", self.title);
        out += &text(LEFT - 36.0, 44.0, "start", "fill=\"#555\"", &self.subtitle);
        for &mark in &marks {
            let y = down.at(mark);
            out += &line((LEFT, y), (RIGHT, y), "#e0e0e0");
            out += &text(LEFT - 7.0, y + 4.5, "end", "", &format!("{mark}"));
        }
        for (value, name) in &self.ticks {
            let x = across.at(*value);
            out += &line((x, TOP), (x, BOTTOM), "#e0e0e0");
            out += &text(x, BOTTOM + 19.0, "middle", "", name);
        }
        out += &line((LEFT, BOTTOM), (RIGHT, BOTTOM), "#555");
        out += &text(LEFT.midpoint(RIGHT), BOTTOM + 40.0, "middle", "", self.across);
        for curve in &self.curves {
            out += &shape(curve, &across, &down);
        }
        out += &names(&self.curves, &down);
        out + "</svg>\n"
    }
}

/// The bars' left end and greatest length, and the height of one, in pixels.
const FOOT: f64 = 380.0;
const LENGTH: f64 = 330.0;
const THICK: f64 = 15.0;
/// The room above a group of bars.
const APART: f64 = 6.0;

/// A bar.
pub struct Bar {
    /// What the bars from here on show; empty if it is the same as above.
    pub group: String,
    /// Whose figure it is.
    pub name: String,
    pub colour: &'static str,
    pub figure: f64,
    /// The figure as it is written.
    pub text: String,
}

/// Bars below each other, all from 0.
pub struct Bars<'a> {
    pub title: &'a str,
    pub bars: Vec<Bar>,
}

impl Bars<'_> {
    /// The whole file.
    pub fn svg(&self) -> String {
        let most = self.bars.iter().map(|bar| bar.figure).fold(f64::MIN_POSITIVE, f64::max);
        let (mut y, mut body) = (44.0, String::new());
        for bar in &self.bars {
            if !bar.group.is_empty() {
                y += APART;
                body += &text(12.0, y + 11.5, "start", "font-weight=\"bold\"", &bar.group);
                y += THICK;
            }
            let (length, colour) = (bar.figure.max(0.0) / most * LENGTH, bar.colour);
            body += &text(FOOT - 6.0, y + 11.5, "end", "", &bar.name);
            body += &format!(
                "<rect x=\"{FOOT}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>\n",
                y + 1.0,
                THICK - 2.0
            );
            body += &text(FOOT + length + 5.0, y + 11.5, "start", "", &bar.text);
            y += THICK;
        }
        let height = y + 12.0;
        let title = text(12.0, 24.0, "start", "font-size=\"16\" font-weight=\"bold\"", self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {WIDTH} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{height:.0}\" fill=\"white\"/>\n{title}{body}</svg>\n"
        )
    }
}

/// Values for the ticks of the upright axis: round ones, more of them if the axis is short.
fn marks(least: f64, most: f64) -> Vec<f64> {
    let steps: &[f64] =
        if most / least > 20.0 { &[1.0, 2.0, 5.0] } else { &[1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0] };
    // Divisions by powers of 10, so that 0.1 is the nearest number to 0.1.
    let decade = |power: i32| {
        let of =
            move |step: &f64| if power < 0 { step / 10f64.powi(-power) } else { step * 10f64.powi(power) };
        steps.iter().map(of)
    };
    let all: Vec<f64> = (-9..9).flat_map(decade).collect();
    let below = all.iter().rposition(|&mark| mark <= least).unwrap_or(0);
    all.into_iter().skip(below).take_while(|&mark| mark <= most * 1.1).collect()
}

fn shape(curve: &Curve, across: &Axis, down: &Axis) -> String {
    let pixels = |points: &Points| -> Vec<String> {
        points.iter().map(|&(x, y)| format!("{:.1},{:.1}", across.at(x), down.at(y))).collect()
    };
    let colour = curve.colour;
    let polyline = |points: &Points, width: f64| {
        let pixels = pixels(points).join(" ");
        format!(
            "<polyline points=\"{pixels}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>\n"
        )
    };
    match &curve.shape {
        Shape::Thin(points) => polyline(points, 1.5),
        Shape::Bold(points) => {
            let dot = |&(x, y): &(f64, f64)| {
                format!(
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>\n",
                    across.at(x),
                    down.at(y)
                )
            };
            polyline(points, 3.0) + &points.iter().map(dot).collect::<String>()
        }
        Shape::Band(lower, upper) => {
            let mut around = pixels(lower);
            around.extend(pixels(upper).into_iter().rev());
            let around = around.join(" ");
            format!(
                "<polygon points=\"{around}\" fill=\"{colour}\" fill-opacity=\"0.3\" stroke=\"{colour}\"/>\n"
            )
        }
    }
}

/// The names to the right of the lines, moved apart where they would overlap.
fn names(curves: &[Curve], down: &Axis) -> String {
    let mut places: Vec<(&Curve, f64)> = curves.iter().map(|curve| (curve, curve.end(down))).collect();
    places.sort_by(|a, b| a.1.total_cmp(&b.1));
    let height = |curve: &Curve| curve.name.len() as f64 * LEADING;
    for _ in 0..200 {
        for i in 1..places.len() {
            let apart = (height(places[i - 1].0) + height(places[i].0)) / 2.0;
            let lacking = apart - (places[i].1 - places[i - 1].1);
            if lacking > 0.0 {
                places[i - 1].1 -= lacking / 2.0;
                places[i].1 += lacking / 2.0;
            }
        }
    }
    let mut out = String::new();
    for (curve, middle) in places {
        out += &line((RIGHT + 3.0, curve.end(down)), (RIGHT + GAP - 3.0, middle), curve.colour);
        let weight = if matches!(curve.shape, Shape::Bold(_)) { " font-weight=\"bold\"" } else { "" };
        let style = format!("fill=\"{}\"{weight}", curve.colour);
        let first = middle - height(curve) / 2.0 + LEADING * 0.78;
        for (i, name) in curve.name.iter().enumerate() {
            out += &text(RIGHT + GAP, first + LEADING * i as f64, "start", &style, name);
        }
    }
    out
}

fn line(from: (f64, f64), to: (f64, f64), colour: &str) -> String {
    let ((x1, y1), (x2, y2)) = (from, to);
    format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>\n")
}

fn text(x: f64, y: f64, anchor: &str, style: &str, text: &str) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>");
    for char in text.chars() {
        match char {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            char => out.push(char),
        }
    }
    out + "</text>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_begin_below_the_lowest_point() {
        assert_eq!(marks(0.128, 4.0), [0.1, 0.2, 0.5, 1.0, 2.0]);
        assert_eq!(marks(16.0, 93.0), [15.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0]);
    }

    #[test]
    fn bars_have_the_length_of_their_figures() {
        let bar = |figure: f64| Bar {
            group: "a < b".to_owned(),
            name: "me".to_owned(),
            colour: "black",
            figure,
            text: figure.to_string(),
        };
        let svg = Bars { title: "t", bars: vec![bar(2.0), bar(1.0)] }.svg();
        for width in [LENGTH, LENGTH / 2.0] {
            assert!(svg.contains(&format!("width=\"{width:.1}\" height=\"13.0\"")), "{svg}");
        }
        assert!(svg.contains("a &lt; b"));
    }

    #[test]
    fn names_do_not_overlap() {
        let curve = |y: f64| Curve {
            shape: Shape::Thin(vec![(1.0, y), (2.0, y)]),
            colour: "black",
            name: vec![format!("line at {y}")],
        };
        let curves = [curve(1.0), curve(1.01), curve(1.02), curve(9.0)];
        let down = Axis { values: (0.5, 10.0), pixels: (BOTTOM, TOP) };
        let svg = names(&curves, &down);
        let mut heights: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<text"))
            .filter_map(|line| line.split('"').nth(3)?.parse().ok())
            .collect();
        heights.sort_by(f64::total_cmp);
        assert_eq!(heights.len(), 4);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] > LEADING - 0.5), "{heights:?}");
    }
}
