//! The records of the kernels, and where each row last passed ([`passed`]).
//!
//! Beside each kernel's file stands its record: `siphash_x4_avx2.toml` beside `siphash_x4_avx2.rs`. It holds what the
//! tools expect of the kernel, and nothing that the source file says already. docs/ADDING_A_KERNEL.md lists its keys
//! and the tool that reads each. This crate has no kernels in it and is built in seconds.

mod check;
mod floor;
mod operation;
pub mod passed;

pub use check::faults;
pub use floor::{Cycles, Floor, Isa};
pub use operation::Operation;

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of kernels: keylane's, then the lab's.
pub const FOLDERS: [&str; 2] = ["crates/keylane/src/arch", "bench/lab/src/arch"];

/// The defects that a test of the suite finds, rather than a kernel's rows.
pub const TEST_DEFECTS: &str = "tests/conformance/defects.toml";

/// The folder of the files that defects name.
pub const SOURCES: &str = "crates/keylane/src";

/// Everything that is recorded.
#[derive(Debug)]
pub struct Records {
    /// The record of each kernel, in the order of their paths.
    pub kernels: Vec<Record>,
    /// The defects of [`TEST_DEFECTS`].
    tests: Vec<Defect>,
}

/// The record of a kernel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Record {
    /// The kernel: the file's stem.
    #[serde(skip)]
    pub kernel: String,
    /// The record's path in the repository.
    #[serde(skip)]
    pub path: PathBuf,
    /// The tool that follows secrets through the kernel.
    pub secrets: Secrets,
    /// What `cargo xtask codegen` expects on x86-64.
    pub codegen: Option<Codegen>,
    /// What `cargo xtask codegen --target aarch64` expects.
    pub codegen_aarch64: Option<Codegen>,
    /// The floors, for `cargo xtask model`.
    #[serde(default, rename = "floor")]
    pub floors: Vec<Floor>,
    /// The methods with a threshold, for `cargo xtask tune`, from the innermost loop outwards.
    #[serde(default, rename = "threshold")]
    pub thresholds: Vec<Threshold>,
    /// The defects, for `cargo xtask mutants` and `cargo xtask cross --planted`.
    #[serde(default, rename = "defect")]
    pub defects: Vec<Defect>,
}

/// The tool that follows secrets through a kernel (docs/CONSTANT_TIME.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Secrets {
    /// `cargo xtask taint`: valgrind can run the kernel.
    Taint,
    /// `cargo xtask steps` and `timing`, and codegen's list of instructions: valgrind cannot run the kernel.
    Steps,
    /// None: the source has been read.
    Reading,
}

/// What is expected of a kernel's machine code. `cargo xtask codegen` asks for the keys that are missing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Codegen {
    /// An innermost loop with any of these operations is a hot loop, and must have all of them.
    #[serde(default)]
    pub has: Vec<Operation>,
    /// What no hot loop may have.
    #[serde(default)]
    pub lacks: Vec<Operation>,
    /// The least number of hot loops.
    pub loops: Option<usize>,
    /// The most instructions of one hot loop that may use the stack.
    pub stack: Option<usize>,
    /// Why any must.
    pub why: Option<String>,
    /// The cycles of a round's dependency chain, where the order of operations matters. The first operation of `has`
    /// counts the rounds.
    pub chain: Option<u32>,
}

/// A method with a threshold.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Threshold {
    /// Its name in `job/limits.rs`.
    pub method: String,
    /// The slot whose calls are timed.
    pub slot: String,
    /// For a loop after another loop of this kernel: the methods that both sides of the measurement always use.
    /// Without this key the scalar code comes before.
    pub always: Option<Vec<String>>,
}

/// A defect: text of a source file, and what takes its place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Defect {
    /// The kernel whose record has it; empty for a defect that a test finds.
    #[serde(skip)]
    pub kernel: String,
    /// The file, below [`SOURCES`].
    pub file: String,
    /// What stands there once.
    pub from: String,
    /// What is put in its place.
    pub to: String,
    /// The targets of `cross --planted` that must find it, by the beginning of their names, or "any". Without this
    /// key only `cargo xtask mutants` plants it, on x86-64.
    pub on: Option<String>,
    /// The test that finds it, or "nobody". Without this key, the checks of the kernel's rows.
    pub found_by: Option<String>,
}

