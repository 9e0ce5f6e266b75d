//! INT96, the times of older writers: a day, and nanoseconds of that day. Arrow has 64 bits for a time, and the library
//! wraps a time that does not fit them. So the unit is chosen by the values: all units have the same tags.

use super::damage::{DAMAGED, damaged};
use super::input::{BATCH, Input};
use super::kept;
use crate::error::Error;
use crate::types::with_fields;
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::Type;
use parquet::column::reader::ColumnReader;
use parquet::data_type::Int96;
use std::collections::HashMap;
use std::sync::Arc;

/// The units, and their nanoseconds. The first that fits is taken.
const UNITS: [(TimeUnit, i128); 4] = [
    (TimeUnit::Nanosecond, 1),
    (TimeUnit::Microsecond, 1000),
    (TimeUnit::Millisecond, 1_000_000),
    (TimeUnit::Second, 1_000_000_000),
];

/// How a row group is read whose hashed columns have such times. Its first row has this number.
pub fn fitted(input: &Input<'_>, group: usize, first: u64) -> Result<Option<ArrowReaderMetadata>, Error> {
    let descriptor = input.arrow.metadata().file_metadata().schema_descr();
    let is_time = |leaf: &usize| descriptor.column(*leaf).physical_type() == Type::INT96;
    let mut units = HashMap::new();
    for leaf in (0..descriptor.num_columns()).filter(is_time) {
        units.insert(leaf, unit(input, group, leaf, first)?);
    }
    if units.is_empty() {
        return Ok(None);
    }
    let (mut leaf, schema) = (0, input.arrow.schema());
    let fields = schema.fields().iter().map(|field| changed(field, &mut leaf, &units));
    let fields: Fields = fields.collect();
    if leaf != descriptor.num_columns() {
        return Err(Error::table(DAMAGED));
    }
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    let metadata = ArrowReaderMetadata::try_new(input.arrow.metadata().clone(), options);
    metadata.map(Some).map_err(|error| damaged(&error))
}

/// The field, with these units for the leaves from `leaf` on.
fn changed(field: &Arc<Field>, leaf: &mut usize, units: &HashMap<usize, TimeUnit>) -> Arc<Field> {
    let nested = with_fields(field.data_type(), |field| changed(field, leaf, units));
    let data_type = nested.unwrap_or_else(|| {
        let unit = units.get(leaf);
        *leaf += 1;
        match (unit, field.data_type()) {
            (Some(unit), DataType::Timestamp(_, zone)) => DataType::Timestamp(*unit, zone.clone()),
            (_, other) => other.clone(),
        }
    });
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

/// The unit that fits all times of one leaf in a row group.
fn unit(input: &Input<'_>, group: usize, leaf: usize, first: u64) -> Result<TimeUnit, Error> {
    let metadata = input.arrow.metadata();
    let column = metadata.file_metadata().schema_descr().column(leaf);
    let reader = kept::reader(input.file, metadata, (group, leaf))?;
    let ColumnReader::Int96ColumnReader(mut reader) = reader else { return Err(Error::table(DAMAGED)) };
    let mut fitting = UNITS.to_vec();
    let mut row = first;
    loop {
        let (mut defined, mut repeated, mut times) = (Vec::new(), Vec::new(), Vec::new());
        let read = reader.read_records(BATCH, Some(&mut defined), Some(&mut repeated), &mut times);
        let (rows, ..) = read.map_err(|error| damaged(&error))?;
        for (at, time) in times.iter().enumerate() {
            let time = nanoseconds(time);
            fitting.retain(|(_, unit)| time % unit == 0 && i64::try_from(time / unit).is_ok());
            if fitting.is_empty() {
                let path = column.path().parts();
                let row = row.saturating_add(row_of(at, column.max_def_level(), &defined, &repeated));
                let what = "64 bits in no unit hold this INT96 time and those before it in the row group";
                return Err(Error::value(path.first().map_or("", String::as_str), row, what));
            }
        }
        if rows == 0 {
            return fitting.first().map(|(unit, _)| *unit).ok_or_else(|| Error::table(DAMAGED));
        }
        row = row.saturating_add(rows as u64);
    }
}

/// In which of the rows that were read the value of this number stands.
fn row_of(value: usize, most: i16, defined: &[i16], repeated: &[i16]) -> u64 {
    let mut values = (0..defined.len()).filter(|&level| defined.get(level) == Some(&most));
    let level = if defined.is_empty() { value } else { values.nth(value).unwrap_or(value) };
    match repeated.get(..=level) {
        Some(repeated) => repeated.iter().filter(|&&level| level == 0).count().saturating_sub(1) as u64,
        None => level as u64,
    }
}

/// The nanoseconds since 1970. Julian days are counted from noon; those of INT96 from midnight.
fn nanoseconds(time: &Int96) -> i128 {
    const EPOCH: i128 = 2_440_588;
    const DAY: i128 = 86_400_000_000_000;
    let [low, high, day] = <[u32; 3]>::try_from(time.data()).unwrap_or_default();
    let of_day = (u64::from(high) << 32 | u64::from(low)) as i64;
    (i128::from(day as i32) - EPOCH) * DAY + i128::from(of_day)
}
