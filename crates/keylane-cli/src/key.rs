//! Where keys come from, and which bytes are accepted as a key.

use crate::algorithm::{Algorithm, Hasher, Prepared, Prf, Word};
use crate::args::{KeyArgs, KeyFormat, KeyPlace};
use crate::error::{Error, complain, message, quoted, reason};
use crate::input::{IsTheOutput, is_stdin};
use crate::stack::overwritten;
use crate::streams;
use keylane::poly1305::{OneTimeKey, Poly1305};
use keylane::{halfsiphash, siphash};
use same_file::Handle;
use std::fmt::Display;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::slice::from_mut;
use zeroize::Zeroizing;

/// More bytes than any key has in any format. Reading stops there.
const LIMIT: usize = 1024;

/// The bytes of a key. In a box, they are moved without a copy that stays behind.
pub type Secret<const N: usize> = Box<Zeroizing<[u8; N]>>;

/// A place to read a key from, opened but not yet read.
pub struct KeySource {
    /// Its name in errors, quoted as needed.
    name: String,
    format: KeyFormat,
    origin: Origin,
}

enum Origin {
    File(Handle),
    Variable(Zeroizing<Vec<u8>>),
}

impl KeySource {
    /// Opens the place that the options name. Warns if other users have rights to the key's file, unless `quiet`.
    pub fn open(args: &KeyArgs, quiet: bool) -> Result<Self, Error> {
        let KeyArgs { place, key_format: format } = args;
        let (name, origin) = if let Some(path) = &place.key_file {
            let file = open_file(path).map_err(|error| match path.symlink_metadata() {
                _ if is_stdin(path) => Error::usage("--key-file", reason(&error)),
                Ok(_) => Error::usage(path, reason(&error)),
                // Only a name that exists is repeated. Any other may be a key.
                Err(_) => {
                    Error::usage("--key-file", format_args!("{}; the name {NOT_SHOWN}", reason(&error)))
                }
            })?;
            if !quiet && !is_stdin(path) {
                warn_of_rights(path, &file);
            }
            (quoted(path.as_os_str()), Origin::File(file))
        } else if let Some(variable) = &place.key_env {
            let value = std::env::var_os(variable).ok_or_else(|| {
                Error::usage("--key-env", format_args!("no such environment variable; the name {NOT_SHOWN}"))
            })?;
            (quoted(variable), Origin::Variable(Zeroizing::new(value.into_encoded_bytes())))
        } else {
            open_descriptor(place)?
        };
        if matches!(&origin, Origin::File(key) if streams::files().contains(key)) {
            return Err(Error::Usage(format!("{name}: {IsTheOutput}")));
        }
        Ok(KeySource { name, format: *format, origin })
    }

    /// Refuses to read the key from standard input if a message or list comes from there too.
    pub fn refuse_stdin<'a>(&self, names: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Error> {
        if let Origin::File(key) = &self.origin
            && names.into_iter().any(|name| is_stdin(name))
            && Handle::stdin().is_ok_and(|stdin| stdin == *key)
        {
            return Err(Error::usage("-", "standard input cannot be both the key and a FILE"));
        }
        Ok(())
    }

    /// The file the key was read from, unless it was the environment.
    pub fn into_handle(self) -> Option<Handle> {
        match self.origin {
            Origin::File(handle) => Some(handle),
            Origin::Variable(_) => None,
        }
    }

    /// Reads the key.
    pub fn read<const N: usize>(&self, algorithm: impl Display) -> Result<Secret<N>, Error> {
        let found = match &self.origin {
            Origin::File(handle) => {
                &read_bounded(handle.as_file()).map_err(|error| self.error(reason(&error)))?
            }
            Origin::Variable(value) => value,
        };
        let key = match self.format {
            KeyFormat::Hex => from_hex(found),
            KeyFormat::Raw => from_raw(found),
        };
        key.map_err(|reason| self.error(format_args!("not a key for {algorithm}: {reason}")))
    }

    /// Reads the key and prepares it. No other copy of the key remains.
    pub fn prepare(&self, prf: Prf) -> Result<Prepared, Error> {
        overwritten(|| {
            Ok(match prf.word() {
                Word::Bits64 => prf.prepare(&siphash::Key::from_bytes(**self.read(prf)?)),
                Word::Bits32 => prf.prepare_half(&halfsiphash::Key::from_bytes(**self.read(prf)?)),
            })
        })
    }

    /// Reads the key and begins the one message. No other copy of the key remains.
    pub fn hasher(&self, algorithm: Algorithm) -> Result<Hasher, Error> {
        overwritten(|| match algorithm {
            Algorithm::Prf(prf) => self.prepare(prf).map(|prepared| prepared.hasher()),
            Algorithm::Poly1305 => {
                let key = OneTimeKey::from_bytes(**self.read(algorithm)?);
                Ok(Hasher::Poly1305(Box::new(Poly1305::new(key))))
            }
        })
    }

    fn error(&self, reason: impl Display) -> Error {
        Error::Usage(format!("{}: {reason}", self.name))
    }
}

