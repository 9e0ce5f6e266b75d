//! Figures, looked up by name: what the authors published, what records say, and what this machine measured.

use crate::tables::records::{Records, clock};
use anyhow::{Context, Result, bail, ensure};
use keylane_measure::record;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

/// The folder of published figures, below the root. Each line has the figure's unit and its key in
/// docs/BIBLIOGRAPHY.md.
const PUBLISHED: &str = "bench/prior";

/// A work's published figures.
pub struct Published(Vec<[String; 3]>, Vec<f64>);

impl Published {
    /// Those of a story.
    pub fn read(root: &Path, story: &str) -> Result<Published> {
        let file = root.join(PUBLISHED).join(format!("{story}.csv"));
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        Published::parse(&text).with_context(|| file.display().to_string())
    }

    /// Reads lines of group, row, column, figure, unit and source.
    pub fn parse(text: &str) -> Result<Published> {
        let mut published = Published(Vec::new(), Vec::new());
        let mut csv = csv::Reader::from_reader(text.as_bytes());
        let columns = ["group", "row", "column", "figure", "unit", "source"];
        ensure!(csv.headers()?.iter().eq(columns), "other columns");
        for line in csv.deserialize() {
            let (group, row, column, figure, unit, source): (String, String, String, f64, String, String) =
                line?;
            ensure!(figure.is_finite() && !unit.is_empty(), "{group}, {row}: no figure or no unit");
            ensure!(source.starts_with('[') && source.ends_with(']'), "{group}, {row}: no source");
            let name = [group, row, column];
            ensure!(!published.0.contains(&name), "{}: twice", name.join(", "));
            published.0.push(name);
            published.1.push(figure);
        }
        ensure!(!published.0.is_empty(), "no figure");
        Ok(published)
    }

    /// The rows of any of these groups, each once.
    pub fn rows(&self, groups: &[&str]) -> Vec<&str> {
        let mut rows: Vec<&str> = Vec::new();
        for [group, row, _] in &self.0 {
            if groups.contains(&group.as_str()) && !rows.contains(&row.as_str()) {
                rows.push(row);
            }
        }
        rows
    }

    /// A figure, which must be there.
    pub fn get(&self, group: &str, row: &str, column: &str) -> Result<f64> {
        let at = self.0.iter().position(|name| name == &[group, row, column]);
        Ok(self.1[at.with_context(|| format!("no published figure: {group}, {row}, {column}"))?])
    }
}

/// The name of a figure: its file, the variant of SipHash, the table, the cell, and the engine. Files of (group, row,
/// column, figure) have no variant.
type Name = [String; 5];

/// The figures of one CPU.
#[derive(Default)]
pub struct Figures {
    figures: BTreeMap<Name, f64>,
    /// The CPU's frequency in GHz, by file.
    clocks: BTreeMap<String, f64>,
    /// The files whose figures are reported, not judged.
    pub noisy: Vec<String>,
}

impl Figures {
    /// The newest records of these files on a CPU, such as `bitslice` or `redis/compare`.
    pub fn of_records(records: &Records, files: &[&str]) -> Result<Figures> {
        let mut figures = Figures::default();
        for file in files {
            let is_suite = records.has(file);
            let path = if is_suite { Some(records.shown(file)?.0) } else { records.newest(file) };
            if let Some(path) = path {
                figures.add(file, &path)?;
            }
            if is_suite && records.is_noisy(file) && !figures.noisy.iter().any(|noisy| noisy == file) {
                figures.noisy.push((*file).to_owned());
            }
        }
        Ok(figures)
    }

    /// Adds the figures of a file.
    pub fn add(&mut self, file: &str, path: &Path) -> Result<()> {
        let name = || path.display().to_string();
        let header =
            csv::Reader::from_path(path).and_then(|mut csv| csv.headers().cloned()).with_context(name)?;
        match header.get(0) {
            Some("suite") => {
                for line in record::read(File::open(path)?).with_context(name)? {
                    self.put([file, &line.rounds, &line.table, &line.cell, &line.engine], line.cycles_median);
                }
                let note = fs::read_to_string(path.with_extension("txt")).unwrap_or_default();
                self.clocks.extend(clock(&note).map(|clock| (file.to_owned(), clock)));
                if record::is_filed_as_noisy(&note) {
                    self.noisy.push(file.to_owned());
                }
            }
            Some("group") => {
                for line in csv::Reader::from_path(path)?.deserialize() {
                    let (group, row, column, figure): (String, String, String, f64) =
                        line.with_context(name)?;
                    self.put([file, "", &group, &row, &column], figure);
                }
            }
            _ => bail!("{}: no record", name()),
        }
        Ok(())
    }

    /// Adds a figure.
    pub fn put(&mut self, name: [&str; 5], figure: f64) {
        self.figures.insert(name.map(str::to_owned), figure);
    }

    /// A figure. An engine may be named without its base and its instructions, which follow a comma.
    pub fn get(&self, name: [&str; 5]) -> Option<f64> {
        if let Some(&figure) = self.figures.get(&name.map(str::to_owned)) {
            return Some(figure);
        }
        let engine = name[4];
        let is_it = |(of, _): &(&Name, &f64)| {
            of[..4] == name[..4] && of[4].strip_prefix(engine).is_some_and(|rest| rest.starts_with(", "))
        };
        self.figures.iter().find(is_it).map(|(_, &figure)| figure)
    }

    /// The frequency in GHz while a file was measured.
    pub fn clock(&self, file: &str) -> Option<f64> {
        self.clocks.get(file).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_figures_are_complete_and_unique() {
        let head = "group,row,column,figure,unit,source\n";
        let published = Published::parse(&format!("{head}g,r,,1.5,s,[Key]\n")).unwrap();
        assert!((published.get("g", "r", "").unwrap() - 1.5).abs() < 1e-9);
        assert!(published.get("g", "other", "").is_err());
        for lines in
            ["", "g,r,,1.5,,[Key]\n", "g,r,,1.5,s,Key\n", "g,r,,x,s,[Key]\n", "g,r,,1,s,[K]\ng,r,,2,s,[K]\n"]
        {
            assert!(Published::parse(&format!("{head}{lines}")).is_err(), "{lines}");
        }
        assert!(Published::parse("group,row\ng,r\n").is_err());
    }

    #[test]
    fn both_kinds_of_records_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let head = "suite,rounds,table,cell,engine,side,cycles_lower,cycles_median,cycles_upper,keylane_ratio_lower,\
                    keylane_ratio_median,keylane_ratio_upper\n";
        let suite = write("bitslice.csv", &format!("{head}bitslice,2-4,t,whole,\"e, base\",ours,1,2,3,,,\n"));
        write("bitslice.txt", "== noise\nnoisy: the core was busy\n\n== clock\n3.25 GHz\n");
        let groups = write("lives.csv", "group,row,column,figure\ng,r,c,4.5\n");
        let other = write("other.csv", "a,b\n1,2\n");
        let mut figures = Figures::default();
        figures.add("bitslice", &suite).unwrap();
        figures.add("go-runtime/lives", &groups).unwrap();
        assert!(figures.add("other", &other).is_err());
        assert_eq!(figures.get(["bitslice", "2-4", "t", "whole", "e"]), Some(2.0));
        assert_eq!(figures.get(["bitslice", "2-4", "t", "whole", ""]), None);
        assert_eq!(figures.get(["go-runtime/lives", "", "g", "r", "c"]), Some(4.5));
        assert_eq!((figures.clock("bitslice"), figures.noisy), (Some(3.25), vec!["bitslice".to_owned()]));
    }
}
