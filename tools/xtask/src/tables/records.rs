//! The records under `bench/record/CPU/DATE/SUITE.csv`.

use anyhow::{Context, Result, bail, ensure};
use keylane_measure::record::{self, Line, Noise};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The CPU whose figures README.md and docs/ show: a folder of `bench/record/`. Pages in that folder show every CPU.
pub const SHOWN: &str = "zen4";

/// The stem of the record of code sizes.
pub const SIZES: &str = "code-size";

/// Where records are, and pages that show every CPU.
pub const RECORD: &str = "bench/record";

/// Records of keylane alone: bytes, thresholds, and calls beside a loop over keylane's own.
const ALONE: [&str; 3] = [SIZES, "tune", "against-loop"];

/// The digits of a commit that pages show.
const COMMIT: usize = 7;

/// Where records come from.
pub struct Origin {
    /// Their folders, below `bench/record/`.
    pub folders: Vec<String>,
    /// The days of measurement.
    pub dates: Vec<String>,
    /// The commits.
    pub commits: Vec<String>,
}

/// The record of a suite that pages show: the newest quiet one, or the newest if all are noisy.
struct Shown {
    folder: PathBuf,
    is_noisy: bool,
}

/// The records of one CPU.
pub struct Records {
    root: PathBuf,
    /// The CPU's folder, below `bench/record/`.
    cpu: String,
    /// Date and folder, the newest last.
    folders: Vec<(String, PathBuf)>,
    /// What is shown of each stem.
    shown: BTreeMap<String, Shown>,
}

/// A table of a suite.
pub struct Table {
    /// The record's file, as a reader of the repository finds it.
    pub source: String,
    /// Its suite.
    suite: String,
    /// The variant of SipHash, or nothing.
    pub rounds: String,
    /// Its title.
    pub title: String,
    /// Heads of its columns.
    pub cells: Vec<String>,
    /// Its engines.
    pub engines: Vec<String>,
    /// The CPU's frequency in GHz, if the record names it.
    pub clock: Option<f64>,
    /// The noise of its cells.
    pub noise: Noise,
    /// Whether the record is noisy: its figures are reported, not judged.
    pub is_noisy: bool,
    lines: Vec<Line>,
}

impl Table {
    /// One without lines.
    #[cfg(test)]
    pub fn empty(title: &str, clock: Option<f64>) -> Table {
        let (source, suite, rounds, title) = (String::new(), String::new(), String::new(), title.to_owned());
        let (cells, engines, lines) = Default::default();
        let (noise, is_noisy) = (Noise::default(), false);
        Table { source, suite, rounds, title, cells, engines, clock, noise, is_noisy, lines }
    }

    /// What was measured of an engine in a cell.
    pub fn line(&self, engine: &str, cell: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.engine == engine && line.cell == cell)
    }

    /// All that was measured.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter()
    }

    /// keylane in a cell.
    pub fn ours(&self, cell: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.side == "ours" && line.cell == cell)
    }

    /// The peer with the least median in a cell.
    pub fn best_peer(&self, cell: &str) -> Option<&Line> {
        let peers = self.lines.iter().filter(|line| line.side == "peer" && line.cell == cell);
        peers.min_by(|a, b| a.cycles_median.total_cmp(&b.cycles_median))
    }

    /// keylane's cycles over the best peer's in a cell. Above 1, keylane loses.
    pub fn ratio(&self, cell: &str) -> Option<f64> {
        self.ours(cell)?;
        self.best_peer(cell)?.keylane_ratio_median
    }

    /// Cells with a peer, and their ratios.
    pub fn ratios(&self) -> impl Iterator<Item = (&str, f64)> {
        self.cells.iter().filter_map(|cell| Some((cell.as_str(), self.ratio(cell)?)))
    }

    /// Whether keylane loses with this ratio: by more than A/A, and in a quiet record.
    pub fn is_lost(&self, ratio: f64) -> bool {
        !self.is_noisy && self.noise.is_slower(ratio)
    }

    /// How many cells keylane loses.
    pub fn losses(&self) -> Losses {
        Losses::count(self.ratios().map(|(_, ratio)| (ratio, self.is_lost(ratio))))
    }

    /// The verdict: keylane's losses, or that nothing can be said of them, and the noise.
    pub fn verdict(&self) -> String {
        if self.is_noisy {
            format!("a noisy record, reported and not judged; {}", self.noise)
        } else if self.losses().cells > 0 {
            format!("{}; {}", self.losses().sentence(), self.noise)
        } else {
            self.noise.to_string()
        }
    }

    /// The title with the variant.
    pub fn name(&self) -> String {
        let function = if self.suite.starts_with("half") { "HalfSipHash" } else { "SipHash" };
        match self.rounds.as_str() {
            "" => self.title.clone(),
            rounds => format!("{function}-{rounds}, {}", self.title),
        }
    }
}

