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

/// How many bytes a read of a small file asks for at least.
const PAGE: usize = 4096;

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
    /// The input of a name that is known to be that of a regular file.
    pub fn regular(path: PathBuf) -> Input {
        Input { path, stdin: false, spent: false }
    }

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
    /// Which file that is, if it is not regular.
    spent: Option<Identity>,
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
        let spent = key.as_ref().and_then(|key| special(&key.as_file().metadata().ok()?));
        Reader { console, key, spent, outputs: streams::files() }
    }

    /// The tag of a whole input. Fails if a regular file changes meanwhile: the file may never have held these
    /// bytes at one time. Gives up between two reads when `stop` is set.
    pub fn hash(&self, input: &Input, mut hasher: Hasher, stop: &AtomicBool) -> io::Result<Tag> {
        let opened = self.open(input)?;
        let mut buffer = vec![0; opened.room().min(BUFFER)];
        let mut read = 0;
        while !stop.load(Relaxed) {
            let len = opened.read(&mut buffer)?;
            hasher.update(buffer.get(..len).unwrap_or_default());
            self.console.advance(len);
            read += len as u64;
            if opened.is_end(len, buffer.len(), read) {
                return opened.unchanged().map(|()| hasher.finish());
            }
        }
        Err(io::Error::other("stopped"))
    }

    /// Reads a whole input into `room`, and returns its length. `None` if it does not fit. Fails if the file changes
    /// meanwhile, as [`Reader::hash`] does.
    pub fn read(&self, input: &Input, room: &mut [u8]) -> io::Result<Option<usize>> {
        let opened = self.open(input)?;
        if opened.room() > room.len() {
            return Ok(None);
        }
        let mut read = 0;
        while let Some(rest) = room.get_mut(read..).filter(|rest| !rest.is_empty()) {
            let asked = rest.len();
            let len = opened.read(rest)?;
            read += len;
            if opened.is_end(len, asked, read as u64) {
                self.console.advance(read);
                return opened.unchanged().map(|()| Some(read));
            }
        }
        Ok(None)
    }

    /// Opens an input.
    pub fn open(&self, input: &Input) -> io::Result<Opened> {
        if input.spent {
            return Err(io::Error::other("standard input has been read already"));
        }
        let held_the_key = || io::Error::other("the key has been read from it");
        if !input.stdin && self.held_the_key(&input.path) {
            return Err(held_the_key());
        }
        let source = if input.stdin {
            Source::Stdin(streams::input()?)
        } else {
            Source::File(File::open(&input.path)?)
        };
        let metadata = source.as_file().metadata()?;
        let opened = Opened { source, metadata };
        // A regular file can be opened and read again, so the key's own file can be summed.
        let is_spent = input.stdin || !opened.metadata.is_file();
        if is_spent && self.key.as_ref().is_some_and(|key| opened.is(key)) {
            return Err(held_the_key());
        }
        if self.outputs.iter().any(|output| opened.is(output)) {
            return Err(io::Error::other(IsTheOutput));
        }
        Ok(opened)
    }

    /// Whether the path is that of the pipe, or another file that is not regular, which the key was read from. It is
    /// not opened: to open a pipe waits for a writer.
    fn held_the_key(&self, path: &Path) -> bool {
        self.spent.is_some() && path.metadata().is_ok_and(|metadata| special(&metadata) == self.spent)
    }
}

/// An open input, and what its file was like then.
pub struct Opened {
    source: Source,
    metadata: Metadata,
}

enum Source {
    Stdin(Handle),
    File(File),
}

impl Source {
    fn as_file(&self) -> &File {
        match self {
            Source::Stdin(handle) => handle.as_file(),
            Source::File(file) => file,
        }
    }
}

impl Opened {
    /// The file.
    pub fn as_file(&self) -> &File {
        self.source.as_file()
    }

    /// The file with its identity.
    #[cfg(feature = "column")]
    pub fn into_handle(self) -> io::Result<Handle> {
        match self.source {
            Source::Stdin(handle) => Ok(handle),
            Source::File(file) => Handle::from_file(file),
        }
    }

    /// The length of a regular file.
    fn len(&self) -> Option<u64> {
        self.metadata.is_file().then_some(self.metadata.len())
    }

    /// Room in which a read sees the end of a regular file behind its last byte.
    fn room(&self) -> usize {
        let len = self.len().unwrap_or(u64::MAX);
        usize::try_from(len).unwrap_or(usize::MAX).saturating_add(1).max(PAGE)
    }

    /// Reads some bytes: none at the end only.
    fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.as_file().read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    /// Whether the file ends behind these `read` bytes. The last read gave `len` bytes of those it `asked` for. Fewer
    /// bytes, up to the length that the file still has, leave nothing to ask for. Files of a kernel have lengths that
    /// mean nothing: these are read until a read gives nothing.
    fn is_end(&self, len: usize, asked: usize, read: u64) -> bool {
        len == 0 || len < asked && self.len() == Some(read)
    }

    /// Whether it is this file.
    #[cfg(unix)]
    fn is(&self, other: &Handle) -> bool {
        use std::os::unix::fs::MetadataExt;
        (self.metadata.dev(), self.metadata.ino()) == (other.dev(), other.ino())
    }

    /// Whether it is this file.
    #[cfg(not(unix))]
    fn is(&self, other: &Handle) -> bool {
        self.as_file().try_clone().and_then(Handle::from_file).is_ok_and(|file| file == *other)
    }

    /// Fails if a regular file has changed since it was opened.
    pub fn unchanged(&self) -> io::Result<()> {
        Version::from(&self.metadata).unchanged(self.as_file())
    }
}

/// What a write to a regular file changes: its length and its stamps. `None` for other files.
pub struct Version(Option<(u64, Stamps)>);

impl Version {
    /// The version of a file now.
    pub fn of(file: &File) -> io::Result<Self> {
        Ok(Version::from(&file.metadata()?))
    }

    fn from(metadata: &Metadata) -> Self {
        Version(metadata.is_file().then(|| (metadata.len(), stamps(metadata))))
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Whatever is done to a file after it was opened, its bytes are those of no one moment.
    #[test]
    fn a_small_file_that_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let console = Console::new(false);
        let reader = Reader::new(&console, None);
        let mut room = [0; 2 * PAGE];
        for len in [0, 1, PAGE - 1, PAGE, 2 * PAGE - 1] {
            fs::write(&path, vec![1; len]).unwrap();
            let input = Inputs::regular(path.clone());
            assert_eq!(reader.read(&input, &mut room).unwrap(), Some(len));
            let opened = reader.open(&input).unwrap();
            opened.unchanged().unwrap();
            fs::write(&path, vec![2; len + 1]).unwrap();
            assert!(opened.unchanged().is_err(), "{len}");
        }
        // One that does not fit with room for its end.
        for len in [2 * PAGE, 2 * PAGE + 1, 1 << 20] {
            fs::write(&path, vec![1; len]).unwrap();
            assert_eq!(reader.read(&Inputs::regular(path.clone()), &mut room).unwrap(), None);
        }
    }
}
