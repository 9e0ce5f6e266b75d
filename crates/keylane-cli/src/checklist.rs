//! The lines of a list of sums: how to write and read them.
//!
//! ```text
//! HEX  NAME
//! SipHash-2-4-128 (NAME) = HEX
//! ```
//!
//! If lines end with a newline, a line that was written is UTF-8, and all of its characters show. A line that begins
//! with a backslash has escapes in its name. `\\`, `\n` and `\r` stand for a backslash, a newline and a
//! carriage return, and `\xHH` for a byte that cannot be shown. If lines end with NUL, names are the system's
//! bytes, unchanged.

use crate::algorithm::{Prf, Tag};
use crate::visible::{hex, is_visible};
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
        let name = encode(name);
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

    /// Reads lines.
    pub fn read<R: BufRead>(self, reader: R) -> Lines<R> {
        Lines { format: self, reader, done: false }
    }

    fn end(self) -> u8 {
        if self.zero { 0 } else { b'\n' }
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
        if algorithm.is_some_and(|algorithm| algorithm != self.prf.to_string().as_bytes()) {
            return Some(Line::OtherAlgorithm(name));
        }
        let tag = Tag::from_hex(hex, self.prf.tag_len())?;
        Some(match decode(&name) {
            Some(path) => Line::Sum(path, tag),
            None => Line::ImpossibleName(name),
        })
    }
}

/// The meaning of a line.
pub enum Line {
    /// Nothing: the line is empty or a comment.
    Blank,
    /// The tag that the file should have.
    Sum(PathBuf, Tag),
    /// The line names another algorithm.
    OtherAlgorithm(Vec<u8>),
    /// A sum, but no file on this system can have the name.
    ImpossibleName(Vec<u8>),
    /// Not a line of a list of sums.
    Improper,
    /// The list ends before this line does. Part of the line may be missing, and more lines after it.
    Cut,
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
        let mut too_long = false;
        loop {
            line.clear();
            let len = self.reader.by_ref().take(LIMIT).read_until(end, &mut line)?;
            if line.pop_if(|last| *last == end).is_some() {
                return Ok(Some(if too_long { Line::Improper } else { self.format.parse(&line) }));
            }
            if (len as u64) < LIMIT {
                return Ok((len > 0 || too_long).then_some(Line::Cut));
            }
            too_long = true;
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let line = self.read().transpose();
        self.done = matches!(line, None | Some(Err(_) | Ok(Line::Cut)));
        line
    }
}

/// A name for the report of a check, written as in a list whose lines end with a newline.
pub fn shown(name: &[u8]) -> Vec<u8> {
    match escape(name) {
        Some(escaped) => [b"\\", &escaped[..]].concat(),
        None => name.to_vec(),
    }
}

/// Whether a list names exactly this file. Systems other than Unix have names without bytes of their own: if
/// such a name is not Unicode, it is written with U+FFFD.
pub fn is_faithful(name: &OsStr) -> bool {
    cfg!(unix) || name.to_str().is_some()
}

/// A name as bytes, before escaping.
#[cfg(unix)]
fn encode(name: &OsStr) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(name).to_vec()
}

/// A name as bytes, before escaping.
#[cfg(not(unix))]
fn encode(name: &OsStr) -> Vec<u8> {
    let name = name.to_string_lossy();
    if cfg!(windows) { name.replace('\\', "/").into_bytes() } else { name.into_owned().into_bytes() }
}

/// The file that a name stands for.
#[cfg(unix)]
fn decode(name: &[u8]) -> Option<PathBuf> {
    let path: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(name);
    (!name.contains(&0)).then(|| path.into())
}

/// The file that a name stands for.
#[cfg(not(unix))]
fn decode(name: &[u8]) -> Option<PathBuf> {
    let possible = !name.contains(&0) && !(cfg!(windows) && name.contains(&b'\\'));
    str::from_utf8(name).ok().filter(|_| possible).map(PathBuf::from)
}

/// The name with escapes, if it needs any.
fn escape(name: &[u8]) -> Option<Vec<u8>> {
    // Most names.
    if name.iter().all(|byte| matches!(byte, b' '..=b'~') && *byte != b'\\') {
        return None;
    }
    let mut escaped = Vec::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        for char in chunk.valid().chars() {
            let mut utf8 = [0; 4];
            let utf8 = char.encode_utf8(&mut utf8).as_bytes();
            match char {
                '\\' => escaped.extend(br"\\"),
                '\n' => escaped.extend(br"\n"),
                '\r' => escaped.extend(br"\r"),
                _ if is_visible(char) => escaped.extend(utf8),
                _ => escaped.extend(hex(utf8).as_bytes()),
            }
        }
        escaped.extend(hex(chunk.invalid()).as_bytes());
    }
    (escaped != name).then_some(escaped)
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
                b'x' => {
                    let digits = [*bytes.next()?, *bytes.next()?];
                    let byte = base16ct::mixed::decode_vec(digits).ok()?.pop()?;
                    // What can be shown has no second spelling.
                    (!matches!(byte, b' '..=b'~')).then_some(byte)?
                }
                _ => return None,
            },
            other => other,
        });
    }
    Some(unescaped)
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
