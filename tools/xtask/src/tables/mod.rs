//! Tables and plots in the docs, written from records of measurements and of kernels.
//!
//! Two marks in a page name a table, and this command writes the table between them:
//!
//! ```text
//! <!-- measured FORM SUITE: TEXT -->
//! <!-- end of measured -->
//! ```
//!
//! FORM is one of these:
//!
//! * `engines`: a row for each engine, a column for each cell;
//! * `peers`: a row for each cell with keylane, the best peer and their ratio;
//! * `summary`: the README's table, from several suites, so it names none;
//! * `cpus` and `origins`: a row for each CPU with its losses, or with its record;
//! * `sizes`: bytes of code, which also names no suite;
//! * `columns`: programs that hash columns of files; SUITE is `memory` or `files`, TEXT a format;
//! * `redis`: Redis with its own hash and with keylane's; SUITE is `served` or `compare`, TEXT a group of its lines;
//! * `modelled`: the ablations, modelled beside measured on each CPU; it names no suite;
//! * `dropin`: what a program gains by a drop-in of contrib/; SUITE is `patch` or `openssl`, TEXT a group;
//! * `go`: SUITE is `lives` (Go's own map under other hashes) or `loops` (batch calls beside loops), TEXT a group;
//! * `prior`: what a piece of prior work published beside the newest records of each CPU; SUITE is its story;
//! * `beside`: independent calls of a suite on every CPU, keylane beside the engine TEXT;
//! * `runs`: every run of the prior work's maps in Go, then keylane's; it names no suite;
//! * `crossovers`: from which length on each other kernel of keylane beats the kernel TEXT, on every CPU;
//! * `survey`: every figure of the prior work's tables of Poly1305, then keylane's; it names no suite.
//!
//! TEXT chooses the tables whose title contains it, or the kernels whose name does. Without it, all are shown. Figures
//! come from the newest quiet record of the suite, or from the newest if all are noisy. Records that no page shows are
//! removed. README.md and docs/ show the CPU `records::SHOWN`; pages in
//! `bench/record/` show every CPU. So does docs/results.html, which has the sections of `bench/record/RESULTS.md`.
//! `columns`, `redis`, `dropin` and `go` show the newest record of any CPU, and its path.
//!
//! Tables of kernels have marks of another kind (`slots.rs`); so have docs/BATCHES.md, `<!-- batches -->`,
//! docs/PASSED.md, `<!-- passed -->`, and CONTRIBUTING.md, `<!-- checks -->`.

mod batches;
mod columns;
pub(crate) mod forms;
mod links;
mod marks;
mod modelled;
mod page;
mod plots;
pub mod records;
pub mod slots;
mod summary;
pub(crate) mod svg;

