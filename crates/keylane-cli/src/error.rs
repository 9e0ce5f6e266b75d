//! What can go wrong, its exit status, and its line on standard error.

use crate::streams;
use crate::visible::{hex, is_visible, visible};
use os_display::Quotable;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, Write};
use std::str::Utf8Chunk;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Exit status: something failed, or a tag did not match.
pub const FAILURE: u8 = 1;
/// Exit status: the command line, the key or `KEYLANE_KERNEL` is wrong, and nothing was done.
pub const USAGE: u8 = 2;

/// How a command that ran to its end went. Failures on the way have been reported already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All is well.
    Success,
    /// Something failed, or a tag did not match.
    Failure,
}

impl Outcome {
    /// Success if `success`.
    pub fn of(success: bool) -> Self {
        if success { Outcome::Success } else { Outcome::Failure }
    }
}

/// Why a command could not run to its end.
pub enum Error {
    /// The command line, the key or the environment is wrong.
    Usage(String),
    /// Something else failed.
    Failed(String),
    /// Standard output failed.
    Output(io::Error),
}

impl Error {
    /// An error of usage: `name: reason`.
    pub fn usage(name: impl AsRef<OsStr>, reason: impl Display) -> Self {
        Error::Usage(message(name, reason))
    }

    /// Another failure: `name: reason`.
    pub fn failed(name: impl AsRef<OsStr>, reason: impl Display) -> Self {
        Error::Failed(message(name, reason))
    }

    /// The exit status.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_) => USAGE,
            Error::Failed(_) | Error::Output(_) => FAILURE,
        }
    }

    /// Writes the error to standard error. A closed standard output is not reported.
    pub fn report(&self) {
        match self {
            Error::Usage(message) | Error::Failed(message) => complain(message),
            Error::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Error::Output(error) => complain(&format!("write error: {}", reason(error))),
        }
    }
}

impl From<io::Error> for Error {
    /// For standard output only: the message for any other file must contain its name.
    fn from(error: io::Error) -> Self {
        Error::Output(error)
    }
}

/// `name: reason`, with the name quoted if it would be unclear or disturb a terminal.
pub fn message(name: impl AsRef<OsStr>, reason: impl Display) -> String {
    format!("{}: {reason}", quoted(name.as_ref()))
}

/// The name, quoted as for a shell if it has to be. No two names print the same bytes.
pub fn quoted(name: &OsStr) -> String {
    let quoted = name.maybe_quote().to_string();
    if quoted.chars().all(is_visible) {
        return quoted;
    }
    // It has characters that do not show, which `maybe_quote` leaves where they seem to be harmless.
    let show = |chunk: Utf8Chunk<'_>| {
        let text = chunk.valid().replace('\\', "\\\\").replace('\'', "\\'");
        visible(&text).into_owned() + &hex(chunk.invalid())
    };
    format!("$'{}'", name.as_encoded_bytes().utf8_chunks().map(show).collect::<String>())
}

/// Whether a message was lost.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes `keylane: message` to standard error, on one line. If that fails, only the exit status can report it.
pub fn complain(message: &str) {
    let line = format!("keylane: {}\n", visible(message));
    let written = streams::errors().and_then(|errors| errors.as_file().write_all(line.as_bytes()));
    if written.is_err() {
        LOST.store(true, Relaxed);
    }
}

/// Whether a message could not be written. Then nothing tells that all is well.
pub fn was_lost() -> bool {
    LOST.load(Relaxed)
}

/// The system's text for an error, without the number that Rust adds.
pub fn reason(error: &impl Display) -> String {
    let text = error.to_string();
    match text.rsplit_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
