//! Types that people write, and whether a file's type is one of them.

use arrow_schema::DataType;
use std::fmt;
use std::str::FromStr;

/// The type of a column, as the user writes it. It says how the text of a CSV field is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// The bytes of the field.
    #[default]
    Text,
    /// A signed integer of so many bits.
    Int(u32),
    /// An unsigned integer of so many bits.
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
