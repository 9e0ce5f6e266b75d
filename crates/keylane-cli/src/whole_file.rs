//! Files that appear whole or not at all.

use std::fs::Permissions;
use std::io::{self, Write};
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// Writes a file that only its owner can read. It gets its name when it is whole; unless `replace`, no other
/// file may have that name.
pub fn write_secret(path: &Path, contents: &[u8], replace: bool) -> io::Result<()> {
    // The file has mode 0600 from the start, and is removed again unless it gets its name.
    write(Builder::new().tempfile_in(folder(path, replace)?)?, path, contents, replace)
}

/// Writes a file that may be there already, for all who may read the user's files. It gets its name when it is
/// whole.
pub fn write_report(path: &Path, contents: &[u8]) -> io::Result<()> {
    write(report(path)?, path, contents, true)
}

/// Whether [`write_report`] could make the file, as far as one can know before.
pub fn try_report(path: &Path) -> io::Result<()> {
    report(path).map(drop)
}

fn report(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    if let Some(permissions) = readable() {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder(path, true)?)
}

/// What the user's umask makes of a file that anyone may read and write.
#[cfg(unix)]
fn readable() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn readable() -> Option<Permissions> {
    None
}

/// The folder of a file that is to be made.
fn folder(path: &Path, replace: bool) -> io::Result<&Path> {
    if replace && path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        // Replacing works on names, and would put a file in the place of /dev/null.
        return Err(io::Error::other("not a regular file"));
    }
    Ok(match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    })
}

fn write(mut file: NamedTempFile, path: &Path, contents: &[u8], replace: bool) -> io::Result<()> {
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    if replace { file.persist(path) } else { file.persist_noclobber(path) }?;
    Ok(())
}