impl Records {
    /// Looks for records: of the CPU that README.md shows first, then of the others by name.
    pub fn find(root: &Path) -> Result<Vec<Records>> {
        let mut all = Vec::new();
        for cpu in folder(&root.join("bench/record"))? {
            let mut folders: Vec<(String, PathBuf)> =
                folder(&cpu)?.into_iter().map(|date| (name(&date), date)).collect();
            folders.sort();
            let mut records =
                Records { root: root.to_owned(), cpu: name(&cpu), folders, shown: BTreeMap::new() };
            for stem in records.stems()? {
                let shown = records.choose(&stem, None)?.with_context(|| stem.clone())?;
                records.shown.insert(stem, shown);
            }
            // A CPU that has records of other programs alone, in folders of their own, has no place in these tables.
            if !records.stems()?.is_empty() {
                all.push(records);
            }
        }
        all.sort_by(|a, b| (a.cpu != SHOWN, &a.cpu).cmp(&(b.cpu != SHOWN, &b.cpu)));
        ensure!(all.first().is_some_and(|first| first.cpu == SHOWN), "bench/record has no {SHOWN}");
        Ok(all)
    }

    /// The CPU's folder.
    pub fn folder(&self) -> &str {
        &self.cpu
    }

    /// The folder's name as people write it, such as `Zen 4`.
    pub fn name(&self) -> String {
        spelled(&self.cpu)
    }

    /// The CPU as people know it, such as `AMD EPYC (Zen 4)`: its own name, then the folder's.
    pub fn cpu(&self) -> Result<String> {
        let mut notes = Vec::new();
        for (_, folder) in self.folders.iter().rev() {
            for entry in fs::read_dir(folder)? {
                notes.push(entry?.path());
            }
        }
        notes.retain(|note| note.extension().is_some_and(|extension| extension == "txt"));
        for note in notes {
            let text = fs::read_to_string(&note).with_context(|| note.display().to_string())?;
            if let Some(model) = text.lines().find_map(|line| line.strip_prefix("Model name:")) {
                return Ok(format!("{} ({})", model.trim(), spelled(&self.cpu)));
            }
        }
        bail!("no note of bench/record/{} names the CPU", self.cpu)
    }

    /// The newest quiet record of a stem, or the newest, if any is outside the folder `but`.
    fn choose(&self, stem: &str, but: Option<&Path>) -> Result<Option<Shown>> {
        let mut newest = None;
        for (_, folder) in self.folders.iter().rev().filter(|(_, folder)| Some(folder.as_path()) != but) {
            let file = folder.join(format!("{stem}.csv"));
            if file.is_file() {
                let is_noisy = is_noisy(&file)?;
                let shown = Shown { folder: folder.clone(), is_noisy };
                if !is_noisy {
                    return Ok(Some(shown));
                }
                newest = newest.or(Some(shown));
            }
        }
        Ok(newest)
    }

    /// The record of a stem that pages would show if there were no folder `but`.
    pub fn shown_before(&self, stem: &str, but: &Path) -> Result<Option<PathBuf>> {
        Ok(self.choose(stem, Some(but))?.map(|shown| shown.folder.join(format!("{stem}.csv"))))
    }

    /// The files of records that no page shows, since another of their suite is newer or quieter.
    pub fn superseded(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for (stem, shown) in &self.shown {
            for (_, folder) in self.folders.iter().filter(|(_, folder)| *folder != shown.folder) {
                files.extend(["csv", "txt"].map(|kind| folder.join(format!("{stem}.{kind}"))));
            }
        }
        files.retain(|file| file.is_file());
        files
    }

    /// Whether there is a record of that stem.
    pub fn has(&self, stem: &str) -> bool {
        self.shown.contains_key(stem)
    }

    /// The record of that stem that pages show, and how a reader of the repository finds it.
    pub fn shown(&self, stem: &str) -> Result<(PathBuf, String)> {
        let shown = self.shown.get(stem).with_context(|| format!("no record of {stem}"))?;
        let file = |folder: &Path| folder.join(format!("{stem}.csv"));
        let source = shown.folder.strip_prefix(&self.root).unwrap_or(&shown.folder);
        Ok((file(&shown.folder), file(source).display().to_string()))
    }

