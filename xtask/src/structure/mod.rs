//! The floors stay floors, and the table stays the table.
//!
//! The compiler denies `unsafe` where it is not allowed; this checks where it is allowed, which
//! floor names which, and that files, ids, headers and rows agree.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Files beside `arch/` that may allow `unsafe`, and why.
const UNSAFE: [(&str, &str); 16] = [
    ("crates/keylane/src/kernel/select.rs", "calls a row once its features are proven"),
    ("crates/keylane-capi/src/memory.rs", "what C gives, and functions for C"),
    ("tests/src/guards/memory.rs", "pages that nobody may touch, and the memory between them"),
    ("tests/src/secret/memcheck.rs", "asks valgrind, by a sequence of instructions"),
    ("tests/src/bin/sanitizer_probe.rs", "planted faults, to show that sanitizers see them"),
    ("tests/no-panic/src/lib.rs", "a function with a name for the linker"),
    ("tests/tests/guards.rs", "planted kernels that read outside, to show that it is seen"),
    ("tests/fuzz/src/capi.rs", "calls of the C library, and the memory that it is given"),
    ("tests/wasm/src/lib.rs", "functions with names for JavaScript"),
    ("tests/tests/wiped.rs", "reads what a dropped secret leaves behind"),
    ("crates/keylane-measure/src/chain.rs", "the calibration's chain of additions, in assembly"),
    ("bench/src/foreign/mod.rs", "calls of peers in C"),
    ("bench/src/foreign/poly1305/mod.rs", "calls of peers in C"),
    ("bench/src/foreign/poly1305/stream.rs", "calls of peers in C"),
    ("bench/src/engine/poly1305/reading.rs", "calls of loops with vector instructions that were detected"),
    ("bench/native/src/lib.rs", "a function for C"),
];

/// The library, whose floors are checked.
const CORE: &str = "crates/keylane/src";

/// The crates that have kernels in `arch/`, and their tables.
const HOUSES: [(&str, &str); 2] = [(CORE, "kernel/table.rs"), ("crates/keylane-lab/src", "src/table.rs")];

/// What the file header of a kernel must say (docs/ADDING_A_KERNEL.md).
const HEADER: [&str; 6] = ["id", "slot", "does", "bounds", "timing", "origin"];

/// Checks everything and names every fault.
pub fn structure(root: &Path) -> Result<()> {
    let sources = sources(root)?;
    let mut faults = Vec::new();
    for source in &sources {
        source.check_ascii(&mut faults);
        source.check_unsafe(&mut faults);
    }
    let mut kernels = 0;
    for (folder, table) in HOUSES {
        let house: Vec<&Source> = sources.iter().filter(|source| source.path.starts_with(folder)).collect();
        if folder == CORE {
            house.iter().for_each(|source| source.check_floor(&mut faults));
        }
        let code = |source: &&Source| source.code().map(|(_, code)| code).collect::<Vec<_>>().join("\n");
        let table = house.iter().find(|source| source.path.ends_with(table)).map(code).unwrap_or_default();
        let modules: String =
            house.iter().filter(|source| source.path.ends_with("mod.rs")).map(code).collect();
        for kernel in house.into_iter().filter(|source| source.is_kernel()) {
            kernel.check_kernel(&table, &modules, &mut faults);
            kernels += 1;
        }
    }
    faults.extend(keylane_records::faults(root)?);
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        bail!("{} faults of structure", faults.len());
    }
    println!("structure: {} files, {} kernel files, no fault", sources.len(), kernels);
    Ok(())
}

/// A text file of the repository.
struct Source {
    /// Relative to the repository.
    path: PathBuf,
    text: String,
}

/// All source and documentation files.
fn sources(root: &Path) -> Result<Vec<Source>> {
    let hidden = |name: &str| name.starts_with('.') || name == "target";
    let walk = WalkDir::new(root).sort_by_file_name().into_iter();
    let walk = walk.filter_entry(|entry| entry.depth() == 0 || !hidden(&entry.file_name().to_string_lossy()));
    let mut sources = Vec::new();
    for entry in walk {
        let entry = entry?;
        let kind = entry.path().extension().and_then(|kind| kind.to_str()).unwrap_or("");
        if ["rs", "md", "toml", "json", "csv", "c", "h", "go", "mjs", "py"].contains(&kind) {
            let text =
                fs::read_to_string(entry.path()).with_context(|| entry.path().display().to_string())?;
            sources.push(Source { path: entry.path().strip_prefix(root)?.to_owned(), text });
        }
    }
    Ok(sources)
}

impl Source {
    fn fault(&self, line: usize, what: &str) -> String {
        format!("{}:{line}: {what}", self.path.display())
    }

