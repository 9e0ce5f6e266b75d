//! Arrow's arrays of DuckDB's vectors.

use crate::capi::{Child, Vector};
use crate::kind::Kind;
use crate::names::Fault;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray, Int32Array,
    LargeBinaryArray, LargeListViewArray, NullArray, PrimitiveArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer, i256};
use arrow_schema::{ArrowError, Field, Fields, TimeUnit};
use std::collections::BTreeSet;
use std::sync::Arc;

fn malformed(_: ArrowError) -> Fault {
    Fault::new("a vector contradicts itself")
}

/// The values of a vector as an array.
pub fn array(vector: &Vector<'_>) -> Result<ArrayRef, Fault> {
    let (rows, bytes, nulls) = (vector.rows(), vector.bytes()?, vector.nulls().cloned());
    Ok(match vector.kind() {
        Kind::Null => Arc::new(NullArray::new(rows)),
        Kind::Bool => {
            let bits = BooleanBuffer::collect_bool(rows, |row| bytes.get(row).is_some_and(|&byte| byte != 0));
            Arc::new(BooleanArray::new(bits, nulls))
        }
        Kind::I8 => numbers::<Int8Type, 1>(bytes, i8::from_ne_bytes, nulls)?,
        Kind::I16 => numbers::<Int16Type, 2>(bytes, i16::from_ne_bytes, nulls)?,
        Kind::I32 => numbers::<Int32Type, 4>(bytes, i32::from_ne_bytes, nulls)?,
        Kind::I64 => numbers::<Int64Type, 8>(bytes, i64::from_ne_bytes, nulls)?,
        Kind::U8 => numbers::<UInt8Type, 1>(bytes, u8::from_ne_bytes, nulls)?,
        Kind::U16 => numbers::<UInt16Type, 2>(bytes, u16::from_ne_bytes, nulls)?,
        Kind::U32 => numbers::<UInt32Type, 4>(bytes, u32::from_ne_bytes, nulls)?,
        Kind::U64 => numbers::<UInt64Type, 8>(bytes, u64::from_ne_bytes, nulls)?,
        Kind::F32 => numbers::<Float32Type, 4>(bytes, f32::from_ne_bytes, nulls)?,
        Kind::F64 => numbers::<Float64Type, 8>(bytes, f64::from_ne_bytes, nulls)?,
        Kind::Date => numbers::<Date32Type, 4>(bytes, i32::from_ne_bytes, nulls)?,
        Kind::Time(TimeUnit::Second) => numbers::<TimestampSecondType, 8>(bytes, i64::from_ne_bytes, nulls)?,
        Kind::Time(TimeUnit::Millisecond) => {
            numbers::<TimestampMillisecondType, 8>(bytes, i64::from_ne_bytes, nulls)?
        }
        Kind::Time(TimeUnit::Microsecond) => {
            numbers::<TimestampMicrosecondType, 8>(bytes, i64::from_ne_bytes, nulls)?
        }
        Kind::Time(TimeUnit::Nanosecond) => {
            numbers::<Time64NanosecondType, 8>(bytes, i64::from_ne_bytes, nulls)?
        }
        &Kind::Decimal { bytes: size, width, scale } => match size {
            2 => decimals::<Decimal32Type, 2>(bytes, |x| i16::from_ne_bytes(x).into(), width, scale, nulls)?,
            4 => decimals::<Decimal32Type, 4>(bytes, i32::from_ne_bytes, width, scale, nulls)?,
            8 => decimals::<Decimal64Type, 8>(bytes, i64::from_ne_bytes, width, scale, nulls)?,
            _ => decimals::<Decimal128Type, 16>(bytes, wide, width, scale, nulls)?,
        },
        Kind::I128 => decimals::<Decimal128Type, 16>(bytes, wide, 38, 0, nulls)?,
        Kind::U128 => {
            let unsigned = |x| i256::from_parts(wide(x) as u128, 0);
            decimals::<Decimal256Type, 16>(bytes, unsigned, 39, 0, nulls)?
        }
        Kind::Uuid => {
            // DuckDB keeps them in the order of signed integers.
            let (values, _) = bytes.as_chunks::<16>();
            let values: Vec<[u8; 16]> = values.iter().map(|&x| (wide(x) ^ i128::MIN).to_be_bytes()).collect();
            let bytes = Buffer::from_vec(values.into_flattened());
            Arc::new(FixedSizeBinaryArray::try_new(16, bytes, nulls).map_err(malformed)?)
        }
        Kind::Text => texts(vector)?,
        &Kind::Enum { bytes: size, .. } => words(vector, bytes, size)?,
        Kind::List(_) => {
            let (starts, sizes, items) = vector.list()?;
            let items = child(&items)?;
            let (starts, sizes) = (ScalarBuffer::from(starts), ScalarBuffer::from(sizes));
            Arc::new(
                LargeListViewArray::try_new(item(&items), starts, sizes, items, nulls).map_err(malformed)?,
            )
        }
        Kind::Array(..) => {
            let (size, items) = vector.array()?;
            let items = child(&items)?;
            let size = i32::try_from(size).map_err(Fault::new)?;
            Arc::new(FixedSizeListArray::try_new(item(&items), size, items, nulls).map_err(malformed)?)
        }
        Kind::Struct(_) => {
            let arrays = vector.fields()?.iter().map(child).collect::<Result<Vec<_>, _>>()?;
            let fields: Fields = arrays.iter().map(item).collect();
            Arc::new(StructArray::try_new_with_length(fields, arrays, nulls, rows).map_err(malformed)?)
        }
        Kind::Refused(name) => return Err(Fault::new(format!("the type {name} is not hashed"))),
    })
}