use crate::{checks, passed, prior};
use anyhow::{Context, Result, bail, ensure};
use marks::rewritten;
use records::{RECORD, Records, SIZES};
use slots::Slots;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the tables and plots of README.md and docs/, and docs/results.html. With `check` it writes nothing, and fails if a file differs
/// from what the records say. A link to a missing file or heading fails in either case.
pub fn tables(root: &Path, check: bool) -> Result<()> {
    prune(root, check)?;
    let cpus = Records::find(root)?;
    let shown = cpus.first().context("records")?;
    let slots = Slots::read(root)?;
    let listed = checks::table(root)?;
    let thresholds = batches::table(root, &slots)?;
    let mut files = Vec::new();
    let mut count = 0;
    let mut seen = BTreeSet::new();
    for page in pages(root)? {
        let name = || page.display().to_string();
        let old = fs::read_to_string(&page).with_context(name)?;
        let every_cpu = page.starts_with(root.join(RECORD));
        let (new, tables) = rewritten(&old, &mut |form, suite, text| {
            match form {
                "summary" if every_cpu => return summary::summaries(&cpus),
                "summary" => return summary::summary(shown),
                "cpus" => return summary::cpus(&cpus),
                "origins" => return summary::origins(&cpus),
                "prior" => return prior::markdown(root, &cpus, suite),
                "beside" => return forms::beside(&cpus, suite, text),
                "crossovers" => return forms::crossovers(&cpus, suite, text),
                "runs" => return prior::runs(root, &cpus),
                "survey" => return prior::survey(root, &cpus),
                "modelled" => return modelled::modelled(&old, &cpus),
                "columns" => {
                    return columns::columns(&cpus, &format!("columns/{suite}"), "Nanoseconds a row", text);
                }
                "redis" => {
                    let unit = "Redis' siphash.c beside keylane's";
                    return columns::columns(&cpus, &format!("redis/{suite}"), unit, text);
                }
                "dropin" => {
                    let unit = if suite == "openssl" { "Nanoseconds" } else { "Cycles of a call" };
                    return columns::columns(&cpus, &format!("{suite}/figures"), unit, text);
                }
                "go" => {
                    let (file, unit) = match suite {
                        "loops" => ("go/loops", "Cells above 1.03 times the loop, and the worst cell"),
                        _ if text.ends_with("means") => {
                            ("go-runtime/lives", "Times what it takes with the AES hash")
                        }
                        _ => ("go-runtime/lives", "The AES hash, nanoseconds a key; the others, times that"),
                    };
                    return columns::columns(&cpus, file, unit, text);
                }
                _ => {}
            }
            if form == "sizes" {
                seen.insert(SIZES.to_owned());
                return forms::sizes(&records::sizes(&cpus, text)?);
            }
            seen.insert(suite.to_owned());
            if !every_cpu {
                return made(shown, form, suite, text);
            }
            let mut out = String::new();
            for records in cpus.iter().filter(|records| records.has(suite)) {
                out += &format!("\n**{}**\n", records.cpu()?);
                out += &made(records, form, suite, text)?;
            }
            Ok(out)
        })
        .with_context(name)?;
        count += tables;
        let new = slots.write(&new).with_context(name)?;
        let new = slots::replace_block(&new, "passed", &|| passed::table(root, &slots)).with_context(name)?;
        let new = slots::replace_block(&new, "checks", &|| listed.clone()).with_context(name)?;
        let new = slots::replace_block(&new, "batches", &|| thresholds.clone()).with_context(name)?;
        files.push((page, new));
    }
    for records in &cpus {
        for stem in records.stems()? {
            // The thresholds of kernels are in the source.
            ensure!(seen.contains(&stem) || stem == "tune", "no page shows the record {stem}");
        }
    }
    let drawn = plots::plots(shown)?.into_iter().map(|(name, plot)| (name.to_owned(), plot));
    for (name, plot) in drawn.chain(prior::plots(root, &cpus)?).chain([plots::openssl(&cpus)?]) {
        files.push((root.join("docs/plots").join(name), plot));
    }
    let page = page::results(root, &cpus)?;
    files.push((root.join(page::PAGE), page));
    let is_stale = |(file, new): &(PathBuf, String)| fs::read_to_string(file).ok().as_ref() != Some(new);
    files.retain(is_stale);
    let names: Vec<String> = files.iter().map(|(file, _)| file.display().to_string()).collect();
    ensure!(!check || files.is_empty(), "not what the records say: {}; cargo xtask tables", names.join(", "));
    for (file, new) in files {
        fs::create_dir_all(file.parent().context("a folder")?)?;
        fs::write(&file, new).with_context(|| file.display().to_string())?;
    }
    println!("tables: {count} places, {} files {}", names.len(), if check { "stale" } else { "written" });
    let links = links::check(root)?;
    println!("links: {links} lead somewhere");
    Ok(())
}

/// Removes the records that no page shows. With `check` it fails if there are any.
fn prune(root: &Path, check: bool) -> Result<()> {
    for file in Records::find(root)?.iter().flat_map(Records::superseded) {
        let name = file.strip_prefix(root).unwrap_or(&file).display();
        ensure!(!check, "{name}: another record of this suite is newer or quieter; cargo xtask tables");
        fs::remove_file(&file).with_context(|| name.to_string())?;
        println!("removed {name}: another record of this suite is newer or quieter");
        // A folder that is empty now goes, too.
        file.parent().map(fs::remove_dir);
    }
    Ok(())
}

/// What a form makes of the records of one CPU.
fn made(records: &Records, form: &str, suite: &str, text: &str) -> Result<String> {
    match form {
        "engines" => forms::engines(&records.tables(suite)?, text),
        "peers" => forms::peers(&records.tables(suite)?, text),
        "loops" => forms::loops(&records.tables(suite)?, text),
        _ => bail!("{form}: no such form"),
    }
}

/// The pages that may have tables.
fn pages(root: &Path) -> Result<Vec<PathBuf>> {
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for folder in ["docs", "docs/research", "contrib/openssl", "contrib/patch", RECORD] {
        for entry in fs::read_dir(root.join(folder)).context(folder)? {
            pages.push(entry?.path());
        }
    }
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::marks::BEGIN;

    #[test]
    fn the_readme_names_the_oldest_rust() {
        let readme = include_str!("../../../../README.md");
        assert!(readme.contains(concat!("Rust ", env!("CARGO_PKG_RUST_VERSION"), " or newer")));
    }

    #[test]
    fn the_readme_is_short_and_begins_with_use() {
        let lines: Vec<&str> = include_str!("../../../../README.md").lines().collect();
        assert!(lines.len() <= 160);
        assert!(lines[..40].iter().any(|line| line.starts_with("cargo add keylane ")));
        let example = lines.iter().position(|line| *line == "```rust").unwrap();
        assert!(lines[example + 1..40].contains(&"```"));
        assert_eq!(lines.iter().filter(|line| line.starts_with(BEGIN)).count(), 1);
    }
}
