//! Writes text into a page, between two marks.

use crate::output;
use anyhow::{Context, Result};
use keylane_measure::cpu::microarchitecture;
use keylane_records::passed;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// When and by what a run with the nightly compiler was made: date, commit, compiler and CPU.
pub fn origin(root: &Path) -> Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let commit = output(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root))?;
    let rustc = output(Command::new("rustc").args(["+nightly", "--version"]).env_remove("RUSTUP_TOOLCHAIN"))?;
    let cpu = microarchitecture().unwrap_or("a CPU that is not known by name");
    Ok(format!("{}, commit {}, {}, {cpu}", passed::date(now), commit.trim(), rustc.trim()))
}

/// Replaces the text between the marks with this name.
pub fn record(path: &Path, name: &str, text: &str) -> Result<()> {
    let page = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    fs::write(path, between_marks(&page, name, text)?)?;
    println!("recorded: {}", path.display());
    Ok(())
}

fn between_marks(page: &str, name: &str, text: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = page.split_once(&begin).with_context(|| format!("no mark {begin}"))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("no mark {end}"))?;
    Ok(format!("{before}{begin}{text}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_replaces_what_stands_between_its_marks() {
        let page = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n";
        let new = "a\n<!-- x: begin -->\nnew\n<!-- x: end -->\nb\n";
        assert_eq!(between_marks(page, "x", "new\n").expect("marks"), new);
        assert!(between_marks(page, "y", "new\n").is_err());
    }
}
