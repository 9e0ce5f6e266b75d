//! `cargo xtask structure`: the layers stay layers, `unsafe` stays in its rooms, and the table stays the table.
//!
//! * `syntax` parses a crate into modules and the paths that they name.
//! * `graph` checks the layers of the core, and the circles of every crate.
//! * `rooms` checks where `unsafe` stands.
//! * `neutral` checks that the API names no architecture and no instruction set.
//! * `kernels` checks that files, ids, headers, `mod` lines and rows agree. `keylane_records` checks the records beside
//!   the kernels.
//!
//! `crate::checks` adds whether the workflow runs each check.

mod graph;
mod kernels;
mod neutral;
mod rooms;
mod syntax;
#[cfg(test)]
mod tests;

use crate::checks;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use syntax::{Crate, Fault};
use walkdir::WalkDir;

/// The library, whose layers are checked.
const CORE: &str = "crates/keylane/src/";

/// The crates that have kernels in `arch/`, and their tables.
const HOUSES: [(&str, &str); 2] = [(CORE, "dispatch/table.rs"), ("bench/lab/src/", "table.rs")];

/// The endings of the files that must be ASCII.
const TEXT: [&str; 10] = ["rs", "md", "toml", "json", "csv", "c", "h", "go", "mjs", "py"];

/// Checks everything and names every fault.
pub fn structure(root: &Path) -> Result<()> {
    let sources = sources(root)?;
    let mut found = Vec::new();
    for (file, text) in &sources {
        check_ascii(file, text, &mut found);
        if file.ends_with(".rs") {
            rooms::check(file, text, &mut found)?;
        }
    }
    let (crates, edges) = circles(&sources, &mut found)?;
    let mut faults: Vec<String> = found.iter().map(Fault::to_string).collect();
    let mut kernels = 0;
    for (folder, table) in HOUSES {
        let rust = sources.iter().filter(|(file, _)| file.ends_with(".rs"));
        let inside = rust.filter_map(|(file, text)| Some((file.strip_prefix(folder)?, text.as_str())));
        let texts: Vec<(&str, &str)> = inside.collect();
        let mut found = Vec::new();
        let known = Crate::parse(&texts, "lib.rs", &mut found).context(folder)?;
        known.check_unreached(&mut found);
        if folder == CORE {
            graph::check_layers(&known, &mut found);
            for (file, text) in &texts {
                neutral::check(file, text, &mut found)?;
            }
        }
        kernels += kernels::check(&known, &texts, table, &mut found);
        faults.extend(found.iter().map(|fault| format!("{folder}{fault}")));
    }
    faults.extend(keylane_records::faults(root)?);
    faults.extend(checks::faults(root)?);
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        bail!("{} faults of structure", faults.len());
    }
    println!(
        "structure: {} files, {crates} crates with {edges} imports between their files, {kernels} kernel files, no fault",
        sources.len()
    );
    Ok(())
}

/// Folders whose files are crates of their own.
const CRATES: [&str; 4] = ["bin", "tests", "benches", "examples"];

/// Checks every crate for circles of files: libraries, programs, tests, benchmarks, examples. Returns how many there are,
/// and the number of edges in them.
fn circles(sources: &[(String, String)], faults: &mut Vec<Fault>) -> Result<(usize, usize)> {
    let rust = || sources.iter().filter(|(file, _)| file.ends_with(".rs"));
    let texts: Vec<(&str, &str)> = rust().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let (mut crates, mut edges) = (0, 0);
    for (root, _) in rust().filter(|(file, _)| is_root(file, sources)) {
        // `houses` says more of crates with kernels. Others may have `#[path]`.
        let known = Crate::parse(&texts, root, &mut Vec::new()).with_context(|| root.clone())?;
        crates += 1;
        edges += graph::check_circles(&known, faults);
    }
    Ok((crates, edges))
}

/// Whether a file is the root of a crate: by its name, by its folder, or because a manifest names it.
fn is_root(file: &str, sources: &[(String, String)]) -> bool {
    let mut parts = file.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    ["lib.rs", "main.rs", "build.rs"].contains(&name)
        || CRATES.contains(&folder)
        || sources.iter().filter(|(manifest, _)| manifest.ends_with("Cargo.toml")).any(|(manifest, text)| {
            let folder = manifest.trim_end_matches("Cargo.toml");
            let within = file.strip_prefix(folder).unwrap_or_default();
            text.lines().any(|line| {
                line.strip_prefix("path = \"").is_some_and(|path| path.trim_end_matches('"') == within)
            })
        })
}

/// The source and documentation files: paths relative to the repository, and texts.
fn sources(root: &Path) -> Result<Vec<(String, String)>> {
    let hidden = |name: &str| name.starts_with('.') || name == "target";
    let walk = WalkDir::new(root).sort_by_file_name().into_iter();
    let walk = walk.filter_entry(|entry| entry.depth() == 0 || !hidden(&entry.file_name().to_string_lossy()));
    let mut sources = Vec::new();
    for entry in walk {
        let entry = entry?;
        let kind = entry.path().extension().and_then(|kind| kind.to_str()).unwrap_or("");
        if TEXT.contains(&kind) {
            let text =
                fs::read_to_string(entry.path()).with_context(|| entry.path().display().to_string())?;
            let file = entry.path().strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            sources.push((file, text));
        }
    }
    Ok(sources)
}

fn check_ascii(file: &str, text: &str, faults: &mut Vec<Fault>) {
    for (line, text) in text.lines().enumerate() {
        if !text.is_ascii() {
            faults.push(Fault { file: file.into(), line: line + 1, what: "not ASCII".into() });
        }
    }
}
