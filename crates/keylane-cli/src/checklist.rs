//! The lines of a list of sums: how to write and read them.
//!
//! ```text
//! HEX  NAME
//! SipHash-2-4-128 (NAME) = HEX
//! ```
//!
//! If lines end with a newline, names are UTF-8. Other bytes are written as U+FFFD. A name with U+FFFD is
//! refused on reading, since it may stand for several files. In a line that begins with a backslash, `\\`,
//! `\n` and `\r` in the name stand for a backslash, a newline and a carriage return. If lines end with NUL,
//! names are the system's bytes, unchanged.

use crate::algorithm::{Prf, Tag};
use std::ffi::OsStr;
use std::io::{self, BufRead, Read};
use std::path::PathBuf;

/// A longer line is improper: no system has names this long.
const LIMIT: u64 = 64 * 1024;

/// The format of a list.
#[derive(Clone, Copy)]
pub struct Format {
    /// The algorithm of all lines.
    pub prf: Prf,
    /// Whether lines end with NUL.
    pub zero: bool,
}

/// What a line contains besides the tag.
#[derive(Clone, Copy)]
pub enum Style {
    /// `HEX  NAME`
    Plain,
    /// `SipHash-2-4-128 (NAME) = HEX`
    Tagged,
    /// `HEX`
    Nameless,
}

impl Format {
    /// One line, with its terminator.
    pub fn write(self, style: Style, name: &OsStr, tag: &Tag) -> Vec<u8> {
        let hex = tag.to_hex();
        let name = self.encode(name);
        let (escaped, name) = match escape(&name) {
            Some(escaped) if !self.zero => (&b"\\"[..], escaped),
            _ => (&b""[..], name),
        };
        let line = match style {
            Style::Plain => [escaped, hex.as_bytes(), b"  ", &name].concat(),
            Style::Tagged => {
                [escaped, format!("{} (", self.prf).as_bytes(), &name, b") = ", hex.as_bytes()].concat()
            }
            Style::Nameless => hex.into_bytes(),
        };
        [&line[..], &[self.end()]].concat()
    }

    /// Whether a line with this name can be checked.
    pub fn is_checkable(self, name: &OsStr) -> bool {
        is_unambiguous(&self.encode(name))
    }

    /// Reads lines.
    pub fn read<R: BufRead>(self, reader: R) -> Lines<R> {
        Lines { format: self, reader, done: false }
    }

    fn end(self) -> u8 {
        if self.zero { 0 } else { b'\n' }
    }

    /// A name as bytes, before escaping.
    fn encode(self, name: &OsStr) -> Vec<u8> {
        if self.zero {
            return name.as_encoded_bytes().to_vec();
        }
        let name = name.to_string_lossy();
        if cfg!(windows) { name.replace('\\', "/").into_bytes() } else { name.into_owned().into_bytes() }
    }

    /// Parses a line, given without its terminator.
    fn parse(self, line: &[u8]) -> Line {
        let line = if self.zero { line } else { line.strip_suffix(b"\r").unwrap_or(line) };
        if line.is_empty() || line.starts_with(b"#") {
            return Line::Blank;
        }
        self.parse_sum(line).unwrap_or(Line::Improper)
    }

    fn parse_sum(self, line: &[u8]) -> Option<Line> {
        let line = line.trim_ascii_start();
        let escaped = line.strip_prefix(b"\\").filter(|_| !self.zero);
        let (first, rest) = split(escaped.unwrap_or(line), b" ")?;
        let (algorithm, name, hex) = match rest {
            [b'(', rest @ ..] => {
                let (name, hex) = rsplit(rest, b") = ")?;
                (Some(first), name, hex)
            }
            // Other tools mark files read in binary mode with an asterisk.
            [b' ' | b'*', name @ ..] => (None, name, first),
            _ => return None,
        };
        let name = if escaped.is_some() { unescape(name)? } else { name.to_vec() };
        if name.is_empty() {
            return None;
        }
        let shown = || String::from_utf8_lossy(&name).into_owned();
        if algorithm.is_some_and(|algorithm| algorithm != self.prf.to_string().as_bytes()) {
            return Some(Line::OtherAlgorithm(shown()));
        }
        let tag = Tag::from_hex(hex, self.prf.tag_len())?;
        Some(match self.decode(&name) {
            Some(name) => Line::Sum(name, tag),
            None => Line::UnclearName(shown()),
        })
    }