/// A field for values inside of others. Names do not count.
fn item(array: &ArrayRef) -> Arc<Field> {
    Arc::new(Field::new("item", array.data_type().clone(), true))
}

/// The values inside of structs or lists. One that stands for many becomes a dictionary with one word.
fn child(child: &Child<'_>) -> Result<ArrayRef, Fault> {
    let values = array(&child.vector)?;
    let Some(copies) = child.copies else { return Ok(values) };
    let keys = Int32Array::new(vec![0; copies].into(), None);
    Ok(Arc::new(DictionaryArray::try_new(keys, values).map_err(malformed)?))
}

fn values<T, const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|&bytes| value(bytes)).collect()
}

fn numbers<T: ArrowPrimitiveType, const N: usize>(
    bytes: &[u8],
    value: impl Fn([u8; N]) -> T::Native,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, Fault> {
    let values = ScalarBuffer::from(values(bytes, value));
    Ok(Arc::new(PrimitiveArray::<T>::try_new(values, nulls).map_err(malformed)?))
}

fn decimals<T: ArrowPrimitiveType + DecimalType, const N: usize>(
    bytes: &[u8],
    value: impl Fn([u8; N]) -> T::Native,
    width: u8,
    scale: u8,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, Fault> {
    let values = ScalarBuffer::from(values(bytes, value));
    let array = PrimitiveArray::<T>::try_new(values, nulls).map_err(malformed)?;
    let scale = i8::try_from(scale).map_err(Fault::new)?;
    Ok(Arc::new(array.with_precision_and_scale(width, scale).map_err(malformed)?))
}

/// An integer of 128 bits: the low half, then the high one.
fn wide(bytes: [u8; 16]) -> i128 {
    let (low, high) = bytes.split_at(8);
    let half = |half: &[u8]| u64::from_ne_bytes(half.try_into().unwrap_or_default());
    (u128::from(half(high)) << 64 | u128::from(half(low))) as i128
}

fn texts(vector: &Vector<'_>) -> Result<ArrayRef, Fault> {
    let mut offsets = Vec::with_capacity(vector.rows() + 1);
    offsets.push(0);
    let mut bytes = Vec::new();
    vector.texts(|text| {
        bytes.extend_from_slice(text);
        offsets.push(bytes.len() as i64);
    })?;
    bytes_array(bytes, offsets, vector.nulls().cloned())
}

fn bytes_array(bytes: Vec<u8>, offsets: Vec<i64>, nulls: Option<NullBuffer>) -> Result<ArrayRef, Fault> {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    Ok(Arc::new(LargeBinaryArray::try_new(offsets, Buffer::from_vec(bytes), nulls).map_err(malformed)?))
}

/// The values of an enum as a dictionary of the words that occur.
fn words(vector: &Vector<'_>, bytes: &[u8], size: usize) -> Result<ArrayRef, Fault> {
    let codes: Vec<usize> = match size {
        1 => bytes.iter().map(|&code| usize::from(code)).collect(),
        2 => values(bytes, |code| usize::from(u16::from_ne_bytes(code))),
        _ => values(bytes, |code| u32::from_ne_bytes(code) as usize),
    };
    let nulls = vector.nulls();
    let valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    let used: BTreeSet<usize> =
        codes.iter().enumerate().filter(|&(row, _)| valid(row)).map(|(_, &code)| code).collect();
    let (mut text, mut offsets) = (Vec::new(), vec![0]);
    for word in vector.words(&used)? {
        text.extend(word);
        offsets.push(text.len() as i64);
    }
    let places: Vec<usize> = used.into_iter().collect();
    let key = |(row, code): (usize, &usize)| {
        if valid(row) { places.binary_search(code).map_or(0, |place| place as i32) } else { 0 }
    };
    let keys: Vec<i32> = codes.iter().enumerate().map(key).collect();
    let keys = Int32Array::try_new(keys.into(), nulls.cloned()).map_err(malformed)?;
    let words = bytes_array(text, offsets, None)?;
    Ok(Arc::new(DictionaryArray::try_new(keys, words).map_err(malformed)?))
}
