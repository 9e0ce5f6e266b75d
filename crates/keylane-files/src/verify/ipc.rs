//! Arrow's files and streams, batch by batch.

use super::arrays::{pieces, same, tags};
use super::differences::{INPUT, OTHER_COLUMNS, OUTPUT, caught};
use super::tags::{Tagged, check_count, kept, tagged};
use crate::error::Error;
use crate::ipc::Layout;
use crate::ipc::read::{Batches, FileBatches, StreamBatches};
use crate::plan::{Plan, Request};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use keylane_columns::ColumnKey;
use std::io::{Read, Seek};

/// A table of Arrow.
struct Table<'a> {
    schema: SchemaRef,
    batches: Box<dyn Batches + 'a>,
    /// What it is called in errors.
    what: &'static str,
}

impl<'a> Table<'a> {
    /// A file or a stream in a file.
    fn open(file: impl Read + Seek + 'a, layout: Layout, what: &'static str) -> Result<Table<'a>, Error> {
        let opened = caught(what, || {
            Ok(match layout {
                Layout::File => {
                    let batches = FileBatches::open(file)?;
                    Table { schema: batches.schema(), batches: Box::new(batches), what }
                }
                Layout::Stream => {
                    let batches = StreamBatches::open(file)?;
                    Table { schema: batches.schema(), batches: Box::new(batches), what }
                }
            })
        });
        opened.map_err(|error| unreadable(error, what))
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Error> {
        let batch =
            caught(self.what, || self.batches.next()).map_err(|error| unreadable(error, self.what))?;
        Ok(batch.map(|(batch, _)| batch))
    }
}

fn unreadable(error: Error, what: &str) -> Error {
    match error {
        Error::Read(error) if what == OUTPUT => Error::Write(error),
        Error::Table(_) => Error::Differs(what.into()),
        other => other,
    }
}

/// Compares a table of Arrow with the one that [`crate::ipc::hash_file`] or [`crate::ipc::hash_stream`] made of it.
///
/// # Errors
/// [`Error::Differs`] if it is not what it should be, and an error of reading.
pub fn arrow(
    input: (impl Read + Seek, Layout),
    output: (impl Read + Seek, Layout),
    request: &Request,
    key: &ColumnKey,
) -> Result<(), Error> {
    let mut input = Table::open(input.0, input.1, INPUT)?;
    let mut output = Table::open(output.0, output.1, OUTPUT)?;
    let plan = Plan::new(request, key, input.schema.as_ref())?;
    let columns = input.schema.fields().len();
    let tagged = tagged(&plan, request, key, columns);
    let kept: Vec<usize> = kept(&tagged, columns).collect();
    check_count(&tagged, columns, output.schema.fields().len())?;
    let stays = |&index: &usize| input.schema.fields().get(index) == output.schema.fields().get(index);
    let is_right = |it: &Tagged| {
        let field = output.schema.fields().get(it.place);
        field.is_some_and(|field| *field.name() == it.name && it.is_type(field.data_type()))
    };
    if !kept.iter().all(stays) || !tagged.iter().all(is_right) {
        return Err(Error::Differs(OTHER_COLUMNS.into()));
    }
    let names: Vec<String> = input.schema.fields().iter().map(|field| field.name().clone()).collect();
    let array = |batch: &RecordBatch, index: usize| -> Result<ArrayRef, Error> {
        batch.columns().get(index).cloned().ok_or_else(|| Error::Differs(OTHER_COLUMNS.into()))
    };
    pieces(
        || input.next(),
        || output.next(),
        |row, before, after| {
            caught(INPUT, || {
                for &index in &kept {
                    let name = names.get(index).map_or("", String::as_str);
                    same(name, row, &array(before, index)?, &array(after, index)?)?;
                }
                for tagged in &tagged {
                    let sources: Result<Vec<ArrayRef>, Error> =
                        tagged.sources.iter().map(|&index| array(before, index)).collect();
                    tags(tagged, row, &sources?, &array(after, tagged.place)?)?;
                }
                Ok(())
            })
        },
    )
    .map(drop)
}
