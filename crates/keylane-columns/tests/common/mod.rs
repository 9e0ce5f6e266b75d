//! Arrays in every layout, from the notation of `tests/kce1/README.md`.

pub mod random;

use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit, UnionFields, UnionMode};
use serde_json::Value as Json;
use std::sync::Arc;

/// Reads the text of a type.
pub fn data_type(text: &str) -> DataType {
    let mut reader = Reader { rest: text };
    let found = reader.data_type();
    assert_eq!(reader.rest, "", "{text}");
    found
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn sees(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, text: &str) {
        assert!(self.sees(text), "{text} expected at {}", self.rest);
    }

    fn word(&mut self, inside: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|letter| !inside(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn number<N: std::str::FromStr>(&mut self) -> N {
        let digits = self.word(|letter| letter.is_ascii_digit() || letter == '-');
        digits.parse().unwrap_or_else(|_| panic!("{digits} is no number"))
    }

    fn field(&mut self) -> FieldRef {
        let name = self.word(|letter| letter != ':').to_string();
        self.expect(": ");
        Arc::new(Field::new(name, self.data_type(), true))
    }

    fn list(&mut self) -> FieldRef {
        self.expect("<");
        let item = self.field();
        self.expect(">");
        item
    }

    fn unit(&mut self) -> TimeUnit {
        self.expect("[");
        match self.word(|letter| letter.is_ascii_alphabetic()) {
            "s" => TimeUnit::Second,
            "ms" => TimeUnit::Millisecond,
            "us" => TimeUnit::Microsecond,
            "ns" => TimeUnit::Nanosecond,
            other => panic!("unit {other}"),
        }
    }

    fn closed(&mut self, found: DataType) -> DataType {
        self.expect("]");
        found
    }

    fn decimal(&mut self, make: impl Fn(u8, i8) -> DataType) -> DataType {
        self.expect("(");
        let precision = self.number();
        self.expect(", ");
        let found = make(precision, self.number());
        self.expect(")");
        found
    }

    fn data_type(&mut self) -> DataType {
        match self.word(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            "null" => DataType::Null,
            "bool" => DataType::Boolean,
            "int8" => DataType::Int8,
            "int16" => DataType::Int16,
            "int32" => DataType::Int32,
            "int64" => DataType::Int64,
            "uint8" => DataType::UInt8,
            "uint16" => DataType::UInt16,
            "uint32" => DataType::UInt32,
            "uint64" => DataType::UInt64,
            "float16" => DataType::Float16,
            "float32" => DataType::Float32,
            "float64" => DataType::Float64,
            "utf8" => DataType::Utf8,
            "large_utf8" => DataType::LargeUtf8,
            "utf8_view" => DataType::Utf8View,
            "binary" => DataType::Binary,
            "large_binary" => DataType::LargeBinary,
            "binary_view" => DataType::BinaryView,
            "date32" => DataType::Date32,
            "date64" => DataType::Date64,
            "fixed_size_binary" => {
                self.expect("[");
                let width = self.number();
                self.closed(DataType::FixedSizeBinary(width))
            }
            "time32" => {
                let unit = self.unit();
                self.closed(DataType::Time32(unit))
            }
            "time64" => {
                let unit = self.unit();
                self.closed(DataType::Time64(unit))
            }
            "duration" => {
                let unit = self.unit();
                self.closed(DataType::Duration(unit))
            }
            "timestamp" => {
                let unit = self.unit();
                let zone = self.sees(", tz=").then(|| self.word(|letter| letter != ']').into());
                self.closed(DataType::Timestamp(unit, zone))
            }
            "decimal32" => self.decimal(DataType::Decimal32),
            "decimal64" => self.decimal(DataType::Decimal64),
            "decimal128" => self.decimal(DataType::Decimal128),
            "decimal256" => self.decimal(DataType::Decimal256),
            "list" => DataType::List(self.list()),
            "large_list" => DataType::LargeList(self.list()),
            "list_view" => DataType::ListView(self.list()),
            "large_list_view" => DataType::LargeListView(self.list()),
            "fixed_size_list" => {
                let item = self.list();
                self.expect("[");
                let size = self.number();
                self.closed(DataType::FixedSizeList(item, size))
            }
            "struct" => {
                self.expect("<");
                let mut fields = Vec::new();
                while !self.sees(">") {
                    fields.push(self.field());
                    self.sees(", ");
                }
                DataType::Struct(fields.into())
            }
            "dictionary" => {
                self.expect("<values=");
                let values = self.data_type();
                self.expect(", indices=");
                let keys = self.data_type();
                self.expect(">");
                DataType::Dictionary(keys.into(), values.into())
            }
            "run_end_encoded" => {
                self.expect("<run_ends: ");
                let ends = Field::new("run_ends", self.data_type(), false);
                self.expect(", values: ");
                let values = Field::new("values", self.data_type(), true);
                self.expect(">");
                DataType::RunEndEncoded(ends.into(), values.into())
            }
            "map" => {
                self.expect("<");
                let key = Field::new("keys", self.data_type(), false);
                self.expect(", ");
                let value = Field::new("values", self.data_type(), true);
                self.expect(">");
                let entries = DataType::Struct(vec![key, value].into());
                DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
            }
            "interval" => {
                self.expect("[");
                let unit = match self.word(|letter| letter != ']') {
                    "year_month" => IntervalUnit::YearMonth,
                    "day_time" => IntervalUnit::DayTime,
                    _ => IntervalUnit::MonthDayNano,
                };
                self.closed(DataType::Interval(unit))
            }
            "union" => {
                self.expect("[");
                let dense = self.word(|letter| letter != ']') == "dense";
                self.expect("]");
                let fields = UnionFields::from_fields([self.list()]);
                DataType::Union(fields, if dense { UnionMode::Dense } else { UnionMode::Sparse })
            }
            other => panic!("type {other}"),
        }
    }
}

/// Whether a value is not null.
fn valid(value: &Json) -> bool {
    !value.is_null() && value.get("behind_null").is_none()
}

/// What memory holds: the value, or what lies behind a null.
fn content(value: &Json) -> Option<&Json> {
    if value.is_null() { None } else { Some(value.get("behind_null").unwrap_or(value)) }
}

fn nulls(values: &[Json]) -> Option<NullBuffer> {
    let all = BooleanBuffer::from_iter(values.iter().map(valid));
    (all.count_set_bits() < values.len()).then(|| NullBuffer::new(all))
}

fn integer<N: std::str::FromStr>(value: &Json) -> N {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
    text.parse().unwrap_or_else(|_| panic!("{text} is no such integer"))
}

fn bits<N: TryFrom<u64>>(value: &Json) -> N {
    let digits = value.as_str().expect("bits").trim_start_matches("0x");
    let bits = u64::from_str_radix(digits, 16).expect("bits");
    N::try_from(bits).unwrap_or_else(|_| panic!("{digits} has more bits"))
}

/// The bytes of text or hex.
fn bytes(value: &Json, text: bool) -> Vec<u8> {
    let value = value.as_str().expect("text");
    if text { value.into() } else { unhex(value) }
}

/// The bytes of hexadecimal digits.
pub fn unhex(digits: &str) -> Vec<u8> {
    let pair = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex");
    (0..digits.len()).step_by(2).map(pair).collect()
}

/// An array of numbers. Where nothing is said about what lies behind a null, it is `garbage`.
fn primitive<T: ArrowPrimitiveType>(
    data_type: &DataType,
    values: &[Json],
    garbage: T::Native,
    read: impl Fn(&Json) -> T::Native,
) -> ArrayRef {
    let natives: Vec<T::Native> = values.iter().map(|value| content(value).map_or(garbage, &read)).collect();
    let array = PrimitiveArray::<T>::new(natives.into(), nulls(values));
    Arc::new(array.with_data_type(data_type.clone()))
}

const GARBAGE: &[u8] = b"garbage behind a null, longer than a view holds";

fn strings(values: &[Json], text: bool) -> Vec<Vec<u8>> {
    values.iter().map(|value| content(value).map_or(GARBAGE.into(), |value| bytes(value, text))).collect()
}

fn byte_array<T: ByteArrayType>(values: &[Json], text: bool) -> ArrayRef {
    let strings = strings(values, text);
    let offsets = OffsetBuffer::from_lengths(strings.iter().map(Vec::len));
    Arc::new(GenericByteArray::<T>::new(offsets, strings.concat().into(), nulls(values)))
}

/// Views into two buffers in turn.
fn views(values: &[Json], text: bool) -> (ScalarBuffer<u128>, Vec<Buffer>) {
    let mut buffers = [Vec::new(), Vec::new()];
    let view = |(row, bytes): (usize, Vec<u8>)| {
        let mut view = [0; 16];
        view[..4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        if bytes.len() <= 12 {
            view[4..4 + bytes.len()].copy_from_slice(&bytes);
        } else {
            let buffer = &mut buffers[row % 2];
            view[4..8].copy_from_slice(&bytes[..4]);
            view[8..12].copy_from_slice(&(row as u32 % 2).to_le_bytes());
            view[12..].copy_from_slice(&(buffer.len() as u32).to_le_bytes());
            buffer.extend(bytes);
        }
        u128::from_le_bytes(view)
    };
    let views = strings(values, text).into_iter().enumerate().map(view).collect::<Vec<_>>();
    (views.into(), buffers.into_iter().map(Buffer::from_vec).collect())
}

/// The elements of lists, one after the other, and their numbers.
fn elements(values: &[Json]) -> (Vec<Json>, Vec<usize>) {
    let lists =
        values.iter().map(|value| content(value).map_or(&[][..], |list| list.as_array().expect("list")));
    let lists: Vec<&[Json]> = lists.collect();
    (lists.concat(), lists.iter().map(|list| list.len()).collect())
}

fn list<O: OffsetSizeTrait>(item: &FieldRef, values: &[Json]) -> ArrayRef {
    let (elements, lengths) = elements(values);
    let items = array(item.data_type(), &elements);
    let offsets = OffsetBuffer::from_lengths(lengths);
    Arc::new(GenericListArray::<O>::new(item.clone(), offsets, items, nulls(values)))
}

/// The lists stand in memory in reverse order.
fn list_view<O: OffsetSizeTrait>(item: &FieldRef, values: &[Json]) -> ArrayRef {
    let reversed: Vec<Json> = values.iter().rev().cloned().collect();
    let (elements, mut sizes) = elements(&reversed);
    let mut at = 0;
    let mut start = |&size: &usize| {
        at += size;
        O::usize_as(at - size)
    };
    let mut starts: Vec<O> = sizes.iter().map(&mut start).collect();
    starts.reverse();
    sizes.reverse();
    let sizes: Vec<O> = sizes.into_iter().map(O::usize_as).collect();
    let items = array(item.data_type(), &elements);
    let array =
        GenericListViewArray::<O>::new(item.clone(), starts.into(), sizes.into(), items, nulls(values));
    Arc::new(array)
}

fn structs(fields: &Fields, values: &[Json]) -> ArrayRef {
    let child = |(at, field): (usize, &FieldRef)| {
        let values =
            values.iter().map(|value| content(value).map_or(Json::Null, |fields| fields[at].clone()));
        array(field.data_type(), &values.collect::<Vec<_>>())
    };
    let children = fields.iter().enumerate().map(child).collect();
    Arc::new(
        StructArray::try_new_with_length(fields.clone(), children, nulls(values), values.len())
            .expect("struct"),
    )
}

/// A dictionary whose values stand in reverse order. It has a null, to which every second null refers, and the last
/// value is referred to by no key.
fn dictionary<K: ArrowDictionaryKeyType>(values: &[Json], value_type: &DataType) -> ArrayRef {
    let unused = values.iter().find(|value| valid(value)).cloned().unwrap_or(Json::Null);
    let mut words = vec![Json::Null, unused];
    let mut keys = Vec::new();
    for (row, value) in values.iter().enumerate() {
        keys.push(if valid(value) {
            let word = words.iter().skip(2).position(|word| word == value).map_or_else(
                || {
                    words.push(value.clone());
                    words.len() - 1
                },
                |at| at + 2,
            );
            Some(word)
        } else {
            (row % 2 == 0).then_some(0)
        });
    }
    words.reverse();
    let last = words.len() - 1;
    let native = |key: Option<usize>| K::Native::usize_as(key.map_or(100, |key| last - key));
    let natives: Vec<K::Native> = keys.iter().map(|&key| native(key)).collect();
    let present = NullBuffer::from_iter(keys.iter().map(Option::is_some));
    let keys = PrimitiveArray::<K>::new(natives.into(), Some(present));
    Arc::new(DictionaryArray::new(keys, array(value_type, &words)))
}

fn runs<R: RunEndIndexType>(values: &[Json], value_type: &DataType) -> ArrayRef {
    let (mut ends, mut words): (Vec<R::Native>, Vec<Json>) = (Vec::new(), Vec::new());
    for (row, value) in values.iter().enumerate() {
        if words.last() != Some(value) {
            words.push(value.clone());
            ends.push(R::Native::usize_as(row + 1));
        } else if let Some(end) = ends.last_mut() {
            *end = R::Native::usize_as(row + 1);
        }
    }
    let ends = PrimitiveArray::<R>::new(ends.into(), None);
    Arc::new(RunArray::try_new(&ends, &array(value_type, &words)).expect("runs"))
}

/// The array of these values.
pub fn array(data_type: &DataType, values: &[Json]) -> ArrayRef {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    let dt = data_type;
    let half = |value: &Json| <Float16Type as ArrowPrimitiveType>::Native::from_bits(bits(value));
    match dt {
        DataType::Null => Arc::new(NullArray::new(values.len())),
        DataType::Boolean => {
            let read = |value: &Json| value.as_bool().expect("bool");
            let bits = values.iter().map(|value| content(value).is_none_or(read));
            Arc::new(BooleanArray::new(bits.collect(), nulls(values)))
        }
        DataType::Int8 => primitive::<Int8Type>(dt, values, 1, integer),
        DataType::Int16 => primitive::<Int16Type>(dt, values, 1, integer),
        DataType::Int32 => primitive::<Int32Type>(dt, values, 1, integer),
        DataType::Int64 => primitive::<Int64Type>(dt, values, 1, integer),
        DataType::UInt8 => primitive::<UInt8Type>(dt, values, 1, integer),
        DataType::UInt16 => primitive::<UInt16Type>(dt, values, 1, integer),
        DataType::UInt32 => primitive::<UInt32Type>(dt, values, 1, integer),
        DataType::UInt64 => primitive::<UInt64Type>(dt, values, 1, integer),
        DataType::Float16 => primitive::<Float16Type>(dt, values, half(&"0x7e01".into()), half),
        DataType::Float32 => primitive::<Float32Type>(dt, values, 1.0, |value| f32::from_bits(bits(value))),
        DataType::Float64 => primitive::<Float64Type>(dt, values, 1.0, |value| f64::from_bits(bits(value))),
        DataType::Date32 => primitive::<Date32Type>(dt, values, 1, integer),
        DataType::Date64 => primitive::<Date64Type>(dt, values, 1, integer),
        DataType::Time32(Second) => primitive::<Time32SecondType>(dt, values, 1, integer),
        DataType::Time32(_) => primitive::<Time32MillisecondType>(dt, values, 1, integer),
        DataType::Time64(Microsecond) => primitive::<Time64MicrosecondType>(dt, values, 1, integer),
        DataType::Time64(_) => primitive::<Time64NanosecondType>(dt, values, 1, integer),
        DataType::Timestamp(Second, _) => primitive::<TimestampSecondType>(dt, values, i64::MAX, integer),
        DataType::Timestamp(Millisecond, _) => primitive::<TimestampMillisecondType>(dt, values, 1, integer),
        DataType::Timestamp(Microsecond, _) => primitive::<TimestampMicrosecondType>(dt, values, 1, integer),
        DataType::Timestamp(Nanosecond, _) => primitive::<TimestampNanosecondType>(dt, values, 1, integer),
        DataType::Duration(Second) => primitive::<DurationSecondType>(dt, values, 1, integer),
        DataType::Duration(Millisecond) => primitive::<DurationMillisecondType>(dt, values, 1, integer),
        DataType::Duration(Microsecond) => primitive::<DurationMicrosecondType>(dt, values, 1, integer),
        DataType::Duration(Nanosecond) => primitive::<DurationNanosecondType>(dt, values, 1, integer),
        DataType::Decimal32(..) => primitive::<Decimal32Type>(dt, values, 1, integer),
        DataType::Decimal64(..) => primitive::<Decimal64Type>(dt, values, 1, integer),
        DataType::Decimal128(..) => primitive::<Decimal128Type>(dt, values, 1, integer),
        DataType::Decimal256(..) => primitive::<Decimal256Type>(dt, values, i256::ONE, integer),
        DataType::Utf8 => byte_array::<Utf8Type>(values, true),
        DataType::LargeUtf8 => byte_array::<LargeUtf8Type>(values, true),
        DataType::Binary => byte_array::<BinaryType>(values, false),
        DataType::LargeBinary => byte_array::<LargeBinaryType>(values, false),
        DataType::Utf8View => {
            let (views, buffers) = views(values, true);
            Arc::new(StringViewArray::new(views, buffers, nulls(values)))
        }
        DataType::BinaryView => {
            let (views, buffers) = views(values, false);
            Arc::new(BinaryViewArray::new(views, buffers, nulls(values)))
        }
        DataType::FixedSizeBinary(width) => {
            let garbage = vec![1; *width as usize];
            let rows = values
                .iter()
                .map(|value| content(value).map_or(garbage.clone(), |value| bytes(value, false)));
            let bytes = rows.collect::<Vec<_>>().concat().into();
            let array = FixedSizeBinaryArray::try_new_with_len(*width, bytes, nulls(values), values.len());
            Arc::new(array.expect("fixed size"))
        }
        DataType::List(item) => list::<i32>(item, values),
        DataType::LargeList(item) => list::<i64>(item, values),
        DataType::ListView(item) => list_view::<i32>(item, values),
        DataType::LargeListView(item) => list_view::<i64>(item, values),
        DataType::FixedSizeList(item, size) => {
            let absent = vec![Json::Null; *size as usize];
            let lists = values
                .iter()
                .map(|value| content(value).map_or(&absent, |list| list.as_array().expect("list")));
            let elements = lists.flatten().cloned().collect::<Vec<_>>();
            let items = array(item.data_type(), &elements);
            let nulls = nulls(values);
            let array =
                FixedSizeListArray::try_new_with_length(item.clone(), *size, items, nulls, values.len());
            Arc::new(array.expect("fixed size"))
        }
        DataType::Struct(fields) => structs(fields, values),
        DataType::Dictionary(keys, words) => match **keys {
            DataType::Int8 => dictionary::<Int8Type>(values, words),
            DataType::Int16 => dictionary::<Int16Type>(values, words),
            DataType::Int32 => dictionary::<Int32Type>(values, words),
            DataType::Int64 => dictionary::<Int64Type>(values, words),
            DataType::UInt8 => dictionary::<UInt8Type>(values, words),
            DataType::UInt16 => dictionary::<UInt16Type>(values, words),
            DataType::UInt32 => dictionary::<UInt32Type>(values, words),
            _ => dictionary::<UInt64Type>(values, words),
        },
        DataType::RunEndEncoded(ends, words) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(values, words.data_type()),
            DataType::Int32 => runs::<Int32Type>(values, words.data_type()),
            _ => runs::<Int64Type>(values, words.data_type()),
        },
        DataType::Map(..) | DataType::Union(..) | DataType::Interval(_) => {
            assert!(!values.iter().any(valid), "only nulls of {dt}");
            new_null_array(dt, values.len())
        }
    }
}

/// The ways in which the same values can stand in memory.
pub const LAYOUTS: [&str; 5] = ["plain", "sliced", "dictionary", "runs", "sliced runs"];

/// The array of these values in a layout.
pub fn laid_out(data_type: &DataType, values: &[Json], layout: &str) -> ArrayRef {
    let count = values.len();
    // Before and after a slice stand other values.
    let reversed: Vec<Json> = values.iter().rev().cloned().collect();
    let thrice = [&reversed, values, &reversed].concat();
    match layout {
        "plain" => array(data_type, values),
        "sliced" => array(data_type, &thrice).slice(count, count),
        "dictionary" => dictionary::<Int32Type>(values, data_type),
        "runs" => runs::<Int32Type>(values, data_type),
        _ => runs::<Int64Type>(&thrice, data_type).slice(count, count),
    }
}
