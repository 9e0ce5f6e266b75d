//! Arrow's arrays as values, and tables of them compared piece by piece.

use super::differences::{OTHER_COLUMNS, OTHER_ROWS, OTHER_TAG, OTHER_VALUE, differs};
use super::tags::Tagged;
use super::value::{Value, count, decimal, time};
use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, RunEndIndexType,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{AnyDictionaryArray, Array, ArrayRef, RecordBatch, downcast_integer_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{DataType, TimeUnit};
use keylane_columns::Form;
use std::borrow::Cow;
use std::num::NonZero;
use std::sync::LazyLock;
use std::thread;

/// How many threads there may be.
static THREADS: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get));

/// Fewer rows than this go to one thread.
const RANGE: usize = 2048;

/// Calls `each` with pieces of both tables that have the same rows, and with the number of the first row. Returns the
/// number of all rows.
pub fn pieces(
    mut input: impl FnMut() -> Result<Option<RecordBatch>, Error>,
    mut output: impl FnMut() -> Result<Option<RecordBatch>, Error>,
    mut each: impl FnMut(u64, &RecordBatch, &RecordBatch) -> Result<(), Error>,
) -> Result<u64, Error> {
    let (mut left, mut right) = (None, None);
    let mut row = 0_u64;
    loop {
        let (a, b) = match (rows(left, &mut input)?, rows(right, &mut output)?) {
            (Some(a), Some(b)) => (a, b),
            (None, None) => return Ok(row),
            _ => return Err(Error::Differs(OTHER_ROWS.into())),
        };
        let len = a.num_rows().min(b.num_rows());
        each(row, &a.slice(0, len), &b.slice(0, len))?;
        row = row.saturating_add(len as u64);
        left = Some(a.slice(len, a.num_rows() - len));
        right = Some(b.slice(len, b.num_rows() - len));
    }
}

/// What is left of a batch, or the next one that has rows.
fn rows(
    left: Option<RecordBatch>,
    next: &mut impl FnMut() -> Result<Option<RecordBatch>, Error>,
) -> Result<Option<RecordBatch>, Error> {
    let mut found = left;
    while found.as_ref().is_none_or(|batch| batch.num_rows() == 0) {
        found = next()?;
        if found.is_none() {
            break;
        }
    }
    Ok(found)
}

/// Compares the values of a column that stays: their bits, their nulls and how they are nested.
pub fn same(name: &str, first: u64, input: &ArrayRef, output: &ArrayRef) -> Result<(), Error> {
    if input.data_type() != output.data_type() {
        return Err(Error::Differs(OTHER_COLUMNS.into()));
    }
    if input == output {
        return Ok(());
    }
    let differing = |row: &usize| input.slice(*row, 1) != output.slice(*row, 1);
    let row = (0..input.len().min(output.len())).find(differing).unwrap_or_default();
    Err(differs(name, first.saturating_add(row as u64), OTHER_VALUE))
}

/// Compares tags with those of the values that they are made of.
pub fn tags(tagged: &Tagged, first: u64, sources: &[ArrayRef], found: &ArrayRef) -> Result<(), Error> {
    // Text is read as its bytes.
    let found_type = match found.data_type() {
        DataType::Binary => &DataType::Utf8,
        other => other,
    };
    if !tagged.is_type(found_type) {
        return Err(Error::Differs(OTHER_COLUMNS.into()));
    }
    let size = found.len().div_ceil(*THREADS).max(RANGE);
    let range = |start: usize| {
        let len = size.min(found.len() - start);
        let sources: Vec<ArrayRef> = sources.iter().map(|source| source.slice(start, len)).collect();
        tags_of_range(tagged, first.saturating_add(start as u64), &sources, &found.slice(start, len))
    };
    if found.len() <= size {
        return range(0);
    }
    thread::scope(|scope| {
        let starts = (0..found.len()).step_by(size);
        let threads: Vec<_> = starts.map(|start| scope.spawn(move || range(start))).collect();
        // The first error is that of the first row.
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(malformed())))
    })
}

