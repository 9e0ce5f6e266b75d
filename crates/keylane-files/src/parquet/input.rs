//! The file that is read.

use super::footer::Footer;
use crate::notes::Notes;
use arrow_schema::{Field, FieldRef, SchemaRef};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::file::metadata::ParquetMetaData;
use std::fs::File;

/// So many rows are hashed at a time.
pub const BATCH: usize = 16 * 1024;

/// The file that is read.
pub struct Input<'a> {
    pub(super) file: &'a File,
    pub footer: Footer,
    /// The whole table, as far as values are placed and counted.
    pub table: ParquetMetaData,
    /// The columns that are hashed. Text is read as its bytes.
    pub arrow: ArrowReaderMetadata,
    /// The table's columns.
    pub(super) schema: SchemaRef,
    /// The fields that the output stores, but for those of tags. `None` if Arrow has no type for some of them.
    pub(super) stored: Option<Vec<FieldRef>>,
    /// The fields of the columns of tags.
    pub(super) fields: Vec<Field>,
    pub(super) notes: Notes,
}
