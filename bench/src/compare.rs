//! Compares two records: do they differ by more than their spread?
//!
//! A figure of a record is a median between two quartiles. Two figures *differ* if neither median lies within
//! the other's quartiles, and the medians are apart by more than some percent. One run cannot prove a smaller
//! difference (docs/BENCHMARKS.md, "To read a table"). Cycles also depend on the state of the machine; ratios
//! to keylane, sample by sample, depend more on the code.

use anyhow::{Context, Result, ensure};
use keylane_measure::record::{self, Line};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The subject of a line: suite, rounds, table, cell, engine.
type Place = [String; 5];

/// The lines of a record, by subject.
pub type Record = BTreeMap<Place, Line>;

/// Reads a record: a file, or a directory of them.
///
/// A file cannot be read, is not a record, or there is none.
pub fn read(path: &Path) -> Result<Record> {
    let mut record = Record::new();
    for file in record::files(path).with_context(|| path.display().to_string())? {
        let shown = || file.display().to_string();
        for line in record::read(File::open(&file).with_context(shown)?).with_context(shown)? {
            record.insert(line.place().map(String::to_owned), line);
        }
    }
    ensure!(!record.is_empty(), "{}: no record", path.display());
    Ok(record)
}

/// A figure that differs.
#[derive(Debug, PartialEq)]
pub struct Difference {
    /// Its subject.
    pub place: Place,
    /// `cycles`, or `keylane / engine`.
    pub figure: &'static str,
    /// The medians, of the first record and of the second.
    pub medians: [f64; 2],
}

impl Difference {
    /// The relative change from the first median to the second.
    pub fn change(&self) -> f64 {
        self.medians[1] / self.medians[0] - 1.0
    }
}

/// The result of a comparison.
#[derive(Debug, PartialEq)]
pub struct Comparison {
    /// Figures that differ, the largest change first.
    pub differences: Vec<Difference>,
    /// Figures that both records have.
    pub compared: usize,
    /// Lines that only one of the records has.
    pub alone: [usize; 2],
}

/// Compares two records. `least` is the smallest relative change of medians that counts.
pub fn compare(a: &Record, b: &Record, least: f64) -> Comparison {
    let mut differences = Vec::new();
    let mut compared = 0;
    for (place, a) in a {
        let Some(b) = b.get(place) else { continue };
        for (figure, of) in FIGURES {
            let (Some(a), Some(b)) = (of(a), of(b)) else { continue };
            compared += 1;
            if differ(a, b, least) {
                differences.push(Difference { place: place.clone(), figure, medians: [a[1], b[1]] });
            }
        }
    }
    let size = |difference: &Difference| difference.change().abs();
    differences.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let alone =
        |these: &Record, those: &Record| these.keys().filter(|place| !those.contains_key(*place)).count();
    Comparison { differences, compared, alone: [alone(a, b), alone(b, a)] }
}

/// Lower quartile, median, upper quartile.
type Three = [f64; 3];

/// A figure of a line, if it has it.
type Of = fn(&Line) -> Option<Three>;

/// The figures of a line to compare.
const FIGURES: [(&str, Of); 2] = [("cycles", cycles), ("keylane / engine", ratio)];

fn cycles(line: &Line) -> Option<Three> {
    Some([line.cycles_lower, line.cycles_median, line.cycles_upper])
}

/// keylane has no ratio to itself.
fn ratio(line: &Line) -> Option<Three> {
    let three = [line.keylane_ratio_lower?, line.keylane_ratio_median?, line.keylane_ratio_upper?];
    (line.side != "ours").then_some(three)
}

fn differ(a: Three, b: Three, least: f64) -> bool {
    let outside = |median: f64, of: Three| median < of[0] || median > of[2];
    outside(a[1], b) && outside(b[1], a) && (b[1] / a[1] - 1.0).abs() > least
}

/// Prints the result.
///
/// # Errors
/// Those of `out`.
pub fn print(out: &mut impl Write, found: &Comparison) -> Result<()> {
    for difference in &found.differences {
        let [a, b] = difference.medians;
        let place: Vec<&str> =
            difference.place.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        let change = 100.0 * difference.change();
        writeln!(
            out,
            "{change:+7.1} %  {a:>11.3} -> {b:<11.3} {}: {}",
            difference.figure,
            place.join(" | ")
        )?;
    }
    let Comparison { differences, compared, alone: [first, second] } = found;
    writeln!(out, "{} of {compared} figures differ by more than their spread", differences.len())?;
    if first + second > 0 {
        writeln!(out, "{first} lines stand in the first record only, {second} in the second only")?;
    }
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use keylane_measure::record::Figure;
    use keylane_measure::sample::Samples;

    fn record(engines: &[(&str, [f64; 3])]) -> Record {
        let of = |cycles: &[f64; 3]| Samples::new(cycles.iter().copied().map(Some).collect());
        let ours = of(&engines[0].1);
        let line = |(name, cycles): &(&str, [f64; 3])| {
            let side = if *name == "keylane" { "ours" } else { "peer" };
            let figure = Figure::of(&of(cycles), Some(&ours), 1.0).unwrap();
            let place = ["s".to_owned(), String::new(), "t".to_owned(), "c".to_owned(), (*name).to_owned()];
            (place, figure.line(["s", "", "t", "c", name, side]))
        };
        engines.iter().map(line).collect()
    }

    #[test]
    fn a_record_equals_itself() {
        let a = record(&[("keylane", [10.0, 11.0, 12.0]), ("peer", [20.0, 21.0, 22.0])]);
        let found = compare(&a, &a, 0.0);
        assert_eq!(found, Comparison { differences: vec![], compared: 3, alone: [0, 0] });
    }

    #[test]
    fn what_lies_beyond_the_quartiles_differs() {
        let a = record(&[("keylane", [10.0, 10.0, 10.0]), ("peer", [20.0, 21.0, 22.0])]);
        let b = record(&[("keylane", [10.0, 10.0, 10.0]), ("peer", [40.0, 42.0, 44.0]), ("new", [1.0; 3])]);
        let found = compare(&a, &b, 0.05);
        let figures: Vec<&str> = found.differences.iter().map(|difference| difference.figure).collect();
        assert_eq!(figures, ["cycles", "keylane / engine"]);
        assert_eq!(found.differences[0].medians, [21.0, 42.0]);
        assert_eq!(found.alone, [0, 1]);
        assert!(compare(&a, &b, 1.5).differences.is_empty());
        // Within the spread of one of them: no difference.
        let c = record(&[("keylane", [10.0, 10.0, 10.0]), ("peer", [21.2, 21.3, 21.4])]);
        assert!(compare(&a, &c, 0.0).differences.is_empty());
        let mut text = Vec::new();
        print(&mut text, &found).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("+100.0 %") && text.contains("2 of 3 figures differ"), "{text}");
    }
}
