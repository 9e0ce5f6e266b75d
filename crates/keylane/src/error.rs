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

/// Why a packet was not sealed or not opened.
///
/// Except for [`AeadError::Forged`] and [`AeadError::Replayed`] of many packets, nothing has been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AeadError {
    /// The packet, or one of many, is not what was sealed under this key and nonce. By design this says no more: neither
    /// what differs nor where.
    Forged,
    /// A [`Receiver`](crate::aead::Receiver) has opened a packet of this number before, or the number is too old to
    /// tell. The packet is genuine.
    Replayed,
    /// A [`Receiver`](crate::aead::Receiver) has seen as many forged packets as its key may meet.
    TooManyForged,
    /// A [`Sender`](crate::aead::Sender) has no numbers left for these packets under its key.
    Exhausted,
    /// The system's random number generator failed.
    NoRandomness,
    /// There are more than 2^38 - 64 bytes of data.
    TooLong {
        /// How many.
        bytes: usize,
    },
    /// Source and destination differ in length.
    Destination {
        /// The bytes of the source.
        source: usize,
        /// The bytes of the destination.
        destination: usize,
    },
    /// The buffer has no room for a tag of 16 bytes.
    NoRoom {
        /// The bytes of the buffer.
        bytes: usize,
    },
    /// There are not as many flags, numbers or ciphers as packets.
    Count {
        /// The number of packets.
        packets: usize,
        /// How many of the others there are.
        others: usize,
    },
}

impl fmt::Display for AeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            AeadError::Forged => f.write_str("not sealed under this key and nonce, or changed since"),
            AeadError::Replayed => f.write_str("a packet of this number was opened before, or is too old"),
            AeadError::TooManyForged => f.write_str("this key has met too many forged packets"),
            AeadError::Exhausted => f.write_str("this key has no numbers left for these packets"),
            AeadError::NoRandomness => f.write_str("the system's source of random bytes failed"),
            AeadError::TooLong { bytes } => {
                write!(f, "{bytes} bytes of data are more than 2^38 - 64")
            }
            AeadError::Destination { source, destination } => {
                write!(f, "{source} bytes do not fit a destination of {destination}")
            }
            AeadError::NoRoom { bytes } => write!(f, "a buffer of {bytes} bytes has no room for a tag of 16"),
            AeadError::Count { packets, others } => {
                write!(f, "{packets} packets but {others} flags, numbers or ciphers")
            }
        }
    }
}

impl core::error::Error for AeadError {}

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
