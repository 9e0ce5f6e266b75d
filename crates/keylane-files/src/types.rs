//! Types that people write, and whether a file's type is one of them.

use arrow_schema::DataType;
use std::fmt;
use std::str::FromStr;
#[cfg(any(feature = "parquet", feature = "ipc"))]
use {arrow_schema::FieldRef, std::sync::Arc};

/// The type of a column, as the user writes it. It says how the text of a CSV field is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// The bytes of the field.
    #[default]
    Text,
    /// A signed integer of this many bits.
    Int(u32),
    /// An unsigned integer of this many bits.
    UInt(u32),
    /// `true`, `false`, `t`, `f`, `1` or `0`.
    Bool,
    /// A number with 32 bits.
    Float32,
    /// A number with 64 bits.
    Float64,
    /// `2020-12-31`.
    Date,
    /// `2020-12-31T23:59:59.123456789Z`.
    Timestamp,
    /// Up to 38 digits before the point, and as many behind it.
    Decimal,
}

const NAMES: [(&str, Type); 17] = [
    ("text", Type::Text),
    ("utf8", Type::Text),
    ("string", Type::Text),
    ("int8", Type::Int(8)),
    ("int16", Type::Int(16)),
    ("int32", Type::Int(32)),
    ("int64", Type::Int(64)),
    ("uint8", Type::UInt(8)),
    ("uint16", Type::UInt(16)),
    ("uint32", Type::UInt(32)),
    ("uint64", Type::UInt(64)),
    ("bool", Type::Bool),
    ("float32", Type::Float32),
    ("float64", Type::Float64),
    ("date", Type::Date),
    ("timestamp", Type::Timestamp),
    ("decimal", Type::Decimal),
];

impl Type {
    /// The names of all types, for a message.
    pub(crate) fn names_of_all() -> String {
        NAMES.map(|(name, _)| name).join(", ")
    }

    /// Whether a column of this type in a file is what the user means. Widths and signs of integers, units and scales do not
    /// count: they change no tag.
    pub fn names(self, found: &DataType) -> bool {
        match found {
            DataType::Dictionary(_, values) => self.names(values),
            DataType::RunEndEncoded(_, values) => self.names(values.data_type()),
            DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => self == Type::Text,
            DataType::Boolean => self == Type::Bool,
            DataType::Float32 => self == Type::Float32,
            DataType::Float64 => self == Type::Float64,
            DataType::Date32 | DataType::Date64 => self == Type::Date,
            DataType::Timestamp(..) => self == Type::Timestamp,
            DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => self == Type::Decimal,
            integer => integer.is_integer() && matches!(self, Type::Int(_) | Type::UInt(_)),
        }
    }
}

/// The field with text as bytes, which are laid out alike and have the same tags. So text need not be UTF-8. A dictionary
/// stays one if `stays` says so of its values.
#[cfg(any(feature = "parquet", feature = "ipc"))]
pub(crate) fn in_bytes(field: &FieldRef, stays: fn(&DataType) -> bool) -> FieldRef {
    Arc::new(field.as_ref().clone().with_data_type(bytes_of(field.data_type(), stays)))
}

#[cfg(any(feature = "parquet", feature = "ipc"))]
fn bytes_of(data_type: &DataType, stays: fn(&DataType) -> bool) -> DataType {
    match data_type {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::Dictionary(_, values) if !stays(values) => bytes_of(values, stays),
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(bytes_of(values, stays)))
        }
        other => with_fields(other, |field| in_bytes(field, stays)).unwrap_or_else(|| other.clone()),
    }
}

/// The type with its inner fields changed, one after another. `None` if it has none.
#[cfg(any(feature = "parquet", feature = "ipc"))]
pub(crate) fn with_fields(
    data_type: &DataType,
    mut change: impl FnMut(&FieldRef) -> FieldRef,
) -> Option<DataType> {
    Some(match data_type {
        DataType::RunEndEncoded(ends, values) => DataType::RunEndEncoded(ends.clone(), change(values)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(change).collect()),
        DataType::List(field) => DataType::List(change(field)),
        DataType::LargeList(field) => DataType::LargeList(change(field)),
        DataType::ListView(field) => DataType::ListView(change(field)),
        DataType::LargeListView(field) => DataType::LargeListView(change(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(change(field), *size),
        DataType::Map(field, is_sorted) => DataType::Map(change(field), *is_sorted),
        DataType::Union(fields, mode) => {
            DataType::Union(fields.iter().map(|(id, field)| (id, change(field))).collect(), *mode)
        }
        _ => return None,
    })
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, found)| found == self).map_or("", |(name, _)| name);
        f.pad(name)
    }
}

impl FromStr for Type {
    type Err = ();

    fn from_str(name: &str) -> Result<Type, ()> {
        NAMES.iter().find(|(known, _)| *known == name).map(|&(_, found)| found).ok_or(())
    }
}
