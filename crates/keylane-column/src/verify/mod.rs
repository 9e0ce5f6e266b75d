//! Whether an output is what the input says. Both are read once more, value by value, and compared in order. Every tag is
//! computed anew by `keylane-ref`, the specification, from the values of the input.
//!
//! Nothing here is shared with the code that wrote the output: neither the copying of Parquet's chunks, nor the division
//! of text into fields, nor the kernels, nor the encoding of values (KCE-1, the repository's docs/COLUMNS.md). It is slow
//! and short, so that a reader can see that it is right. What both sides share are the plan of what is hashed, and the
//! libraries that decode Parquet and Arrow.
//!
//! Memory is bounded: by some thousand rows of one column for Parquet, a batch of each table for Arrow, the longest row for
//! text.

#[cfg(any(feature = "parquet", feature = "ipc"))]
mod arrays;
mod fields;
#[cfg(feature = "ipc")]
mod ipc;
#[cfg(feature = "parquet")]
mod leaves;
#[cfg(feature = "parquet")]
mod parquet;
mod tags;
mod text;
mod value;

#[cfg(feature = "parquet")]
pub use self::parquet::parquet;
#[cfg(feature = "ipc")]
pub use ipc::arrow;
pub use text::csv;

use crate::error::Error;
use std::fmt;

/// Calls a library that reads what may be wrong. If it panics, the table is not what it should be.
#[cfg(any(feature = "parquet", feature = "ipc"))]
fn caught<T>(what: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err(Error::Differs(what.into())))
}

/// A row, counted from 0, in which the output differs. Never a value.
fn differs(column: &str, row: u64, what: impl fmt::Display) -> Error {
    Error::Differs(format!("column {column}, row {}: {what}", row.saturating_add(1)))
}

/// What is wrong with a value that is kept.
const OTHER_VALUE: &str = "the output has another value than the input";

/// What is wrong with a tag.
const OTHER_TAG: &str = "the output has another tag than that of the input's value";

/// What is wrong with a table.
const OTHER_ROWS: &str = "the output has another number of rows than the input";

/// What is wrong with a header or a schema.
const OTHER_COLUMNS: &str = "the output has other columns than it should";

/// What is wrong with a table that was read before.
#[cfg(any(feature = "parquet", feature = "ipc"))]
const INPUT: &str = "the input cannot be read again";

/// What is wrong with a table that was written.
#[cfg(any(feature = "parquet", feature = "ipc"))]
const OUTPUT: &str = "the output cannot be read back";