fn tags_of_range(tagged: &Tagged, first: u64, sources: &[ArrayRef], found: &ArrayRef) -> Result<(), Error> {
    let (mut message, mut text) = (Vec::new(), String::new());
    // The values of a dictionary that is not longer than the rows are hashed once.
    let once = match sources {
        [array] if !tagged.is_row => array.as_any_dictionary_opt().filter(|it| it.values().len() <= it.len()),
        _ => None,
    };
    let words: Vec<Option<u128>> = match once {
        Some(dictionary) => {
            let values = dictionary.values();
            (0..values.len()).map(|row| plain(tagged, values, row, &mut message)).collect::<Result<_, _>>()?
        }
        None => Vec::new(),
    };
    for row in 0..found.len() {
        let tag = match (sources, once) {
            (_, Some(dictionary)) => key(dictionary, row).and_then(|key| words.get(key).copied().flatten()),
            ([array], _) if !tagged.is_row => plain(tagged, array, row, &mut message)?,
            _ => {
                message.clear();
                message.push(1);
                count(sources.len(), &mut message);
                sources.iter().try_for_each(|source| field(source, row, &mut message))?;
                Some(tagged.tag(&message))
            }
        };
        let is_right = match tag {
            None => found.is_null(row),
            Some(_) if found.is_null(row) => false,
            Some(tag) => match tagged.form {
                Form::Binary => tag.to_le_bytes().starts_with(found.as_fixed_size_binary().value(row)),
                Form::UInt64 => found.as_primitive::<UInt64Type>().value(row) == tag as u64,
                Form::Int64 => found.as_primitive::<Int64Type>().value(row) == tag as i64,
                Form::Hex => {
                    tagged.text(Some(tag), &mut text);
                    found.as_binary::<i32>().value(row) == text.as_bytes()
                }
            },
        };
        if !is_right {
            return Err(differs(&tagged.name, first.saturating_add(row as u64), OTHER_TAG));
        }
    }
    Ok(())
}

/// The tag of a value in a plain column.
fn plain(
    tagged: &Tagged,
    array: &dyn Array,
    row: usize,
    message: &mut Vec<u8>,
) -> Result<Option<u128>, Error> {
    message.clear();
    Ok(value(array, row)?.message(message).then(|| tagged.tag(message)))
}

fn malformed() -> Error {
    Error::table("a column that is hashed contradicts itself")
}

/// Which value of a dictionary a row has.
fn key(dictionary: &dyn AnyDictionaryArray, row: usize) -> Option<usize> {
    let keys = dictionary.keys();
    if keys.is_null(row) {
        return None;
    }
    downcast_integer_array! {
        keys => keys.value(row).to_usize(),
        _ => None
    }
}

/// Where the value of a row stands, if dictionaries and runs are followed. `None` for a null.
fn place(array: &dyn Array, row: usize) -> Option<(&dyn Array, usize)> {
    match array.data_type() {
        DataType::Null => None,
        _ if array.is_null(row) => None,
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            place(dictionary.values(), key(dictionary, row)?)
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => run::<Int16Type>(array, row),
            DataType::Int32 => run::<Int32Type>(array, row),
            _ => run::<Int64Type>(array, row),
        },
        _ => Some((array, row)),
    }
}

fn run<E: RunEndIndexType>(array: &dyn Array, row: usize) -> Option<(&dyn Array, usize)> {
    let runs = array.as_run::<E>();
    place(runs.values(), runs.get_physical_index(row))
}

/// Appends the value of a row as a field of KCE-1's rows.
fn field(array: &dyn Array, row: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    let Some((array, row)) = place(array, row) else {
        out.push(0);
        return Ok(());
    };
    let elements = match array.data_type() {
        DataType::Struct(_) => {
            let columns = array.as_struct().columns();
            out.push(7);
            count(columns.len(), out);
            return columns.iter().try_for_each(|column| field(column, row, out));
        }
        DataType::List(_) => array.as_list::<i32>().value(row),
        DataType::LargeList(_) => array.as_list::<i64>().value(row),
        DataType::ListView(_) => array.as_list_view::<i32>().value(row),
        DataType::LargeListView(_) => array.as_list_view::<i64>().value(row),
        DataType::FixedSizeList(..) => array.as_fixed_size_list().value(row),
        _ => {
            value(array, row)?.field(out);
            return Ok(());
        }
    };
    out.push(6);
    count(elements.len(), out);
    (0..elements.len()).try_for_each(|element| field(&elements, element, out))
}

