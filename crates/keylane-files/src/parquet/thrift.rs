//! Structs of Thrift's compact protocol, as far as footers and page headers need them. A field is the bytes of its value,
//! which stay as they are unless it is looked into. So what is not understood can still be passed on whole.
//!
//! Source: Apache Thrift's specification of the compact protocol.

use std::borrow::Cow;

/// The kinds of values, as they stand in the header of a field.
pub mod kind {
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const I8: u8 = 3;
    pub const I16: u8 = 4;
    pub const I32: u8 = 5;
    pub const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const SET: u8 = 10;
    pub const MAP: u8 = 11;
    pub const STRUCT: u8 = 12;
}

/// How deep values may be nested.
const DEPTH: usize = 32;

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value<'a> {
    pub kind: u8,
    /// Empty for a boolean, whose kind says all.
    pub bytes: Cow<'a, [u8]>,
}

impl Value<'_> {
    /// An integer of 32 bits.
    pub fn int32(number: i32) -> Value<'static> {
        Value { kind: kind::I32, bytes: Cow::Owned(varint(zigzag(number.into()))) }
    }

    /// A list of values of one kind.
    pub fn list<T: AsRef<[u8]>>(kind: u8, items: &[T]) -> Value<'static> {
        let mut bytes = match u8::try_from(items.len()) {
            Ok(short @ 0..15) => vec![short << 4 | kind],
            _ => [vec![0xf0 | kind], varint(items.len() as u64)].concat(),
        };
        items.iter().for_each(|item| bytes.extend_from_slice(item.as_ref()));
        Value { kind: kind::LIST, bytes: Cow::Owned(bytes) }
    }

    /// The integer.
    pub fn int(&self) -> Option<i64> {
        match self.kind {
            kind::I16 | kind::I32 | kind::I64 => read_varint(&self.bytes).map(|(word, _)| unzigzag(word)),
            _ => None,
        }
    }

    /// The bytes or the text.
    pub fn binary(&self) -> Option<&[u8]> {
        let (_, start) = read_varint(&self.bytes).filter(|_| self.kind == kind::BINARY)?;
        self.bytes.get(start..)
    }

    /// The struct.
    pub fn fields(&self) -> Option<Struct<'_>> {
        (self.kind == kind::STRUCT).then(|| Struct::read(&self.bytes)).flatten().map(|(fields, _)| fields)
    }

    /// The items of a list, and their kind.
    pub fn items(&self) -> Option<(u8, Vec<&[u8]>)> {
        let (kind, count, mut at) = list_header(&self.bytes).filter(|_| self.kind == kind::LIST)?;
        let mut items = Vec::new();
        for _ in 0..count {
            let rest = self.bytes.get(at..)?;
            let len = item_len(kind, rest, DEPTH)?;
            items.push(rest.get(..len)?);
            at += len;
        }
        Some((kind, items))
    }

    /// The structs of a list.
    pub fn structs(&self) -> Option<Vec<Struct<'_>>> {
        let (kind, items) = self.items()?;
        if kind != kind::STRUCT && !items.is_empty() {
            return None;
        }
        items.into_iter().map(|item| Struct::read(item).map(|(fields, _)| fields)).collect()
    }
}

/// The fields of a struct, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Struct<'a> {
    fields: Vec<(i16, Value<'a>)>,
}

impl<'a> Struct<'a> {
    /// The struct at the start of these bytes, and how long it is. `None` if there is none, or a part of one.
    pub fn read(bytes: &'a [u8]) -> Option<(Struct<'a>, usize)> {
        let mut fields: Vec<(i16, Value<'a>)> = Vec::new();
        let (mut at, mut id) = (0, 0);
        while let Some((next, kind, start)) = field_header(bytes, at, id)? {
            let rest = bytes.get(start..)?;
            let len = value_len(kind, rest, DEPTH)?;
            if fields.iter().any(|(known, _)| *known == next) {
                return None;
            }
            fields.push((next, Value { kind, bytes: Cow::Borrowed(rest.get(..len)?) }));
            (at, id) = (start + len, next);
        }
        Some((Struct { fields }, at + 1))
    }

    /// The value of a field.
    pub fn get(&self, id: i16) -> Option<&Value<'a>> {
        self.fields.iter().find(|(known, _)| *known == id).map(|(_, value)| value)
    }

