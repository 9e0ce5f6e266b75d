//! The source files that decide what a kernel computes, and their digest.
//!
//! A kernel's digest covers:
//! * its own file;
//! * the files without a kernel beside it and in the folders above it, up to `arch`, with those subfolders that have
//!   no kernel;
//! * the other kernels and folders of `arch` that a `use` of a covered file names, in the same way;
//! * keylane's `job`, except the files of [`CHOICE`];
//! * for a kernel of another crate: keylane's `arch/generic` too, and the crate's files beside `arch`, which declare
//!   its jobs.
//!
//! Only `.rs` files count, and of them only code. Comments, blank lines, lines that only declare a module, and files
//! called `tests.rs` do not count: a new kernel beside the others leaves their digests alone.

use super::digest;
use crate::SOURCES;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates that have an `arch`, in the order in which digests cover their files. The first, the core, has the jobs
/// and the shared algorithms.
const HOUSES: [&str; 2] = [SOURCES, "bench/lab/src"];

/// What decides when a row runs and not what it computes.
const CHOICE: [&str; 3] = ["job/limits.rs", "job/cpu", "job/kernel.rs"];

/// Files beside `arch` in the other crates that declare no job.
const LISTS: [&str; 2] = ["lib.rs", "table.rs"];

/// The source files of the crates that have an `arch`.
pub struct Sources(Vec<House>);

impl Sources {
    /// Reads those of the repository at `root`.
    pub fn read(root: &Path) -> Self {
        let house = |src: &str| {
            let src = root.join(src);
            let mut files = BTreeMap::new();
            read(&src, &mut files);
            House { src, files }
        };
        Sources(HOUSES.map(house).into())
    }

    /// The names of all kernels, which are the stems of their files.
    pub fn kernels(&self) -> Vec<&str> {
        let files = self.0.iter().flat_map(|house| house.files.iter().filter(|(_, file)| file.is_kernel));
        let mut names: Vec<&str> = files.map(|(path, _)| stem(path)).collect();
        names.sort_unstable();
        names
    }

    /// The digest of a kernel's files; `None` if no file has its name.
    pub fn digest(&self, kernel: &str) -> Option<String> {
        let own = |path: &&PathBuf| stem(path) == kernel;
        let (house, file) = self.0.iter().find_map(|house| Some((house, house.files.keys().find(own)?)))?;
        let mut covered = BTreeSet::new();
        house.cover(file, &mut covered);
        if let Some(core) = self.0.iter().find(|house| house.src.ends_with(SOURCES)) {
            if core.src != house.src {
                core.shared(&core.src.join("arch/generic")).for_each(|file| core.cover(file, &mut covered));
                let beside = house.files.keys().filter(|path| path.parent() == Some(&house.src));
                covered.extend(beside.filter(|path| !LISTS.iter().any(|name| path.ends_with(name))));
            }
            let is_choice = |path: &Path| CHOICE.iter().any(|name| path.starts_with(core.src.join(name)));
            let job = core.files.keys().filter(|path| path.starts_with(core.src.join("job")));
            covered.extend(job.filter(|path| !is_choice(path)));
        }
        let files = self.0.iter().flat_map(|house| &house.files);
        let code: String =
            files.filter(|(path, _)| covered.contains(path)).map(|(_, file)| &*file.code).collect();
        Some(digest(code.as_bytes()))
    }
}

/// A crate that has an `arch`.
struct House {
    src: PathBuf,
    files: BTreeMap<PathBuf, File>,
}

/// A source file.
struct File {
    /// The text without what does not count.
    code: String,
    is_kernel: bool,
}

/// Reads the source files of a folder and of the folders below it.
fn read(folder: &Path, files: &mut BTreeMap<PathBuf, File>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem(&path) != "tests" {
            let text = fs::read_to_string(&path).expect("a source file");
            let code = code(&text);
            let is_kernel = code.lines().any(|line| line.starts_with("kernel! {"));
            files.insert(path, File { code, is_kernel });
        }
    }
}

impl House {
    /// Adds a file and all that it shares and names.
    fn cover<'a>(&'a self, file: &'a PathBuf, covered: &mut BTreeSet<&'a PathBuf>) {
        if !covered.insert(file) {
            return;
        }
        let File { code, is_kernel } = &self.files[file];
        let arch = self.src.join("arch");
        let mut next: Vec<&PathBuf> = Vec::new();
        if *is_kernel {
            let folders = file.ancestors().skip(1).take_while(|folder| folder.starts_with(&arch));
            folders.for_each(|folder| next.extend(self.shared(folder)));
        }
        for import in imports(code) {
            let words: BTreeSet<&str> = words(import).collect();
            let kernels = self.files.iter().filter(|(_, file)| file.is_kernel).map(|(path, _)| path);
            next.extend(kernels.filter(|path| words.contains(stem(path))));
            if import.contains("crate::arch::") {
                let folders = words.iter().map(|word| arch.join(word)).filter(|folder| folder.is_dir());
                folders.for_each(|folder| next.extend(self.shared(&folder)));
            }
        }
        next.into_iter().for_each(|file| self.cover(file, covered));
    }

    /// The files without a kernel in a folder and in those of its subfolders that have none.
    fn shared(&self, folder: &Path) -> impl Iterator<Item = &PathBuf> {
        let has_kernel =
            |folder: &Path| self.files.iter().any(|(path, file)| file.is_kernel && path.starts_with(folder));
        let is_shared = move |path: &&PathBuf, file: &File| {
            let mut below = path.ancestors().skip(1).take_while(|&above| above != folder);
            path.starts_with(folder) && !file.is_kernel && !below.any(has_kernel)
        };
        let files = self.files.iter().filter(move |(path, file)| is_shared(path, file));
        files.map(|(path, _)| path)
    }
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// A text without its blank lines, and without lines that are a comment or declare a module.
fn code(text: &str) -> String {
    let is_code = |line: &&str| {
        let line = line.trim();
        !line.starts_with("//") && !line.is_empty() && !declares_a_module(line)
    };
    text.lines().filter(is_code).map(|line| format!("{line}\n")).collect()
}

/// Whether a line is `mod name;`, with or without its visibility.
fn declares_a_module(line: &str) -> bool {
    let Some((visibility, name)) = line.strip_suffix(';').and_then(|line| line.split_once("mod ")) else {
        return false;
    };
    let is_public = visibility.starts_with("pub") && !visibility.contains(';');
    (visibility.is_empty() || is_public) && words(name).eq([name])
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