    /// The newest file of that name below a day's folder, such as `redis/compare`.
    pub fn newest(&self, name: &str) -> Option<PathBuf> {
        let file = |folder: &Path| folder.join(format!("{name}.csv"));
        self.folders.iter().rev().map(|(_, folder)| file(folder)).find(|file| file.is_file())
    }

    /// Whether the record of that stem is noisy.
    pub fn is_noisy(&self, stem: &str) -> bool {
        self.shown.get(stem).is_some_and(|shown| shown.is_noisy)
    }

    /// The stems of all records.
    pub fn stems(&self) -> Result<Vec<String>> {
        let stem = |path: &Path| {
            let is_record = path.extension().is_some_and(|extension| extension == "csv");
            is_record.then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned())).flatten()
        };
        let stems: BTreeSet<String> = self.entries()?.iter().filter_map(|path| stem(path)).collect();
        Ok(stems.into_iter().collect())
    }

    /// The suites that compare keylane with others.
    pub fn suites(&self) -> Result<Vec<String>> {
        let mut suites = self.stems()?;
        suites.retain(|suite| !ALONE.contains(&suite.as_str()));
        Ok(suites)
    }

    /// What the records of these CPUs have and those of this one lack: suites, and folders beside them.
    pub fn lacks(&self, cpus: &[Records]) -> Result<Vec<String>> {
        let parts = |records: &Records| -> Result<BTreeSet<String>> {
            let folders = records.entries()?.into_iter().filter(|path| path.is_dir());
            Ok(records.stems()?.into_iter().chain(folders.map(|path| name(&path))).collect())
        };
        let mut lacks = BTreeSet::new();
        for records in cpus {
            lacks.extend(parts(records)?);
        }
        let here = parts(self)?;
        lacks.retain(|part| !here.contains(part));
        Ok(lacks.into_iter().collect())
    }

    /// Everything in the folders.
    fn entries(&self) -> Result<Vec<PathBuf>> {
        let mut entries = Vec::new();
        for (_, folder) in &self.folders {
            for entry in fs::read_dir(folder)? {
                entries.push(entry?.path());
            }
        }
        Ok(entries)
    }

    /// Where, when and of which commits the records were made.
    pub fn origin(&self) -> Result<Origin> {
        let [mut folders, mut dates, mut commits] = [BTreeSet::new(), BTreeSet::new(), BTreeSet::new()];
        for suite in self.suites()? {
            let (file, _) = self.shown(&suite)?;
            let note = file.with_extension("txt");
            let text = fs::read_to_string(&note).with_context(|| note.display().to_string())?;
            let below = |head: &str| text.lines().skip_while(|line| *line != head).nth(1);
            let of = |head: &str| below(head).with_context(|| format!("{}: no {head}", note.display()));
            let (commit, changed) = of("== commit")?.split_at_checked(COMMIT).context("a commit")?;
            let changed = if changed.ends_with("-dirty") { " with changes" } else { "" };
            commits.insert(format!("{commit}{changed}"));
            dates.extend(of("== date")?.split(' ').next().map(str::to_owned));
            let folder = file.parent().map_or_else(String::new, name);
            folders.insert(format!("{}/{folder}", self.cpu));
        }
        let [folders, dates, commits] = [folders, dates, commits].map(|all| all.into_iter().collect());
        Ok(Origin { folders, dates, commits })
    }

    /// The tables of a suite in the record that pages show, in the order of measurement.
    pub fn tables(&self, suite: &str) -> Result<Vec<Table>> {
        let (file, source) = self.shown(suite)?;
        let lines = record::read(File::open(&file)?).with_context(|| source.clone())?;
        let note = fs::read_to_string(file.with_extension("txt")).unwrap_or_default();
        let clock = clock(&note);
        let mut tables: Vec<Table> = Vec::new();
        for line in lines {
            let same = |table: &Table| table.rounds == line.rounds && table.title == line.table;
            if !tables.iter().any(same) {
                let (rounds, title) = (line.rounds.clone(), line.table.clone());
                let (source, suite) = (source.clone(), line.suite.clone());
                let is_noisy = self.is_noisy(&suite);
                let (cells, engines, noise, lines) = Default::default();
                tables.push(Table {
                    source,
                    suite,
                    rounds,
                    title,
                    cells,
                    engines,
                    clock,
                    noise,
                    is_noisy,
                    lines,
                });
            }
            let table = tables.iter_mut().find(|table| same(table)).context("the table of the line")?;
            for (list, entry) in [(&mut table.cells, &line.cell), (&mut table.engines, &line.engine)] {
                if !list.contains(entry) {
                    list.push(entry.clone());
                }
            }
            table.lines.push(line);
        }
        for table in &mut tables {
            table.noise = Noise::of(&table.lines);
        }
        Ok(tables)
    }
}

