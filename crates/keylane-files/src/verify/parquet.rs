//! Parquet, column by column. A column that stays is decoded by the array reader, as Parquet's own type and not as the one
//! that the file stores for Arrow. Where Arrow has no array for it, its leaves are compared.

use super::arrays::{pieces, same, tags};
use super::differences::{INPUT, OTHER_COLUMNS, OTHER_ROWS, OUTPUT, caught};
use super::leaves;
use super::tags::{Tagged, check_count, kept, tagged};
use crate::error::Error;
use crate::parquet::footer::Footer;
use crate::parquet::{BATCH, Input, int96, open, readable};
use crate::plan::{Plan, Request};
use arrow_array::{ArrayRef, RecordBatch};
use keylane_columns::ColumnKey;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::Type as Physical;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::fs::File;

/// Compares a Parquet file with the one that [`crate::parquet::hash`] made of it.
///
/// # Errors
/// [`Error::Differs`] if it is not what it should be, and an error of reading.
pub fn parquet(input: &File, output: &File, request: &Request, key: &ColumnKey) -> Result<(), Error> {
    let (source, plan) = open(input, request, key)?;
    let before = &source.table;
    let columns = before.file_metadata().schema_descr().root_schema().get_fields().len();
    let tagged = tagged(&plan, request, key, columns);
    let mut sources = plan.sources();
    sources.extend(tagged.iter().map(|tagged| tagged.place));
    let (footer, after) = caught(OUTPUT, || {
        let unread = |_| Error::Differs(OUTPUT.into());
        let footer = Footer::read(output).map_err(unread)?;
        let after = ParquetMetaDataReader::decode_metadata(&footer.plain(&sources).map_err(unread)?);
        Ok((footer, after.map_err(|_| Error::Differs(OUTPUT.into()))?))
    })?;
    check_columns(before, &after, &tagged)?;
    check_types(&source.footer, &footer, &tagged, columns)?;
    if rows_of(before) != rows_of(&after) || after.file_metadata().num_rows() != rows_of(&after) {
        return Err(Error::Differs(OTHER_ROWS.into()));
    }
    let pair = Pair {
        input: Side { is_output: false, file: input, metadata: before },
        output: Side { is_output: true, file: output, metadata: &after },
    };
    for index in kept(&tagged, columns) {
        pair.same(index)?;
    }
    pair.tags(&source, &plan, &tagged)
}

/// Whether what the footers say of types is right: the library reads the output's if it reads the input's, text is text,
/// and the columns that stay have theirs, element for element.
fn check_types(input: &Footer, output: &Footer, tagged: &[Tagged], columns: usize) -> Result<(), Error> {
    let other = || Error::Differs(OTHER_COLUMNS.into());
    let (before, after) = (input.columns().ok_or_else(other)?, output.columns().ok_or_else(other)?);
    if !kept(tagged, columns).all(|index| before.get(index) == after.get(index)) {
        return Err(other());
    }
    let schema = |footer: &Footer| {
        caught(OUTPUT, || {
            let read = ParquetMetaDataReader::decode_metadata(footer.bytes());
            let read = read.and_then(|all| parquet_to_arrow_schema(all.file_metadata().schema_descr(), None));
            read.map_err(|_| Error::Differs(OUTPUT.into()))
        })
    };
    let (Ok(_), found) = (schema(input), schema(output)) else { return Ok(()) };
    let found = found?;
    let is_right =
        |it: &Tagged| found.fields().get(it.place).is_some_and(|field| it.is_type(field.data_type()));
    if tagged.iter().all(is_right) { Ok(()) } else { Err(other()) }
}

/// Whether the columns that stay have their types and names, and the others their names.
fn check_columns(input: &ParquetMetaData, output: &ParquetMetaData, tagged: &[Tagged]) -> Result<(), Error> {
    let fields = |metadata: &ParquetMetaData| {
        metadata.file_metadata().schema_descr().root_schema().get_fields().to_vec()
    };
    let (old, new) = (fields(input), fields(output));
    check_count(tagged, old.len(), new.len())?;
    let stays = |index: usize| old.get(index) == new.get(index);
    let is_named = |it: &Tagged| new.get(it.place).is_some_and(|field| field.name() == it.name);
    if kept(tagged, old.len()).all(stays) && tagged.iter().all(is_named) {
        Ok(())
    } else {
        Err(Error::Differs(OTHER_COLUMNS.into()))
    }
}

/// How many rows a file says that it has.
fn rows_of(metadata: &ParquetMetaData) -> i64 {
    metadata.row_groups().iter().map(|group| group.num_rows()).fold(0, i64::saturating_add)
}

/// One of the two files.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub is_output: bool,
    pub file: &'a File,
    pub metadata: &'a ParquetMetaData,
}

impl Side<'_> {
    /// The arrays of columns, as Parquet's own types. The schema that the file stores for Arrow is left aside.
    fn batches(&self, columns: &[usize]) -> Option<ParquetRecordBatchReader> {
        let arrow = readable(self.metadata, columns, None).ok()?;
        let rows = self.metadata.row_groups().iter().map(|group| group.num_rows()).enumerate();
        self.reader(arrow, rows.filter(|(_, rows)| *rows > 0).map(|(number, _)| number).collect())
    }

    /// A reader of row groups.
    fn reader(&self, arrow: ArrowReaderMetadata, groups: Vec<usize>) -> Option<ParquetRecordBatchReader> {
        let file = self.file.try_clone().ok()?;
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, arrow);
        reader.with_row_groups(groups).with_batch_size(BATCH).build().ok()
    }

    /// The leaves of a column.
    fn leaves(&self, column: usize) -> Vec<usize> {
        let descriptor = self.metadata.file_metadata().schema_descr();
        (0..descriptor.num_columns()).filter(|&leaf| descriptor.get_column_root_idx(leaf) == column).collect()
    }
}

