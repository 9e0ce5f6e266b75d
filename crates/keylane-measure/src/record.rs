//! Records: one line of CSV per engine and cell.

use crate::sample::{Quartiles, Samples};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// More bytes than any record has.
const LIMIT: u64 = 4 << 20;

/// The figures of one engine in one cell, as a line of CSV.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The suite. Its name is also a command's argument and a file's stem.
    pub suite: String,
    /// The SipHash variant, such as `2-4`; empty if there is none.
    pub rounds: String,
    /// A group of cells that are shown together.
    pub table: String,
    /// The cell: all its engines do the same work.
    pub cell: String,
    /// The contender.
    pub engine: String,
    /// The kind of engine: keylane, one of its kernels or other forms, a peer, or a floor.
    pub side: String,
    /// Cycles per unit of work: lower quartile.
    pub cycles_lower: f64,
    /// Cycles per unit of work: median.
    pub cycles_median: f64,
    /// Cycles per unit of work: upper quartile.
    pub cycles_upper: f64,
    /// The ratio keylane / engine of the cycles, sample by sample: lower quartile. Above 1, keylane loses.
    pub keylane_ratio_lower: Option<f64>,
    /// The same ratio: median.
    pub keylane_ratio_median: Option<f64>,
    /// The same ratio: upper quartile.
    pub keylane_ratio_upper: Option<f64>,
    /// The engine's cycles per unit minus keylane's, sample by sample: lower quartile.
    pub above_keylane_lower: Option<f64>,
    /// The same difference: median.
    pub above_keylane_median: Option<f64>,
    /// The same difference: upper quartile.
    pub above_keylane_upper: Option<f64>,
    /// The number of kept samples.
    pub kept: usize,
    /// The number of dropped samples.
    pub dropped: usize,
    /// The number of rounds that kept keylane's sample too.
    pub pairs: usize,
}

/// The figures of one engine in one cell.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Cycles per unit of work.
    pub cycles: Quartiles,
    /// The ratio keylane / engine of the cycles, sample by sample. Above 1, keylane loses.
    pub ratio: Option<Quartiles>,
    /// This engine's cycles per unit minus keylane's, sample by sample.
    pub above: Option<Quartiles>,
    /// The number of kept samples.
    pub kept: usize,
    /// The number of dropped samples.
    pub dropped: usize,
    /// The number of ratios: one per round that kept keylane's sample too.
    pub pairs: usize,
}

impl Figure {
    /// The figures of an engine's samples, each of `units` units of work, compared with keylane's samples, if
    /// there are any. `None` if no sample was kept.
    pub fn of(samples: &Samples, keylane: Option<&Samples>, units: f64) -> Option<Figure> {
        Some(Figure {
            cycles: samples.cycles()?.per(units),
            ratio: keylane.and_then(|keylane| keylane.ratio(samples)),
            above: keylane.and_then(|keylane| samples.above(keylane)).map(|above| above.per(units)),
            kept: samples.kept(),
            dropped: samples.dropped(),
            pairs: keylane.map_or(0, |keylane| keylane.pairs_with(samples)),
        })
    }

    /// Converts the figures, rounded to four places, into a line of a record.
    pub fn line(&self, [suite, rounds, table, cell, engine, side]: [&str; 6]) -> Line {
        let [cycles_lower, cycles_median, cycles_upper] = places(self.cycles);
        let [keylane_ratio_lower, keylane_ratio_median, keylane_ratio_upper] = all(self.ratio);
        let [above_keylane_lower, above_keylane_median, above_keylane_upper] = all(self.above);
        Line {
            suite: suite.to_owned(),
            rounds: rounds.to_owned(),
            table: table.to_owned(),
            cell: cell.to_owned(),
            engine: engine.to_owned(),
            side: side.to_owned(),
            cycles_lower,
            cycles_median,
            cycles_upper,
            keylane_ratio_lower,
            keylane_ratio_median,
            keylane_ratio_upper,
            above_keylane_lower,
            above_keylane_median,
            above_keylane_upper,
            kept: self.kept,
            dropped: self.dropped,
            pairs: self.pairs,
        }
    }
}

/// Rounds to four places, more than any machine can repeat.
fn places(quartiles: Quartiles) -> [f64; 3] {
    [quartiles.lower, quartiles.median, quartiles.upper].map(|value| (value * 1e4).round() / 1e4)
}

fn all(quartiles: Option<Quartiles>) -> [Option<f64>; 3] {
    quartiles.map_or([None; 3], |quartiles| places(quartiles).map(Some))
}

/// At least three digits, and all digits before the point: no machine can repeat more of a figure.
pub fn digits(figure: f64) -> String {
    match figure {
        figure if figure < 0.9995 => format!("{figure:.3}"),
        figure if figure < 9.995 => format!("{figure:.2}"),
        figure if figure < 99.95 => format!("{figure:.1}"),
        figure => format!("{figure:.0}"),
    }
}

/// Writes lines as CSV, after a line with the names of the columns.
///
/// # Errors
/// Those of `out`.
pub fn write(out: impl Write, lines: impl IntoIterator<Item = Line>) -> csv::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    for line in lines {
        csv.serialize(line)?;
    }
    Ok(csv.flush()?)
}

