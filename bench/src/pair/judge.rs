//! Ratios of two commits: which of them the machine cannot have made.

use keylane_measure::sample::Quartiles;
use std::io::{Result, Write};

/// The part of all cells whose A/A is within the noise.
const USUAL: f64 = 0.95;

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its heading.
    pub label: String,
    /// The time of the new commit by that of the old one.
    pub ratio: Quartiles,
    /// A/A: the time of the new commit by its own in another process.
    pub again: Quartiles,
}

/// How far a ratio is from 1, in either direction: at least 1.
fn away(ratio: f64) -> f64 {
    ratio.max(1.0 / ratio)
}

/// The greatest A/A of nearly all cells.
fn noise(cells: &[Cell]) -> f64 {
    let mut all: Vec<f64> = cells.iter().map(|cell| away(cell.again.median)).collect();
    all.sort_by(f64::total_cmp);
    let last = all.len().saturating_sub(1);
    all.get((USUAL * last as f64).ceil() as usize).copied().unwrap_or(1.0)
}

/// Whether the machine cannot have made a cell's ratio: it is further from 1 than the cell's A/A and than the noise of all
/// cells, and its quartiles are on one side of 1.
fn is_beyond(cell: &Cell, noise: f64) -> bool {
    let Quartiles { lower, median, upper } = cell.ratio;
    away(median) > noise.max(away(cell.again.median)) && (lower > 1.0 || upper < 1.0)
}

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = ratios.fold((0.0, 0), |(sum, count), ratio| (sum + ratio.ln(), count + 1));
    (sum / f64::from(count.max(1))).exp()
}

/// Prints a table.
///
/// # Errors
/// Those of `out`.
pub fn print(out: &mut impl Write, title: &str, cells: &[Cell]) -> Result<()> {
    if cells.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    let left = cells.iter().map(|cell| cell.label.len()).max().unwrap_or(0);
    let figure = |of: Quartiles| format!("{:.3} [{:.3} {:.3}]", of.median, of.lower, of.upper);
    for Cell { label, ratio, again } in cells {
        writeln!(out, "  {label:>left$}  new / old {}   A/A {}", figure(*ratio), figure(*again))?;
    }
    let [ratio, again] = means(cells);
    writeln!(out, "  geometric mean: new / old {ratio:.3}, A/A {again:.3}")?;
    out.flush()
}

/// The geometric means of both ratios.
fn means(cells: &[Cell]) -> [f64; 2] {
    let medians: [fn(&Cell) -> f64; 2] = [|cell| cell.ratio.median, |cell| cell.again.median];
    medians.map(|median| geometric_mean(cells.iter().map(median)))
}

/// The figures of all cells.
#[derive(Debug, PartialEq)]
pub struct Summary<'a> {
    cells: usize,
    means: [f64; 2],
    noise: f64,
    worst: &'a Cell,
    /// The slower cells beyond A/A, the worst first; then the number of faster ones.
    slower: Vec<&'a Cell>,
    faster: usize,
}

impl<'a> Summary<'a> {
    /// The figures, or `None` of nothing.
    pub fn of(cells: &'a [Cell]) -> Option<Self> {
        let noise = noise(cells);
        let by_ratio = |a: &&Cell, b: &&Cell| a.ratio.median.total_cmp(&b.ratio.median);
        let beyond = || cells.iter().filter(|cell| is_beyond(cell, noise));
        let mut slower: Vec<&Cell> = beyond().filter(|cell| cell.ratio.median > 1.0).collect();
        slower.sort_by(|a, b| by_ratio(b, a));
        Some(Summary {
            cells: cells.len(),
            means: means(cells),
            noise,
            worst: cells.iter().max_by(by_ratio)?,
            faster: beyond().count() - slower.len(),
            slower,
        })
    }

    /// Prints the figures, and each slower cell.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn print(&self, out: &mut impl Write) -> Result<()> {
        let [ratio, again] = self.means;
        writeln!(out, "\n{} cells, geometric mean: new / old {ratio:.3}, A/A {again:.3}", self.cells)?;
        writeln!(out, "A/A of 95 % of the cells is within {:.3}", self.noise)?;
        writeln!(out, "worst: {:.3} ({})", self.worst.ratio.median, self.worst.label)?;
        writeln!(out, "beyond A/A: {} cells slower, {} faster", self.slower.len(), self.faster)?;
        for cell in &self.slower {
            let (ratio, again) = (cell.ratio.median, cell.again.median);
            writeln!(out, "  slower: {ratio:.3} (A/A {again:.3}) {}", cell.label)?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(median: f64) -> Quartiles {
        Quartiles { lower: median - 0.01, median, upper: median + 0.01 }
    }

    fn cell(ratio: f64, again: f64) -> Cell {
        Cell { label: format!("{ratio}"), ratio: around(ratio), again: around(again) }
    }

    #[test]
    fn a_difference_within_the_noise_is_none() {
        assert!(is_beyond(&cell(1.05, 1.0), 1.02) && is_beyond(&cell(0.9, 1.0), 1.02));
        // Within the noise of all cells, of this one, or of its own quartiles.
        assert!(!is_beyond(&cell(1.05, 1.0), 1.06));
        assert!(!is_beyond(&cell(1.05, 0.94), 1.02));
        assert!(!is_beyond(&cell(1.005, 1.0), 1.0));
    }

    #[test]
    fn noise_leaves_out_a_few_cells() {
        assert_eq!(noise(&[]), 1.0);
        let mut cells: Vec<Cell> = (0..41).map(|_| cell(1.0, 1.01)).collect();
        cells[7].again = around(1.5);
        cells[8].again = around(0.5);
        assert_eq!(noise(&cells), 1.01);
        // Half the time is as far as twice the time.
        assert_eq!(noise(&[cell(1.0, 0.5)]), 2.0);
    }

    #[test]
    fn a_summary_names_the_slower_cells() {
        assert!(Summary::of(&[]).is_none());
        let cells = [cell(1.1, 1.0), cell(1.0, 1.0), cell(1.2, 1.0), cell(0.8, 1.0)];
        let summary = Summary::of(&cells).unwrap();
        assert_eq!((summary.slower, summary.faster), (vec![&cells[2], &cells[0]], 1));
        assert_eq!(summary.worst, &cells[2]);
        assert!((summary.means[0] - (1.1f64 * 1.2 * 0.8).powf(0.25)).abs() < 1e-9);
        let mut text = Vec::new();
        print(&mut text, "a table", &cells).unwrap();
        Summary::of(&cells).unwrap().print(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("beyond A/A: 2 cells slower, 1 faster"), "{text}");
        assert_eq!(text.matches("slower: ").count(), 2);
    }
}
