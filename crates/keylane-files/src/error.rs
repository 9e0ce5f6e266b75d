//! What goes wrong. No error shows a value, a key or a part of either.

use keylane_columns::ColumnError;
use std::fmt;
use std::io;

/// Why a table was not hashed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The request contradicts itself.
    Request(String),
    /// The table is not what the request asks for, or is damaged.
    Table(String),
    /// The input cannot be read.
    Read(io::Error),
    /// The output cannot be written.
    Write(io::Error),
    /// The output that was read back is not what the input says.
    Differs(String),
}

impl Error {
    /// An error of the request.
    pub fn request(text: impl Into<String>) -> Error {
        Error::Request(text.into())
    }

    /// An error of the table.
    pub fn table(text: impl Into<String>) -> Error {
        Error::Table(text.into())
    }

    /// An error of a row, which is counted from 0 here and from 1 in the message.
    pub fn row(row: u64, text: impl fmt::Display) -> Error {
        Error::Table(format!("row {}: {text}", row.saturating_add(1)))
    }

    /// An error of one column's value in a row, which is counted from 0 here and from 1 in the message.
    pub fn value(column: &str, row: u64, text: impl fmt::Display) -> Error {
        Error::Table(format!("column {column}, row {}: {text}", row.saturating_add(1)))
    }

    /// A column of tags is to be replaced: the new metadata would hide how they were made.
    #[cfg(any(feature = "parquet", feature = "ipc"))]
    pub(crate) fn has_tags(column: &str) -> Error {
        Error::Table(format!("column {column} has tags already: --suffix puts new ones beside them"))
    }

    /// The same error of the table, in a column.
    #[cfg(feature = "parquet")]
    pub(crate) fn in_column(self, name: &str) -> Error {
        self.with(|text| format!("column {name}: {text}"))
    }

    /// The same error of the table, in a part of it, which is counted from 0 here and from 1 in the message.
    #[cfg(any(feature = "parquet", feature = "ipc"))]
    pub(crate) fn in_part(self, part: &str, number: usize) -> Error {
        self.with(|text| format!("{part} {}: {text}", number.saturating_add(1)))
    }

    #[cfg(any(feature = "parquet", feature = "ipc"))]
    fn with(self, change: impl FnOnce(&str) -> String) -> Error {
        match self {
            Error::Table(text) => Error::Table(change(&text)),
            other => other,
        }
    }

    /// An error of a batch whose first row has this number, counted from 0.
    pub(crate) fn of_batch(error: ColumnError, first: u64) -> Error {
        match error {
            ColumnError::Null { column, row } => {
                Error::value(&column, first.saturating_add(row as u64), "a null")
            }
            ColumnError::Date { column, row } => {
                Error::value(&column, first.saturating_add(row as u64), "a date64 that is not whole days")
            }
            other => Error::Table(other.to_string()),
        }
    }
}

/// The same error again, without what a library added to it.
#[cfg(any(feature = "parquet", feature = "ipc"))]
pub(crate) fn copy(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Request(text) | Error::Table(text) => f.write_str(text),
            Error::Differs(text) => write!(f, "verification failed: {text}"),
            Error::Read(error) | Error::Write(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}
