//! Records: one line of CSV per engine and cell.

use crate::sample::{Measured, Quartiles, quantile};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The word that begins the part `== noise` of a record's text if its figures are reported and not judged.
pub const NOISY: &str = "noisy";

/// Whether a record's text says so.
pub fn is_filed_as_noisy(text: &str) -> bool {
    text.lines().skip_while(|line| *line != "== noise").nth(1).is_some_and(|line| line.starts_with(NOISY))
}

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
    /// Cycles per unit of work: lower quartile of all samples, also of those that were dropped.
    pub cycles_lower: f64,
    /// Cycles per unit of work: median of the samples that were kept.
    pub cycles_median: f64,
    /// Cycles per unit of work: upper quartile of all samples.
    pub cycles_upper: f64,
    /// The ratio keylane / engine of the cycles, sample by sample: lower quartile. Above 1, keylane loses. In
    /// keylane's own line this is A/A: the ratio of two series of its samples.
    pub keylane_ratio_lower: Option<f64>,
    /// The same ratio: median.
    pub keylane_ratio_median: Option<f64>,
    /// The same ratio: upper quartile.
    pub keylane_ratio_upper: Option<f64>,
}

/// The figures of one engine in one cell.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Cycles per unit of work: the median of the kept samples, between the quartiles of all.
    pub cycles: Quartiles,
    /// The ratio keylane / engine of the cycles, sample by sample. Above 1, keylane loses. keylane's own is A/A.
    pub ratio: Option<Quartiles>,
    /// This engine's cycles per unit minus keylane's, sample by sample.
    pub above: Option<Quartiles>,
    /// Whether half of the samples were dropped, or more.
    pub half_dropped: bool,
    /// The number of kept samples.
    pub kept: usize,
    /// The number of ratios: one per round that kept both samples.
    pub pairs: usize,
}

impl Figure {
    /// The figures of a contender, whose samples have `units` units of work each. `None` if no sample was kept.
    pub fn of(measured: &Measured, contender: usize, units: f64) -> Option<Figure> {
        let ours = measured.samples.get(measured.ours)?;
        let is_ours = contender == measured.ours;
        let samples = measured.samples.get(contender)?;
        let other = if is_ours { &measured.again } else { samples };
        Some(Figure {
            cycles: samples.cycles()?.per(units),
            ratio: ours.ratio(other),
            above: other.above(ours).map(|above| above.per(units)),
            half_dropped: samples.half_dropped(),
            kept: samples.kept(),
            pairs: ours.pairs_with(other),
        })
    }

    /// Converts the figures, rounded to five digits, into a line of a record.
    pub fn line(&self, [suite, rounds, table, cell, engine, side]: [&str; 6]) -> Line {
        let [cycles_lower, cycles_median, cycles_upper] = places(self.cycles);
        let [keylane_ratio_lower, keylane_ratio_median, keylane_ratio_upper] =
            self.ratio.map_or([None; 3], |ratio| places(ratio).map(Some));
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
        }
    }
}

/// The noise of some cells of a table, which its figures do not show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// The cells.
    pub cells: usize,
    /// Those that spread: keylane's quartiles are apart by more than a tenth of the median.
    pub spread: usize,
    /// Those that are not filed, since half of their samples were dropped.
    pub unfiled: usize,
    /// A/A: by how much keylane differs from itself, as a part of 1. In nine of ten cells it is less. A smaller
    /// difference is none.
    pub aa: f64,
}

impl Noise {
    /// The part of cells, or of looks at the machine, that makes a suite noisy.
    pub const MOST: f64 = 0.1;

    /// The noise of these lines.
    pub fn of<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Noise {
        let ours: Vec<&Line> = lines.into_iter().filter(|line| line.side == "ours").collect();
        let spreads = |line: &&&Line| line.cycles_upper - line.cycles_lower > Self::MOST * line.cycles_median;
        let mut apart: Vec<f64> =
            ours.iter().filter_map(|line| Some((line.keylane_ratio_median? - 1.0).abs())).collect();
        apart.sort_by(f64::total_cmp);
        Noise {
            cells: ours.len(),
            spread: ours.iter().filter(spreads).count(),
            unfiled: 0,
            aa: quantile(&apart, 1.0 - Self::MOST).unwrap_or(0.0),
        }
    }

