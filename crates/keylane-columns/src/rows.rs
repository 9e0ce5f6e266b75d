//! Rows: one tag for several columns, or for nested values.

use crate::algorithm::Tag;
use crate::leaf::Leaf;
use crate::value::{Fault, Value};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, RunEndIndexType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType;

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const BYTES: u8 = 2;
const FLOAT: u8 = 3;
const TEXT: u8 = 4;
const WIDE: u8 = 5;
const LIST: u8 = 6;
const STRUCT: u8 = 7;

/// The most rows that are encoded before they are hashed.
const ROWS: usize = 512;

/// About the most bytes that are encoded before they are hashed. They stay in the L2 cache.
const ENOUGH: usize = 64 << 10;

/// An array, as the values of a field.
pub struct RowField<'a> {
    content: Content<'a>,
    nulls: Option<&'a NullBuffer>,
}

enum Content<'a> {
    Leaf(Leaf<'a>),
    Struct(Vec<RowField<'a>>),
    List { spans: Spans<'a>, items: Box<RowField<'a>>, count: usize },
    Dictionary { places: Places<'a>, values: Box<RowField<'a>> },
    Runs { ends: Places<'a>, start: usize, values: Box<RowField<'a>> },
}

/// Where the elements of a list are.
enum Spans<'a> {
    Fixed(usize),
    Offsets32(&'a [i32]),
    Offsets64(&'a [i64]),
    Views32(&'a [i32], &'a [i32]),
    Views64(&'a [i64], &'a [i64]),
}

/// Integers that refer to values.
enum Places<'a> {
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
}

impl<'a> RowField<'a> {
    /// An array whose type has an encoding in rows. `None` if the array contradicts itself.
    pub fn new(array: &'a dyn Array) -> Option<RowField<'a>> {
        let content = match array.data_type() {
            DataType::Struct(_) => {
                let fields = array.as_struct_opt()?.columns().iter();
                Content::Struct(fields.map(|column| RowField::new(column)).collect::<Option<_>>()?)
            }
            DataType::List(_) => offset_list::<i32>(array, Spans::Offsets32)?,
            DataType::LargeList(_) => offset_list::<i64>(array, Spans::Offsets64)?,
            DataType::ListView(_) => view_list::<i32>(array, Spans::Views32)?,
            DataType::LargeListView(_) => view_list::<i64>(array, Spans::Views64)?,
            DataType::FixedSizeList(..) => {
                let array = array.as_fixed_size_list_opt()?;
                list(Spans::Fixed(usize::try_from(array.value_length()).ok()?), array.values())?
            }
            DataType::Dictionary(keys, _) => match **keys {
                DataType::Int8 => dictionary::<Int8Type>(array, Places::I8)?,
                DataType::Int16 => dictionary::<Int16Type>(array, Places::I16)?,
                DataType::Int32 => dictionary::<Int32Type>(array, Places::I32)?,
                DataType::Int64 => dictionary::<Int64Type>(array, Places::I64)?,
                DataType::UInt8 => dictionary::<UInt8Type>(array, Places::U8)?,
                DataType::UInt16 => dictionary::<UInt16Type>(array, Places::U16)?,
                DataType::UInt32 => dictionary::<UInt32Type>(array, Places::U32)?,
                DataType::UInt64 => dictionary::<UInt64Type>(array, Places::U64)?,
                _ => return None,
            },
            DataType::RunEndEncoded(ends, _) => match ends.data_type() {
                DataType::Int16 => runs::<Int16Type>(array, Places::I16)?,
                DataType::Int32 => runs::<Int32Type>(array, Places::I32)?,
                DataType::Int64 => runs::<Int64Type>(array, Places::I64)?,
                _ => return None,
            },
            _ => Content::Leaf(Leaf::new(array)?),
        };
        Some(RowField { content, nulls: array.nulls() })
    }

    /// Whether the value of a row is null.
    pub fn is_null(&self, row: usize) -> Result<bool, Fault> {
        if let Some(nulls) = self.nulls
            && (row >= nulls.len() || nulls.is_null(row))
        {
            return if row < nulls.len() { Ok(true) } else { Err(Fault::Malformed) };
        }
        match &self.content {
            Content::Leaf(Leaf::Null) => Ok(true),
            Content::Leaf(_) | Content::Struct(_) | Content::List { .. } => Ok(false),
            Content::Dictionary { places, values } => {
                values.is_null(places.get(row).ok_or(Fault::Malformed)?)
            }
            Content::Runs { ends, start, values } => {
                values.is_null(ends.run(*start, row).ok_or(Fault::Malformed)?)
            }
        }
    }

    /// Appends the value of a row.
    fn append(&self, row: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        if let Some(nulls) = self.nulls {
            if row >= nulls.len() {
                return Err(Fault::Malformed);
            }
            if nulls.is_null(row) {
                out.push(NULL);
                return Ok(());
            }
        }
        match &self.content {
            Content::Leaf(leaf) => append_leaf(leaf, row, out),
            Content::Struct(fields) => {
                out.push(STRUCT);
                out.extend((fields.len() as u64).to_le_bytes());
                fields.iter().try_for_each(|field| field.append(row, out))
            }
            Content::List { spans, items, count } => {
                let (start, end) = spans.span(row).ok_or(Fault::Malformed)?;
                if start > end || end > *count {
                    return Err(Fault::Malformed);
                }
                out.push(LIST);
                out.extend(((end - start) as u64).to_le_bytes());
                (start..end).try_for_each(|item| items.append(item, out))
            }
            Content::Dictionary { places, values } => {
                values.append(places.get(row).ok_or(Fault::Malformed)?, out)
            }
            Content::Runs { ends, start, values } => {
                values.append(ends.run(*start, row).ok_or(Fault::Malformed)?, out)
            }
        }
    }
}

fn append_leaf(leaf: &Leaf<'_>, row: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    // The text of a decimal is written in place: its kind and its length stand before it.
    let start = out.len();
    if matches!(leaf, Leaf::Decimal32(..) | Leaf::Decimal64(..) | Leaf::Decimal128(..) | Leaf::Decimal256(..))
    {
        out.extend([0; 9]);
    }
    let value = leaf.value(row, out)?;
    if value == Some(Value::Text) {
        let length = (out.len() - start - 9) as u64;
        let head = out.get_mut(start..).and_then(|text| text.split_first_chunk_mut::<9>());
        let (head, _) = head.ok_or(Fault::Malformed)?;
        let [kind, content @ ..] = head;
        (*kind, *content) = (TEXT, length.to_le_bytes());
        return Ok(());
    }
    out.truncate(start);
    match value {
        None => out.push(NULL),
        Some(Value::Integer(bits)) => word(INTEGER, bits, out),
        Some(Value::Float(bits)) => word(FLOAT, bits, out),
        Some(Value::Wide(bits)) => {
            out.push(WIDE);
            out.extend(bits.to_le_bytes());
        }
        Some(Value::Bytes(bytes)) => {
            out.try_reserve(bytes.len().saturating_add(9)).map_err(|_| Fault::Memory)?;
            word(BYTES, bytes.len() as u64, out);
            out.extend_from_slice(bytes);
        }
        Some(Value::Short(bytes, length)) => {
            word(BYTES, length as u64, out);
            out.extend(bytes.iter().take(length));
        }
        Some(Value::Text) => return Err(Fault::Malformed),
    }
    Ok(())
}

fn word(kind: u8, bits: u64, out: &mut Vec<u8>) {
    let mut bytes = [kind; 9];
    let [_, content @ ..] = &mut bytes;
    *content = bits.to_le_bytes();
    out.extend(bytes);
}

/// Hashes the rows from `start` on, one for each tag. An error comes with its row.
pub fn hash<T: Tag>(
    hasher: &T::Hasher,
    fields: &[RowField<'_>],
    start: usize,
    tags: &mut [T],
) -> Result<(), RowFault> {
    let (mut bytes, mut offsets) = (Vec::new(), Vec::with_capacity(ROWS + 1));
    let (mut rest, mut row) = (tags, start);
    while !rest.is_empty() {
        bytes.clear();
        offsets.clear();
        offsets.push(0);
        while offsets.len() <= ROWS.min(rest.len()) && bytes.len() < ENOUGH {
            bytes.push(1);
            bytes.extend((fields.len() as u64).to_le_bytes());
            for (field, column) in fields.iter().zip(0..) {
                field.append(row, &mut bytes).map_err(|fault| RowFault { fault, column, row })?;
            }
            offsets.push(bytes.len() as i64);
            row += 1;
        }
        let (now, later) = rest.split_at_mut_checked(offsets.len() - 1).unwrap_or_default();
        let malformed = |_| RowFault { fault: Fault::Malformed, column: 0, row };
        T::offsets(hasher, &bytes, &offsets, now).map_err(malformed)?;
        if bytes.len() > 16 * ENOUGH {
            bytes = Vec::new();
        }
        rest = later;
    }
    Ok(())
}

/// What is wrong with which field of which row.
pub struct RowFault {
    pub fault: Fault,
    pub column: usize,
    pub row: usize,
}

impl Spans<'_> {
    fn span(&self, row: usize) -> Option<(usize, usize)> {
        fn bounds<O: OffsetSizeTrait>(offsets: &[O], row: usize) -> Option<(usize, usize)> {
            Some((offsets.get(row)?.to_usize()?, offsets.get(row.checked_add(1)?)?.to_usize()?))
        }
        fn from<O: OffsetSizeTrait>(offsets: &[O], sizes: &[O], row: usize) -> Option<(usize, usize)> {
            let start = offsets.get(row)?.to_usize()?;
            Some((start, start.checked_add(sizes.get(row)?.to_usize()?)?))
        }
        match self {
            Spans::Fixed(size) => {
                let start = row.checked_mul(*size)?;
                Some((start, start.checked_add(*size)?))
            }
            Spans::Offsets32(offsets) => bounds(offsets, row),
            Spans::Offsets64(offsets) => bounds(offsets, row),
            Spans::Views32(offsets, sizes) => from(offsets, sizes, row),
            Spans::Views64(offsets, sizes) => from(offsets, sizes, row),
        }
    }
}

impl Places<'_> {
    fn get(&self, row: usize) -> Option<usize> {
        match self {
            Places::I8(places) => usize::try_from(*places.get(row)?).ok(),
            Places::I16(places) => usize::try_from(*places.get(row)?).ok(),
            Places::I32(places) => usize::try_from(*places.get(row)?).ok(),
            Places::I64(places) => usize::try_from(*places.get(row)?).ok(),
            Places::U8(places) => Some(usize::from(*places.get(row)?)),
            Places::U16(places) => Some(usize::from(*places.get(row)?)),
            Places::U32(places) => usize::try_from(*places.get(row)?).ok(),
            Places::U64(places) => usize::try_from(*places.get(row)?).ok(),
        }
    }

    /// The run in which a row lies, if these are the ends of runs and row 0 is at `start`.
    fn run(&self, start: usize, row: usize) -> Option<usize> {
        fn find<N: ArrowNativeType>(ends: &[N], row: usize) -> Option<usize> {
            let run = ends.partition_point(|end| end.to_usize().is_some_and(|end| end <= row));
            (run < ends.len()).then_some(run)
        }
        let row = start.checked_add(row)?;
        match self {
            Places::I16(ends) => find(ends, row),
            Places::I32(ends) => find(ends, row),
            Places::I64(ends) => find(ends, row),
            _ => None,
        }
    }
}

fn list<'a>(spans: Spans<'a>, items: &'a dyn Array) -> Option<Content<'a>> {
    Some(Content::List { spans, count: items.len(), items: Box::new(RowField::new(items)?) })
}

fn offset_list<'a, O: OffsetSizeTrait>(
    array: &'a dyn Array,
    spans: impl FnOnce(&'a [O]) -> Spans<'a>,
) -> Option<Content<'a>> {
    let array = array.as_list_opt::<O>()?;
    list(spans(array.value_offsets()), array.values())
}

fn view_list<'a, O: OffsetSizeTrait>(
    array: &'a dyn Array,
    spans: impl FnOnce(&'a [O], &'a [O]) -> Spans<'a>,
) -> Option<Content<'a>> {
    let array = array.as_list_view_opt::<O>()?;
    list(spans(array.value_offsets(), array.value_sizes()), array.values())
}

fn dictionary<'a, K: ArrowDictionaryKeyType>(
    array: &'a dyn Array,
    places: impl FnOnce(&'a [K::Native]) -> Places<'a>,
) -> Option<Content<'a>> {
    let array = array.as_dictionary_opt::<K>()?;
    let values = Box::new(RowField::new(array.values())?);
    Some(Content::Dictionary { places: places(array.keys().values()), values })
}

fn runs<'a, R: RunEndIndexType>(
    array: &'a dyn Array,
    ends: impl FnOnce(&'a [R::Native]) -> Places<'a>,
) -> Option<Content<'a>> {
    let array = array.as_run_opt::<R>()?;
    let (ends, start) = (ends(array.run_ends().values()), array.run_ends().offset());
    Some(Content::Runs { ends, start, values: Box::new(RowField::new(array.values())?) })
}
