//! Compares two records: do they differ by more than their spread?
//!
//! A figure of a record is a median between two quartiles. Two figures *differ* if neither median lies within
//! the other's quartiles, and the medians are apart by more than some percent and by more than A/A of their tables. One run cannot prove a smaller
//! difference (docs/BENCHMARKS.md, "To read a table"). Cycles also depend on the state of the machine; ratios
//! to keylane, sample by sample, depend more on the code.

use anyhow::{Context, Result, ensure};
use keylane_measure::record::{self, Line, Noise};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// The subject of a line: suite, rounds, table, cell, engine.
type Place = [String; 5];

/// A record.
#[derive(Default)]
pub struct Record {
    /// Its lines, by subject.
    lines: BTreeMap<Place, Line>,
    /// Whether it is filed as noisy.
    is_noisy: bool,
}

impl Record {
    fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        let lines = lines.into_iter().map(|line| (line.place().map(String::to_owned), line)).collect();
        Record { lines, is_noisy: false }
    }

    /// A/A of each table: suite, rounds, title.
    fn aa(&self) -> BTreeMap<[&String; 3], f64> {
        let mut tables: BTreeMap<_, Vec<&Line>> = BTreeMap::new();
        for line in self.lines.values() {
            tables.entry([&line.suite, &line.rounds, &line.table]).or_default().push(line);
        }
        tables.into_iter().map(|(table, lines)| (table, Noise::of(lines).aa)).collect()
    }
}

/// Reads a record: a file, or a directory of them.
///
/// A file cannot be read, is not a record, or there is none.
pub fn read(path: &Path) -> Result<Record> {
    let (mut lines, mut is_noisy) = (Vec::new(), false);
    for file in record::files(path).with_context(|| path.display().to_string())? {
        let shown = || file.display().to_string();
        lines.extend(record::read(File::open(&file).with_context(shown)?).with_context(shown)?);
        let note = fs::read_to_string(file.with_extension("txt")).unwrap_or_default();
        is_noisy |= record::is_filed_as_noisy(&note);
    }
    ensure!(!lines.is_empty(), "{}: no record", path.display());
    Ok(Record { is_noisy, ..Record::new(lines) })
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
    pub unmatched: [usize; 2],
    /// Whether a record is filed as noisy: then the differences are reported, not judged.
    pub is_noisy: bool,
}

/// Compares two records. `least` is the smallest relative change of medians that counts.
pub fn compare(a: &Record, b: &Record, least: f64) -> Comparison {
    let mut differences = Vec::new();
    let mut compared = 0;
    let aa = [a.aa(), b.aa()];
    for (place, a) in &a.lines {
        let Some(b) = b.lines.get(place) else { continue };
        let [suite, rounds, table, ..] = place;
        let aa = aa.iter().filter_map(|aa| aa.get(&[suite, rounds, table]));
        let least = aa.copied().fold(least, f64::max);
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
    let unmatched = |these: &Record, those: &Record| {
        these.lines.keys().filter(|place| !those.lines.contains_key(*place)).count()
    };
    Comparison {
        differences,
        compared,
        unmatched: [unmatched(a, b), unmatched(b, a)],
        is_noisy: a.is_noisy || b.is_noisy,
    }
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

/// keylane's ratio to itself is A/A.
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
    let Comparison { differences, compared, unmatched: [first, second], is_noisy } = found;
    writeln!(out, "{} of {compared} figures differ by more than their spread and A/A", differences.len())?;
    if *is_noisy {
        writeln!(out, "a record is filed as noisy: this is reported, not judged")?;
    }
    if first + second > 0 {
        writeln!(out, "{first} lines stand in the first record only, {second} in the second only")?;
    }
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use keylane_measure::record::Figure;
    use keylane_measure::sample::{Measured, Samples};

    /// The first engine is keylane; its second series takes `aa` times the first.
    fn record_with(aa: f64, engines: &[(&str, [f64; 3])]) -> Record {
        let of = |cycles: [f64; 3]| Samples::new(cycles.map(|cycles| (cycles, true)).to_vec());
        let again = of(engines[0].1.map(|cycles| cycles / aa));
        let samples = engines.iter().map(|(_, cycles)| of(*cycles)).collect();
        let measured = Measured { samples, ours: 0, again };
        Record::new(engines.iter().enumerate().map(|(i, (name, _))| {
            let side = if i == 0 { "ours" } else { "peer" };
            Figure::of(&measured, i, 1.0).unwrap().line(["s", "", "t", "c", name, side])
        }))
    }

    fn record(engines: &[(&str, [f64; 3])]) -> Record {
        record_with(1.0, engines)
    }

    #[test]
    fn below_aa_there_is_no_difference() {
        let of = |aa, peer| record_with(aa, &[("keylane", [10.0; 3]), ("peer", [peer; 3])]);
        let differ = |aa| compare(&of(aa, 20.0), &of(1.0, 22.0), 0.05).differences.len();
        assert_eq!((differ(1.0), differ(1.08), differ(1.12)), (2, 2, 0));
    }

    #[test]
    fn a_noisy_record_is_not_judged() {
        let quiet = record(&[("keylane", [10.0; 3])]);
        let noisy = Record { is_noisy: true, ..record(&[("keylane", [20.0; 3])]) };
        for (b, is_noisy) in [(&quiet, false), (&noisy, true)] {
            let found = compare(&quiet, b, 0.05);
            let mut text = Vec::new();
            print(&mut text, &found).unwrap();
            let says = String::from_utf8(text).unwrap().contains("reported, not judged");
            assert_eq!((found.is_noisy, says), (is_noisy, is_noisy));
        }
    }

    #[test]
    fn a_record_equals_itself() {
        let a = record(&[("keylane", [10.0, 11.0, 12.0]), ("peer", [20.0, 21.0, 22.0])]);
        let found = compare(&a, &a, 0.0);
        assert_eq!(
            found,
            Comparison { differences: vec![], compared: 3, unmatched: [0, 0], is_noisy: false }
        );
    }

    #[test]
    fn what_lies_beyond_the_quartiles_differs() {
        let a = record(&[("keylane", [10.0, 10.0, 10.0]), ("peer", [20.0, 21.0, 22.0])]);
        let b = record(&[("keylane", [10.0, 10.0, 10.0]), ("peer", [40.0, 42.0, 44.0]), ("new", [1.0; 3])]);
        let found = compare(&a, &b, 0.05);
        let figures: Vec<&str> = found.differences.iter().map(|difference| difference.figure).collect();
        assert_eq!(figures, ["cycles", "keylane / engine"]);
        assert_eq!(found.differences[0].medians, [21.0, 42.0]);
        assert_eq!(found.unmatched, [0, 1]);
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