/// Who must find a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finder<'a> {
    /// The checks of this kernel's rows.
    Rows(&'a str),
    /// This test of the suite.
    Test(&'a str),
    /// Nobody: this kernel's answers stay the same, as docs/SOUNDNESS.md argues.
    Nobody(&'a str),
}

impl Records {
    /// Reads every record of the repository at `root`.
    pub fn load(root: &Path) -> Result<Records> {
        let mut kernels = Vec::new();
        for folder in FOLDERS {
            for path in files(root, Path::new(folder), "toml")? {
                kernels.push(Record::read(root, path)?);
            }
        }
        let text = fs::read_to_string(root.join(TEST_DEFECTS)).context(TEST_DEFECTS)?;
        let TestDefects { tests } = parse(Path::new(TEST_DEFECTS), &text)?;
        if let Some(defect) = tests.iter().find(|defect| !matches!(defect.finder(), Finder::Test(_))) {
            bail!("{TEST_DEFECTS}: {}: write found-by = \"the test\"", defect.from);
        }
        Ok(Records { kernels, tests })
    }

    /// The record of a kernel. The error names the file to write.
    pub fn of(&self, kernel: &str) -> Result<&Record> {
        let record = self.kernels.iter().find(|record| record.kernel == kernel);
        record
            .ok_or_else(|| anyhow!("{kernel} has no record: write {kernel}.toml beside {kernel}.rs ({HOW})"))
    }

    /// Every defect: those of the kernels, then those of the tests.
    pub fn defects(&self) -> impl Iterator<Item = &Defect> {
        self.kernels.iter().flat_map(|record| &record.defects).chain(&self.tests)
    }
}

/// The page that explains records.
const HOW: &str = "docs/ADDING_A_KERNEL.md";

/// [`TEST_DEFECTS`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestDefects {
    #[serde(rename = "defect")]
    tests: Vec<Defect>,
}

impl Record {
    fn read(root: &Path, path: PathBuf) -> Result<Record> {
        let text = fs::read_to_string(root.join(&path)).with_context(|| path.display().to_string())?;
        Record::parse(&path, &text)
    }

    /// Parses the text of the record at `path`. Errors begin with path and line.
    pub fn parse(path: &Path, text: &str) -> Result<Record> {
        let mut record: Record = parse(path, text)?;
        record.kernel = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        for defect in &mut record.defects {
            defect.kernel.clone_from(&record.kernel);
            if matches!(defect.finder(), Finder::Test(_)) {
                let from = defect.from.lines().next().unwrap_or_default();
                bail!("{}:{}: a test's defect stands in {TEST_DEFECTS}", path.display(), line_of(text, from));
            }
        }
        record.path = path.to_owned();
        Ok(record)
    }

    /// Whether the lab has the kernel.
    pub fn is_of_the_lab(&self) -> bool {
        self.path.starts_with(FOLDERS[1])
    }

    /// Whether a program for this instruction set has the kernel, if it is one of keylane's.
    pub fn is_for(&self, isa: Isa) -> bool {
        let folder = self.path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let folders: &[&str] = match isa {
            Isa::Aarch64 => &["portable", "aarch64"],
            Isa::X86_64 => &["portable", "x86", "x86_64"],
        };
        folder.is_some_and(|folder| folders.contains(&folder))
    }

    /// What `cargo xtask codegen` expects on this instruction set.
    pub fn codegen_on(&self, isa: Isa) -> Option<&Codegen> {
        match isa {
            Isa::Aarch64 => self.codegen_aarch64.as_ref(),
            Isa::X86_64 => self.codegen.as_ref(),
        }
    }
}

impl Defect {
    /// Who must find it.
    pub fn finder(&self) -> Finder<'_> {
        match self.found_by.as_deref() {
            None => Finder::Rows(&self.kernel),
            Some("nobody") => Finder::Nobody(&self.kernel),
            Some(test) => Finder::Test(test),
        }
    }

    /// The kernel whose rows are run, or the test.
    pub fn name(&self) -> &str {
        match self.finder() {
            Finder::Rows(name) | Finder::Nobody(name) | Finder::Test(name) => name,
        }
    }

    /// Whether `cross --planted` plants it on this target.
    pub fn is_planted_on(&self, target: &str) -> bool {
        self.on.as_deref().is_some_and(|on| on == "any" || target.starts_with(on))
    }

    /// Whether `cargo xtask mutants` plants it on this architecture.
    pub fn is_mutant_on(&self, arch: &str) -> bool {
        self.on.as_deref().map_or(arch == "x86_64", |on| on == "any" || arch.starts_with(on))
    }
}

