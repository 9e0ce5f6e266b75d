//! The end of a file, which is held back until the library has written it: it is changed before it goes out.

use std::io::{self, Write};
use std::mem;

/// Passes on what is written, and holds back all from some point on.
pub struct Tail<W> {
    pub inner: W,
    held: Option<Vec<u8>>,
}

impl<W> Tail<W> {
    /// Passes all on.
    pub fn new(inner: W) -> Tail<W> {
        Tail { inner, held: None }
    }

    /// Holds back what comes from here on.
    pub fn hold(&mut self) {
        self.held = Some(Vec::new());
    }

    /// What was held back. What comes from here on is passed on.
    pub fn take(&mut self) -> Vec<u8> {
        mem::take(&mut self.held).unwrap_or_default()
    }
}

impl<W: Write> Write for Tail<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.held {
            Some(held) => held.write(bytes),
            None => self.inner.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