/// Whether a record's text says that it is noisy, or too many of its cells spread. A file of another kind is not.
fn is_noisy(file: &Path) -> Result<bool> {
    let note = fs::read_to_string(file.with_extension("txt")).unwrap_or_default();
    if record::is_filed_as_noisy(&note) {
        return Ok(true);
    }
    let Ok(lines) = record::read(File::open(file)?) else { return Ok(false) };
    Ok(Noise::of(&lines).is_noisy())
}

/// The frequency that a note names, in GHz.
pub fn clock(note: &str) -> Option<f64> {
    let line = note.lines().skip_while(|line| *line != "== clock").nth(1)?;
    line.strip_suffix(" GHz")?.parse().ok()
}

/// The newest record of that stem on any of these CPUs, and how a reader of the repository finds it. If two have
/// the same day, that of the earlier CPU.
pub fn newest_of(cpus: &[Records], stem: &str) -> Result<(PathBuf, String)> {
    let file = |folder: &Path| folder.join(format!("{stem}.csv"));
    let folders = cpus.iter().rev().flat_map(|records| &records.folders);
    let with_it = folders.filter(|(_, folder)| file(folder).is_file());
    let (_, folder) = with_it.max_by_key(|(date, _)| date).with_context(|| format!("no record of {stem}"))?;
    let root = cpus.first().map(|records| records.root.as_path()).unwrap_or(folder);
    let source = folder.strip_prefix(root).unwrap_or(folder);
    Ok((file(folder), file(source).display().to_string()))
}

/// The bytes of code of each kernel whose name contains the text, in the newest record of them, and that record. The CPU
/// does not matter.
pub fn sizes(cpus: &[Records], text: &str) -> Result<(String, Vec<(String, String)>)> {
    let (file, source) = newest_of(cpus, SIZES)?;
    let lines = fs::read_to_string(file)?;
    let sizes = lines.lines().skip(1).filter_map(|line| line.split_once(','));
    let sizes = sizes.filter(|(kernel, _)| kernel.contains(text));
    Ok((source, sizes.map(|(kernel, size)| (kernel.to_owned(), size.to_owned())).collect()))
}

fn folder(path: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.is_dir());
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name of a folder as people write it: `zen4` is `Zen 4`.
fn spelled(folder: &str) -> String {
    let mut out = String::new();
    for char in folder.chars() {
        let last = out.chars().last();
        if last.is_some_and(|last| last.is_alphabetic() && char.is_numeric()) {
            out.push(' ');
        }
        match last {
            None | Some(' ') => out.extend(char.to_uppercase()),
            _ if char == '-' => out.push(' '),
            _ => out.push(char),
        }
    }
    out
}

/// How many cells keylane loses.
pub struct Losses {
    /// The cells with a peer.
    pub cells: usize,
    /// Those that keylane loses.
    pub lost: usize,
    /// The greatest of keylane's cycles over the best peer's, if keylane loses any cell.
    pub worst: Option<f64>,
    /// The geometric mean of keylane's cycles over the best peer's.
    pub mean: f64,
}

impl Losses {
    /// Among all cells of those of these suites whose records are quiet.
    pub fn of(records: &Records, suites: &[String]) -> Result<Losses> {
        let mut ratios = Vec::new();
        for suite in suites.iter().filter(|suite| records.has(suite) && !records.is_noisy(suite)) {
            for table in &records.tables(suite)? {
                ratios.extend(table.ratios().map(|(_, ratio)| (ratio, table.is_lost(ratio))));
            }
        }
        Ok(Losses::count(ratios.into_iter()))
    }

    /// Counts the losses among ratios of keylane's cycles to the best peer's. Beside each stands whether keylane loses.
    pub fn count(ratios: impl Iterator<Item = (f64, bool)>) -> Losses {
        let mut losses = Losses { cells: 0, lost: 0, worst: None, mean: 1.0 };
        let mut sum = 0.0;
        for (ratio, is_lost) in ratios {
            losses.cells += 1;
            sum += ratio.ln();
            if is_lost {
                losses.lost += 1;
                losses.worst = Some(losses.worst.map_or(ratio, |worst| worst.max(ratio)));
            }
        }
        if losses.cells > 0 {
            losses.mean = (sum / losses.cells as f64).exp();
        }
        losses
    }