/// Why an error does not repeat a name.
const NOT_SHOWN: &str = "is not shown, since it may be a key; a key is never an argument";

/// Whether an argument may be a key, in any encoding. It is as long as the shortest key, and is not made of small
/// letters like the name of an option. An algorithm's name, right or wrong, is none.
pub fn may_be_key(argument: &str) -> bool {
    let is_word = argument.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'-'));
    let is_algorithm = ["siphash-", "halfsiphash-", "poly"].into_iter().any(|family| {
        let lower = argument.to_ascii_lowercase();
        let rounds = lower.strip_prefix(family);
        rounds.is_some_and(|rounds| {
            rounds.len() <= 7 && rounds.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        })
    });
    argument.len() >= 8 && !is_word && !is_algorithm
}

/// Warns if users other than the owner can read or write a key's file.
#[cfg(unix)]
fn warn_of_rights(path: &Path, file: &Handle) {
    use std::os::unix::fs::MetadataExt;
    let Ok(metadata) = file.as_file().metadata() else { return };
    let mode = metadata.mode() & 0o777;
    if metadata.is_file() && mode & 0o066 != 0 {
        let warning =
            format!("warning: other users may read or change the key: its mode is {mode:o}, not 600");
        complain(&message(path, warning));
    }
}

#[cfg(not(unix))]
fn warn_of_rights(_: &Path, _: &Handle) {}

fn open_file(path: &Path) -> io::Result<Handle> {
    // Both give a file without a buffer: a buffer would keep key bytes.
    if is_stdin(path) { streams::input() } else { File::open(path).and_then(Handle::from_file) }
}

/// An inherited descriptor, duplicated. Opening `/dev/fd/N` instead would need the permission to open the
/// file, which a process that has dropped its privileges no longer has.
#[cfg(unix)]
fn open_descriptor(place: &KeyPlace) -> Result<(String, Origin), Error> {
    use filedescriptor::FileDescriptor;
    let number = place.key_fd.ok_or_else(no_key)?;
    let name = format!("descriptor {number}");
    let file = FileDescriptor::dup(&number).and_then(|descriptor| descriptor.as_file());
    let file = file.map_err(|error| match error {
        filedescriptor::Error::Dup { source, .. } => source,
        other => io::Error::other(other),
    });
    match file.and_then(Handle::from_file) {
        Ok(file) => Ok((name, Origin::File(file))),
        Err(error) => Err(Error::Usage(format!("{name}: {}", reason(&error)))),
    }
}

#[cfg(not(unix))]
fn open_descriptor(_: &KeyPlace) -> Result<(String, Origin), Error> {
    Err(no_key())
}

/// Not reached: the command line requires a key.
fn no_key() -> Error {
    Error::Usage("no key".to_owned())
}

/// The whole file, or one byte more than the limit if it is longer.
fn read_bounded(file: &File) -> io::Result<Zeroizing<Vec<u8>>> {
    // The capacity suffices for all of it: a vector that grows leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(2 * LIMIT));
    file.take(LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A key from hex digits, optionally followed by one newline.
pub fn from_hex<const N: usize>(found: &[u8]) -> Result<Secret<N>, String> {
    let digits = without_newline(found);
    let expected = 2 * N;
    if !is_hex(digits) {
        let hint = if found.len() == N { " (--key-format raw takes raw bytes)" } else { "" };
        return Err(format!(
            "expected {expected} hex digits, found {} that are not all hex digits{hint}",
            count(found.len(), "byte")
        ));
    }
    if digits.len() != expected {
        return Err(format!("expected {expected} hex digits, found {}", count(digits.len(), "hex digit")));
    }
    let mut key = Secret::new([0; N].into());
    for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
        // One at a time: in a vector, the whole key would stay in a register, which is saved to the stack later.
        let decoded = base16ct::mixed::decode(black_box(pair), from_mut(byte));
        decoded.map_err(|error| error.to_string())?;
    }
    Ok(key)
}

/// A key from exactly its bytes. Hex digits are refused: as raw bytes they would be a key with half the bits.
/// The same file without `--key-format raw` would give another key.
pub fn from_raw<const N: usize>(found: &[u8]) -> Result<Secret<N>, String> {
    let digits = without_newline(found);
    if !digits.is_empty() && is_hex(digits) {
        return Err(format!(
            "{} only, which is a key in hex: leave out --key-format raw",
            count(digits.len(), "hex digit")
        ));
    }
    if found.len() != N {
        return Err(format!("expected {N} bytes, found {}", count(found.len(), "byte")));
    }
    let mut key = Secret::new([0; N].into());
    key.copy_from_slice(found);
    Ok(key)
}

fn without_newline(bytes: &[u8]) -> &[u8] {
    let line = bytes.strip_suffix(b"\n");
    line.map_or(bytes, |line| line.strip_suffix(b"\r").unwrap_or(line))
}

fn is_hex(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_hexdigit)
}

/// `1 byte`, `2 bytes`. A longer input is only known to exceed the limit.
fn count(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n if n > LIMIT => format!("more than {LIMIT} {what}s"),
        n => format!("{n} {what}s"),
    }
}
