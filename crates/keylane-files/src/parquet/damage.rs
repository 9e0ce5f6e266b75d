//! What is said of a file that cannot be read.

use crate::error::{Error, copy};
use parquet::errors::ParquetError;
use std::io;

pub const DAMAGED: &str =
    "the file is damaged, not Parquet, or of a kind of Parquet that keylane does not read";

/// What a library's error means. Its text may show values.
pub fn damaged(error: &ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => match inner.downcast_ref::<io::Error>() {
            Some(error) if error.raw_os_error().is_some() => Error::Read(copy(error)),
            _ => Error::table(DAMAGED),
        },
        ParquetError::EOF(_) | ParquetError::NeedMoreData(_) | ParquetError::NeedMoreDataRange(_) => {
            Error::table("the file is not Parquet, or it is cut short")
        }
        _ => Error::table(DAMAGED),
    }
}
