//! Arrays without nesting, as slices of memory.

use crate::value::{Fault, SHORT, Value, date, decimal, float, time};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryViewType, ByteArrayType, ByteViewType, Date32Type, Date64Type, Decimal32Type, Decimal64Type,
    Decimal128Type, Decimal256Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, GenericBinaryType, GenericStringType,
    Int8Type, Int16Type, Int32Type, Int64Type, StringViewType, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, i256};
use arrow_schema::{DataType, TimeUnit};

/// A float16.
pub type Half = <Float16Type as ArrowPrimitiveType>::Native;

/// The values of an array without nesting. What lies behind nulls is among them.
#[derive(Clone)]
pub enum Leaf<'a> {
    Null,
    Bool(BooleanBuffer),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(Words<'a>),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F16(&'a [Half]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    /// Milliseconds of whole days.
    Date(&'a [i64]),
    Time32(&'a [i32], TimeUnit),
    Time64(&'a [i64], TimeUnit),
    Decimal32(&'a [i32], i8),
    Decimal64(&'a [i64], i8),
    Decimal128(&'a [i128], i8),
    Decimal256(&'a [i256], i8),
    Bytes32(Bytes<'a, i32>),
    Bytes64(Bytes<'a, i64>),
    Views(&'a [u128], &'a [Buffer]),
    Fixed(Rows<'a>),
}

/// Integers of 64 bits, and their memory.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    pub words: &'a [i64],
    pub memory: &'a [u8],
}

/// Bytes, and one offset more than values.
#[derive(Clone, Copy)]
pub struct Bytes<'a, O> {
    pub bytes: &'a [u8],
    pub offsets: &'a [O],
}

/// Values of `width` bytes, back to back.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub bytes: &'a [u8],
    pub width: usize,
}

impl<'a> Leaf<'a> {
    /// The values of an array. `None` if its type is nested, or has no encoding.
    pub fn new(array: &'a dyn Array) -> Option<Leaf<'a>> {
        use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
        Some(match *array.data_type() {
            DataType::Null => Leaf::Null,
            DataType::Boolean => Leaf::Bool(array.as_boolean_opt()?.values().clone()),
            DataType::Int8 => Leaf::I8(values::<Int8Type>(array)?),
            DataType::Int16 => Leaf::I16(values::<Int16Type>(array)?),
            DataType::Int32 => Leaf::I32(values::<Int32Type>(array)?),
            DataType::Int64 => words::<Int64Type>(array)?,
            DataType::UInt8 => Leaf::U8(values::<UInt8Type>(array)?),
            DataType::UInt16 => Leaf::U16(values::<UInt16Type>(array)?),
            DataType::UInt32 => Leaf::U32(values::<UInt32Type>(array)?),
            DataType::UInt64 => Leaf::U64(values::<UInt64Type>(array)?),
            DataType::Float16 => Leaf::F16(values::<Float16Type>(array)?),
            DataType::Float32 => Leaf::F32(values::<Float32Type>(array)?),
            DataType::Float64 => Leaf::F64(values::<Float64Type>(array)?),
            DataType::Date32 => Leaf::I32(values::<Date32Type>(array)?),
            DataType::Date64 => Leaf::Date(values::<Date64Type>(array)?),
            DataType::Time32(Second) => Leaf::Time32(values::<Time32SecondType>(array)?, Second),
            DataType::Time32(unit) => Leaf::Time32(values::<Time32MillisecondType>(array)?, unit),
            DataType::Time64(Microsecond) => words::<Time64MicrosecondType>(array)?,
            DataType::Time64(unit) => Leaf::Time64(values::<Time64NanosecondType>(array)?, unit),
            DataType::Timestamp(unit @ Second, _) => {
                Leaf::Time64(values::<TimestampSecondType>(array)?, unit)
            }
            DataType::Timestamp(unit @ Millisecond, _) => {
                Leaf::Time64(values::<TimestampMillisecondType>(array)?, unit)
            }
            DataType::Timestamp(Microsecond, _) => words::<TimestampMicrosecondType>(array)?,
            DataType::Timestamp(unit @ Nanosecond, _) => {
                Leaf::Time64(values::<TimestampNanosecondType>(array)?, unit)
            }
            DataType::Duration(unit @ Second) => Leaf::Time64(values::<DurationSecondType>(array)?, unit),
            DataType::Duration(unit @ Millisecond) => {
                Leaf::Time64(values::<DurationMillisecondType>(array)?, unit)
            }
            DataType::Duration(Microsecond) => words::<DurationMicrosecondType>(array)?,
            DataType::Duration(unit @ Nanosecond) => {
                Leaf::Time64(values::<DurationNanosecondType>(array)?, unit)
            }
            DataType::Decimal32(_, scale) => Leaf::Decimal32(values::<Decimal32Type>(array)?, scale),
            DataType::Decimal64(_, scale) => Leaf::Decimal64(values::<Decimal64Type>(array)?, scale),
            DataType::Decimal128(_, scale) => Leaf::Decimal128(values::<Decimal128Type>(array)?, scale),
            DataType::Decimal256(_, scale) => Leaf::Decimal256(values::<Decimal256Type>(array)?, scale),
            DataType::Utf8 => Leaf::Bytes32(bytes::<GenericStringType<i32>>(array)?),
            DataType::LargeUtf8 => Leaf::Bytes64(bytes::<GenericStringType<i64>>(array)?),
            DataType::Binary => Leaf::Bytes32(bytes::<GenericBinaryType<i32>>(array)?),
            DataType::LargeBinary => Leaf::Bytes64(bytes::<GenericBinaryType<i64>>(array)?),
            DataType::Utf8View => views::<StringViewType>(array)?,
            DataType::BinaryView => views::<BinaryViewType>(array)?,
            DataType::FixedSizeBinary(_) => {
                let array = array.as_fixed_size_binary_opt()?;
                let width = array.value_size();
                let bytes = array.values().as_slice().get(..width.checked_mul(array.len())?)?;
                Leaf::Fixed(Rows { bytes, width })
            }
            DataType::Interval(_)
            | DataType::List(_)
            | DataType::ListView(_)
            | DataType::FixedSizeList(..)
            | DataType::LargeList(_)
            | DataType::LargeListView(_)
            | DataType::Struct(_)
            | DataType::Union(..)
            | DataType::Dictionary(..)
            | DataType::Map(..)
            | DataType::RunEndEncoded(..) => return None,
        })
    }

    /// The values of the rows from `start` to before `end`.
    pub fn range(&self, start: usize, end: usize) -> Option<Leaf<'a>> {
        let rows = start..end;
        Some(match *self {
            Leaf::Null => Leaf::Null,
            Leaf::Bool(ref bits) => {
                let inside = start <= end && end <= bits.len();
                inside.then(|| Leaf::Bool(bits.slice(start, end - start)))?
            }
            Leaf::I8(values) => Leaf::I8(values.get(rows)?),
            Leaf::I16(values) => Leaf::I16(values.get(rows)?),
            Leaf::I32(values) => Leaf::I32(values.get(rows)?),
            Leaf::I64(Words { words, memory }) => {
                let memory = memory.get(start.checked_mul(8)?..end.checked_mul(8)?)?;
                Leaf::I64(Words { words: words.get(rows)?, memory })
            }
            Leaf::U8(values) => Leaf::U8(values.get(rows)?),
            Leaf::U16(values) => Leaf::U16(values.get(rows)?),
            Leaf::U32(values) => Leaf::U32(values.get(rows)?),
            Leaf::U64(values) => Leaf::U64(values.get(rows)?),
            Leaf::F16(values) => Leaf::F16(values.get(rows)?),
            Leaf::F32(values) => Leaf::F32(values.get(rows)?),
            Leaf::F64(values) => Leaf::F64(values.get(rows)?),
            Leaf::Date(values) => Leaf::Date(values.get(rows)?),
            Leaf::Time32(values, unit) => Leaf::Time32(values.get(rows)?, unit),
            Leaf::Time64(values, unit) => Leaf::Time64(values.get(rows)?, unit),
            Leaf::Decimal32(values, scale) => Leaf::Decimal32(values.get(rows)?, scale),
            Leaf::Decimal64(values, scale) => Leaf::Decimal64(values.get(rows)?, scale),
            Leaf::Decimal128(values, scale) => Leaf::Decimal128(values.get(rows)?, scale),
            Leaf::Decimal256(values, scale) => Leaf::Decimal256(values.get(rows)?, scale),
            Leaf::Bytes32(Bytes { bytes, offsets }) => {
                Leaf::Bytes32(Bytes { bytes, offsets: offsets.get(start..end.checked_add(1)?)? })
            }
            Leaf::Bytes64(Bytes { bytes, offsets }) => {
                Leaf::Bytes64(Bytes { bytes, offsets: offsets.get(start..end.checked_add(1)?)? })
            }
            Leaf::Views(views, buffers) => Leaf::Views(views.get(rows)?, buffers),
            Leaf::Fixed(Rows { bytes, width }) => {
                let bytes = bytes.get(start.checked_mul(width)?..end.checked_mul(width)?)?;
                Leaf::Fixed(Rows { bytes, width })
            }
        })
    }

    /// The value of a row that is not null. `None` if the type is null. The text of a decimal is appended to `text`.
    pub fn value(&self, row: usize, text: &mut Vec<u8>) -> Result<Option<Value<'a>>, Fault> {
        Ok(Some(match self {
            Leaf::Null => return Ok(None),
            Leaf::Bool(bits) if row < bits.len() => Value::Integer(u64::from(bits.value(row))),
            Leaf::Bool(_) => return Err(Fault::Malformed),
            Leaf::I8(values) => Value::Integer(at(values, row)? as u64),
            Leaf::I16(values) => Value::Integer(at(values, row)? as u64),
            Leaf::I32(values) => Value::Integer(at(values, row)? as u64),
            Leaf::I64(values) => Value::Integer(at(values.words, row)? as u64),
            Leaf::U8(values) => Value::Integer(u64::from(at(values, row)?)),
            Leaf::U16(values) => Value::Integer(u64::from(at(values, row)?)),
            Leaf::U32(values) => Value::Integer(u64::from(at(values, row)?)),
            Leaf::U64(values) => Value::Integer(at(values, row)?),
            Leaf::F16(values) => Value::Float(float(at(values, row)?.to_f64())),
            Leaf::F32(values) => Value::Float(float(f64::from(at(values, row)?))),
            Leaf::F64(values) => Value::Float(float(at(values, row)?)),
            Leaf::Date(values) => date(at(values, row)?)?,
            Leaf::Time32(values, unit) => time(i64::from(at(values, row)?), *unit),
            Leaf::Time64(values, unit) => time(at(values, row)?, *unit),
            Leaf::Decimal32(values, scale) => decimal(at(values, row)?, *scale, text),
            Leaf::Decimal64(values, scale) => decimal(at(values, row)?, *scale, text),
            Leaf::Decimal128(values, scale) => decimal(at(values, row)?, *scale, text),
            Leaf::Decimal256(values, scale) => decimal(at(values, row)?, *scale, text),
            Leaf::Bytes32(values) => Value::Bytes(values.at(row).ok_or(Fault::Malformed)?),
            Leaf::Bytes64(values) => Value::Bytes(values.at(row).ok_or(Fault::Malformed)?),
            Leaf::Views(views, buffers) => {
                let view = views.get(row).ok_or(Fault::Malformed)?;
                viewed(*view, buffers).ok_or(Fault::Malformed)?
            }
            Leaf::Fixed(rows) => Value::Bytes(rows.at(row).ok_or(Fault::Malformed)?),
        }))
    }
}

impl<'a, O: Copy + TryInto<usize>> Bytes<'a, O> {
    /// The value of a row.
    pub fn at(&self, row: usize) -> Option<&'a [u8]> {
        let start = (*self.offsets.get(row)?).try_into().ok()?;
        let end = (*self.offsets.get(row + 1)?).try_into().ok()?;
        self.bytes.get(start..end)
    }
}

impl<'a> Rows<'a> {
    /// The value of a row.
    pub fn at(&self, row: usize) -> Option<&'a [u8]> {
        let start = row.checked_mul(self.width)?;
        self.bytes.get(start..start.checked_add(self.width)?)
    }
}

fn at<T: Copy>(values: &[T], row: usize) -> Result<T, Fault> {
    values.get(row).copied().ok_or(Fault::Malformed)
}

/// The bytes that a view holds or refers to.
pub fn viewed(view: u128, buffers: &[Buffer]) -> Option<Value<'_>> {
    let part = |shift: u32| (view >> shift) as u32;
    let length = usize::try_from(i32::try_from(part(0)).ok()?).ok()?;
    if length <= SHORT {
        let short = view.to_le_bytes().last_chunk().copied()?;
        return Some(Value::Short(short, length));
    }
    let (index, start) = (usize::try_from(part(64)).ok()?, usize::try_from(part(96)).ok()?);
    Some(Value::Bytes(buffers.get(index)?.as_slice().get(start..start.checked_add(length)?)?))
}

fn values<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&[T::Native]> {
    Some(primitive::<T>(array)?.values())
}

fn words<T: ArrowPrimitiveType<Native = i64>>(array: &dyn Array) -> Option<Leaf<'_>> {
    let buffer = primitive::<T>(array)?.values();
    let memory = buffer.inner().as_slice().get(..buffer.len().checked_mul(8)?)?;
    Some(Leaf::I64(Words { words: buffer, memory }))
}

fn primitive<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&PrimitiveArray<T>> {
    array.as_primitive_opt::<T>()
}

fn bytes<T: ByteArrayType>(array: &dyn Array) -> Option<Bytes<'_, T::Offset>> {
    let array = array.as_bytes_opt::<T>()?;
    Some(Bytes { bytes: array.value_data(), offsets: array.value_offsets() })
}

fn views<T: ByteViewType>(array: &dyn Array) -> Option<Leaf<'_>> {
    let array = array.as_byte_view_opt::<T>()?;
    Some(Leaf::Views(array.views(), array.data_buffers()))
}
