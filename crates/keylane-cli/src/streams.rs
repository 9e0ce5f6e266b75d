//! Standard input, output and error as files, and which of them the caller closed.
//!
//! Rust's runtime opens `/dev/null` in the place of a closed stream before `main`. Reading it then finds an empty input,
//! and what is written to it is lost without an error. Later nothing tells it from the `/dev/null` of a caller who wants
//! it: Python's `DEVNULL` is open for reading and writing too. So the streams are looked at before the runtime starts.
//!
//! Rust's types for the streams also report success where a descriptor cannot be read or written at all. Files report the
//! failure.

use same_file::Handle;
use std::fs::File;
use std::io::{self, Write};

/// So many bytes of output wait for more.
const BUFFER: usize = 64 * 1024;

/// A standard stream.
#[derive(Clone, Copy)]
enum Stream {
    Input,
    Output,
    Errors,
}

#[cfg(unix)]
mod closed {
    use super::Stream;
    use rustix::fs::{OFlags, fcntl_getfl};
    use rustix::io::Errno;
    use rustix::stdio::{stderr, stdin, stdout};
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

    /// The loader calls the functions of this section before the program's entry. `look` needs nothing of the runtime:
    /// it makes three system calls.
    #[used]
    #[expect(unsafe_code, reason = "a section whose entries the loader calls")]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        for (stream, closed) in [stdin(), stdout(), stderr()].into_iter().zip(&CLOSED) {
            closed.store(fcntl_getfl(stream) == Err(Errno::BADF), Relaxed);
        }
    }

    /// Whether the caller closed the stream, or opened it for the other direction only.
    pub fn is_closed(stream: Stream) -> bool {
        let (descriptor, wrong) = match stream {
            Stream::Input => (stdin(), OFlags::WRONLY),
            Stream::Output => (stdout(), OFlags::RDONLY),
            Stream::Errors => (stderr(), OFlags::RDONLY),
        };
        let is_wrong = |flags: OFlags| flags & OFlags::RWMODE == wrong;
        CLOSED.get(stream as usize).is_some_and(|closed| closed.load(Relaxed))
            || fcntl_getfl(descriptor).is_ok_and(is_wrong)
    }
}

/// Elsewhere the runtime passes on what it is given.
#[cfg(not(unix))]
mod closed {
    pub fn is_closed(_: super::Stream) -> bool {
        false
    }
}

/// The stream, unless it is closed.
fn open(stream: Stream) -> io::Result<Handle> {
    let (name, open): (_, fn() -> io::Result<Handle>) = match stream {
        Stream::Input => ("standard input is closed", Handle::stdin),
        Stream::Output => ("standard output is closed", Handle::stdout),
        Stream::Errors => ("standard error is closed", Handle::stderr),
    };
    if closed::is_closed(stream) { Err(io::Error::other(name)) } else { open() }
}

/// Standard input, without a buffer.
pub fn input() -> io::Result<Handle> {
    open(Stream::Input)
}

/// Standard output, without a buffer.
pub fn output() -> io::Result<Handle> {
    open(Stream::Output)
}

/// Standard error, without a buffer.
pub fn errors() -> io::Result<Handle> {
    open(Stream::Errors)
}

/// The regular files that this program's outputs go to.
pub fn files() -> Vec<Handle> {
    let is_regular = |file: &File| file.metadata().is_ok_and(|metadata| metadata.is_file());
    let streams = [output(), errors()].into_iter().filter_map(Result::ok);
    streams.filter(|stream| is_regular(stream.as_file())).collect()
}

/// Standard output with a buffer. What is in it when this is dropped is written, if that is possible.
#[derive(Default)]
pub struct Output {
    bytes: Vec<u8>,
    file: Option<Handle>,
    /// An error that the next call returns.
    error: Option<io::Error>,
}

impl Output {
    /// Writes what is in the buffer. The next call returns the error, if there is one.
    pub fn flush_or_keep_the_error(&mut self) {
        self.error = self.flush().err();
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= BUFFER {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.bytes.is_empty() {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(output()?),
        };
        let written = file.as_file().write_all(&self.bytes);
        // After a failure nobody knows how much of it was written: it is not written again.
        self.bytes.clear();
        written
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // An error has been reported by then, or another one is on its way.
        let _ = self.flush();
    }
}
