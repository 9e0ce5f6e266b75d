//! Mutants: defects in rotations, carries, masks, bounds and choices of the kernels that run here, and whether the
//! suite finds them. They are the defects of the kernels' records. What was found is recorded in `tests/mutants.csv`.
//!
//! Building takes longer than testing. So one build has several mutants that do not meet: the kernel of one mutant uses
//! no file that another mutant changes. Each kernel's rows are run by themselves.

use crate::cross::run::{Cell, told};
use crate::plant::{copy_sources, plant_defect};
use anyhow::{Context, Result, bail};
use keylane_records::{Defect, Finder, Records};
use std::collections::BTreeSet;
use std::env::{self, consts::ARCH};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use walkdir::WalkDir;

/// What to do.
#[derive(clap::Args)]
pub struct Options {
    /// Those that are recorded too; without it, those that are not
    #[arg(long)]
    all: bool,
    /// Only those whose kernel, test or file has this in its name
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

impl Options {
    /// Those that are not recorded.
    pub const NEW: Options = Options { all: false, only: None };
}

/// The first line of the record.
const HEADER: &str = "kernel or test,file,from,to,found by";

/// Seconds after which a run is found to have no end. It takes one or two.
const PATIENCE: &str = "120";

/// Plants the chosen defects and records which test found each. Fails if one survives that should not.
pub fn mutants(root: &Path, options: &Options) -> Result<()> {
    let records = Records::load(root)?;
    let here = here(&records);
    let record = Record { path: root.join("tests/mutants.csv"), mutants: &here };
    let recorded = record.read();
    let wanted = |mutant: &&Defect| {
        let text = options.only.as_deref().unwrap_or_default();
        (mutant.name().contains(text) || mutant.file.contains(text))
            && (options.all || !recorded.iter().any(|line| line.starts_with(&key(mutant))))
    };
    let mutants: Vec<&Defect> = here.iter().copied().filter(wanted).collect();
    if mutants.is_empty() {
        println!("nothing to do: every mutant is recorded in tests/mutants.csv");
        return Ok(());
    }
    let bench = Bench::new(root)?;
    copy_sources(root, &bench.copy)?;
    bench.build(&mutants)?;
    let names: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.name()).collect();
    for name in names {
        let mutant = mutants.iter().find(|mutant| mutant.name() == name).context("a mutant")?;
        if let Some(why) = bench.found(mutant)? {
            bail!("{name} fails without a mutant: {why}");
        }
    }
    let mut surprises = 0;
    for batch in batches(root, mutants)? {
        copy_sources(root, &bench.copy)?;
        batch.iter().try_for_each(|mutant| plant_defect(&bench.copy, mutant))?;
        bench.build(&batch)?;
        for mutant in batch {
            let found = bench.found(mutant)?;
            let is_expected = found.is_some() != matches!(mutant.finder(), Finder::Nobody(_));
            surprises += usize::from(!is_expected);
            let found = found.unwrap_or("nobody");
            println!(
                "{}: {}: {} -> {}: found by {found}",
                mutant.name(),
                mutant.file,
                mutant.from,
                mutant.to
            );
            record.write(mutant, found)?;
        }
    }
    if surprises > 0 {
        bail!("{surprises} mutants that should be found are not, or the other way round");
    }
    Ok(())
}

/// The mutants of this architecture.
fn here(records: &Records) -> Vec<&Defect> {
    records.defects().filter(|defect| defect.is_mutant_on(ARCH)).collect()
}

/// The kernel whose rows a mutant fails, if it is not a test that fails.
fn kernel(mutant: &Defect) -> Option<&str> {
    match mutant.finder() {
        Finder::Rows(kernel) | Finder::Nobody(kernel) => Some(kernel),
        Finder::Test(_) => None,
    }
}

/// The beginning of its line in the record.
fn key(mutant: &Defect) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\"").replace('\n', " "));
    format!("{},{},{},{},", mutant.name(), mutant.file, quoted(&mutant.from), quoted(&mutant.to))
}

struct Record<'a> {
    path: PathBuf,
    /// Every mutant of this architecture.
    mutants: &'a [&'a Defect],
}

impl Record<'_> {
    fn read(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        text.lines().skip(1).map(String::from).collect()
    }

    /// In the order of the mutants. Lines of mutants that are no more go.
    fn write(&self, mutant: &Defect, found: &str) -> Result<()> {
        let mut lines = self.read();
        lines.retain(|line| !line.starts_with(&key(mutant)));
        lines.push(key(mutant) + found);
        let in_order =
            self.mutants.iter().filter_map(|mutant| lines.iter().find(|line| line.starts_with(&key(mutant))));
        let lines: String = in_order.map(|line| format!("{line}\n")).collect();
        Ok(fs::write(&self.path, format!("{HEADER}\n{lines}"))?)
    }
}

/// The copy, and where it is built.
struct Bench {
    builds: PathBuf,
    copy: PathBuf,
}

impl Bench {
    fn new(root: &Path) -> Result<Self> {
        let target = env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
        let builds = std::path::absolute(target)?.join("mutants");
        Ok(Bench { copy: builds.join("copy"), builds })
    }

    fn cargo(&self, program: &[&str], arguments: &[&str]) -> Result<Output> {
        let words = [program, &["cargo", "test", "--release", "--package", "keylane-conformance"], arguments];
        let words = words.concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(&self.copy);
        command.env("CARGO_TARGET_DIR", &self.builds);
        command.output().with_context(|| words.join(" "))
    }

