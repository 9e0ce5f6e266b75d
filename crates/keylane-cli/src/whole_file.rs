//! Files that appear completely or not at all.

use std::ffi::OsStr;
#[cfg(feature = "column")]
use std::fs::File;
use std::fs::{Metadata, Permissions};
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
#[cfg(feature = "column")]
use std::path::PathBuf;
use tempfile::{Builder, NamedTempFile};

/// Writes a file that only its owner can read. The file gets its name once it is complete. Unless `replace`,
/// an existing file of that name is an error.
pub fn write_secret(path: &Path, contents: &[u8], replace: bool) -> io::Result<()> {
    // The file has mode 0600 from the start. Unless it gets its name, it is removed again.
    write(Builder::new().tempfile_in(folder(path, replace)?)?, path, contents, replace)
}

/// Writes a file that all users may read whom the umask allows to. The file gets its name once it is complete.
/// Unless `replace`, an existing file of that name is an error. A file that is replaced leaves its mode.
pub fn write_report(path: &Path, contents: &[u8], replace: bool) -> io::Result<()> {
    write(report(path, replace)?, path, contents, replace)
}

/// Whether [`write_report`] could make the file, judged in advance.
pub fn try_report(path: &Path, replace: bool) -> io::Result<()> {
    report(path, replace).map(drop)
}

/// A file that gets its name once it is complete. All users may read it whom the umask allows to. Where the file system
/// can do so, it has no name before: nothing is left of it, however the process ends.
#[cfg(feature = "column")]
pub struct NewFile {
    file: Unfinished,
    path: PathBuf,
    replace: bool,
}

#[cfg(feature = "column")]
enum Unfinished {
    #[cfg(target_os = "linux")]
    Nameless(File),
    Named(NamedTempFile),
}

#[cfg(feature = "column")]
impl NewFile {
    /// Makes the file. Unless `replace`, an existing file of that name is an error. A file that is replaced leaves its
    /// mode.
    pub fn create(path: &Path, replace: bool) -> io::Result<NewFile> {
        let file = report(path, replace)?;
        let path = path.to_path_buf();
        #[cfg(target_os = "linux")]
        if let Ok(nameless) = nameless(folder(&path, true)?) {
            nameless.set_permissions(file.as_file().metadata()?.permissions())?;
            return Ok(NewFile { file: Unfinished::Nameless(nameless), path, replace });
        }
        Ok(NewFile { file: Unfinished::Named(file), path, replace })
    }

    /// The file to write to.
    pub fn as_file(&self) -> &File {
        match &self.file {
            #[cfg(target_os = "linux")]
            Unfinished::Nameless(file) => file,
            Unfinished::Named(file) => file.as_file(),
        }
    }

    /// Gives the file its name.
    pub fn finish(self) -> io::Result<()> {
        self.as_file().sync_all()?;
        let named = match self.file {
            Unfinished::Named(file) if self.replace => file.persist(&self.path).map(drop),
            Unfinished::Named(file) => file.persist_noclobber(&self.path).map(drop),
            #[cfg(target_os = "linux")]
            Unfinished::Nameless(file) if self.replace => {
                // A name can be given, but not replaced: the file gets another name first.
                let other =
                    Builder::new().make_in(folder(&self.path, true)?, |path| give_name(&file, path))?;
                return Ok(other.persist(&self.path).map(drop)?);
            }
            #[cfg(target_os = "linux")]
            Unfinished::Nameless(file) => return give_name(&file, &self.path),
        };
        Ok(named?)
    }
}

/// A file without a name, in a folder.
#[cfg(all(feature = "column", target_os = "linux"))]
fn nameless(folder: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    Ok(open(folder, flags, Mode::RUSR | Mode::WUSR)?.into())
}

#[cfg(all(feature = "column", target_os = "linux"))]
fn give_name(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let link = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, link, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

fn report(path: &Path, replace: bool) -> io::Result<NamedTempFile> {
    let is_whole = |name: &OsStr| path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
    if !path.file_name().is_some_and(is_whole) {
        // A path that ends in a slash or a dot: only a folder can have it.
        return Err(io::Error::other("not a regular file"));
    }
    let folder = folder(path, true)?;
    match path.symlink_metadata() {
        Ok(_) if !replace => Err(io::Error::other("File exists; --force replaces it")),
        Ok(old) => {
            let file = Builder::new().tempfile_in(folder)?;
            file.as_file().set_permissions(same(&old))?;
            Ok(file)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut builder = Builder::new();
            if let Some(permissions) = readable() {
                builder.permissions(permissions);
            }
            builder.tempfile_in(folder)
        }
        Err(error) => Err(error),
    }
}

/// Mode 0666, which the user's umask then restricts.
#[cfg(unix)]
fn readable() -> Option<Permissions> {
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn readable() -> Option<Permissions> {
    None
}

/// The rights of the owner, the group and others; not those to run as someone else.
#[cfg(unix)]
fn same(old: &Metadata) -> Permissions {
    Permissions::from_mode(old.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn same(old: &Metadata) -> Permissions {
    old.permissions()
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A file may come to be between the trial and the writing.
    #[test]
    fn a_report_replaces_nothing_unless_asked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report");
        try_report(&path, false).unwrap();
        fs::write(&path, "mine").unwrap();
        assert!(try_report(&path, false).is_err() && write_report(&path, b"report", false).is_err());
        let file = Builder::new().tempfile_in(&dir).unwrap();
        assert!(write(file, &path, b"report", false).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        try_report(&path, true).unwrap();
        write_report(&path, b"report", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"report");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    }

    /// Only a folder can have these paths, and none is made.
    #[test]
    fn a_report_is_not_the_name_of_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        for end in ["new/", "new/.", "new//", "new/..", "."] {
            for replace in [false, true] {
                // With text: Path::join would drop a dot.
                let path = format!("{}/{end}", dir.path().display());
                let refused = [try_report(path.as_ref(), replace), write_report(path.as_ref(), b"", replace)];
                for refused in refused {
                    assert_eq!(refused.unwrap_err().to_string(), "not a regular file", "{path}");
                }
            }
        }
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    }
}
