//! Keys under names: plans hold a name, processes hold the keys.

use crate::key::ColumnKey;
use keylane::siphash::{ContextError, Key, SipHashX24, check_context};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// The environment variable that names the folder of key files.
///
/// ```
/// assert_eq!(keylane_columns::KEY_DIR, "KEYLANE_KEY_DIR");
/// ```
pub const KEY_DIR: &str = "KEYLANE_KEY_DIR";

/// More bytes than any key has in any format. Reading stops there.
const LIMIT: u64 = 1024;

/// So many hexadecimal digits after each other may be a key.
const MANY_DIGITS: usize = 24;

/// From this length on, text with capitals may be a key in base64 or base32.
const LONG_NAME: usize = 20;

const NO_NAME: &str = "the name of a key has 1 to 64 letters and digits of ASCII, \".\", \"_\" and \"-\", and does not \
                       begin with \".\"; this one is not shown, since it may be a key";
const A_KEY: &str = "this looks like a key, not like the name of one, and is not shown; a name has fewer than 24 \
                     hexadecimal digits in a row, and one of 20 characters or more has no capitals";

/// The keys that a process knows by their names.
///
/// A name, once bound, is never bound to another key: an expression that holds a name means one thing. A name that is not
/// bound is that of a file in the folder `$KEYLANE_KEY_DIR`. Whatever may be a key itself is refused as a name, and no
/// error shows it.
///
/// ```
/// use keylane::siphash::Key;
/// use keylane_columns::{ColumnKey, KeyError, KeyRegistry};
///
/// static KEYS: KeyRegistry = KeyRegistry::new();
/// KEYS.bind(ColumnKey::new("users-2026", Key::from_bytes([7; 16])))?;
/// assert_eq!(KEYS.find("users-2026")?.key.name(), "users-2026");
/// assert_eq!(KEYS.find("users-2026/users.email")?.key.contexts(), ["users.email"]);
///
/// let other = ColumnKey::new("users-2026", Key::from_bytes([8; 16]));
/// assert_eq!(KEYS.bind(other), Err(KeyError::Bound { name: "users-2026".into() }));
/// # Ok::<(), KeyError>(())
/// ```
#[derive(Debug, Default)]
pub struct KeyRegistry(Mutex<BTreeMap<String, ColumnKey>>);

/// A key, and the rights of the file that it was read from.
///
/// ```no_run
/// use keylane_columns::NamedKey;
///
/// let found = NamedKey::read("users-2026", "/etc/keys/users-2026".as_ref())?;
/// assert_eq!(found.others, None, "other users may read or change the key");
/// # Ok::<(), keylane_columns::KeyFileError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NamedKey {
    /// The key.
    pub key: ColumnKey,
    /// The mode of the file that was read now, if users other than its owner may read or write it.
    pub others: Option<u32>,
}

/// Why a name gives no key. No error shows a key.
///
/// ```
/// use keylane_columns::{KeyError, KeyRegistry};
///
/// let key = "000102030405060708090a0b0c0d0e0f";
/// let refused = KeyRegistry::new().find(key).unwrap_err();
/// assert!(matches!(refused, KeyError::Name { .. }) && !refused.to_string().contains(key));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The text is not the name of a key. It may be a key, and is not shown.
    Name {
        /// What is wrong.
        reason: &'static str,
    },
    /// The context of a subkey is refused: what is wrong.
    Context(ContextError),
    /// The name is bound to another key.
    Bound {
        /// The name.
        name: String,
    },
    /// No key is loaded under this name, and none is found in the folder.
    Unknown {
        /// The name.
        name: String,
        /// Why the folder has none, or that no folder is named.
        reason: String,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Name { reason } => f.write_str(reason),
            KeyError::Context(fault) => fault.fmt(f),
            KeyError::Bound { name } => write!(f, "the name {name:?} is bound to another key"),
            KeyError::Unknown { name, reason } => {
                write!(f, "no key is loaded under the name {name:?}, and {reason}")
            }
        }
    }
}

impl std::error::Error for KeyError {}

impl From<ContextError> for KeyError {
    fn from(fault: ContextError) -> Self {
        KeyError::Context(fault)
    }
}