    /// Builds the tests that these need.
    fn build(&self, mutants: &[&Defect]) -> Result<()> {
        let tests: BTreeSet<&str> = mutants.iter().map(|mutant| test(mutant)).collect();
        let tests: Vec<&str> = tests.into_iter().flat_map(|test| ["--test", test]).collect();
        let output = self.cargo(&[], &[&["--no-run"][..], &tests].concat())?;
        if !output.status.success() {
            bail!("a mutant does not compile:\n{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }

    /// Who finds a mutant that is built in, if somebody does.
    fn found(&self, mutant: &Defect) -> Result<Option<&'static str>> {
        let mut arguments = vec!["--test", test(mutant), "--"];
        if let Some(kernel) = kernel(mutant) {
            arguments.extend(["--kernel", kernel]);
        }
        let output = self.cargo(&["timeout", PATIENCE], &arguments)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let Some(kernel) = kernel(mutant) else {
            return Ok(if output.status.success() { None } else { Some("the test") });
        };
        let rows = told(&text).rows;
        let mut cells = rows.iter().filter(|((_, id), _)| id == kernel).map(|(_, cell)| cell);
        Ok(match output.status.code() {
            Some(0) if cells.any(|cell| matches!(cell, Cell::Passed(_))) => None,
            Some(0) => bail!("{kernel} does not run on this CPU"),
            Some(124) => Some("no end"),
            _ if !cells.any(|cell| matches!(cell, Cell::Failed)) => Some("the end of the process"),
            _ if text.contains("status: failed self-test") => Some("the self-test"),
            _ => Some("the rows' checks"),
        })
    }
}

/// The test that has to find it.
fn test(mutant: &Defect) -> &str {
    if let Finder::Test(test) = mutant.finder() { test } else { "rows" }
}

/// Mutants that do not meet, together.
fn batches<'a>(root: &Path, mutants: Vec<&'a Defect>) -> Result<Vec<Vec<&'a Defect>>> {
    let modules = Modules::read(root)?;
    let mut batches: Vec<Vec<&Defect>> = Vec::new();
    for mutant in mutants {
        let is_disjoint = |other: &&Defect| match (kernel(mutant), kernel(other)) {
            (Some(a), Some(b)) => !modules.meets(a, &other.file) && !modules.meets(b, &mutant.file),
            _ => false,
        };
        match batches.iter_mut().find(|batch| batch.iter().all(is_disjoint)) {
            Some(batch) => batch.push(mutant),
            None => batches.push(vec![mutant]),
        }
    }
    Ok(batches)
}

/// The files of `arch`, and their code in lowercase.
struct Modules(Vec<(PathBuf, String)>);

impl Modules {
    fn read(root: &Path) -> Result<Self> {
        let sources = root.join("crates/keylane/src");
        let mut modules = Vec::new();
        for entry in WalkDir::new(sources.join("arch")) {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(entry.path())?;
                let code: String = text.lines().filter_map(|line| line.split("//").next()).collect();
                modules.push((entry.path().strip_prefix(&sources)?.to_owned(), code.to_lowercase()));
            }
        }
        Ok(Modules(modules))
    }

    /// Whether a kernel may use a file: by the names of files that its own has in it, and so on. A file that all
    /// of a folder may use, or all kernels, is one of each.
    fn meets(&self, kernel: &str, file: &str) -> bool {
        let file = Path::new(file);
        if !file.starts_with("arch") || file.ends_with("mod.rs") {
            return true;
        }
        let (mut reached, mut next) = (BTreeSet::new(), vec![kernel.to_owned()]);
        while let Some(name) = next.pop() {
            if reached.insert(name.clone()) {
                let of_name = self.0.iter().filter(|(path, _)| module(path) == name);
                let named = |code: &str| {
                    let words: BTreeSet<&str> =
                        code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
                    self.0
                        .iter()
                        .map(|(path, _)| module(path))
                        .filter(|name| words.contains(&**name))
                        .collect()
                };
                next.extend(of_name.flat_map(|(_, code)| -> Vec<String> { named(code) }));
            }
        }
        reached.contains(&module(file))
    }
}

/// The module of a file: its stem, or the folder of a `mod.rs`. That of an instruction set's `mod.rs`,
/// which only lists the others, is no word of any code.
fn module(file: &Path) -> String {
    let name = match file.parent() {
        Some(folder) if file.ends_with("mod.rs") && folder.components().count() > 2 => folder.file_name(),
        Some(_) if file.ends_with("mod.rs") => file.file_name(),
        _ => file.file_stem(),
    };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_meets_the_files_of_a_folder_that_it_names() {
        let modules = Modules::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("sources");
        for (kernel, file, meets) in [
            ("poly1305_p4_avx2", "arch/generic/radix26/limbs.rs", true),
            ("poly1305_p4_avx2", "arch/generic/dup.rs", false),
            ("siphash_x4_avx2", "arch/generic/ragged/sort.rs", true),
            ("siphash_x4_avx2", "arch/generic/messages26.rs", false),
            ("siphash_x1", "job/siphash/word.rs", true),
        ] {
            assert_eq!(modules.meets(kernel, file), meets, "{kernel} and {file}");
        }
    }

    /// The record is of these mutants; those were found that can be.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn what_is_recorded_was_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let records = Records::load(&root).expect("the records");
        let text = fs::read_to_string(root.join("tests/mutants.csv")).expect("tests/mutants.csv");
        assert_eq!(text.lines().next(), Some(HEADER));
        for line in text.lines().skip(1) {
            let here = here(&records);
            let mutant = here.iter().find(|mutant| line.starts_with(&key(mutant)));
            let mutant = mutant.unwrap_or_else(|| panic!("no kernel's record has this mutant: {line}"));
            assert_eq!(line.ends_with(",nobody"), matches!(mutant.finder(), Finder::Nobody(_)), "{line}");
        }
    }
}
