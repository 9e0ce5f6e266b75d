//! A story's table, as text for a terminal, as Markdown, and as a plot.

use super::figures::{Figures, Published};
use super::stories::{Row, Story, Unit};
use crate::tables::forms;
use crate::tables::svg::{Bar, Bars};
use anyhow::Result;
use keylane_measure::record::digits;

/// The colours of the published figures, and of a column each.
const COLOURS: [&str; 7] = ["#999999", "#000000", "#1f6fb4", "#c0392b", "#2a8a2a", "#7b4fa6", "#b35900"];

/// The name of the column that was just measured.
pub const NOW: &str = "this machine now";

/// A story with the figures of some CPUs.
pub struct Table<'a> {
    story: &'a Story,
    published: Published,
    rows: Vec<Row>,
    /// The figures, and whose they are.
    columns: Vec<(String, Figures)>,
}

impl<'a> Table<'a> {
    /// Leaves out the columns without a figure of this story.
    pub fn new(story: &'a Story, published: Published, columns: Vec<(String, Figures)>) -> Result<Table<'a>> {
        let rows = (story.rows)(&published)?;
        let mut table = Table { story, published, rows, columns };
        let (rows, columns) = (&table.rows, &mut table.columns);
        columns.retain(|(_, figures)| rows.iter().any(|row| (row.of)(figures).is_some()));
        Ok(table)
    }

    /// The heads, then a line for each row. A row without a figure is left out.
    fn cells(&self) -> Vec<Vec<String>> {
        let heads = self.story.heads.iter().map(|head| (*head).to_owned());
        let names = self.columns.iter().map(|(name, _)| name.clone());
        let mut lines = vec![[String::new()].into_iter().chain(heads).chain(names).collect::<Vec<_>>()];
        for row in &self.rows {
            let quoted = row.published.iter().map(|quoted| match quoted {
                None => String::new(),
                Some((figure, "")) => written(row.unit, *figure),
                Some((figure, of)) => format!("{} ({of})", written(row.unit, *figure)),
            });
            let figure = |(_, figures): &(String, Figures)| {
                (row.of)(figures).map_or_else(String::new, |figure| written(row.unit, figure))
            };
            let figures = self.columns.iter().map(figure);
            let line: Vec<String> = [row.what.clone()].into_iter().chain(quoted).chain(figures).collect();
            if line[1..].iter().any(|cell| !cell.is_empty()) {
                lines.push(line);
            }
        }
        lines
    }

    /// Columns of one width each.
    pub fn text(&self) -> String {
        let cells = self.cells();
        let width = |column: usize| cells.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..cells[0].len()).map(width).collect();
        let mut out = String::new();
        for line in &cells {
            let mut text = format!("{:<1$}", line[0], widths[0]);
            for (cell, width) in line.iter().zip(&widths).skip(1) {
                text += &format!("  {cell:>width$}");
            }
            out += text.trim_end();
            out.push('\n');
        }
        out
    }

    /// As Markdown, with the verdict of each CPU below.
    pub fn markdown(&self) -> Result<String> {
        let mut out = format!("\n{}\n", forms::figures(&self.cells()));
        for (name, _) in &self.columns {
            if let Some(verdict) = self.verdict(name)? {
                out += &format!("* **{name}**: {verdict}.\n");
            }
        }
        out.push('\n');
        Ok(out)
    }

    /// What the figures of a column say, in a sentence without its end.
    pub fn verdict(&self, column: &str) -> Result<Option<String>> {
        let Some((_, figures)) = self.columns.iter().find(|(name, _)| name == column) else {
            return Ok(None);
        };
        let verdict = (self.story.verdict)(&self.published, figures)?;
        Ok(match (&figures.noisy[..], verdict) {
            (_, None) => None,
            ([], verdict) => verdict,
            (_, Some(verdict)) => Some(format!("(the machine was busy, so this is no judgement) {verdict}")),
        })
    }

    /// A bar for each figure that is drawn.
    pub fn svg(&self) -> String {
        let mut bars = Vec::new();
        for row in self.rows.iter().filter(|row| row.is_drawn) {
            let quoted = row.published.last().copied().flatten();
            let quoted = quoted.map(|(figure, of)| (0, if of.is_empty() { "published" } else { of }, figure));
            let figures = self.columns.iter().enumerate().filter_map(|(at, (name, figures))| {
                Some((if name == NOW { 1 } else { at + 2 }, name.as_str(), (row.of)(figures)?))
            });
            for (i, (colour, whose, figure)) in quoted.into_iter().chain(figures).enumerate() {
                bars.push(Bar {
                    group: if i == 0 { row.what.clone() } else { String::new() },
                    name: whose.to_owned(),
                    colour: COLOURS[colour % COLOURS.len()],
                    figure,
                    text: written(row.unit, figure),
                });
            }
        }
        Bars { title: self.story.title, bars }.svg()
    }
}

/// A figure as the table has it.
fn written(unit: Unit, figure: f64) -> String {
    match unit {
        // Claims are whole numbers, and no more precise than that.
        Unit::Plain if figure.fract() == 0.0 => format!("{figure}"),
        Unit::Plain => digits(figure),
        Unit::Percent => format!("{:+.1} %", (figure - 1.0) * 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prior::stories::STORIES;
    use std::path::Path;

    fn table(noisy: bool) -> Table<'static> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let story = STORIES.iter().find(|story| story.name == "go").unwrap();
        let mut figures = Figures::default();
        figures.put(["go-runtime/lives", "", "amd64, integers", "10", "2-4"], 1.5);
        figures.noisy.extend(noisy.then(|| "go-runtime/lives".to_owned()));
        let columns = vec![(NOW.to_owned(), figures), ("Zen 9".to_owned(), Figures::default())];
        Table::new(story, Published::read(&root, "go").unwrap(), columns).unwrap()
    }

    #[test]
    fn a_table_has_published_figures_beside_ours() {
        let text = table(false).text();
        let line = text.lines().find(|line| line.starts_with("IntMap10 ")).unwrap();
        assert!(line.contains("+31.6 %") && line.ends_with("+50.0 %"), "{line}");
        assert!(!text.contains("Zen 9"), "a column without a figure");
        assert!(!text.contains("mean of"), "a row without a figure");
        let markdown = table(false).markdown().unwrap();
        assert!(markdown.contains("| IntMap10 | +31.6 % |") && markdown.contains("* **this machine now**: "));
    }

    #[test]
    fn a_busy_machine_judges_nothing() {
        let verdict = |noisy| table(noisy).verdict(NOW).unwrap().unwrap();
        assert!(verdict(true).starts_with("(the machine was busy"));
        assert!(verdict(false).starts_with("SipHash-2-4 loses"));
        assert_eq!(table(false).verdict("Zen 9").unwrap(), None);
    }

    #[test]
    fn a_plot_has_a_bar_for_each_figure() {
        let svg = table(false).svg();
        assert_eq!(svg.matches("<rect").count(), 1 + 12 + 1, "the ground, his twelve and ours");
    }
}