/// Why a file or other bytes are no key. Neither the path nor the bytes are shown.
///
/// ```
/// assert_eq!(
///     keylane_columns::parse_key(b"no key").unwrap_err().to_string(),
///     "expected 32 hexadecimal digits or 16 other bytes, found 6 bytes"
/// );
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum KeyFileError {
    /// The system does not let the file be read.
    Io(io::Error),
    /// The file is a folder, a pipe or a device.
    NotRegular,
    /// The bytes are no key.
    Content {
        /// How many bytes there are, up to 1024.
        bytes: usize,
    },
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyFileError::Io(error) => write!(f, "the file of a key: {}", error.kind()),
            KeyFileError::NotRegular => f.write_str("the file of a key is a regular file"),
            KeyFileError::Content { bytes } => {
                write!(f, "expected 32 hexadecimal digits or 16 other bytes, found {bytes} bytes")
            }
        }
    }
}

impl std::error::Error for KeyFileError {}

impl KeyRegistry {
    /// A registry without keys.
    ///
    /// ```
    /// # use keylane_columns::KeyRegistry;
    /// static KEYS: KeyRegistry = KeyRegistry::new();
    /// assert!(KEYS.bound("users").is_none());
    /// ```
    pub const fn new() -> KeyRegistry {
        KeyRegistry(Mutex::new(BTreeMap::new()))
    }

    /// Binds the name of a key to it.
    ///
    /// # Errors
    /// * [`KeyError::Name`]: the name may be a key, or is no name.
    /// * [`KeyError::Bound`]: the name is bound to another key.
    ///
    /// ```
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::{ColumnKey, KeyRegistry};
    /// let (keys, key) = (KeyRegistry::new(), ColumnKey::new("users", Key::from_bytes([7; 16])));
    /// keys.bind(key.clone())?;
    /// keys.bind(key)?;
    /// # Ok::<(), keylane_columns::KeyError>(())
    /// ```
    pub fn bind(&self, key: ColumnKey) -> Result<(), KeyError> {
        check_name(key.name())?;
        let mut keys = self.keys();
        match keys.get(key.name()) {
            Some(bound) if !same_key(bound.key(), key.key()) => {
                Err(KeyError::Bound { name: key.name().into() })
            }
            Some(_) => Ok(()),
            None => {
                keys.insert(key.name().into(), key);
                Ok(())
            }
        }
    }

    /// The key that is bound to a name.
    ///
    /// ```
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::{ColumnKey, KeyRegistry};
    /// let keys = KeyRegistry::new();
    /// keys.bind(ColumnKey::new("users", Key::from_bytes([7; 16])))?;
    /// assert!(keys.bound("users").is_some());
    /// # Ok::<(), keylane_columns::KeyError>(())
    /// ```
    pub fn bound(&self, name: &str) -> Option<ColumnKey> {
        self.keys().get(name).cloned()
    }

    /// The key of a name, or the subkey of `NAME/CONTEXT`. A name that is not bound is bound to the key in the file of
    /// this name in `$KEYLANE_KEY_DIR`. No name leads to another folder.
    ///
    /// # Errors
    /// * [`KeyError::Name`], [`KeyError::Context`]: the text may be a key, or is no name.
    /// * [`KeyError::Unknown`]: there is no such key.
    /// * [`KeyError::Bound`]: another thread has bound the name to another key meanwhile.
    ///
    /// ```
    /// # use keylane_columns::{KeyError, KeyRegistry};
    /// let unknown = KeyRegistry::new().find("nobody").unwrap_err();
    /// assert!(unknown.to_string().starts_with("no key is loaded under the name \"nobody\""));
    /// ```
    pub fn find(&self, text: &str) -> Result<NamedKey, KeyError> {
        let (name, context) = split_name(text)?;
        let found = match self.bound(name) {
            Some(key) => NamedKey { key, others: None },
            None => self.read_folder(name)?,
        };
        let Some(context) = context else { return Ok(found) };
        let key = found.key.derive(context)?;
        Ok(NamedKey { key, ..found })
    }

