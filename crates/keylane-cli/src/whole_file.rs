//! Files that appear completely or not at all.

use std::ffi::OsStr;
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
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
    let file = NewFile::create(path, replace)?;
    file.as_file().write_all(contents)?;
    file.finish()
}

/// Whether [`write_report`] could make the file, judged in advance.
pub fn try_report(path: &Path, replace: bool) -> io::Result<()> {
    NewFile::create(path, replace).map(drop)
}

/// A file that gets its name once it is complete. All users may read it whom the umask allows to. Where the file system
/// can do so, it has no name before: nothing is left of it, however the process ends.
pub struct NewFile {
    file: Unfinished,
    path: PathBuf,
    replace: bool,
}

enum Unfinished {
    #[cfg(target_os = "linux")]
    Nameless(File),
    Named(NamedTempFile),
}

impl NewFile {
    /// Makes the file. Unless `replace`, an existing file of that name is an error. A file that is replaced leaves its
    /// mode.
    pub fn create(path: &Path, replace: bool) -> io::Result<NewFile> {
        let place = Place::of(path, replace)?;
        #[cfg(target_os = "linux")]
        if let Ok(file) = place.nameless() {
            return Ok(NewFile { file: Unfinished::Nameless(file), path: path.into(), replace });
        }
        Ok(NewFile { file: Unfinished::Named(place.named()?), path: path.into(), replace })
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

/// Where a file is made.
struct Place<'a> {
    folder: &'a Path,
    /// The rights of the file that it replaces.
    old: Option<Permissions>,
}

impl Place<'_> {
    fn of(path: &Path, replace: bool) -> io::Result<Place<'_>> {
        let is_whole = |name: &OsStr| path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes());
        if !path.file_name().is_some_and(is_whole) {
            // A path that ends in a slash or a dot: only a folder can have it.
            return Err(io::Error::other("not a regular file"));
        }
        let folder = folder(path, true)?;
        match path.symlink_metadata() {
            Ok(_) if !replace => Err(io::Error::other("File exists; --force replaces it")),
            Ok(old) => Ok(Place { folder, old: Some(same(&old)) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Place { folder, old: None }),
            Err(error) => Err(error),
        }
    }

    /// A file without a name. It fails where the file could not get a name later.
    #[cfg(target_os = "linux")]
    fn nameless(&self) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        let mode = if self.old.is_some() { 0o600 } else { 0o666 };
        let file = File::from(open(self.folder, flags, Mode::from_raw_mode(mode))?);
        link(&file).metadata()?;
        self.finished(&file)?;
        Ok(file)
    }

    /// A file with a name of its own.
    fn named(&self) -> io::Result<NamedTempFile> {
        let mut builder = Builder::new();
        if let (None, Some(permissions)) = (&self.old, readable()) {
            builder.permissions(permissions);
        }
        let file = builder.tempfile_in(self.folder)?;
        self.finished(file.as_file())?;
        Ok(file)
    }

    fn finished(&self, file: &File) -> io::Result<()> {
        self.old.clone().map_or(Ok(()), |permissions| file.set_permissions(permissions))
    }
}

/// What a file without a name is linked by.
#[cfg(target_os = "linux")]
fn link(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

#[cfg(target_os = "linux")]
fn give_name(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, link(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
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
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        try_report(&path, true).unwrap();
        write_report(&path, b"report", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"report");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    }

    /// Each way to make the file, whether or not the file system here has both.
    #[cfg(target_os = "linux")]
    fn both(path: &Path, replace: bool) -> [NewFile; 2] {
        let place = Place::of(path, replace).unwrap();
        let ways =
            [Unfinished::Nameless(place.nameless().unwrap()), Unfinished::Named(place.named().unwrap())];
        ways.map(|file| NewFile { file, path: path.into(), replace })
    }

    /// With and without files that have no name, until the last moment: contents, rights, and what is there already.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_new_file_is_whole_however_it_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new");
        let names = || fs::read_dir(&dir).unwrap().count();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        // What the umask leaves.
        let usual = dir.path().join("usual");
        fs::write(&usual, "").unwrap();
        let usual_mode = fs::metadata(&usual).unwrap().permissions().mode() & 0o777;
        fs::remove_file(usual).unwrap();
        for way in [0, 1] {
            let make = |replace| both(&path, replace).into_iter().nth(way).unwrap();
            let file = make(false);
            file.as_file().write_all(b"one").unwrap();
            assert_eq!(names(), way, "{way}: only the second way has a name before it is whole");
            drop(file);
            assert_eq!(names(), 0);
            let (file, late) = (make(false), make(false));
            file.as_file().write_all(b"two").unwrap();
            file.finish().unwrap();
            // The name was given meanwhile.
            assert_eq!(late.finish().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            assert_eq!((fs::read(&path).unwrap(), mode(), names()), (b"two".to_vec(), usual_mode, 1));
            assert!(NewFile::create(&path, false).is_err());
            fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
            let file = make(true);
            file.as_file().write_all(b"three").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"two");
            file.finish().unwrap();
            assert_eq!((fs::read(&path).unwrap(), mode(), names()), (b"three".to_vec(), 0o640, 1));
            fs::remove_file(&path).unwrap();
        }
        // The first way is taken where it is there.
        let file = NewFile::create(&path, false).unwrap();
        assert_eq!(names(), 0);
        file.finish().unwrap();
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