    /// The noise of all of them. A/A is the largest: it belongs to tables, not to suites.
    pub fn sum(all: impl IntoIterator<Item = Noise>) -> Noise {
        all.into_iter().fold(Noise::default(), |sum, noise| Noise {
            cells: sum.cells + noise.cells,
            spread: sum.spread + noise.spread,
            unfiled: sum.unfiled + noise.unfiled,
            aa: sum.aa.max(noise.aa),
        })
    }

    /// Whether too many cells spread, or are not filed. The figures are then reported, not judged.
    pub fn is_noisy(&self) -> bool {
        (self.spread + self.unfiled) as f64 > Self::MOST * (self.cells + self.unfiled) as f64
    }

    /// Whether keylane's time is more than the other's, by more than A/A. `ratio` is keylane's over the other's.
    pub fn is_slower(&self, ratio: f64) -> bool {
        ratio > 1.0 + self.aa
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Noise { cells, spread, unfiled, aa } = self;
        write!(f, "{spread} of {} cells spread", cells + unfiled)?;
        if *unfiled > 0 {
            write!(f, ", {unfiled} more are not filed")?;
        }
        // Two series of samples are never equal in every cell: older records have no second one.
        if *aa > 0.0 { write!(f, "; A/A {:.1} %", aa * 100.0) } else { write!(f, "; A/A not measured") }
    }
}

