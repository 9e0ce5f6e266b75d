//! Leaves of Parquet: their values, and the levels that say what is null and how values are nested. What Arrow has no array
//! for is compared by them: times of 96 bits, text that is not UTF-8, types that the library does not know.

use super::parquet::Side;
use super::{OTHER_COLUMNS, OTHER_ROWS, OTHER_VALUE, differs};
use crate::error::Error;
use crate::parquet::BATCH;
use crate::parquet::kept::reader;
use parquet::basic::Type;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{
    AsBytes, BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96Type,
};

/// Compares a leaf of the input with one of the output.
pub fn same(name: &str, input: (Side<'_>, usize), output: (Side<'_>, usize)) -> Result<(), Error> {
    let kind = |(side, leaf): (Side<'_>, usize)| {
        let column = side.metadata.file_metadata().schema_descr().column(leaf);
        (column.physical_type(), column.max_def_level(), column.max_rep_level())
    };
    if kind(input) != kind(output) {
        return Err(Error::Differs(OTHER_COLUMNS.into()));
    }
    match kind(input).0 {
        Type::BOOLEAN => same_as::<BoolType>(name, input, output),
        Type::INT32 => same_as::<Int32Type>(name, input, output),
        Type::INT64 => same_as::<Int64Type>(name, input, output),
        Type::INT96 => same_as::<Int96Type>(name, input, output),
        Type::FLOAT => same_as::<FloatType>(name, input, output),
        Type::DOUBLE => same_as::<DoubleType>(name, input, output),
        Type::BYTE_ARRAY => same_as::<ByteArrayType>(name, input, output),
        Type::FIXED_LEN_BYTE_ARRAY => same_as::<FixedLenByteArrayType>(name, input, output),
    }
}

fn same_as<T: DataType>(
    name: &str,
    (input, before): (Side<'_>, usize),
    (output, after): (Side<'_>, usize),
) -> Result<(), Error> {
    let (mut before, mut after) = (Leaf::<T>::new(input, before), Leaf::<T>::new(output, after));
    let mut rows = 0_u64;
    loop {
        before.fill()?;
        after.fill()?;
        if before.levels.is_empty() != after.levels.is_empty() {
            return Err(Error::Differs(OTHER_ROWS.into()));
        }
        let len = before.levels.len().min(after.levels.len());
        if len == 0 {
            return Ok(());
        }
        let (mut a, mut b) = (before.values.iter(), after.values.iter());
        let mut values = 0;
        for (left, right) in before.levels.iter().zip(&after.levels) {
            // A level of repetition of 0 begins a row.
            rows = rows.saturating_add(u64::from(left.1 == 0));
            let is_value = left.0 == before.most;
            values += usize::from(is_value);
            let is_same = !is_value || a.next().map(AsBytes::as_bytes) == b.next().map(AsBytes::as_bytes);
            if left != right || !is_same {
                return Err(differs(name, rows.saturating_sub(1), OTHER_VALUE));
            }
        }
        before.drop_first(len, values);
        after.drop_first(len, values);
    }
}

/// What was read of a leaf, and not yet compared.
struct Leaf<'a, T: DataType> {
    side: Side<'a>,
    leaf: usize,
    /// The level of definition of a value that is there.
    most: i16,
    reader: Option<ColumnReaderImpl<T>>,
    /// The next row group.
    group: usize,
    /// The levels of definition and repetition of each place.
    levels: Vec<(i16, i16)>,
    /// The values of the places that have one.
    values: Vec<T::T>,
}

impl<T: DataType> Leaf<'_, T> {
    fn new(side: Side<'_>, leaf: usize) -> Leaf<'_, T> {
        let most = side.metadata.file_metadata().schema_descr().column(leaf).max_def_level();
        Leaf { side, leaf, most, reader: None, group: 0, levels: Vec::new(), values: Vec::new() }
    }

    /// Reads more if there is nothing to compare.
    fn fill(&mut self) -> Result<(), Error> {
        while self.levels.is_empty() {
            if let Some(reader) = &mut self.reader {
                let (mut defined, mut repeated) = (Vec::new(), Vec::new());
                let read =
                    reader.read_records(BATCH, Some(&mut defined), Some(&mut repeated), &mut self.values);
                let (rows, values, levels) = read.map_err(|_| unreadable())?;
                if rows > 0 {
                    // A leaf that is always there, or never repeated, has no such levels.
                    let level = |all: &[i16], at: usize, none| all.get(at).copied().unwrap_or(none);
                    let places = (0..levels.max(values))
                        .map(|at| (level(&defined, at, self.most), level(&repeated, at, 0)));
                    self.levels = places.collect();
                    return Ok(());
                }
            }
            if self.group >= self.side.metadata.num_row_groups() {
                return Ok(());
            }
            let rows = self.side.metadata.row_groups().get(self.group).map_or(0, |group| group.num_rows());
            let place = (self.group, self.leaf);
            self.group += 1;
            if rows > 0 {
                let reader = reader(self.side.file, self.side.metadata, place).map_err(|_| unreadable())?;
                self.reader = Some(get_typed_column_reader(reader));
            }
        }
        Ok(())
    }

    /// Forgets places, and the values that they have.
    fn drop_first(&mut self, places: usize, values: usize) {
        self.levels.drain(..places);
        self.values.drain(..values);
    }
}

fn unreadable() -> Error {
    Error::Differs("a column of the input or of the output cannot be read back".into())
}
