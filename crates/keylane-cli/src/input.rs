//! Reading messages.

use crate::algorithm::{Hasher, Tag};
use crate::console::Console;
use same_file::Handle;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How many bytes one read asks for.
const BUFFER: usize = 128 * 1024;

/// Whether a name stands for standard input.
pub fn is_stdin(name: &Path) -> bool {
    name == Path::new("-")
}

/// Makes inputs from names, in the order of the names.
#[derive(Default)]
pub struct Inputs {
    stdin_named: bool,
}

impl Inputs {
    /// The input of this name.
    pub fn name(&mut self, path: PathBuf) -> Input {
        let stdin = is_stdin(&path);
        Input { path, stdin, spent: stdin && std::mem::replace(&mut self.stdin_named, true) }
    }
}

/// A message to read.
pub struct Input {
    /// Its name.
    pub path: PathBuf,
    stdin: bool,
    /// Whether standard input has been named before: its first reader leaves nothing.
    spent: bool,
}

impl Input {
    /// Its name in messages where `-` would be unclear.
    pub fn title(&self) -> &OsStr {
        if self.stdin { "standard input".as_ref() } else { self.path.as_os_str() }
    }

    /// Its length in bytes, if known before reading.
    pub fn length(&self) -> Option<u64> {
        let metadata = if self.stdin {
            Handle::stdin().ok()?.as_file().metadata().ok()?
        } else {
            match self.path.metadata() {
                Ok(metadata) => metadata,
                Err(_) => return Some(0),
            }
        };
        metadata.is_file().then_some(metadata.len())
    }
}

/// Reads inputs.
pub struct Reader<'a> {
    /// Told of each step.
    pub console: &'a Console,
    /// The file the key was read from, if it was a file. A pipe or a terminal then holds no message any more.
    pub key: Option<Handle>,
}

impl Reader<'_> {
    /// The tag of a whole input. Fails if a regular file changes meanwhile: the file may never have held these
    /// bytes at one time. Gives up between two reads when `stop` is set.
    pub fn hash(&self, input: &Input, mut hasher: Hasher, stop: &AtomicBool) -> io::Result<Tag> {
        let handle = self.open(input)?;
        let mut file = handle.as_file();
        let before = Version::of(file)?;
        let mut buffer = vec![0; BUFFER];
        while !stop.load(Relaxed) {
            match file.read(&mut buffer) {
                Ok(0) if Version::of(file)? == before => return Ok(hasher.finish()),
                Ok(0) => return Err(io::Error::other("it has changed while it was read")),
                Ok(len) => {
                    hasher.update(buffer.get(..len).unwrap_or_default());
                    self.console.advance(len);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("stopped"))
    }

    /// Opens an input.
    pub fn open(&self, input: &Input) -> io::Result<Handle> {
        if input.spent {
            return Err(io::Error::other("standard input has been read already"));
        }
        let handle =
            if input.stdin { Handle::stdin()? } else { Handle::from_file(File::open(&input.path)?)? };
        // A regular file can be opened and read again, so the key's own file can be summed.
        if self.key.as_ref() == Some(&handle) && (input.stdin || !handle.as_file().metadata()?.is_file()) {
            return Err(io::Error::other("the key has been read from it"));
        }
        Ok(handle)
    }
}

/// What a write to a regular file changes.
#[derive(PartialEq, Eq)]
struct Version {
    length: u64,
    stamps: Stamps,
}

impl Version {
    /// The version of a file now. `None` if it is not a regular file.
    fn of(file: &File) -> io::Result<Option<Self>> {
        let metadata = file.metadata()?;
        let version = || Version { length: metadata.len(), stamps: stamps(&metadata) };
        Ok(metadata.is_file().then(version))
    }
}

/// Device and inode; then seconds and nanoseconds of the last modification and of the last change. The owner
/// can set the modification time back, but not the change time. A new mode, owner or name also moves the
/// change time, and nothing tells such a change from a write.
#[cfg(unix)]
type Stamps = ([u64; 2], [i64; 4]);

#[cfg(unix)]
fn stamps(metadata: &Metadata) -> Stamps {
    use std::os::unix::fs::MetadataExt;
    (
        [metadata.dev(), metadata.ino()],
        [metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()],
    )
}

/// The time of the last modification, if the system keeps one. The owner can set it back.
#[cfg(not(unix))]
type Stamps = Option<std::time::SystemTime>;

#[cfg(not(unix))]
fn stamps(metadata: &Metadata) -> Stamps {
    metadata.modified().ok()
}
