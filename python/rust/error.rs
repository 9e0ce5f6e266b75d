//! Errors for Python. None has a key, a message or a tag in it.

use keylane::aead::AeadError;
use keylane_columns::{ColumnError, KeyError};
use pyo3::exceptions::{PyKeyError, PyMemoryError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::path::Path;

pyo3::create_exception!(
    keylane,
    TagMismatch,
    PyValueError,
    "The tag is not the message's tag under this key. It says no more: neither which byte differs nor the right tag."
);

pub fn mismatch() -> PyErr {
    TagMismatch::new_err("the tag does not match")
}

/// The exception for a message that is longer than a cipher allows.
pub fn too_long() -> PyErr {
    PyOverflowError::new_err("a message has at most 2^38 - 64 bytes")
}

/// The exception for an error of a packet.
pub fn packet(error: AeadError) -> PyErr {
    match error {
        AeadError::Forged => mismatch(),
        AeadError::TooLong { .. } => too_long(),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The exception for arrays that contradict themselves.
pub fn contradiction() -> PyErr {
    PyValueError::new_err("the column contradicts itself")
}

/// The exception for an error of a column.
pub fn column(error: ColumnError) -> PyErr {
    match error {
        ColumnError::Type { .. } | ColumnError::Depth { .. } => PyTypeError::new_err(error.to_string()),
        ColumnError::Missing { .. } => PyKeyError::new_err(error.to_string()),
        ColumnError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The exception for a name without a key.
pub fn key(error: KeyError) -> PyErr {
    match error {
        KeyError::Unknown { .. } => PyKeyError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Refuses a path that no system has, with the type of error that `open` raises for it.
pub fn without_zero_byte(path: &Path) -> PyResult<()> {
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(PyValueError::new_err("the path has a zero byte"));
    }
    Ok(())
}
