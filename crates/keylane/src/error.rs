//! The errors of calls. A call that fails writes nothing, with one exception: if an iterator of keys ends too early,
//! the outputs are zeros.

use core::fmt;

/// The tag is not the message's tag under this key.
///
/// By design it says no more: neither which byte differs nor what the right tag is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagMismatch;

impl fmt::Display for TagMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tag does not match")
    }
}

impl core::error::Error for TagMismatch {}

/// Why a batch was refused. All checks run before anything is written, with one exception. Whether an iterator yields
/// as many keys as it promised shows only afterwards; if it does not, the outputs are zeros.
///
/// ```
/// use keylane::siphash::{BatchError, Key, SipHash13};
///
/// let h = SipHash13::new(&Key::from_bytes([7; 16]));
/// let mut tags = [0; 2];
/// let result = h.hash_u64s(&[1, 2, 3], &mut tags);
/// assert_eq!(result, Err(BatchError::Count { messages: 3, tags: 2 }));
/// assert_eq!(tags, [0; 2]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The numbers of messages and of outputs differ.
    Count {
        /// The number of messages.
        messages: usize,
        /// The length of the output that differs.
        tags: usize,
    },
    /// The numbers of keys and of messages differ.
    Keys {
        /// The number of keys.
        keys: usize,
        /// The number of messages.
        messages: usize,
    },
    /// An offset is negative, smaller than the previous one, or beyond the end of the bytes.
    Offsets {
        /// The index of the first such offset.
        index: usize,
    },
    /// A view has a negative length, names a buffer that does not exist, or reaches beyond the end of its buffer.
    Views {
        /// The index of the first such view.
        index: usize,
    },
    /// The length of the bytes is not `rows * width`.
    Rows {
        /// The number of bytes.
        bytes: usize,
        /// The width of a message in bytes.
        width: usize,
        /// The number of messages: one for each tag.
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
            BatchError::Views { index } => {
                write!(f, "view {index} has a negative length or lies outside its buffer")
            }
            BatchError::Rows { bytes, width, rows } => {
                write!(f, "{bytes} bytes are not {rows} rows of {width} bytes")
            }
        }
    }
}

impl core::error::Error for BatchError {}

/// Why a context of a subkey was refused.
///
/// ```
/// use keylane::siphash::{ContextError, check_context};
///
/// let error = check_context("").unwrap_err();
/// assert_eq!(error, ContextError::Length { bytes: 0 });
/// assert_eq!(error.to_string(), "a context has 1 to 255 bytes, not 0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContextError {
    /// A context has 1 to 255 bytes.
    Length {
        /// How many this one has.
        bytes: usize,
    },
    /// It begins with `KCE-`, which is reserved for KCE-1.
    Reserved,
}

impl fmt::Display for ContextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ContextError::Length { bytes } => write!(f, "a context has 1 to 255 bytes, not {bytes}"),
            ContextError::Reserved => f.write_str("contexts that begin with KCE- are reserved"),
        }
    }
}

impl core::error::Error for ContextError {}

/// The system's random number generator failed.
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