/// Rounds to five digits, more than any machine can repeat.
fn places(quartiles: Quartiles) -> [f64; 3] {
    [quartiles.lower, quartiles.median, quartiles.upper]
        .map(|value| format!("{value:.4e}").parse().unwrap_or(value))
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

/// Writes lines as CSV, after a line with the names of the columns. Suite, rounds and table stand in the first line of
/// a table only: they are half of the bytes of a long record.
///
/// # Errors
/// Those of `out`.
pub fn write(out: impl Write, lines: impl IntoIterator<Item = Line>) -> csv::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let mut above = [const { String::new() }; 3];
    for mut line in lines {
        let table = line.table_mut();
        if table == above.each_ref() {
            table.into_iter().for_each(String::clear);
        } else {
            above = table.map(|part| part.clone());
        }
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
    let mut lines: Vec<Line> = csv.deserialize().collect::<csv::Result<_>>()?;
    let mut above = [const { String::new() }; 3];
    for line in &mut lines {
        let table = line.table_mut();
        if table[0].is_empty() {
            table.into_iter().zip(&above).for_each(|(part, above)| part.clone_from(above));
        } else {
            above = table.map(|part| part.clone());
        }
    }
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

    /// Suite, rounds and table.
    fn table_mut(&mut self) -> [&mut String; 3] {
        [&mut self.suite, &mut self.rounds, &mut self.table]
    }

    /// Whether cycles and ratios are positive and finite.
    fn is_measured(&self) -> bool {
        let ratios = [self.keylane_ratio_lower, self.keylane_ratio_median, self.keylane_ratio_upper];
        let cycles = [self.cycles_lower, self.cycles_median, self.cycles_upper];
        cycles
            .into_iter()
            .chain(ratios.into_iter().flatten())
            .all(|figure| figure.is_finite() && figure > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Samples;

    #[test]
    fn three_digits() {
        let figures = [0.12345, 0.9999, 9.994, 9.996, 99.94, 99.96, 137_795.4];
        assert_eq!(figures.map(digits), ["0.123", "1.00", "9.99", "10.0", "99.9", "100", "137795"]);
    }

    #[test]
    fn figures_are_recorded_with_five_digits() {
        let rounded = places(Quartiles { lower: 0.123_456, median: 23.645_23, upper: 1_234_567.8 });
        assert_eq!(rounded, [0.123_46, 23.645, 1_234_600.0]);
    }

    #[test]
    fn what_is_written_can_be_read() {
        let of = |cycles: [f64; 2]| Samples::new(cycles.map(|cycles| (cycles, true)).to_vec());
        let samples = vec![of([10.0, 20.0]), of([30.0, 30.0])];
        let measured = Measured { samples, ours: 0, again: of([8.0, 16.0]) };
        let line = |contender, engine, side| {
            let names = ["suite", "1-3", "a table, with a comma", "8", engine, side];
            Figure::of(&measured, contender, 10.0).unwrap().line(names)
        };
        let mut lines = vec![line(1, "engine", "peer"), line(0, "keylane", "ours")];
        // Another table, without rounds.
        lines.push(Line { rounds: String::new(), table: "second".to_owned(), ..lines[0].clone() });
        assert_eq!(lines[0].cycles_median, 3.0);
        assert_eq!(lines[0].keylane_ratio_median, Some(0.5));
        // A/A.
        assert_eq!(lines[1].keylane_ratio_median, Some(1.25));
        let mut csv = Vec::new();
        write(&mut csv, lines.clone()).unwrap();
        assert_eq!(read(&csv[..]).unwrap(), lines);
        assert!(read(&b"not,a\nrecord,at all\n"[..]).is_err());
        let text = String::from_utf8(csv.clone()).unwrap();
        assert_eq!(text.matches("with a comma").count(), 1, "{text}");
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
        let lost = Samples::new(vec![(1.0, false)]);
        assert!(
            Figure::of(&Measured { samples: vec![lost.clone()], ours: 0, again: lost }, 0, 1.0).is_none()
        );
    }

    /// A line of keylane: its quartiles are this part of the median apart, and its A/A is this ratio.
    fn ours(spread: f64, aa: f64) -> Line {
        let ratio = Quartiles { lower: aa, median: aa, upper: aa };
        let cycles = Quartiles { lower: 10.0, median: 10.0, upper: 10.0 + 10.0 * spread };
        let figure =
            Figure { cycles, ratio: Some(ratio), above: None, half_dropped: false, kept: 9, pairs: 9 };
        figure.line(["suite", "", "table", "cell", "keylane", "ours"])
    }

    #[test]
    fn noise_is_the_share_of_cells_that_spread() {
        let quiet = [vec![ours(0.05, 1.0); 9], vec![ours(0.2, 1.0)]].concat();
        let noise = Noise::of(&quiet);
        assert_eq!((noise.cells, noise.spread, noise.is_noisy()), (10, 1, false));
        let busy = [quiet, vec![ours(0.11, 1.0)]].concat();
        assert!(Noise::of(&busy).is_noisy());
        let peer = Line { side: "peer".to_owned(), ..ours(0.2, 2.0) };
        assert_eq!(Noise::of([&peer]), Noise::default());
        // A cell that is not filed counts.
        assert!(Noise { unfiled: 1, ..noise }.is_noisy());
        assert_eq!(
            Noise { unfiled: 1, ..noise }.to_string(),
            "1 of 11 cells spread, 1 more are not filed; A/A not measured"
        );
    }

    #[test]
    fn a_text_says_whether_its_record_is_noisy() {
        let of = |noise: &str| {
            is_filed_as_noisy(&format!("== commit\n1\n\n== noise\n{noise}\n\n== lscpu\nnoisy\n"))
        };
        assert!(
            of("noisy: 5 of 9 cells spread") && !of("quiet: 0 of 9 cells spread") && !is_filed_as_noisy("")
        );
    }

    #[test]
    fn a_difference_below_that_of_two_equals_is_none() {
        let lines = [ours(0.0, 1.02), ours(0.0, 0.98), ours(0.0, 1.0)];
        let noise = Noise::of(&lines);
        assert!((noise.aa - 0.02).abs() < 1e-9, "{}", noise.aa);
        assert!(!noise.is_slower(1.019) && noise.is_slower(1.021));
        assert_eq!(Noise::sum([noise, Noise { aa: 0.03, ..noise }]).aa, 0.03);
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
