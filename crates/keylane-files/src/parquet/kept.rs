//! The chunks of columns that stay. One whose pages are understood is copied as it is. Any other is decoded and encoded anew,
//! value by value, whatever its type means.

use super::damage::{DAMAGED, damaged};
use super::input::{BATCH, Input};
use super::pages::Pages;
use crate::error::Error;
use crate::guard;
use parquet::bloom_filter::Sbbf;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::{ColumnCloseResult, ColumnWriterImpl};
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
    Int96Type,
};
use parquet::file::metadata::page_index::RowGroupPageIndex;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::RowGroupReader;
use parquet::file::serialized_reader::SerializedRowGroupReader;
use parquet::file::writer::SerializedRowGroupWriter;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;

/// Copies a chunk as it is, with those of its indexes that agree with its pages, and its bloom filter.
pub fn copy<W: Write + Send>(
    input: &Input<'_>,
    (number, leaf): (usize, usize),
    pages: &Pages,
    target: &mut SerializedRowGroupWriter<'_, W>,
) -> Result<(), Error> {
    let (group, metadata) = (group(&input.table, number)?, &input.table);
    let chunk = group.columns().get(leaf).ok_or_else(|| Error::table(DAMAGED))?;
    let index = metadata.page_index();
    let offset_index = index.and_then(|index| index.offset_index(number, leaf));
    let offset_index = offset_index.filter(|index| pages.agree(index)).cloned();
    let column_index = index.and_then(|index| index.column_index(number, leaf));
    let column_index = column_index
        .filter(|index| offset_index.is_some() && index.num_pages() == pages.count() as u64)
        .cloned();
    let bloom_filter =
        guard(DAMAGED, || Sbbf::read_from_column_chunk(chunk, input.file).map_err(|error| damaged(&error)));
    let close = ColumnCloseResult {
        bytes_written: u64::try_from(chunk.compressed_size()).unwrap_or_default(),
        rows_written: u64::try_from(group.num_rows()).unwrap_or_default(),
        metadata: chunk.clone(),
        bloom_filter: bloom_filter.unwrap_or_default(),
        column_index,
        offset_index,
    };
    target.append_column(input.file, close).map_err(|error| damaged(&error))
}

/// Decodes a chunk, and encodes it anew.
pub fn encode<W: Write + Send>(
    input: &Input<'_>,
    (number, leaf): (usize, usize),
    target: &mut SerializedRowGroupWriter<'_, W>,
) -> Result<(), Error> {
    let wrong = |error| damaged(&error);
    let mut writer = target.next_column().map_err(wrong)?.ok_or_else(|| Error::table(DAMAGED))?;
    let rows = group(&input.table, number)?.num_rows();
    if rows > 0 {
        let found = match reader(input.file, &input.table, (number, leaf))? {
            ColumnReader::BoolColumnReader(from) => pass(from, writer.typed::<BoolType>()),
            ColumnReader::Int32ColumnReader(from) => pass(from, writer.typed::<Int32Type>()),
            ColumnReader::Int64ColumnReader(from) => pass(from, writer.typed::<Int64Type>()),
            ColumnReader::Int96ColumnReader(from) => pass(from, writer.typed::<Int96Type>()),
            ColumnReader::FloatColumnReader(from) => pass(from, writer.typed::<FloatType>()),
            ColumnReader::DoubleColumnReader(from) => pass(from, writer.typed::<DoubleType>()),
            ColumnReader::ByteArrayColumnReader(from) => pass(from, writer.typed::<ByteArrayType>()),
            ColumnReader::FixedLenByteArrayColumnReader(from) => {
                pass(from, writer.typed::<FixedLenByteArrayType>())
            }
        }?;
        if i64::try_from(found) != Ok(rows) {
            return Err(Error::table("its pages do not have the rows of the row group"));
        }
    }
    writer.close().map_err(wrong)
}

/// Writes all that a reader has, and counts the rows.
fn pass<T: DataType>(mut from: ColumnReaderImpl<T>, to: &mut ColumnWriterImpl<'_, T>) -> Result<u64, Error> {
    let mut rows = 0_u64;
    loop {
        let (mut defined, mut repeated, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let read = from.read_records(BATCH, Some(&mut defined), Some(&mut repeated), &mut values);
        let (found, ..) = read.map_err(|error| damaged(&error))?;
        if found == 0 {
            return Ok(rows);
        }
        let defined = (!defined.is_empty()).then_some(&*defined);
        let repeated = (!repeated.is_empty()).then_some(&*repeated);
        to.write_batch(&values, defined, repeated).map_err(|error| damaged(&error))?;
        rows = rows.saturating_add(found as u64);
    }
}

/// What reads a chunk without its indexes, which may be wrong.
pub fn reader(
    file: &File,
    metadata: &ParquetMetaData,
    (number, leaf): (usize, usize),
) -> Result<ColumnReader, Error> {
    let file = Arc::new(file.try_clone().map_err(Error::Read)?);
    let properties = Arc::new(ReaderProperties::builder().build());
    let group = group(metadata, number)?;
    let indexes = RowGroupPageIndex::new(number, None);
    let reader = SerializedRowGroupReader::new(file, group, indexes, properties);
    reader.and_then(|reader| reader.get_column_reader(leaf)).map_err(|error| damaged(&error))
}

/// A row group.
pub fn group(metadata: &ParquetMetaData, number: usize) -> Result<&RowGroupMetaData, Error> {
    metadata.row_groups().get(number).ok_or_else(|| Error::table(DAMAGED))
}
