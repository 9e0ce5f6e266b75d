//! Leaves of Parquet: their values, and the levels that say what is null and how values are nested. What Arrow has no array
//! for is compared by them: times of 96 bits, text that is not UTF-8, types that the library does not know.

use super::differences::{OTHER_COLUMNS, OTHER_ROWS, OTHER_VALUE, differs};
use super::parquet::Side;
use crate::error::Error;
use crate::parquet::BATCH;
use crate::parquet::kept::reader;
use parquet::basic::{Repetition, Type};
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{
    AsBytes, BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96Type,
};
use parquet::schema::types::Type as SchemaType;

/// Calls a function for the type of a leaf.
macro_rules! typed {
    ($kind:expr, $call:ident($($argument:expr),*)) => {
        match $kind {
            Type::BOOLEAN => $call::<BoolType>($($argument),*),
            Type::INT32 => $call::<Int32Type>($($argument),*),
            Type::INT64 => $call::<Int64Type>($($argument),*),
            Type::INT96 => $call::<Int96Type>($($argument),*),
            Type::FLOAT => $call::<FloatType>($($argument),*),
            Type::DOUBLE => $call::<DoubleType>($($argument),*),
            Type::BYTE_ARRAY => $call::<ByteArrayType>($($argument),*),
            Type::FIXED_LEN_BYTE_ARRAY => $call::<FixedLenByteArrayType>($($argument),*),
        }
    };
}

/// Compares a leaf of the input with one of the output.
pub fn same(name: &str, input: (Side<'_>, usize), output: (Side<'_>, usize)) -> Result<(), Error> {
    let kind = |(side, leaf): (Side<'_>, usize)| {
        let column = side.metadata.file_metadata().schema_descr().column(leaf);
        (column.physical_type(), column.max_def_level(), column.max_rep_level())
    };
    if kind(input) != kind(output) {
        return Err(Error::Differs(OTHER_COLUMNS.into()));
    }
    typed!(kind(input).0, same_as(name, input, output))
}

/// Whether the levels of a leaf contradict each other. The array reader does not look at all of them.
pub fn check_levels(name: &str, side: Side<'_>, leaf: usize) -> Result<(), Error> {
    let column = side.metadata.file_metadata().schema_descr().column(leaf);
    if column.max_def_level() == 0 && column.max_rep_level() == 0 {
        return Ok(());
    }
    typed!(column.physical_type(), check_levels_of(name, side, leaf))
}

fn check_levels_of<T: DataType>(name: &str, side: Side<'_>, leaf: usize) -> Result<(), Error> {
    let mut leaf = Leaf::<T>::new(name, side, leaf);
    loop {
        leaf.fill()?;
        if leaf.levels.is_empty() {
            return Ok(());
        }
        leaf.levels.clear();
        leaf.values.clear();
    }
}

fn same_as<T: DataType>(
    name: &str,
    (input, before): (Side<'_>, usize),
    (output, after): (Side<'_>, usize),
) -> Result<(), Error> {
    let (mut before, mut after) = (Leaf::<T>::new(name, input, before), Leaf::<T>::new(name, output, after));
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
    name: &'a str,
    side: Side<'a>,
    leaf: usize,
    /// The level of definition of a value that is there.
    most: i16,
    /// For each level of repetition the level of definition of an element that is there.
    elements: Vec<i16>,
    /// The level of definition of the place that was read last.
    last: i16,
    reader: Option<ColumnReaderImpl<T>>,
    /// The next row group.
    group: usize,
    /// The levels of definition and repetition of each place.
    levels: Vec<(i16, i16)>,
    /// The values of the places that have one.
    values: Vec<T::T>,
}

impl<'a, T: DataType> Leaf<'a, T> {
    fn new(name: &'a str, side: Side<'a>, leaf: usize) -> Leaf<'a, T> {
        let schema = side.metadata.file_metadata().schema_descr();
        let column = schema.column(leaf);
        let elements = elements(schema.get_column_root(leaf), column.path().parts());
        let (most, levels, values) = (column.max_def_level(), Vec::new(), Vec::new());
        Leaf { name, side, leaf, most, elements, last: 0, reader: None, group: 0, levels, values }
    }

    /// Reads more if there is nothing to compare.
    fn fill(&mut self) -> Result<(), Error> {
        while self.levels.is_empty() {
            if let Some(reader) = &mut self.reader {
                let (mut defined, mut repeated) = (Vec::new(), Vec::new());
                let read =
                    reader.read_records(BATCH, Some(&mut defined), Some(&mut repeated), &mut self.values);
                let (rows, values, levels) = read.map_err(|_| self.unreadable("it cannot be decoded"))?;
                if rows > 0 {
                    // A leaf that is always there, or never repeated, has no such levels.
                    let level = |all: &[i16], at: usize, none| all.get(at).copied().unwrap_or(none);
                    let places = (0..levels.max(values))
                        .map(|at| (level(&defined, at, self.most), level(&repeated, at, 0)));
                    self.levels = places.collect();
                    return self.check();
                }
            }
            if self.group >= self.side.metadata.num_row_groups() {
                return Ok(());
            }
            let rows = self.side.metadata.row_groups().get(self.group).map_or(0, |group| group.num_rows());
            let place = (self.group, self.leaf);
            self.group += 1;
            if rows > 0 {
                let reader = reader(self.side.file, self.side.metadata, place)
                    .map_err(|_| self.unreadable("it cannot be decoded"))?;
                self.reader = Some(get_typed_column_reader(reader));
            }
        }
        Ok(())
    }

    /// Whether what was read can be: no level is too great, and an element follows another one of its list.
    fn check(&mut self) -> Result<(), Error> {
        for &(defined, repeated) in &self.levels {
            let least = match usize::try_from(repeated).map(|repeated| repeated.checked_sub(1)) {
                Ok(None) => Some(0),
                Ok(Some(list)) => self.elements.get(list).copied(),
                Err(_) => None,
            };
            let last = std::mem::replace(&mut self.last, defined);
            if least.is_none_or(|least| !(least..=self.most).contains(&defined) || last < least) {
                return Err(self.unreadable("its levels contradict each other"));
            }
        }
        Ok(())
    }

    /// Why a leaf is not read: a fault of the input's own, or one of the output.
    fn unreadable(&self, what: &str) -> Error {
        if self.side.is_output {
            Error::Differs(format!("column {}: {what}", self.name))
        } else {
            Error::table(what).in_column(self.name)
        }
    }

    /// Forgets places, and the values that they have.
    fn drop_first(&mut self, places: usize, values: usize) {
        self.levels.drain(..places);
        self.values.drain(..values);
    }
}

/// For each list on the path of a leaf: the level of definition of an element.
fn elements(root: &SchemaType, path: &[String]) -> Vec<i16> {
    let (mut node, mut level, mut all) = (root, 0, Vec::new());
    for next in path.iter().skip(1).map(Some).chain([None]) {
        let repetition = node.get_basic_info().repetition();
        level += i16::from(repetition != Repetition::REQUIRED);
        if repetition == Repetition::REPEATED {
            all.push(level);
        }
        let inner = if node.is_group() { node.get_fields() } else { &[] };
        match inner.iter().find(|field| next.is_some_and(|name| name == field.name())) {
            Some(field) => node = field,
            None => break,
        }
    }
    all
}
