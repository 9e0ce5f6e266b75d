//! The four functions.

use crate::arrays::array;
use crate::capi::{Chunk, Column};
use crate::kind::{self, Kind};
use crate::names::{self, Fault, Prepared};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, RecordBatch, RecordBatchOptions};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field, Schema, TimeUnit};
use std::sync::Arc;

/// A function in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Hash,
    Hash128,
    Pseudonym,
    Rows,
}

impl Function {
    pub const ALL: [Function; 4] = [Function::Hash, Function::Hash128, Function::Pseudonym, Function::Rows];

    pub fn name(self) -> &'static str {
        match self {
            Function::Hash => "keylane_hash",
            Function::Hash128 => "keylane_hash128",
            Function::Pseudonym => "keylane_pseudonym",
            Function::Rows => "keylane_hash_rows",
        }
    }

    /// The number of the type that it returns.
    pub fn returns(self) -> u32 {
        match self {
            Function::Hash | Function::Rows => kind::UBIGINT,
            Function::Hash128 => kind::BLOB,
            Function::Pseudonym => kind::VARCHAR,
        }
    }
}

/// The tags that are no integers, and the nulls of all.
#[derive(Default)]
pub struct Tags {
    pub bytes: Vec<u8>,
    /// The bytes of each tag; 0 if the tags are integers.
    pub width: usize,
    pub nulls: Option<NullBuffer>,
}

/// Computes the tags of a chunk. Those that are integers go to `short`, which has one for each row.
pub fn run(function: Function, chunk: &Chunk<'_>, short: &mut [u64]) -> Result<Tags, Fault> {
    if chunk.rows() == 0 {
        return Ok(Tags::default());
    }
    let key = key(&chunk.column(0)?)?;
    match function {
        Function::Hash => hash(&key, &chunk.column(1)?, short),
        Function::Hash128 => wide(&key, &chunk.column(1)?),
        Function::Pseudonym => {
            let tags = wide(&key, &chunk.column(1)?)?;
            let digits = tags.bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
            Ok(Tags { bytes: digits, width: 2 * tags.width, ..tags })
        }
        Function::Rows => rows(&key, chunk, short),
    }
}

/// The key of the name that all rows have.
fn key(names: &Column<'_>) -> Result<Arc<Prepared>, Fault> {
    let null = || Fault::new("the name of a key is null");
    match names.kind() {
        Kind::Text if names.number() == kind::VARCHAR => {}
        Kind::Null => return Err(null()),
        _ => {
            return Err(Fault::new(
                "the first argument is the name of a key, as text; a key itself has no place in SQL",
            ));
        }
    }
    let names = names.vector()?;
    if names.nulls().is_some() {
        return Err(null());
    }
    let name = names.text(0)?;
    let mut one = true;
    if !one_view(names.bytes()?) {
        names.texts(|text| one &= *text == *name)?;
    }
    if !one {
        return Err(Fault::new("the name of a key is one constant for all rows"));
    }
    names::find(name)
}

/// Whether all views in memory are the same: DuckDB copies the view of a constant for each row.
///
/// Memory that equals itself one view later has one view only. Behind the first 64 bytes it is compared with what lies
/// 64 bytes before, so that each load is within one line of the cache.
fn one_view(views: &[u8]) -> bool {
    let repeats = |bytes: &[u8], after| bytes.get(after..) == bytes.get(..bytes.len().saturating_sub(after));
    let head = views.get(..64).unwrap_or(views);
    repeats(head, 16.min(head.len())) && repeats(views, head.len())
}

/// Refuses what KCE-1 does not have.
fn check(column: &Column<'_>) -> Result<(), Fault> {
    match column.kind().refused() {
        Some(name) => Err(Fault::new(format!("the type {name} is not hashed"))),
        None => Ok(()),
    }
}

fn check_plain(column: &Column<'_>) -> Result<(), Fault> {
    check(column)?;
    match column.kind().nested() {
        Some(name) => {
            Err(Fault::new(format!("the type {name} is not hashed by itself; keylane_hash_rows hashes it")))
        }
        None => Ok(()),
    }
}

fn hash(key: &Prepared, column: &Column<'_>, tags: &mut [u64]) -> Result<Tags, Fault> {
    check_plain(column)?;
    let vector = column.vector()?;
    match vector.kind() {
        // In memory a little-endian integer is its message.
        Kind::I64 | Kind::U64 | Kind::Time(TimeUnit::Microsecond) if cfg!(target_endian = "little") => {
            key.short.hash_rows(vector.bytes()?, 8, tags).map_err(Fault::new)?;
        }
        Kind::Text => {
            let mut texts: Vec<&[u8]> = Vec::with_capacity(vector.rows());
            vector.texts(|text| texts.push(text))?;
            key.short.hash_many(&texts, tags).map_err(Fault::new)?;
        }
        _ => {
            let found = key.hash.hash_array("value", &array(&vector)?)?;
            copy(&*found, tags)?;
            return Ok(Tags { nulls: found.nulls().cloned(), ..Tags::default() });
        }
    }
    let nulls = vector.nulls().cloned();
    if let Some(nulls) = &nulls {
        // What lies behind a null has no tag.
        for row in (!nulls.inner()).set_indices() {
            if let Some(tag) = tags.get_mut(row) {
                *tag = 0;
            }
        }
    }
    Ok(Tags { nulls, ..Tags::default() })
}

fn wide(key: &Prepared, column: &Column<'_>) -> Result<Tags, Fault> {
    check_plain(column)?;
    let found = key.wide.hash_array("value", &array(&column.vector()?)?)?;
    let tags = found.as_fixed_size_binary_opt().ok_or_else(|| Fault::new("tags of another type"))?;
    Ok(Tags { bytes: tags.values().to_vec(), width: 16, nulls: found.nulls().cloned() })
}

fn rows(key: &Prepared, chunk: &Chunk<'_>, tags: &mut [u64]) -> Result<Tags, Fault> {
    if chunk.columns() < 2 {
        return Err(Fault::new("rows have at least one column"));
    }
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for place in 1..chunk.columns() {
        let column = chunk.column(place)?;
        check(&column)?;
        let array = array(&column.vector()?)?;
        fields.push(Field::new(format!("value {place}"), array.data_type().clone(), true));
        arrays.push(array);
    }
    let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(chunk.rows()));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options);
    let found =
        key.hash.hash_rows(&batch.map_err(|_| Fault::new("vectors of different lengths"))?, &names)?;
    copy(&*found, tags)?;
    Ok(Tags::default())
}

fn copy(found: &dyn Array, tags: &mut [u64]) -> Result<(), Fault> {
    let found = found.as_primitive_opt::<UInt64Type>().filter(|found| found.len() == tags.len());
    let found = found.ok_or_else(|| Fault::new("tags of another type"))?;
    tags.iter_mut().zip(found.values()).for_each(|(tag, &found)| *tag = found);
    Ok(())
}

/// The hexadecimal digit of a number below 16. No table is read.
fn digit(number: u8) -> u8 {
    number + if number < 10 { b'0' } else { b'a' - 10 }
}
