//! The figures measured, and how to print them.

use keylane_measure::page::length;
use keylane_measure::record::{Figure, Line, Noise, digits};

/// From this length on, figures are per byte.
const PER_BYTE_FROM: usize = 1 << 10;

/// A table with its figures.
pub struct Measured {
    /// The suite and the rounds.
    pub name: String,
    pub suite: String,
    /// The SipHash variant; empty if there is none.
    pub rounds: &'static str,
    pub title: String,
    pub rows: Vec<Row>,
    pub columns: Vec<Column>,
    /// The CPU's frequency in GHz, after the last sample.
    pub clock: f64,
}

/// One contender: a kernel, or keylane's own choice.
pub struct Row {
    /// The kernel; `None` for keylane as its users get it.
    pub kernel: Option<&'static str>,
    /// Whether keylane chooses this kernel.
    pub chosen: bool,
    /// Whether every CPU can run it.
    pub portable: bool,
    /// The slots, and the kernel in each.
    pub slots: Vec<(&'static str, &'static str)>,
}

/// A cell with its figures.
pub struct Column {
    pub label: String,
    /// The length of each message, if the columns are lengths.
    pub length: Option<usize>,
    /// One result for each row.
    pub figures: Vec<Taken>,
}

/// The result of a row in a cell.
pub enum Taken {
    /// The row takes no part.
    No,
    /// The machine was too busy: half of the samples were dropped.
    Lost,
    /// A figure, and whether it comes from fewer samples than asked for.
    Figure { figure: Figure, few: bool },
}

impl Row {
    /// The kernel, or keylane.
    pub fn id(&self) -> &'static str {
        self.kernel.unwrap_or("keylane")
    }

    /// Its name in tables. keylane's choice is marked.
    pub fn name(&self) -> String {
        format!("{}{}", self.id(), if self.chosen { " *" } else { "" })
    }

    /// Its name in records.
    pub fn engine(&self) -> String {
        self.kernel.map_or_else(|| "keylane".to_owned(), |kernel| format!("keylane {kernel}"))
    }

    fn side(&self) -> &'static str {
        if self.kernel.is_some() { "our kernel" } else { "ours" }
    }
}

impl Measured {
    /// Whether the columns are lengths.
    pub fn is_by_length(&self) -> bool {
        self.columns.iter().all(|column| column.length.is_some())
    }

    /// The columns in two groups: figures per message, figures per byte.
    pub fn parts(&self) -> impl Iterator<Item = &[Column]> {
        self.columns.chunk_by(|a, b| a.each().0 == b.each().0)
    }

    /// The lines of a record.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        self.taken().filter_map(|(row, column, taken)| match taken {
            Taken::Figure { figure, .. } => {
                let names = [&self.suite, self.rounds, &self.title, &column.label, &row.engine(), row.side()];
                Some(figure.line(names))
            }
            _ => None,
        })
    }

    /// The noise of the table.
    pub fn noise(&self) -> Noise {
        let unfiled =
            self.columns.iter().filter(|column| matches!(column.figures.first(), Some(Taken::Lost))).count();
        Noise { unfiled, ..Noise::of(&self.lines().collect::<Vec<_>>()) }
    }

    /// The cells that lost half of their samples.
    pub fn lost(&self) -> impl Iterator<Item = (&Row, &Column)> {
        let lost = self.taken().filter(|(_, _, taken)| matches!(taken, Taken::Lost));
        lost.map(|(row, column, _)| (row, column))
    }

    fn taken(&self) -> impl Iterator<Item = (&Row, &Column, &Taken)> {
        self.columns.iter().flat_map(|column| {
            self.rows.iter().zip(&column.figures).map(move |(row, taken)| (row, column, taken))
        })
    }
}

impl Column {
    /// Its heading.
    pub fn head(&self) -> String {
        self.length.map_or_else(|| self.label.clone(), length)
    }

    /// The unit of a figure, and how many of these units a message has.
    pub fn each(&self) -> (&'static str, f64) {
        match self.length {
            Some(length) if length >= PER_BYTE_FROM => ("byte", length as f64),
            _ => ("message", 1.0),
        }
    }

    /// The median of a row, in cycles per message.
    pub fn median(&self, row: usize) -> Option<f64> {
        match self.figures.get(row) {
            Some(Taken::Figure { figure, .. }) => Some(figure.cycles.median),
            _ => None,
        }
    }

    /// keylane's GB/s, if figures are per byte.
    pub fn speed(&self, clock: f64) -> String {
        match (self.each(), self.median(0)) {
            (("byte", count), Some(cycles)) => digits(clock * count / cycles),
            _ => String::new(),
        }
    }

    /// The text for a row: its median, marked if it comes from too few samples.
    pub fn entry(&self, row: usize) -> String {
        let (_, count) = self.each();
        match self.figures.get(row) {
            None | Some(Taken::No) => String::new(),
            Some(Taken::Lost) => "?".to_owned(),
            Some(Taken::Figure { figure, few }) => {
                let figure = digits(figure.cycles.median / count);
                if *few { figure + "?" } else { figure }
            }
        }
    }
}