    fn check_ascii(&self, faults: &mut Vec<String>) {
        for (line, text) in self.text.lines().enumerate() {
            if !text.is_ascii() {
                faults.push(self.fault(line + 1, "not ASCII"));
            }
        }
    }

    /// The lines without what stands behind `//`, with their numbers.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let code = |line: &'_ str| line.split("//").next().unwrap_or("").len();
        self.text.lines().enumerate().map(move |(number, line)| (number + 1, &line[..code(line)]))
    }

    /// `unsafe` is denied for the workspace; who lifts that must stand in the list or in `arch/`.
    fn check_unsafe(&self, faults: &mut Vec<String>) {
        let listed = UNSAFE.iter().any(|(path, _)| self.path == Path::new(path));
        let rust = self.path.extension().is_some_and(|kind| kind == "rs");
        if !rust
            || listed
            || HOUSES.into_iter().any(|(folder, _)| self.path.starts_with(Path::new(folder).join("arch")))
            || self.path.starts_with("xtask")
        {
            return;
        }
        for (line, code) in self.code() {
            if code.contains("unsafe_code")
                && !code.contains("deny(unsafe_code")
                && !code.contains("forbid(unsafe_code")
            {
                faults.push(self.fault(line, "unsafe is for arch/ and the selector"));
            }
        }
    }

    /// The API may name every floor, the kernel floor not the API, arch only the kernel floor. So that
    /// this can be read line by line, a lower floor names others by `crate::` and one module a line.
    fn check_floor(&self, faults: &mut Vec<String>) {
        let api =
            ["siphash", "halfsiphash", "hash_map", "poly1305", "kernels", "error", "rustcrypto", "zeroize"];
        let mut forbidden: Vec<String> = api.iter().map(|name| format!("crate::{name}")).collect();
        forbidden.extend(["crate::{", "crate ::", "super::super"].map(String::from));
        if self.path.starts_with("crates/keylane/src/arch") {
            forbidden.extend(["select", "table"].map(|name| format!("crate::kernel::{name}")));
            forbidden.extend(
                ["crate::kernel::{select", "crate::kernel::{table", ", select", ", table"].map(String::from),
            );
        } else if !self.path.starts_with("crates/keylane/src/kernel") {
            return;
        }
        for (line, code) in self.code() {
            for name in &forbidden {
                let follows = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                let ends = name.ends_with(['{', ':']);
                if code.match_indices(name).any(|(at, _)| ends || follows(&code[at + name.len()..])) {
                    faults.push(self.fault(line, &format!("{name} is a floor above, or hides one")));
                }
            }
        }
    }

    fn stem(&self) -> &str {
        self.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("")
    }

    /// A kernel file: one that declares a row, or whose name says that it does.
    fn is_kernel(&self) -> bool {
        let named =
            ["siphash_", "halfsiphash_", "poly1305_"].iter().any(|name| self.stem().starts_with(name));
        let in_arch = |(folder, _)| self.path.starts_with(Path::new(folder).join("arch"));
        HOUSES.into_iter().any(in_arch) && (named || self.declares())
    }

    fn declares(&self) -> bool {
        self.text.lines().any(|line| line.trim() == "kernel! {")
    }

    /// A kernel file has a header that names it, declares rows, and each row stands in the table.
    fn check_kernel(&self, table: &str, modules: &str, faults: &mut Vec<String>) {
        let stem = self.stem();
        let mut fault = |line, what: &str| faults.push(self.fault(line, what));
        if !self.declares() {
            fault(1, "a kernel file declares a row with kernel!");
        }
        if !modules.contains(&format!("pub mod {stem};")) {
            fault(1, "no mod.rs has a line for this file");
        }
        let header: Vec<&str> = self.text.lines().take_while(|line| line.starts_with("//!")).collect();
        for key in HEADER {
            let says = |word: &str| word == key || word == format!("{key}s");
            if !header.iter().any(|line| line.split_whitespace().any(says)) {
                fault(1, &format!("the header does not say its {key}"));
            }
        }
        let named = |line: &&str| line.split_whitespace().skip(1).take(2).eq(["id", stem]);
        if !header.iter().any(named) {
            fault(1, "the header's id is not the file's stem");
        }
        for (line, text) in self.text.lines().enumerate() {
            let Some(name) = text.strip_prefix("    pub ").and_then(|rest| rest.split(':').next()) else {
                continue;
            };
            if text.contains(", lanes ") && !table.contains(&format!("{stem}::{name}")) {
                fault(line + 1, &format!("{stem}::{name} has no row in the table"));
            }
        }
    }
}