    /// The one file that a name stands for.
    fn decode(self, name: &[u8]) -> Option<PathBuf> {
        if !is_unambiguous(name) || name.contains(&0) || (cfg!(windows) && name.contains(&b'\\')) {
            return None;
        }
        #[cfg(unix)]
        if self.zero {
            use std::os::unix::ffi::OsStrExt;
            return Some(OsStr::from_bytes(name).into());
        }
        str::from_utf8(name).ok().map(PathBuf::from)
    }
}

/// The meaning of a line.
pub enum Line {
    /// Nothing: the line is empty or a comment.
    Blank,
    /// The tag that the file should have.
    Sum(PathBuf, Tag),
    /// The line names another algorithm.
    OtherAlgorithm(String),
    /// A sum, but its name may stand for several files.
    UnclearName(String),
    /// Not a line of a list of sums.
    Improper,
}

/// The lines of a list, up to the first read error.
pub struct Lines<R> {
    format: Format,
    reader: R,
    done: bool,
}

impl<R: BufRead> Lines<R> {
    fn read(&mut self) -> io::Result<Option<Line>> {
        let end = self.format.end();
        let mut line = Vec::new();
        let len = self.reader.by_ref().take(LIMIT).read_until(end, &mut line)?;
        if line.last() == Some(&end) {
            line.pop();
        } else if len as u64 == LIMIT {
            self.reader.skip_until(end)?;
            return Ok(Some(Line::Improper));
        }
        Ok((len > 0).then(|| self.format.parse(&line)))
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let line = self.read().transpose();
        self.done = !matches!(line, Some(Ok(_)));
        line
    }
}

/// A name for the report of a check: one line per file. Only names with line breaks are escaped.
pub fn shown(name: &[u8]) -> Vec<u8> {
    match escape(name) {
        Some(escaped) if name.iter().any(|byte| matches!(byte, b'\n' | b'\r')) => {
            [b"\\", &escaped[..]].concat()
        }
        _ => name.to_vec(),
    }
}

/// The name with escapes, if it needs any.
fn escape(name: &[u8]) -> Option<Vec<u8>> {
    let escapes = |byte: &u8| match byte {
        b'\\' => br"\\".to_vec(),
        b'\n' => br"\n".to_vec(),
        b'\r' => br"\r".to_vec(),
        other => vec![*other],
    };
    name.iter()
        .any(|byte| matches!(byte, b'\\' | b'\n' | b'\r'))
        .then(|| name.iter().flat_map(escapes).collect())
}

/// The name without its escapes, if all of them are valid.
fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = name.iter();
    let mut unescaped = Vec::with_capacity(name.len());
    while let Some(&byte) = bytes.next() {
        unescaped.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            other => other,
        });
    }
    Some(unescaped)
}

/// Whether a name is free of U+FFFD.
fn is_unambiguous(name: &[u8]) -> bool {
    let mut replacement = [0; 3];
    let replacement = char::REPLACEMENT_CHARACTER.encode_utf8(&mut replacement).as_bytes();
    !name.windows(replacement.len()).any(|part| part == replacement)
}

/// The parts before and after the first `separator`.
fn split<'a>(line: &'a [u8], separator: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = line.windows(separator.len()).position(|part| part == separator)?;
    Some((line.get(..at)?, line.get(at + separator.len()..)?))
}

/// The parts before and after the last `separator`.
fn rsplit<'a>(line: &'a [u8], separator: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = line.windows(separator.len()).rposition(|part| part == separator)?;
    Some((line.get(..at)?, line.get(at + separator.len()..)?))
}
