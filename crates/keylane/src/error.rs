//! What can go wrong in a call: little, and nothing is written then, but for zeros where an iterator of keys has lied.

use core::fmt;

/// The tag is not the message's tag under this key.
///
/// It says no more on purpose: not which byte differs, and not the right tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagMismatch;

impl fmt::Display for TagMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tag does not match")
    }
}

impl core::error::Error for TagMismatch {}

/// Why a batch was refused. All checks are made before anything is written; keys that end before the length that
/// their iterator stated can only be seen afterwards, and then nothing but zeros is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// There are not as many places for tags as messages.
    Count {
        /// Messages given.
        messages: usize,
        /// Places for tags given.
        tags: usize,
    },
    /// There are not as many keys as messages.
    Keys {
        /// Keys given.
        keys: usize,
        /// Messages given.
        messages: usize,
    },
    /// An offset is negative, below the one before it, or beyond the bytes.
    Offsets {
        /// The first such offset.
        index: usize,
    },
    /// The bytes are not `rows` rows of `width` bytes.
    Rows {
        /// Bytes given.
        bytes: usize,
        /// Bytes in a row.
        width: usize,
        /// Rows asked for: one for each tag.
        rows: usize,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            BatchError::Count { messages, tags } => {
                write!(f, "{messages} messages but places for {tags} tags")
            }
            BatchError::Keys { keys, messages } => write!(f, "{keys} keys but {messages} messages"),
            BatchError::Offsets { index } => {
                write!(f, "offset {index} is negative, below the one before it, or beyond the bytes")
            }
            BatchError::Rows { bytes, width, rows } => {
                write!(f, "{bytes} bytes are not {rows} rows of {width} bytes")
            }
        }
    }
}

impl core::error::Error for BatchError {}

/// The system's source of random bytes failed.
#[cfg(feature = "getrandom")]
#[derive(Clone, Copy, Debug)]
pub struct NoRandomness(pub(crate) ());

#[cfg(feature = "getrandom")]
impl fmt::Display for NoRandomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system's source of random bytes failed")
    }
}

#[cfg(feature = "getrandom")]
impl core::error::Error for NoRandomness {}

/// Makes a key of random bytes.
#[cfg(feature = "getrandom")]
pub fn random<const N: usize, K>(from_bytes: impl FnOnce([u8; N]) -> K) -> Result<K, NoRandomness> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomness(()))?;
    let key = from_bytes(bytes);
    crate::job::wipe::wipe(&mut bytes);
    Ok(key)
}
