//! What is said of an output that is not what the input says. Never a value.

use crate::error::Error;
use std::fmt;

/// Calls a library that reads what may be wrong. If it panics, the table is not what it should be.
#[cfg(any(feature = "parquet", feature = "ipc"))]
pub fn caught<T>(what: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err(Error::Differs(what.into())))
}

/// A row, counted from 0, in which the output differs. Never a value.
pub fn differs(column: &str, row: u64, what: impl fmt::Display) -> Error {
    Error::Differs(format!("column {column}, row {}: {what}", row.saturating_add(1)))
}

/// What is wrong with a value that is kept.
pub const OTHER_VALUE: &str = "the output has another value than the input";

/// What is wrong with a tag.
pub const OTHER_TAG: &str = "the output has another tag than that of the input's value";

/// What is wrong with a table.
pub const OTHER_ROWS: &str = "the output has another number of rows than the input";

/// What is wrong with a header or a schema.
pub const OTHER_COLUMNS: &str = "the output has other columns than it should";

/// What is wrong with a table that was read before.
#[cfg(any(feature = "parquet", feature = "ipc"))]
pub const INPUT: &str = "the input cannot be read again";

/// What is wrong with a table that was written.
#[cfg(any(feature = "parquet", feature = "ipc"))]
pub const OUTPUT: &str = "the output cannot be read back";
