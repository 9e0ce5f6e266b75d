//! A folder that becomes an archive or a package. Its files have one of two modes, whatever the umask is.

use anyhow::{Context, Result};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The modes of files, and of programs and folders.
pub const FILE: u32 = 0o644;
pub const PROGRAM: u32 = 0o755;

/// A folder, at first empty.
pub struct Folder(PathBuf);

impl Folder {
    /// The folder at `path`, without what was there.
    pub fn empty(path: &Path) -> Result<Self> {
        if path.exists() {
            fs::remove_dir_all(path).with_context(|| path.display().to_string())?;
        }
        fs::create_dir_all(path).with_context(|| path.display().to_string())?;
        Ok(Folder(path.to_owned()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.0.join(name);
        let above = path.parent().context("a file in a folder")?;
        fs::create_dir_all(above).with_context(|| above.display().to_string())?;
        fs::write(&path, bytes).with_context(|| path.display().to_string())?;
        Ok(fs::set_permissions(&path, Permissions::from_mode(FILE))?)
    }

    /// Copies a file.
    pub fn copy(&self, from: &Path, name: &str) -> Result<()> {
        self.write(name, &fs::read(from).with_context(|| from.display().to_string())?)
    }

    /// Makes a file a program.
    pub fn executable(&self, name: &str) -> Result<()> {
        Ok(fs::set_permissions(self.0.join(name), Permissions::from_mode(PROGRAM))?)
    }
}
