//! Plants defects into a copy of the sources.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// A wrong rotation, a lost carry: what stands once in a file, and what takes its place.
pub struct Defect {
    /// The kernel that must fail, or the test where it is none.
    pub finder: Finder,
    /// The architecture of its targets, as their names begin; every one if it is empty.
    pub on: &'static str,
    /// The file, in the sources of the crate keylane.
    pub file: &'static str,
    /// What stands there once.
    pub from: &'static str,
    /// What is put in its place.
    pub to: &'static str,
}

/// Who has to find a defect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Finder {
    /// The checks of this kernel's rows.
    Rows(&'static str),
    /// This test of the suite.
    Test(&'static str),
    /// Nobody: the answers are the same, as docs/SOUNDNESS.md argues. Those of this kernel's rows.
    Nobody(&'static str),
}

impl Defect {
    /// The kernel of whose rows it is.
    pub fn kernel(&self) -> Option<&'static str> {
        match self.finder {
            Finder::Rows(kernel) | Finder::Nobody(kernel) => Some(kernel),
            Finder::Test(_) => None,
        }
    }

    /// Puts it into a copy.
    pub fn plant(&self, copy: &Path) -> Result<()> {
        plant(&copy.join("crates/keylane/src").join(self.file), self.from, self.to)
    }
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

/// Asserts that what is planted stands once in its file.
#[cfg(test)]
pub fn assert_unique<'a>(defects: impl IntoIterator<Item = &'a Defect>) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/keylane/src");
    for defect in defects {
        let text = fs::read_to_string(sources.join(defect.file)).expect("a source file");
        assert_eq!(text.matches(defect.from).count(), 1, "{}: {}", defect.file, defect.from);
        assert_ne!(defect.from, defect.to, "{}", defect.file);
    }
}

/// Asserts that each kernel in these folders of `arch` has a defect.
#[cfg(test)]
pub fn assert_every_kernel<'a>(folders: &[&str], defects: impl IntoIterator<Item = &'a Defect>) {
    let kernels: Vec<&str> = defects.into_iter().filter_map(Defect::kernel).collect();
    let arch = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/keylane/src/arch");
    let mut found = 0;
    for folder in folders {
        for file in fs::read_dir(arch.join(folder)).expect("a folder of kernels") {
            let path = file.expect("a file").path();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
            if path.is_file() && fs::read_to_string(&path).expect("a source file").contains("\nkernel! {") {
                found += 1;
                assert!(kernels.contains(&stem), "{stem} has no defect");
            }
        }
    }
    assert_ne!(found, 0);
}
