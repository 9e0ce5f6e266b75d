//! Columns of CSV, Parquet and Arrow files become keyed hashes, by KCE-1 (the repository's docs/COLUMNS.md). What is not
//! hashed stays: the bytes of CSV fields, the encoded column chunks of Parquet, the arrays of Arrow. The command
//! `keylane column` is made of it.
//!
//! ```
//! use keylane::siphash::Key;
//! use keylane_columns::ColumnKey;
//! use keylane_files::{Request, csv, plan};
//!
//! let key = ColumnKey::new("users", Key::from_bytes([0; 16]));
//! let request = Request { columns: plan::columns("email")?, ..Request::default() };
//! let mut output = Vec::new();
//! let table = &b"id,email\r\n1,a@example.com\r\n2,\r\n"[..];
//! let report = csv::hash(table, &mut output, csv::Dialect::CSV, &request, &key)?;
//! assert_eq!(report.rows, 2);
//! assert_eq!(output, b"id,email\r\n1,23916f7f47a2978fc09430e382541633\r\n2,\r\n");
//! # Ok::<(), keylane_files::Error>(())
//! ```
//!
//! Memory is bounded: by a block and the longest row for CSV, a row group for Parquet, a batch for Arrow. No error shows
//! a value or a key.

#![deny(unsafe_code, missing_docs)]

pub mod csv;
mod error;
#[cfg(feature = "ipc")]
pub mod ipc;
#[cfg(any(feature = "parquet", feature = "ipc"))]
mod notes;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod plan;
mod types;
pub mod verify;

pub use error::Error;
pub use plan::{Context, Named, Request, RowOf};
pub use types::Type;

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How many rows the table has.
    pub rows: u64,
    /// The lines of metadata of the columns of tags, as a JSON file beside a CSV file.
    pub manifest: String,
    /// Which metadata the output does not have.
    pub dropped: Vec<String>,
}

/// Calls a library that reads what may be damaged. If it panics, that is an error: its message may show values, so the
/// caller keeps panics silent.
#[cfg(any(feature = "parquet", feature = "ipc"))]
fn guard<T>(what: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Error::table(what)))
}