    /// The integer of a field.
    pub fn int(&self, id: i16) -> Option<i64> {
        self.get(id)?.int()
    }

    /// The number of the first field: which choice a union is.
    pub fn choice(&self) -> Option<i16> {
        self.fields.first().map(|(id, _)| *id)
    }

    /// Sets a field, or removes it.
    pub fn set(&mut self, id: i16, value: Option<Value<'a>>) {
        self.fields.retain(|(known, _)| *known != id);
        self.fields.extend(value.map(|value| (id, value)));
    }

    /// The same struct, with no other fields than these.
    pub fn only(&self, ids: &[i16]) -> Struct<'a> {
        Struct { fields: self.fields.iter().filter(|(id, _)| ids.contains(id)).cloned().collect() }
    }

    /// The struct, apart from the bytes that it was read from.
    pub fn owned(&self) -> Struct<'static> {
        let owned = |(id, value): &(i16, Value<'_>)| {
            (*id, Value { kind: value.kind, bytes: Cow::Owned(value.bytes.to_vec()) })
        };
        Struct { fields: self.fields.iter().map(owned).collect() }
    }

    /// The struct as bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut fields: Vec<&(i16, Value<'a>)> = self.fields.iter().collect();
        fields.sort_by_key(|(id, _)| *id);
        let (mut bytes, mut last) = (Vec::new(), 0_i16);
        for (id, value) in fields {
            match u8::try_from(id.saturating_sub(last)) {
                Ok(step @ 1..=15) => bytes.push(step << 4 | value.kind),
                _ => {
                    bytes.push(value.kind);
                    bytes.extend_from_slice(&varint(zigzag((*id).into())));
                }
            }
            bytes.extend_from_slice(&value.bytes);
            last = *id;
        }
        bytes.push(0);
        bytes
    }

    /// The struct as the value of a field.
    pub fn value(&self) -> Value<'static> {
        Value { kind: kind::STRUCT, bytes: Cow::Owned(self.write()) }
    }
}

/// The number and the kind of the field whose header is there, and where its value starts. The inner `None` is the end of
/// the struct.
#[allow(clippy::option_option)]
fn field_header(bytes: &[u8], at: usize, last: i16) -> Option<Option<(i16, u8, usize)>> {
    let head = *bytes.get(at)?;
    let (step, kind) = (head >> 4, head & 15);
    if head == 0 {
        return Some(None);
    }
    if step != 0 {
        return Some(Some((last.checked_add(step.into())?, kind, at + 1)));
    }
    let (word, len) = read_varint(bytes.get(at + 1..)?)?;
    Some(Some((i16::try_from(unzigzag(word)).ok()?, kind, at + 1 + len)))
}

/// How long the value of a field is.
fn value_len(kind: u8, bytes: &[u8], depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    let len = match kind {
        kind::TRUE | kind::FALSE => 0,
        kind::I8 => 1,
        kind::I16 | kind::I32 | kind::I64 => read_varint(bytes)?.1,
        kind::DOUBLE => 8,
        kind::BINARY => {
            let (count, start) = read_varint(bytes)?;
            start.checked_add(usize::try_from(count).ok()?)?
        }
        kind::LIST | kind::SET => {
            let (kind, count, mut at) = list_header(bytes)?;
            for _ in 0..count {
                at += item_len(kind, bytes.get(at..)?, depth)?;
            }
            at
        }
        kind::MAP => {
            let (count, mut at) = read_varint(bytes)?;
            if count > 0 {
                let kinds = *bytes.get(at)?;
                at += 1;
                for _ in 0..count {
                    at += item_len(kinds >> 4, bytes.get(at..)?, depth)?;
                    at += item_len(kinds & 15, bytes.get(at..)?, depth)?;
                }
            }
            at
        }
        kind::STRUCT => {
            let (mut at, mut id) = (0, 0);
            while let Some((next, kind, start)) = field_header(bytes, at, id)? {
                (at, id) = (start + value_len(kind, bytes.get(start..)?, depth)?, next);
            }
            at + 1
        }
        _ => return None,
    };
    (len <= bytes.len()).then_some(len)
}

