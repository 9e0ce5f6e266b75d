//! What each function of SQL computes.

use crate::arrays::array;
use crate::capi::{Chunk, Column, Tags, Vector};
use crate::kind::{self, Kind};
use crate::names::{self, Fault, Prepared};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, RecordBatch, RecordBatchOptions};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field, Schema, TimeUnit};
use keylane::siphash::BatchError;
use keylane_columns::{SqlFunction, hex};
use std::sync::Arc;

/// The number of the type that a function returns.
pub fn returns(function: SqlFunction) -> u32 {
    match function {
        SqlFunction::Hash | SqlFunction::Rows => kind::UBIGINT,
        SqlFunction::Hash128 => kind::BLOB,
        SqlFunction::Pseudonym => kind::VARCHAR,
    }
}

/// Computes the tags of a chunk. Those that are integers go to `short`, which has one for each row.
pub fn run(function: SqlFunction, chunk: &Chunk<'_>, short: &mut [u64]) -> Result<Tags, Fault> {
    if chunk.rows() == 0 {
        return Ok(Tags::default());
    }
    let key = key(&chunk.column(0)?)?;
    match function {
        SqlFunction::Hash => hash(&key, &chunk.column(1)?, short),
        SqlFunction::Hash128 => {
            let (tags, nulls) = wide(&key, &chunk.column(1)?)?;
            let bytes: Vec<[u8; 16]> = tags.into_iter().map(u128::to_le_bytes).collect();
            Ok(Tags { bytes: bytes.into_flattened(), width: 16, nulls })
        }
        SqlFunction::Pseudonym => {
            let (tags, nulls) = wide(&key, &chunk.column(1)?)?;
            let digits: Vec<[[u8; 2]; 16]> = tags.iter().map(|tag| hex(&tag.to_le_bytes())).collect();
            Ok(Tags { bytes: digits.into_flattened().into_flattened(), width: 32, nulls })
        }
        SqlFunction::Rows => rows(&key, chunk, short),
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
    let rows = |bytes: &[u8], tags: &mut [u64]| key.short.hash_rows(bytes, 8, tags);
    let many = |texts: &[&[u8]], tags: &mut [u64]| key.short.hash_many(texts, tags);
    if in_place(&vector, tags, rows, many)? {
        return Ok(Tags { nulls: vector.nulls().cloned(), ..Tags::default() });
    }
    let found = key.hash.hash_array("value", &array(&vector)?)?;
    copy(&*found, tags)?;
    Ok(Tags { nulls: found.nulls().cloned(), ..Tags::default() })
}

/// The tags of 128 bits, and the nulls among them.
fn wide(key: &Prepared, column: &Column<'_>) -> Result<(Vec<u128>, Option<NullBuffer>), Fault> {
    check_plain(column)?;
    let vector = column.vector()?;
    let mut tags = vec![0; vector.rows()];
    let rows = |bytes: &[u8], tags: &mut [u128]| key.long.hash_rows(bytes, 8, tags);
    let many = |texts: &[&[u8]], tags: &mut [u128]| key.long.hash_many(texts, tags);
    if in_place(&vector, &mut tags, rows, many)? {
        return Ok((tags, vector.nulls().cloned()));
    }
    let found = key.wide.hash_array("value", &array(&vector)?)?;
    let bytes = found.as_fixed_size_binary_opt().filter(|found| found.len() == tags.len());
    let bytes = bytes.ok_or_else(|| Fault::new("tags of another type"))?.values().as_chunks::<16>().0;
    tags.iter_mut().zip(bytes).for_each(|(tag, &bytes)| *tag = u128::from_le_bytes(bytes));
    Ok((tags, found.nulls().cloned()))
}

/// Hashes values whose messages lie in the memory of the vector: integers of 64 bits by `rows`, text by `many`. False if
/// they are others.
fn in_place<T: Copy + Default>(
    vector: &Vector<'_>,
    tags: &mut [T],
    rows: impl FnOnce(&[u8], &mut [T]) -> Result<(), BatchError>,
    many: impl FnOnce(&[&[u8]], &mut [T]) -> Result<(), BatchError>,
) -> Result<bool, Fault> {
    match vector.kind() {
        // In memory a little-endian integer is its message.
        Kind::I64 | Kind::U64 | Kind::Time(TimeUnit::Microsecond) if cfg!(target_endian = "little") => {
            rows(vector.bytes()?, tags).map_err(Fault::new)?;
        }
        Kind::Text => {
            let mut texts: Vec<&[u8]> = Vec::with_capacity(vector.rows());
            vector.texts(|text| texts.push(text))?;
            many(&texts, tags).map_err(Fault::new)?;
        }
        _ => return Ok(false),
    }
    if let Some(nulls) = vector.nulls() {
        // What lies behind a null has no tag.
        for row in (!nulls.inner()).set_indices() {
            if let Some(tag) = tags.get_mut(row) {
                *tag = T::default();
            }
        }
    }
    Ok(true)
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