/// Reads the output of [`write()`].
///
/// # Errors
/// * `input` fails, or is not a record.
/// * It has no line, or two lines of one engine in one cell.
/// * A figure is impossible.
pub fn read(input: impl Read) -> csv::Result<Vec<Line>> {
    let mut csv = csv::Reader::from_reader(input);
    // Without this, a failure to read the first line passes for an empty input.
    csv.headers()?;
    let lines: Vec<Line> = csv.deserialize().collect::<csv::Result<_>>()?;
    let mut places = HashSet::new();
    let fault = match lines.iter().find(|line| !line.is_measured() || !places.insert(line.place())) {
        None if lines.is_empty() => "no line".to_owned(),
        None => return Ok(lines),
        Some(line) => {
            let why = if line.is_measured() { "duplicate" } else { "impossible figure" };
            format!("{why}: {}", line.place().map(|part| part.as_str()).join(" | "))
        }
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, fault).into())
}

/// Opens a record.
///
/// # Errors
/// It is not a regular file, or cannot be read. Reading fails behind 4 MiB.
pub fn open(path: &Path) -> io::Result<impl Read> {
    // Looked at before it is opened: opening a pipe would wait for its writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(Bounded { file: File::open(path)?, left: LIMIT })
}

/// A file that is not read to its end if it is too large. Not every file knows its length before.
struct Bounded {
    file: File,
    left: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read(buffer)?;
        let left = self.left.checked_sub(len as u64);
        self.left = left.ok_or_else(|| io::Error::other("larger than 4 MiB"))?;
        Ok(len)
    }
}

/// The records at a path: the file itself or, for a directory, the records in it, sorted by name. Other CSV
/// files there are skipped, and so is what is not a regular file.
///
/// # Errors
/// The path, or a CSV file in it, cannot be read.
pub fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        let is_csv = file.extension().is_some_and(|extension| extension == "csv") && file.is_file();
        if is_csv && is_record(&file).map_err(|error| named(&file, &error))? {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// Whether the columns are those of a record.
fn is_record(file: &Path) -> io::Result<bool> {
    let mut csv = csv::Reader::from_reader(open(file)?);
    Ok(csv.headers()?.iter().any(|head| head == "keylane_ratio_median"))
}

/// The error, with the name of the file in a directory.
fn named(file: &Path, error: &io::Error) -> io::Error {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

impl Line {
    /// The subject of the line: suite, rounds, table, cell and engine.
    pub fn place(&self) -> [&String; 5] {
        [&self.suite, &self.rounds, &self.table, &self.cell, &self.engine]
    }

    /// Whether cycles and ratios are positive and finite, and differences finite.
    fn is_measured(&self) -> bool {
        let ratios = [self.keylane_ratio_lower, self.keylane_ratio_median, self.keylane_ratio_upper];
        let above = [self.above_keylane_lower, self.above_keylane_median, self.above_keylane_upper];
        let cycles = [self.cycles_lower, self.cycles_median, self.cycles_upper];
        cycles
            .into_iter()
            .chain(ratios.into_iter().flatten())
            .all(|figure| figure.is_finite() && figure > 0.0)
            && above.into_iter().flatten().all(f64::is_finite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits() {
        let figures = [0.12345, 0.9999, 9.994, 9.996, 99.94, 99.96, 137_795.4];
        assert_eq!(figures.map(digits), ["0.123", "1.00", "9.99", "10.0", "99.9", "100", "137795"]);
    }

    #[test]
    fn what_is_written_can_be_read() {
        let of = |cycles: &[f64]| Samples::new(cycles.iter().copied().map(Some).collect());
        let (ours, theirs) = (of(&[10.0, 20.0]), of(&[30.0, 30.0]));
        let line = |samples, keylane, [engine, side]: [&str; 2]| {
            let names = ["suite", "1-3", "a table, with a comma", "8", engine, side];
            Figure::of(samples, keylane, 10.0).unwrap().line(names)
        };
        let lines =
            vec![line(&theirs, Some(&ours), ["engine", "peer"]), line(&ours, None, ["keylane", "ours"])];
        assert_eq!(lines[0].cycles_median, 3.0);
        assert_eq!(lines[0].keylane_ratio_median, Some(0.5));
        assert_eq!(lines[0].above_keylane_median, Some(1.5));
        assert_eq!(lines[1].keylane_ratio_median, None);
        let mut csv = Vec::new();
        write(&mut csv, lines.clone()).unwrap();
        assert_eq!(read(&csv[..]).unwrap(), lines);
        assert!(read(&b"not,a\nrecord,at all\n"[..]).is_err());
        let text = String::from_utf8(csv.clone()).unwrap();
        let (head, body) = text.split_once('\n').unwrap();
        let refused = |text: String| read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(refused(format!("{head}\n")), "no line");
        assert!(
            refused(text.clone() + body).starts_with("duplicate: suite | 1-3 | a table, with a comma | 8 |")
        );
        for impossible in ["NaN", "inf", "0", "-3.0"] {
            let text = String::from_utf8(csv.clone()).unwrap().replacen("3.0", impossible, 1);
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(Figure::of(&Samples::new(vec![None]), None, 1.0).is_none());
    }

    /// A folder can be opened like a file, so only the look before tells it apart. A device gives bytes without end.
    #[test]
    fn what_is_not_a_regular_file_is_not_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let device = cfg!(unix).then(|| Path::new("/dev/zero"));
        for path in [folder].into_iter().chain(device) {
            let refused = open(path).map(|_| ()).unwrap_err();
            assert_eq!(refused.to_string(), "not a regular file", "{}", path.display());
        }
    }

    /// A folder that is named like a record is skipped.
    #[test]
    fn a_folder_is_no_record() {
        let records = tempfile::tempdir().unwrap();
        fs::create_dir(records.path().join("a.csv")).unwrap();
        assert!(files(records.path()).unwrap().is_empty());
    }
}