/// The files below a folder with this extension, sorted, relative to the root.
fn files(root: &Path, folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let name = || folder.display().to_string();
    for entry in fs::read_dir(root.join(folder)).with_context(name)? {
        let entry = entry.with_context(name)?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            found.extend(files(root, &path, extension)?);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Parses TOML. Errors begin with path and line.
fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        anyhow!("{}:{line}: {}", path.display(), error.message())
    })
}

fn line_of(text: &str, part: &str) -> usize {
    text.find(part).map_or(1, |at| 1 + text[..at].matches('\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
secrets = "taint"

[codegen]
has = ["rotation of 64 bits by 13", "4 of mul or mulx", "vpsllq by 13"]
loops = 12
stack = 3
why = "three pointers"
chain = 4

[[floor]]
isa = "x86_64"
slot = "siphash-xn"
cycles = { "1-3" = "22 / 3 / 4", "2-4" = "7" }
why = "20c + 2 operations, 3 vector units"

[[threshold]]
method = "P4Avx2"
slot = "poly1305-pn"

[[defect]]
file = "arch/generic/dup.rs"
from = "R::rotl(b, 37)"
to = "R::rotl(b, 36)"
on = "aarch64"
"#;

    fn read(text: &str) -> Result<Record> {
        Record::parse(Path::new("crates/keylane/src/arch/x86_64/siphash_x9.toml"), text)
    }

    #[test]
    fn a_record() {
        let record = read(GOOD).expect("a record");
        assert_eq!(record.kernel, "siphash_x9");
        assert!(record.is_for(Isa::X86_64) && !record.is_for(Isa::Aarch64) && !record.is_of_the_lab());
        assert!(record.codegen_on(Isa::Aarch64).is_none());
        let codegen = record.codegen_on(Isa::X86_64).expect("a part");
        assert_eq!((codegen.loops, codegen.stack, codegen.chain), (Some(12), Some(3), Some(4)));
        assert_eq!(codegen.has.len(), 3);
        let [floor] = &record.floors[..] else { panic!("one floor") };
        assert_eq!(floor.of("1-3"), Some(22.0 / 3.0 / 4.0));
        assert_eq!((floor.of("2-4"), floor.of("4-8")), (Some(7.0), None));
        let [defect] = &record.defects[..] else { panic!("one defect") };
        assert_eq!(defect.finder(), Finder::Rows("siphash_x9"));
        assert!(
            defect.is_planted_on("aarch64-apple-darwin") && !defect.is_planted_on("i686-unknown-linux-gnu")
        );
        assert!(!defect.is_mutant_on("x86_64"));
        let here = Defect { on: None, ..defect.clone() };
        assert!(here.is_mutant_on("x86_64") && !here.is_planted_on("x86_64-unknown-none"));
        let anywhere = Defect { on: Some("any".into()), ..defect.clone() };
        assert!(anywhere.is_mutant_on("aarch64") && anywhere.is_planted_on("i686-unknown-linux-gnu"));
    }

    #[track_caller]
    fn error(text: &str, says: &str) {
        let error = read(text).expect_err("no record").to_string();
        assert!(error.starts_with("crates/keylane/src/arch/x86_64/siphash_x9.toml:"), "{error}");
        assert!(error.contains(says), "{error}");
    }

    #[test]
    fn errors_say_path_and_line() {
        error(&GOOD.replace("loops = 12", "lops = 12"), ":6: unknown field `lops`");
        error(&GOOD.replace("\"taint\"", "\"valgrind\""), ":2: unknown variant `valgrind`");
        error(&GOOD.replace("vpsllq by 13", "vpsllq 13"), ":5: not an operation: vpsllq 13");
        error(&GOOD.replace("22 / 3", "22 * 3"), ":14: not cycles: 22 * 3 / 4");
        error(
            &GOOD.replace("on =", "found-by = \"guards\"\non ="),
            ":23: a test's defect stands in tests/conformance/defects.toml",
        );
        error("", ":1: missing field `secrets`");
    }

    #[test]
    fn a_kernel_without_a_record() {
        let records = Records { kernels: vec![read(GOOD).expect("a record")], tests: Vec::new() };
        assert!(records.of("siphash_x9").is_ok());
        let error = records.of("siphash_x3").expect_err("no record").to_string();
        assert_eq!(
            error,
            "siphash_x3 has no record: write siphash_x3.toml beside siphash_x3.rs (docs/ADDING_A_KERNEL.md)"
        );
    }
}