    /// As a sentence.
    pub fn sentence(&self) -> String {
        format!(
            "keylane loses {} of {} cells; its cycles over the best peer's, geometric mean: {:.3}",
            self.lost, self.cells, self.mean
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_the_clock() {
        assert_eq!(clock("== date\n2026\n\n== clock\n3.25 GHz\n\n== lscpu\n"), Some(3.25));
        assert_eq!(clock("== date\n2026\n"), None);
    }

    #[test]
    fn folders_are_spelled_as_people_write_them() {
        assert_eq!(spelled("zen4"), "Zen 4");
        assert_eq!(spelled("golden-cove"), "Golden Cove");
    }
    /// The first has a suite; the other has only a folder of another program's records.
    #[test]
    fn a_cpu_without_suites_is_left_out() {
        let root = tempfile::tempdir().unwrap();
        for file in
            [format!("{SHOWN}/2026-01-01/siphash-one.csv"), "other/2026-01-01/radix/x86.csv".to_owned()]
        {
            let file = root.path().join("bench/record").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let cpus = Records::find(root.path()).unwrap();
        assert_eq!(cpus.iter().map(Records::folder).collect::<Vec<_>>(), [SHOWN]);
    }

    /// keylane's line of a cell, and whether it spreads.
    fn record(root: &Path, date: &str, note: &str, spreads: bool) {
        let folder = root.join("bench/record").join(SHOWN).join(date);
        fs::create_dir_all(&folder).unwrap();
        let upper = if spreads { 12 } else { 10 };
        let csv = format!(
            "suite,rounds,table,cell,engine,side,cycles_lower,cycles_median,cycles_upper,keylane_ratio_lower,\
             keylane_ratio_median,keylane_ratio_upper\nmaps,,t,1,keylane,ours,10,10,{upper},1,1.02,1\n\
             maps,,t,1,p,peer,10,10,10,1,1.03,1\n"
        );
        fs::write(folder.join("maps.csv"), csv).unwrap();
        fs::write(folder.join("maps.txt"), format!("== noise\n{note}\n")).unwrap();
    }

    #[test]
    fn the_newest_quiet_record_is_shown() {
        let root = tempfile::tempdir().unwrap();
        let shown = || {
            let [records] = &Records::find(root.path()).unwrap()[..] else { panic!("one CPU") };
            let (_, source) = records.shown("maps").unwrap();
            let date = source.split('/').nth(3).unwrap().to_owned();
            (date, records.is_noisy("maps"), records.superseded().len())
        };
        let of = |date: &str, noisy, superseded| (date.to_owned(), noisy, superseded);
        record(root.path(), "2026-01-01", "quiet", true);
        assert_eq!(shown(), of("2026-01-01", true, 0));
        record(root.path(), "2026-01-02", "noisy: the core was busy", false);
        assert_eq!(shown(), of("2026-01-02", true, 2));
        record(root.path(), "2026-01-03", "quiet", false);
        record(root.path(), "2026-01-04", "quiet", true);
        assert_eq!(shown(), of("2026-01-03", false, 6));
        let [records] = &Records::find(root.path()).unwrap()[..] else { panic!("one CPU") };
        let folder = root.path().join("bench/record").join(SHOWN).join("2026-01-03");
        let before = records.shown_before("maps", &folder).unwrap().unwrap();
        assert!(before.ends_with("2026-01-04/maps.csv"), "{}", before.display());
    }

    /// The peer is faster by 3 %, and keylane differs from itself by 2 %.
    #[test]
    fn a_noisy_record_is_not_judged() {
        let root = tempfile::tempdir().unwrap();
        for (note, lost) in [("quiet", 1), ("noisy", 0)] {
            record(root.path(), "2026-01-01", note, false);
            let [records] = &Records::find(root.path()).unwrap()[..] else { panic!("one CPU") };
            let tables = records.tables("maps").unwrap();
            assert_eq!(tables[0].losses().lost, lost);
            assert_eq!(tables[0].verdict().contains("not judged"), lost == 0, "{}", tables[0].verdict());
            assert!(!tables[0].is_lost(1.019), "below A/A");
        }
    }
}