    fn read_folder(&self, name: &str) -> Result<NamedKey, KeyError> {
        let unknown = |reason: String| KeyError::Unknown { name: name.into(), reason };
        // An empty path would be the folder in which the process happens to run.
        let folder = std::env::var_os(KEY_DIR).filter(|folder| !folder.is_empty());
        let folder = folder.ok_or_else(|| unknown(format!("${KEY_DIR} is not set")))?;
        let found = NamedKey::read(name, &Path::new(&folder).join(name)).map_err(|error| match error {
            KeyFileError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                unknown(format!("${KEY_DIR} has no such file"))
            }
            KeyFileError::Io(error) => unknown(format!("its file cannot be read: {}", error.kind())),
            KeyFileError::NotRegular => unknown(format!("${KEY_DIR} has no regular file of this name")),
            KeyFileError::Content { .. } => unknown(format!("its file is no key: {error}")),
        })?;
        // Another thread may have bound the name meanwhile.
        self.bind(found.key.clone())?;
        Ok(found)
    }

    /// Nothing panics while it holds the lock.
    fn keys(&self) -> MutexGuard<'_, BTreeMap<String, ColumnKey>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NamedKey {
    /// Reads a key from a regular file: 32 hexadecimal digits, with or without an end of line, or 16 bytes.
    ///
    /// # Errors
    /// [`KeyFileError`]: the file cannot be read, or has no key.
    ///
    /// ```
    /// # use keylane_columns::{KeyFileError, NamedKey};
    /// assert!(matches!(NamedKey::read("users", ".".as_ref()), Err(KeyFileError::NotRegular)));
    /// ```
    pub fn read(name: &str, path: &Path) -> Result<NamedKey, KeyFileError> {
        // Whatever is no regular file is refused before it is opened, since opening a pipe waits.
        regular(&std::fs::metadata(path).map_err(KeyFileError::Io)?)?;
        let file = File::open(path).map_err(KeyFileError::Io)?;
        let metadata = file.metadata().map_err(KeyFileError::Io)?;
        regular(&metadata)?;
        // Enough room from the start, so that no copy stays behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(LIMIT as usize));
        file.take(LIMIT).read_to_end(&mut bytes).map_err(KeyFileError::Io)?;
        Ok(NamedKey { key: ColumnKey::new(name, parse_key(&bytes)?), others: others(&metadata) })
    }
}

fn regular(metadata: &Metadata) -> Result<(), KeyFileError> {
    if metadata.is_file() { Ok(()) } else { Err(KeyFileError::NotRegular) }
}

/// The rights of a file, if users other than the owner can read or write it.
#[cfg(unix)]
fn others(metadata: &Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    Some(metadata.mode() & 0o777).filter(|mode| mode & 0o066 != 0)
}

#[cfg(not(unix))]
fn others(_: &Metadata) -> Option<u32> {
    None
}

/// Refuses what is not the name of a key, or may be a key itself.
///
/// # Errors
/// [`KeyError::Name`].
///
/// ```
/// assert!(keylane_columns::check_name("users-2026").is_ok());
/// assert!(keylane_columns::check_name("0001-0203-0405-0607-0809-0a0b").is_err());
/// ```
pub fn check_name(name: &str) -> Result<(), KeyError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if !(1..=64).contains(&name.len()) || name.starts_with('.') || !name.bytes().all(allowed) {
        return Err(KeyError::Name { reason: NO_NAME });
    }
    let base64 = name.len() >= LONG_NAME && name.bytes().any(|byte| byte.is_ascii_uppercase());
    if base64 || has_many_digits(name, b"-._") { Err(KeyError::Name { reason: A_KEY }) } else { Ok(()) }
}

/// The parts of `NAME` or `NAME/CONTEXT`. A context may have further `/`.
///
/// # Errors
/// [`KeyError::Name`], [`KeyError::Context`]: one of the parts is refused, or both together may be a key.
///
/// ```
/// use keylane_columns::split_name;
///
/// assert_eq!(split_name("users-2026/users.email"), Ok(("users-2026", Some("users.email"))));
/// assert_eq!(split_name("users-2026"), Ok(("users-2026", None)));
/// assert!(split_name("AAECAwQFBgcICQo/DA0ODw==").is_err());
/// ```
pub fn split_name(text: &str) -> Result<(&str, Option<&str>), KeyError> {
    let Some((name, context)) = text.split_once('/') else {
        check_name(text)?;
        return Ok((text, None));
    };
    let digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let base64 = text.len() >= LONG_NAME
        && text.bytes().all(digit)
        && text.bytes().any(|byte| byte.is_ascii_uppercase());
    if base64 || has_many_digits(text, b"-._/: ") {
        return Err(KeyError::Name { reason: A_KEY });
    }
    check_name(name)?;
    check_context(context)?;
    Ok((name, Some(context)))
}

/// Whether so many hexadecimal digits follow each other that they may be a key, with or without separators.
fn has_many_digits(text: &str, separators: &[u8]) -> bool {
    let mut run = 0;
    text.bytes().filter(|byte| !separators.contains(byte)).any(|byte| {
        run = if byte.is_ascii_hexdigit() { run + 1 } else { 0 };
        run >= MANY_DIGITS
    })
}

