//! Links between the repository's Markdown files.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// Checks that every relative link leads to a file, and to a heading of it if it names one. Answers how many there are.
pub fn check(root: &Path) -> Result<usize> {
    let is_source = |name: &str| !name.starts_with('.') && !["target", "node_modules"].contains(&name);
    let files = WalkDir::new(root)
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name().to_str().is_some_and(is_source));
    let mut count = 0;
    let mut dead = Vec::new();
    for file in files {
        let file = file?.into_path();
        if file.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        let text = fs::read_to_string(&file).with_context(|| name.clone())?;
        for link in links(&text) {
            count += 1;
            if !leads(&file, &text, link)? {
                dead.push(format!("{name}: {link}"));
            }
        }
    }
    ensure!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
    Ok(count)
}

/// The relative links of a page, outside code.
fn links(page: &str) -> Vec<&str> {
    let mut links = Vec::new();
    let mut in_code = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            for part in line.split("](").skip(1) {
                links.extend(part.split_once(')').map(|(link, _)| link));
            }
        }
    }
    links.retain(|link| !link.contains("://") && !link.starts_with("mailto:") && !link.contains(' '));
    links
}

/// Whether a link of a page leads to a file and to one of its headings.
fn leads(page: &Path, text: &str, link: &str) -> Result<bool> {
    let (path, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = page.parent().context("a page stands in a folder")?.join(path);
    if !path.is_empty() && !target.exists() {
        return Ok(false);
    }
    if heading.is_empty() {
        return Ok(true);
    }
    let other = if path.is_empty() { text.to_owned() } else { fs::read_to_string(&target)? };
    Ok(other.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == heading))
}

/// The anchor that a heading gets: lower case, hyphens for blanks, no punctuation.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|char| char.is_alphanumeric() || " -_".contains(*char));
    kept.map(|char| if char == ' ' { '-' } else { char }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_are_found() {
        let page = "[a](b.md), [c](https://d) and [e](#f-g)\n```\n[h](i)\n```\n## F, g\n";
        assert_eq!(links(page), ["b.md", "#f-g"]);
        assert_eq!(anchor("## F, g"), "f-g");
        let at = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        assert!(leads(&at, page, "#f-g").unwrap());
        assert!(!leads(&at, page, "#g").unwrap());
        assert!(!leads(&at, page, "absent.md").unwrap());
        assert!(leads(&at, page, "Cargo.toml").unwrap());
    }
}