/// The value of a row that is not nested.
fn value(array: &dyn Array, row: usize) -> Result<Value<'_>, Error> {
    let Some((array, row)) = place(array, row) else { return Ok(Value::Null) };
    macro_rules! number {
        ($type:ty) => {
            array.as_primitive::<$type>().value(row)
        };
    }
    let decimal = |number: &dyn ToString, scale: i8| scaled(&number.to_string(), scale.into());
    let bytes = |bytes| Value::Bytes(Cow::Borrowed(bytes));
    let whole = |x: i64| Value::Integer(x);
    let ticks = |x: i64, unit: &TimeUnit| {
        time(
            i128::from(x)
                * match unit {
                    TimeUnit::Second => 1_000_000_000,
                    TimeUnit::Millisecond => 1_000_000,
                    TimeUnit::Microsecond => 1_000,
                    TimeUnit::Nanosecond => 1,
                },
        )
    };
    Ok(match array.data_type() {
        DataType::Boolean => whole(array.as_boolean().value(row).into()),
        DataType::Int8 => whole(number!(Int8Type).into()),
        DataType::Int16 => whole(number!(Int16Type).into()),
        DataType::Int32 => whole(number!(Int32Type).into()),
        DataType::Int64 => whole(number!(Int64Type)),
        DataType::UInt8 => whole(number!(UInt8Type).into()),
        DataType::UInt16 => whole(number!(UInt16Type).into()),
        DataType::UInt32 => whole(number!(UInt32Type).into()),
        // The bits count.
        DataType::UInt64 => whole(number!(UInt64Type) as i64),
        DataType::Float16 => Value::Float(number!(Float16Type).to_f64()),
        DataType::Float32 => Value::Float(number!(Float32Type).into()),
        DataType::Float64 => Value::Float(number!(Float64Type)),
        DataType::Date32 => whole(number!(Date32Type).into()),
        DataType::Date64 => match number!(Date64Type) {
            milliseconds if milliseconds % 86_400_000 == 0 => whole(milliseconds / 86_400_000),
            _ => return Err(malformed()),
        },
        DataType::Time32(TimeUnit::Second) => ticks(number!(Time32SecondType).into(), &TimeUnit::Second),
        DataType::Time32(unit) => ticks(number!(Time32MillisecondType).into(), unit),
        DataType::Time64(TimeUnit::Microsecond) => {
            ticks(number!(Time64MicrosecondType), &TimeUnit::Microsecond)
        }
        DataType::Time64(unit) => ticks(number!(Time64NanosecondType), unit),
        DataType::Timestamp(unit, _) => {
            let x = match unit {
                TimeUnit::Second => number!(TimestampSecondType),
                TimeUnit::Millisecond => number!(TimestampMillisecondType),
                TimeUnit::Microsecond => number!(TimestampMicrosecondType),
                TimeUnit::Nanosecond => number!(TimestampNanosecondType),
            };
            ticks(x, unit)
        }
        DataType::Duration(unit) => {
            let x = match unit {
                TimeUnit::Second => number!(DurationSecondType),
                TimeUnit::Millisecond => number!(DurationMillisecondType),
                TimeUnit::Microsecond => number!(DurationMicrosecondType),
                TimeUnit::Nanosecond => number!(DurationNanosecondType),
            };
            ticks(x, unit)
        }
        DataType::Decimal32(_, scale) => decimal(&number!(Decimal32Type), *scale),
        DataType::Decimal64(_, scale) => decimal(&number!(Decimal64Type), *scale),
        DataType::Decimal128(_, scale) => decimal(&number!(Decimal128Type), *scale),
        DataType::Decimal256(_, scale) => decimal(&number!(Decimal256Type), *scale),
        DataType::Utf8 => bytes(array.as_string::<i32>().value(row).as_bytes()),
        DataType::LargeUtf8 => bytes(array.as_string::<i64>().value(row).as_bytes()),
        DataType::Utf8View => bytes(array.as_string_view().value(row).as_bytes()),
        DataType::Binary => bytes(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => bytes(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => bytes(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => bytes(array.as_fixed_size_binary().value(row)),
        _ => return Err(malformed()),
    })
}

/// The decimal of an integer with these digits and this scale.
fn scaled(integer: &str, scale: i32) -> Value<'static> {
    let digits = integer.trim_start_matches('-');
    let is_negative = digits != integer;
    let len = scale.unsigned_abs() as usize;
    if scale <= 0 {
        return decimal(is_negative, &format!("{digits}{:0<len$}", ""), "");
    }
    let digits = format!("{digits:0>len$}");
    let (whole, fraction) = digits.split_at(digits.len() - len);
    decimal(is_negative, whole, fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_of_decimals() {
        let text = |text: &str| Value::Text(text.into());
        assert_eq!(scaled("-1234", 2), text("-12.34"));
        assert_eq!(scaled("-1", 3), text("-0.001"));
        assert_eq!(scaled("500", 2), Value::Integer(5));
        assert_eq!(scaled("12", -2), Value::Integer(1200));
        assert_eq!(scaled("0", -100), Value::Integer(0));
        assert_eq!(scaled("-9223372036854775808", -1), text("-92233720368547758080"));
    }
}
