//! Plants defects into a copy of the sources.

use anyhow::{Context, Result, bail};
use keylane_records::{Defect, SOURCES};
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// Puts a defect into a copy.
pub fn plant_defect(copy: &Path, defect: &Defect) -> Result<()> {
    plant(&copy.join(SOURCES).join(&defect.file), &defect.from, &defect.to)
}

/// Replaces a text that a file has exactly once.
pub fn plant(path: &Path, from: &str, to: &str) -> Result<()> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    if text.matches(from).count() != 1 {
        bail!("not once in {}: {from}", path.display());
    }
    Ok(fs::write(path, text.replace(from, to))?)
}

/// Makes the copy equal to the sources. Equal files keep their times, so cargo does not rebuild them.
pub fn copy_sources(root: &Path, copy: &Path) -> Result<()> {
    let hidden = |name: &str| name.starts_with('.') || name == "target";
    let walk = WalkDir::new(root).into_iter();
    let walk = walk.filter_entry(|entry| {
        entry.depth() == 0 || entry.path() != copy && !hidden(&entry.file_name().to_string_lossy())
    });
    for entry in walk {
        let entry = entry?;
        let to = copy.join(entry.path().strip_prefix(root)?);
        if entry.file_type().is_dir() {
            fs::create_dir_all(&to)?;
        } else {
            let bytes = fs::read(entry.path())?;
            if fs::read(&to).ok().as_ref() != Some(&bytes) {
                fs::write(&to, bytes)?;
            }
        }
    }
    Ok(())
}
