//! Which types have an encoding.

use crate::error::ColumnError;
use arrow_schema::DataType;

/// So many levels of nested types are hashed. One level is a list, a struct, a dictionary or a run.
const LEVELS: usize = 64;

/// Whether a column of this type can be hashed by itself.
pub fn check_plain(column: &str, data_type: &DataType) -> Result<(), ColumnError> {
    check(column, data_type, data_type, false, LEVELS)
}

/// Whether a column of this type can be a field of a row.
pub fn check_row(column: &str, data_type: &DataType) -> Result<(), ColumnError> {
    check(column, data_type, data_type, true, LEVELS)
}

fn check(
    column: &str,
    whole: &DataType,
    part: &DataType,
    nested: bool,
    levels: usize,
) -> Result<(), ColumnError> {
    let inside = |part: &DataType| match levels.checked_sub(1) {
        Some(levels) => check(column, whole, part, nested, levels),
        None => Err(ColumnError::Depth { column: column.into() }),
    };
    match part {
        DataType::Dictionary(_, values) => inside(values),
        DataType::RunEndEncoded(_, values) => inside(values.data_type()),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
            if nested =>
        {
            inside(item.data_type())
        }
        DataType::Struct(fields) if nested && fields.is_empty() => Ok(()),
        DataType::Struct(fields) if nested => fields.iter().try_for_each(|field| inside(field.data_type())),
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::FixedSizeList(..)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::Struct(_)
        | DataType::Map(..)
        | DataType::Union(..)
        | DataType::Interval(_) => {
            let column = column.into();
            Err(ColumnError::Type { column, data_type: whole.clone(), refused: part.clone() })
        }
        DataType::Null
        | DataType::Boolean
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64
        | DataType::Float16
        | DataType::Float32
        | DataType::Float64
        | DataType::Timestamp(..)
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Duration(_)
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..)
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Ok(()),
    }
}
