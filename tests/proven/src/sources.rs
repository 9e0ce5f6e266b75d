//! The source files that decide what a kernel computes, and their digest.
//!
//! A kernel's digest covers:
//! * its own file;
//! * the files without a kernel beside it and in the folders above it, up to `arch`, with those subfolders that have
//!   no kernel;
//! * the other kernels and folders of `arch` that a `use` of a covered file names, in the same way;
//! * keylane's `job`, but for the files of [`CHOICE`];
//! * for a kernel of another crate: keylane's `arch/generic` too, and the crate's files beside `arch`, which declare
//!   its jobs.
//!
//! Only `.rs` files count, and of them only code: comments, blank lines and files called `tests.rs` do not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crate that has the jobs and the shared algorithms.
const CORE: &str = "crates/keylane/src";

/// What decides when a row runs and not what it computes.
const CHOICE: [&str; 3] = ["job/thresholds.rs", "job/cpu", "job/kernel.rs"];

/// Files beside `arch` in the other crates that declare no job.
const LISTS: [&str; 2] = ["lib.rs", "table.rs"];

/// The names of all kernels, which are the stems of their files.
pub fn kernels(root: &Path) -> Vec<String> {
    let houses = houses(root);
    let files = houses.iter().flat_map(|house| house.files.iter().filter(|(_, code)| is_kernel(code)));
    let mut names: Vec<String> = files.map(|(path, _)| stem(path).to_owned()).collect();
    names.sort();
    names
}

/// The digest of a kernel's files; `None` if no file has its name.
pub fn kernel_digest(root: &Path, kernel: &str) -> Option<String> {
    let houses = houses(root);
    let own = |path: &&PathBuf| stem(path) == kernel;
    let (house, file) = houses.iter().find_map(|house| Some((house, house.files.keys().find(own)?)))?;
    let mut covered = BTreeSet::new();
    house.cover(file, &mut covered);
    if let Some(core) = houses.iter().find(|house| house.src.ends_with(CORE)) {
        let beside = |path: &&PathBuf| !LISTS.iter().any(|name| **path == house.src.join(name));
        if core.src != house.src {
            core.shared(&core.src.join("arch/generic"))
                .iter()
                .for_each(|file| core.cover(file, &mut covered));
            let files = house.files.keys().filter(|path| path.parent() == Some(&house.src));
            covered.extend(files.filter(beside).cloned());
        }
        let choice = |path: &&PathBuf| CHOICE.iter().any(|name| path.starts_with(core.src.join(name)));
        let job = core.files.keys().filter(|path| path.starts_with(core.src.join("job")));
        covered.extend(job.filter(|path| !choice(path)).cloned());
    }
    let code =
        |path: &PathBuf| houses.iter().find_map(|house| house.files.get(path)).map_or("", String::as_str);
    Some(crate::digest(covered.iter().map(code).collect::<String>().as_bytes()))
}

/// A crate that has an `arch`.
struct House {
    src: PathBuf,
    /// The code of every source file, without comments and blank lines.
    files: BTreeMap<PathBuf, String>,
}

/// All of them.
fn houses(root: &Path) -> Vec<House> {
    let entries = fs::read_dir(root.join("crates")).expect("crates");
    let mut sources: Vec<PathBuf> = entries.map(|entry| entry.expect("a crate").path().join("src")).collect();
    sources.retain(|src| src.join("arch").is_dir());
    sources.sort();
    let house = |src: PathBuf| {
        let mut files = BTreeMap::new();
        read(&src, &mut files);
        House { src, files }
    };
    sources.into_iter().map(house).collect()
}

/// Reads the source files of a folder and of the folders below it.
fn read(folder: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem(&path) != "tests" {
            let text = fs::read_to_string(&path).expect("a source file");
            files.insert(path, code(&text));
        }
    }
}

impl House {
    /// Adds a file and all that it shares and names.
    fn cover(&self, file: &Path, covered: &mut BTreeSet<PathBuf>) {
        if !covered.insert(file.to_owned()) {
            return;
        }
        let code = &self.files[file];
        let arch = self.src.join("arch");
        let mut next = Vec::new();
        if is_kernel(code) {
            let folders = file.ancestors().skip(1).take_while(|folder| folder.starts_with(&arch));
            next.extend(folders.flat_map(|folder| self.shared(folder)));
        }
        for import in imports(code) {
            let words: BTreeSet<&str> = words(import).collect();
            let kernels = self.files.iter().filter(|(_, code)| is_kernel(code));
            next.extend(kernels.map(|(path, _)| path).filter(|path| words.contains(stem(path))));
            if import.contains("crate::arch::") {
                let folders = words.iter().map(|word| arch.join(word)).filter(|folder| folder.is_dir());
                next.extend(folders.flat_map(|folder| self.shared(&folder)));
            }
        }
        next.into_iter().for_each(|file| self.cover(file, covered));
    }

    /// The files without a kernel in a folder and in those of its subfolders that have none.
    fn shared(&self, folder: &Path) -> Vec<&PathBuf> {
        let has_kernel =
            |folder: &Path| self.files.iter().any(|(path, code)| path.starts_with(folder) && is_kernel(code));
        let is_shared = |path: &&PathBuf| {
            let below = path.ancestors().skip(1).take_while(|&above| above != folder);
            path.starts_with(folder) && !is_kernel(&self.files[*path]) && !below.into_iter().any(has_kernel)
        };
        self.files.keys().filter(is_shared).collect()
    }
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

fn is_kernel(code: &str) -> bool {
    code.lines().any(|line| line.starts_with("kernel! {"))
}

/// A text without its comments that are lines, and without its blank lines.
fn code(text: &str) -> String {
    let is_code = |line: &&str| !line.trim_start().starts_with("//") && !line.trim().is_empty();
    text.lines().filter(is_code).map(|line| format!("{line}\n")).collect()
}

/// The `use` statements.
fn imports(code: &str) -> impl Iterator<Item = &str> {
    let is_import = |statement: &&str| statement.lines().any(|line| words(line).any(|word| word == "use"));
    code.split_inclusive(';').filter(is_import)
}

/// The identifiers.
fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