/// Both files.
struct Pair<'a> {
    input: Side<'a>,
    output: Side<'a>,
}

impl Pair<'_> {
    /// Compares a column that stays.
    fn same(&self, column: usize) -> Result<(), Error> {
        let descriptor = self.input.metadata.file_metadata().schema_descr();
        let (before, after) = (self.input.leaves(column), self.output.leaves(column));
        if before.len() != after.len() {
            return Err(Error::Differs(OTHER_COLUMNS.into()));
        }
        let name = descriptor.root_schema().get_fields().get(column).map_or("", |field| field.name());
        // Arrow has 64 bits for a time of 96.
        let is_int96 = |leaf: &usize| descriptor.column(*leaf).physical_type() == Physical::INT96;
        if !before.iter().any(is_int96) && self.same_arrays(column, name)? {
            return after
                .into_iter()
                .try_for_each(|leaf| caught(OUTPUT, || leaves::check_levels(name, self.output, leaf)));
        }
        for (before, after) in before.into_iter().zip(after) {
            caught(OUTPUT, || leaves::same(name, (self.input, before), (self.output, after)))?;
        }
        Ok(())
    }

    /// Compares a column by its arrays. Returns false if the input's cannot be read as arrays.
    fn same_arrays(&self, column: usize, name: &str) -> Result<bool, Error> {
        let Some(mut before) = self.input.batches(&[column]) else { return Ok(false) };
        let unread = || Error::Differs(OUTPUT.into());
        let mut after = self.output.batches(&[column]).ok_or_else(unread)?;
        let mut is_array = true;
        let compared = pieces(
            || next(&mut before, INPUT).inspect_err(|_| is_array = false),
            || next(&mut after, OUTPUT),
            |row, before, after| same(name, row, &array(before, 0)?, &array(after, 0)?),
        );
        if !is_array {
            return Ok(false);
        }
        compared.and_then(|rows| self.check_rows(rows)).map(|()| true)
    }

    /// Compares the columns of tags.
    fn tags(&self, source: &Input<'_>, plan: &Plan, tagged: &[Tagged]) -> Result<(), Error> {
        let unread = |what: &str| Error::Differs(what.into());
        let mut places: Vec<usize> = tagged.iter().map(|tagged| tagged.place).collect();
        places.sort_unstable();
        let mut after = self.output.batches(&places).ok_or_else(|| unread(OUTPUT))?;
        let sources = plan.sources();
        let mut groups = self.input.metadata.row_groups().iter().enumerate();
        let (mut first, mut reader) = (0_u64, None);
        let mut before = || -> Result<Option<RecordBatch>, Error> {
            loop {
                if let Some(batch) = reader.as_mut().map_or(Ok(None), |reader| next(reader, INPUT))? {
                    return Ok(Some(batch));
                }
                let Some((number, group)) = groups.next() else { return Ok(None) };
                // The unit of old times is that of their row group.
                let rows = u64::try_from(group.num_rows()).unwrap_or_default();
                if rows == 0 {
                    continue;
                }
                let fitted = int96::fitted(source, number, first)?;
                let arrow = fitted.unwrap_or_else(|| source.arrow.clone());
                reader = Some(self.input.reader(arrow, vec![number]).ok_or_else(|| unread(INPUT))?);
                first = first.saturating_add(rows);
            }
        };
        let place = |all: &[usize], column: usize| all.binary_search(&column).unwrap_or(usize::MAX);
        let rows = pieces(
            || caught(INPUT, &mut before),
            || next(&mut after, OUTPUT),
            |row, before, after| {
                tagged.iter().try_for_each(|tagged| {
                    let values = tagged.sources.iter().map(|&column| array(before, place(&sources, column)));
                    let values: Vec<ArrayRef> = values.collect::<Result<_, _>>()?;
                    let found = array(after, place(&places, tagged.place))?;
                    caught(INPUT, || tags(tagged, row, &values, &found))
                })
            },
        );
        rows.and_then(|rows| self.check_rows(rows))
    }

    /// Whether a column has as many rows as the file says.
    fn check_rows(&self, rows: u64) -> Result<(), Error> {
        let all = rows_of(self.input.metadata);
        if u64::try_from(all) == Ok(rows) { Ok(()) } else { Err(Error::Differs(OTHER_ROWS.into())) }
    }
}

/// The next batch of a reader.
fn next(reader: &mut ParquetRecordBatchReader, what: &str) -> Result<Option<RecordBatch>, Error> {
    caught(what, || reader.next().transpose().map_err(|_| Error::Differs(what.into())))
}

fn array(batch: &RecordBatch, index: usize) -> Result<ArrayRef, Error> {
    batch.columns().get(index).cloned().ok_or_else(|| Error::Differs(OTHER_COLUMNS.into()))
}
