//! Files that appear completely or not at all.

use std::fs::Permissions;
use std::io::{self, Write};
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// Writes a file that only its owner can read. The file gets its name once it is complete. Unless `replace`,
/// an existing file of that name is an error.
pub fn write_secret(path: &Path, contents: &[u8], replace: bool) -> io::Result<()> {
    // The file has mode 0600 from the start. Unless it gets its name, it is removed again.
    write(Builder::new().tempfile_in(folder(path, replace)?)?, path, contents, replace)
}

/// Writes or replaces a file that all users may read whom the umask allows to. The file gets its name once it
/// is complete.
pub fn write_report(path: &Path, contents: &[u8]) -> io::Result<()> {
    write(report(path)?, path, contents, true)
}

/// Whether [`write_report`] could make the file, judged in advance.
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

/// Mode 0666, which the user's umask then restricts.
#[cfg(unix)]
fn readable() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn readable() -> Option<Permissions> {
    None
}

/// The folder to make the file in.
fn folder(path: &Path, replace: bool) -> io::Result<&Path> {
    if replace && path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        // Replacing works on names: it would put a file in the place of /dev/null.
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
