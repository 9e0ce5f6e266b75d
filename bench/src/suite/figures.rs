//! What a suite found: tables, and the cells of each.

use crate::engine::{Missing, Rounds, Side};
use keylane_measure::record::{Figure, Line, Noise};
use keylane_measure::sample::Quartiles;

/// Cells to compare.
pub struct Table {
    /// The suite's name.
    pub suite: &'static str,
    /// The variant of SipHash.
    pub rounds: Option<Rounds>,
    /// The work measured.
    pub title: String,
    /// The engines' names, in order, and their relation to keylane.
    pub engines: Vec<(String, Side)>,
    /// The kernels of the engines' slot that this CPU cannot run.
    pub missing: Vec<Missing>,
    /// The columns.
    pub cells: Vec<Cell>,
    /// What stands below the table: a line each.
    pub notes: Vec<String>,
}

impl Table {
    /// Its noise: of the cells that are filed, and how many are not.
    pub fn noise(&self) -> Noise {
        let unfiled = self.cells.iter().filter(|cell| !cell.is_filed).count();
        Noise { unfiled, ..Noise::of(&self.lines()) }
    }

    /// Its lines: one for each engine in each cell. Cells that are not filed have none, nor has an engine that lost half
    /// of its samples.
    pub fn lines(&self) -> Vec<Line> {
        let rounds = self.rounds.map_or_else(String::new, |rounds| rounds.to_string());
        let mut lines = Vec::new();
        for cell in self.cells.iter().filter(|cell| cell.is_filed) {
            for ((engine, side), figure) in self.engines.iter().zip(&cell.figures) {
                let names = [self.suite, &rounds, &self.title, &cell.label, engine, side.word()];
                let filed = figure.as_ref().filter(|figure| !figure.half_dropped);
                lines.extend(filed.map(|figure| figure.line(names)));
            }
        }
        lines
    }

    /// The geometric mean of the ratio keylane / best peer, if several cells have a peer.
    pub fn mean_ratio(&self) -> Option<f64> {
        let ratios: Vec<f64> = self.cells.iter().filter_map(Cell::ratio).map(|ratio| ratio.median).collect();
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        (ratios.len() > 1).then(|| (logarithms / ratios.len() as f64).exp())
    }
}

/// One column of a table.
pub struct Cell {
    /// Its heading.
    pub label: String,
    /// One figure for each of the table's engines, or `None` if it does not take part.
    pub figures: Vec<Option<Figure>>,
    /// The index of the best peer.
    pub best_peer: Option<usize>,
    /// Whether keylane and all peers kept more than half of their samples.
    pub is_filed: bool,
}

impl Cell {
    /// The ratio keylane / best peer of the cycles, if the cell is filed.
    pub fn ratio(&self) -> Option<Quartiles> {
        self.is_filed.then_some(())?;
        self.figures.get(self.best_peer?)?.as_ref()?.ratio
    }
}
