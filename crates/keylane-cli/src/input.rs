//! Reading messages.

use crate::algorithm::{Hasher, Tag};
use crate::console::Console;
use crate::streams;
use same_file::Handle;
use std::cell::OnceCell;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How many bytes one read asks for.
const BUFFER: usize = 128 * 1024;

/// Whether a name stands for standard input.
pub fn is_stdin(name: &Path) -> bool {
    // As text: `-/` is a folder, and a path of the same components.
    name.as_os_str() == "-"
}

/// Makes inputs from names, in the order of the names.
#[derive(Default)]
pub struct Inputs {
    stdin_named: bool,
    /// Standard input, if it is a pipe or a socket: its other names are found out by it.
    pipe: OnceCell<Option<Identity>>,
}

impl Inputs {
    /// The input of this name.
    pub fn name(&mut self, path: PathBuf) -> Input {
        let stdin = is_stdin(&path) || self.is_other_name_of_stdin(&path) || is_name_of_closed_stdin(&path);
        Input { path, stdin, spent: stdin && std::mem::replace(&mut self.stdin_named, true) }
    }

    /// Whether a name such as `/dev/stdin` is that of the pipe that standard input is. Whoever reads it first leaves
    /// nothing.
    fn is_other_name_of_stdin(&self, path: &Path) -> bool {
        let pipe = self.pipe.get_or_init(|| pipe(&Handle::stdin().ok()?.as_file().metadata().ok()?));
        pipe.is_some() && path.metadata().is_ok_and(|metadata| self::pipe(&metadata) == *pipe)
    }
}

/// Whether the name is that of a closed standard input, in whose place Rust's runtime has opened an empty file.
fn is_name_of_closed_stdin(path: &Path) -> bool {
    let names = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    cfg!(unix) && names.iter().any(|name| path == Path::new(name)) && streams::input().is_err()
}

/// Device and inode.
type Identity = [u64; 2];

/// The identity of a file that is not regular.
#[cfg(unix)]
fn special(metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    (!metadata.is_file()).then(|| [metadata.dev(), metadata.ino()])
}

/// Elsewhere a file has no identity before it is opened.
#[cfg(not(unix))]
fn special(_: &Metadata) -> Option<Identity> {
    None
}

/// The identity of a pipe or a socket.
#[cfg(unix)]
fn pipe(metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_fifo() || kind.is_socket() { special(metadata) } else { None }
}

/// Elsewhere no name of a file is that of standard input.
#[cfg(not(unix))]
fn pipe(_: &Metadata) -> Option<Identity> {
    None
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
    /// The files that the outputs go to.
    outputs: Vec<Handle>,
}

/// Why a file is not read: it is what this program writes to.
#[derive(Debug)]
pub struct IsTheOutput;

impl fmt::Display for IsTheOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is the output of this command")
    }
}

impl Error for IsTheOutput {}

impl<'a> Reader<'a> {
    /// A reader that tells `console` of each step.
    pub fn new(console: &'a Console, key: Option<Handle>) -> Self {
        Reader { console, key, outputs: streams::files() }
    }

    /// The tag of a whole input. Fails if a regular file changes meanwhile: the file may never have held these
    /// bytes at one time. Gives up between two reads when `stop` is set.
    pub fn hash(&self, input: &Input, mut hasher: Hasher, stop: &AtomicBool) -> io::Result<Tag> {
        let handle = self.open(input)?;
        let mut file = handle.as_file();
        let before = Version::of(file)?;
        let mut buffer = vec![0; BUFFER];
        while !stop.load(Relaxed) {
            match file.read(&mut buffer) {
                Ok(0) => return before.unchanged(file).map(|()| hasher.finish()),
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
        let held_the_key = || io::Error::other("the key has been read from it");
        if !input.stdin && self.held_the_key(&input.path) {
            return Err(held_the_key());
        }
        let handle =
            if input.stdin { streams::input()? } else { Handle::from_file(File::open(&input.path)?)? };
        // A regular file can be opened and read again, so the key's own file can be summed.
        if self.key.as_ref() == Some(&handle) && (input.stdin || !handle.as_file().metadata()?.is_file()) {
            return Err(held_the_key());
        }
        if self.outputs.contains(&handle) {
            return Err(io::Error::other(IsTheOutput));
        }
        Ok(handle)
    }

    /// Whether the path is that of the pipe, or another file that is not regular, which the key was read from. It is
    /// not opened: to open a pipe waits for a writer.
    fn held_the_key(&self, path: &Path) -> bool {
        let key = self.key.as_ref().and_then(|key| special(&key.as_file().metadata().ok()?));
        key.is_some() && path.metadata().is_ok_and(|metadata| special(&metadata) == key)
    }
}

/// What a write to a regular file changes: its length and its stamps. `None` for other files.
pub struct Version(Option<(u64, Stamps)>);

impl Version {
    /// The version of a file now.
    pub fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Version(metadata.is_file().then(|| (metadata.len(), stamps(&metadata)))))
    }

    /// Fails if the file has another version now.
    pub fn unchanged(&self, file: &File) -> io::Result<()> {
        let now = Version::of(file)?;
        if now.0 == self.0 { Ok(()) } else { Err(io::Error::other("it has changed while it was read")) }
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
