//! Keys with names.

use crate::algorithm::Algorithm;
use keylane::siphash::{ContextError, Key};
use std::fmt::{self, Write};

/// A key for columns: a SipHash key with a name.
///
/// The name is for plans, logs and metadata; the key stays in the process. `Debug` shows the name and the check value.
/// Keys and subkeys are wiped when they are dropped.
///
/// ```
/// use keylane::siphash::Key;
/// use keylane_columns::ColumnKey;
///
/// let key = ColumnKey::new("users", Key::from_bytes([0; 16]));
/// assert_eq!(key.check(), "ae4845b5");
/// assert_eq!(format!("{key:?}"), r#"ColumnKey { name: "users", check: "ae4845b5" }"#);
///
/// // A key for each column: tags of two columns cannot be linked.
/// let email = key.derive("users.email")?;
/// assert_ne!(email.check(), key.check());
/// # Ok::<(), keylane::siphash::ContextError>(())
/// ```
#[derive(Clone)]
pub struct ColumnKey {
    name: String,
    /// The check value of the key that has the name.
    named: String,
    contexts: Vec<String>,
    key: Key,
}

impl ColumnKey {
    /// Gives a key a name.
    ///
    /// ```
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::ColumnKey;
    /// let key = ColumnKey::new("users", Key::from_bytes([7; 16]));
    /// assert_eq!(key.contexts(), [""; 0]);
    /// ```
    pub fn new(name: impl Into<String>, key: Key) -> ColumnKey {
        ColumnKey { name: name.into(), named: check(&key), contexts: Vec::new(), key }
    }

    /// The name.
    ///
    /// ```
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::ColumnKey;
    /// assert_eq!(ColumnKey::new("users", Key::from_bytes([7; 16])).name(), "users");
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The contexts by which this key was derived from the key of this name, in order.
    ///
    /// ```
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::ColumnKey;
    /// let key = ColumnKey::new("users", Key::from_bytes([7; 16]));
    /// assert_eq!(key.derive("2026")?.derive("email")?.contexts(), ["2026", "email"]);
    /// # Ok::<(), keylane::siphash::ContextError>(())
    /// ```
    pub fn contexts(&self) -> &[String] {
        &self.contexts
    }

    /// The check value of this key: 8 hexadecimal digits. Two people who see the same value hold the same key, except
    /// for one pair of keys in 2^32. It is public; keys must be random.
    ///
    /// ```
    /// # use keylane::siphash::Key;
    /// # use keylane_columns::ColumnKey;
    /// assert_eq!(ColumnKey::new("users", Key::from_bytes([0; 16])).check(), "ae4845b5");
    /// ```
    pub fn check(&self) -> String {
        check(&self.key)
    }

    /// The subkey for a context. It has the same name.
    ///
    /// # Errors
    /// [`ContextError`]: the context has no bytes, or more than 255, or begins with `KCE-`.
    ///
    /// ```
    /// use keylane::siphash::{ContextError, Key};
    /// use keylane_columns::ColumnKey;
    ///
    /// let key = ColumnKey::new("users", Key::from_bytes([7; 16]));
    /// assert_eq!(key.derive("users.email")?.contexts(), ["users.email"]);
    /// assert_eq!(key.derive("").unwrap_err(), ContextError::Length { bytes: 0 });
    /// assert_eq!(key.derive("KCE-1 row").unwrap_err(), ContextError::Reserved);
    /// # Ok::<(), ContextError>(())
    /// ```
    pub fn derive(&self, context: &str) -> Result<ColumnKey, ContextError> {
        let key = self.key.derive(context)?;
        let mut contexts = self.contexts.clone();
        contexts.push(context.into());
        Ok(ColumnKey { name: self.name.clone(), named: self.named.clone(), contexts, key })
    }

    /// The key itself, which hashes plain columns.
    ///
    /// ```
    /// use keylane::siphash::{Key, SipHash24};
    /// use keylane_columns::ColumnKey;
    ///
    /// let email = ColumnKey::new("users", Key::from_bytes([7; 16])).derive("users.email")?;
    /// let tag = SipHash24::new(email.key()).hash(b"a@example.com");
    /// # let _ = tag;
    /// # Ok::<(), keylane::siphash::ContextError>(())
    /// ```
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The line that says what a column of tags is.
    pub(crate) fn metadata(&self, algorithm: Algorithm, mode: Mode) -> String {
        let mut line = format!("KCE-1; {algorithm}; {mode}; key=");
        escape(&self.name, &mut line);
        line += "; check=";
        line += &self.named;
        for context in &self.contexts {
            line += "; context=";
            escape(context, &mut line);
        }
        line
    }
}

impl fmt::Debug for ColumnKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ColumnKey").field("name", &self.name).field("check", &self.check()).finish()
    }
}

/// Whether tags are those of one column's values, or those of rows.
///
/// ```
/// assert_eq!(keylane_columns::Mode::Plain.to_string(), "plain");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// One column.
    Plain,
    /// Several columns, or nested values.
    Row,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mode::Plain => "plain",
            Mode::Row => "row",
        })
    }
}

fn check(key: &Key) -> String {
    format!("{:08x}", u32::from_be_bytes(key.check()))
}

/// Appends `text` with every byte as `%XX` but letters, digits and `-._~`.
fn escape(text: &str, line: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            line.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(line, "%{byte:02X}");
        }
    }
}
