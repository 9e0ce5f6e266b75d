//! Writes text into a page, between two marks.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

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