/// How long an item of a list is: a boolean has a byte there.
fn item_len(kind: u8, bytes: &[u8], depth: usize) -> Option<usize> {
    match kind {
        kind::TRUE | kind::FALSE => (!bytes.is_empty()).then_some(1),
        kind => value_len(kind, bytes, depth),
    }
}

/// The kind and the number of a list's items, and where they start. Readers look at the kind of an empty list, too.
fn list_header(bytes: &[u8]) -> Option<(u8, u64, usize)> {
    let head = *bytes.first().filter(|head| *head & 15 <= kind::STRUCT)?;
    match head >> 4 {
        15 => read_varint(bytes.get(1..)?).map(|(count, len)| (head & 15, count, 1 + len)),
        count => Some((head & 15, count.into(), 1)),
    }
}

/// The number at the start of these bytes, and how long it is.
fn read_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut word = 0;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        word |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((word, at + 1));
        }
    }
    None
}

fn varint(mut word: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while word >= 0x80 {
        bytes.push(word as u8 | 0x80);
        word >>= 7;
    }
    bytes.push(word as u8);
    bytes
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

fn unzigzag(word: u64) -> i64 {
    (word >> 1) as i64 ^ -((word & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_are_written_as_they_were_read() {
        // 1: true, 2: i32 -3, 20: "ab", 21: a list of two structs, 22: a map from i32 to a boolean
        let bytes = [
            &[0x11, 0x15, 0x05, 0x08, 0x28, 2, b'a', b'b'][..],
            &[0x19, 0x2c, 0x15, 0x02, 0x00, 0x00, 0x1b, 1, 0x51, 0x04, 0x01, 0x00],
        ]
        .concat();
        let (read, len) = Struct::read(&[&bytes[..], &[9, 9]].concat())
            .map(|(it, len)| (it.write(), len))
            .expect("a struct");
        assert_eq!((len, &read), (bytes.len(), &bytes));
        let (fields, _) = Struct::read(&bytes).expect("a struct");
        assert_eq!(fields.int(2), Some(-3));
        assert_eq!(fields.get(20).and_then(Value::binary), Some(&b"ab"[..]));
        let inner = fields.get(21).and_then(Value::structs).expect("structs");
        assert_eq!(inner.iter().map(|it| it.int(1)).collect::<Vec<_>>(), [Some(1), None]);
        for len in 0..bytes.len() {
            assert_eq!(Struct::read(&bytes[..len]), None, "{len}");
        }
    }

    #[test]
    fn lists_and_fields_are_written() {
        let items: Vec<Vec<u8>> = (0..20).map(|number| varint(zigzag(number * 1000 - 7000))).collect();
        for items in [&items[..], &items[..14], &items[..15], &[]] {
            let mut fields = Struct::default();
            fields.set(300, Some(Value::list(kind::I32, items)));
            fields.set(7, Some(Value::int32(i32::MIN)));
            let bytes = fields.write();
            let (read, len) = Struct::read(&bytes).expect("a struct");
            assert_eq!(len, bytes.len());
            assert_eq!(read.int(7), Some(i32::MIN.into()));
            let (kind, found) = read.get(300).and_then(Value::items).expect("items");
            assert_eq!((kind, found), (kind::I32, items.iter().map(Vec::as_slice).collect()));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        // Too deep, a number without end, a count without items, a field twice.
        let deep = [0x1c].repeat(DEPTH + 1);
        let twice = [0x15, 2, 0x05, 2, 2, 0];
        for bytes in [
            &deep[..],
            &[0x15; 12],
            &[0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x0f],
            &twice,
            &[0x1e, 0],
            &[0x19, 0x0e, 0],
        ] {
            assert_eq!(Struct::read(bytes), None, "{bytes:?}");
        }
    }
}