/// A key from 32 hexadecimal digits, with or without an end of line, or from 16 bytes.
///
/// # Errors
/// [`KeyFileError::Content`]: the bytes are neither.
///
/// ```
/// let key = keylane_columns::parse_key(b"000102030405060708090a0b0c0d0e0f\n")?;
/// # let _ = key;
/// # Ok::<(), keylane_columns::KeyFileError>(())
/// ```
pub fn parse_key(found: &[u8]) -> Result<Key, KeyFileError> {
    let line = found.strip_suffix(b"\n");
    let line = line.map_or(found, |line| line.strip_suffix(b"\r").unwrap_or(line));
    let hex = !line.is_empty() && line.iter().all(u8::is_ascii_hexdigit);
    if let Ok(bytes) = <[u8; 16]>::try_from(found)
        && !hex
    {
        return Ok(Key::from_bytes(*Zeroizing::new(bytes)));
    }
    let wrong = || KeyFileError::Content { bytes: found.len() };
    if !hex || line.len() != 32 {
        return Err(wrong());
    }
    let mut bytes = Zeroizing::new([0; 16]);
    for (byte, pair) in bytes.iter_mut().zip(line.chunks_exact(2)) {
        let &[high, low] = pair else { return Err(wrong()) };
        *byte = digit(high) << 4 | digit(low);
    }
    Ok(Key::from_bytes(*bytes))
}

/// The value of a hexadecimal digit. No table is read, and nothing branches on it.
fn digit(digit: u8) -> u8 {
    (digit & 15) + 9 * (digit >> 6)
}

/// Whether two keys are the same one. The time does not depend on where they differ.
///
/// ```
/// # use keylane::siphash::Key;
/// assert!(keylane_columns::same_key(&Key::from_bytes([7; 16]), &Key::from_bytes([7; 16])));
/// ```
pub fn same_key(one: &Key, other: &Key) -> bool {
    let tag = SipHashX24::new(other).hash(b"");
    SipHashX24::new(one).verify(b"", tag).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_no_names() {
        let hex = "000102030405060708090a0b0c0d0e0f";
        let spaced: Vec<&str> = (0..32).step_by(2).map(|at| &hex[at..at + 2]).collect();
        let texts = [
            hex.to_owned(),
            hex.to_uppercase(),
            format!("users/{hex}"),
            format!("{}/{}", &hex[..8], &hex[8..]),
            spaced.join("/"),
            spaced.join(":"),
            "AAECAwQFBgcICQoLDA0ODw==".into(),
            "AAECAwQFBgcICQoLDA0ODw".into(),
            "AAECAw/FBgcICQoLDA0ODw==".into(),
            "AAEC+w/FBgcICQoLDA0ODw==".into(),
            "0123456789abcde\u{e9}".into(),
            "a b".into(),
            "../users".into(),
            String::new(),
            "/".into(),
        ];
        for text in texts {
            let refused = KeyRegistry::new().find(&text).unwrap_err();
            assert!(matches!(refused, KeyError::Name { .. }), "{text}: {refused:?}");
            assert!(text.len() < 4 || !refused.to_string().contains(&text));
        }
    }

    /// What the command and the Java library say of the same bytes.
    #[test]
    fn lines_end_with_a_line_feed() {
        let hex = "000102030405060708090a0b0c0d0e0f";
        for end in ["", "\n", "\r\n"] {
            assert!(parse_key(format!("{hex}{end}").as_bytes()).is_ok(), "{end:?}");
        }
        for text in [format!("{hex}\r"), format!("{hex}\n\n"), format!("{}\n", &hex[..15]), hex[..16].into()]
        {
            assert!(parse_key(text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(parse_key(b"fedcba987654321\r").is_ok());
    }

    #[test]
    fn names_may_have_contexts() {
        for text in ["users-2026/Users.EmailAddress", "users/a/b", "u/\u{e9}", "a/0123456789abcdef"] {
            assert!(split_name(text).is_ok(), "{text}");
        }
        for text in ["users/", "users/KCE-1 row"] {
            assert!(matches!(split_name(text), Err(KeyError::Context { .. })), "{text}");
        }
        let long = format!("users/{}", "x".repeat(256));
        assert!(matches!(split_name(&long), Err(KeyError::Context { .. })));
    }
}
