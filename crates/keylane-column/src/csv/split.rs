//! Records and fields of CSV by RFC 4180, as places in the bytes. A quote inside of a field that does not begin with one
//! is a byte like any other. Records end with LF, CRLF or CR.

use memchr::memchr;

/// Where a field stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The first byte of the content, behind the opening quote.
    pub start: usize,
    /// The end of the content.
    pub end: usize,
    /// Whether quotes enclose it.
    pub quoted: bool,
    /// Whether quotes in it are doubled.
    pub escaped: bool,
}

impl Field {
    /// The content, without its doubled quotes. They are removed in `scratch`.
    pub fn content<'a>(&self, bytes: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let raw = bytes.get(self.start..self.end).unwrap_or_default();
        if !self.escaped {
            return raw;
        }
        scratch.clear();
        let mut rest = raw;
        while let Some(quote) = memchr(b'"', rest) {
            let (part, after) = rest.split_at(quote + 1);
            scratch.extend_from_slice(part);
            rest = after.get(1..).unwrap_or_default();
        }
        scratch.extend_from_slice(rest);
        scratch
    }
}

/// A record that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The end of its last field, with the closing quote.
    pub end: usize,
    /// The first byte behind its terminator.
    pub next: usize,
    /// How many fields it has.
    pub fields: usize,
}

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A whole record.
    Record(Record),
    /// The bytes end before the record does.
    Part,
    /// A quote that is not closed before the end of the file.
    Open,
    /// Bytes behind a closing quote, in the field of this number, counted from 0.
    Behind(usize),
}

/// The record at `at`, which is not the terminator of an empty line. `last` says that no bytes follow these. Each field is
/// passed to `each` with its number.
pub fn record(
    bytes: &[u8],
    at: usize,
    delimiter: u8,
    last: bool,
    mut each: impl FnMut(usize, Field),
) -> Found {
    let (mut start, mut number) = (at, 0);
    loop {
        let (field, end) = if bytes.get(start) == Some(&b'"') {
            match quoted(bytes, start + 1) {
                Some(field) if field.end + 1 < bytes.len() || last => (field, field.end + 1),
                Some(_) => return Found::Part,
                None if last => return Found::Open,
                None => return Found::Part,
            }
        } else {
            let end = special(bytes, start, delimiter);
            if end == bytes.len() && !last {
                return Found::Part;
            }
            (Field { start, end, quoted: false, escaped: false }, end)
        };
        each(number, field);
        number += 1;
        let next = match bytes.get(end) {
            Some(&byte) if byte == delimiter => {
                start = end + 1;
                continue;
            }
            Some(b'\n') => end + 1,
            // A line feed that is not here yet is an empty line later, which is kept.
            Some(b'\r') => end + 1 + usize::from(bytes.get(end + 1) == Some(&b'\n')),
            None => end,
            Some(_) => return Found::Behind(number - 1),
        };
        return Found::Record(Record { end, next, fields: number });
    }
}

/// The field behind an opening quote, if its closing quote is here. Whether a quote at the end of the bytes is doubled is
/// for the caller to see.
fn quoted(bytes: &[u8], start: usize) -> Option<Field> {
    let (mut at, mut escaped) = (start, false);
    loop {
        let end = at + memchr(b'"', bytes.get(at..)?)?;
        if bytes.get(end + 1) != Some(&b'"') {
            return Some(Field { start, end, quoted: true, escaped });
        }
        escaped = true;
        at = end + 2;
    }
}

/// The first delimiter or terminator from `at` on, or the end of the bytes. Eight bytes at a time.
fn special(bytes: &[u8], mut at: usize, delimiter: u8) -> usize {
    let delimiters = u64::from(delimiter) * ONES;
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ delimiters)
            | zeros(word ^ (u64::from(b'\n') * ONES))
            | zeros(word ^ (u64::from(b'\r') * ONES));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let is_special = |&byte: &u8| byte == delimiter || byte == b'\n' || byte == b'\r';
    at + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// The lowest bit of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each byte that is zero. Bytes above a zero byte may be wrong; the lowest is right.
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str, last: bool) -> (Vec<String>, Found) {
        let (mut all, mut scratch) = (Vec::new(), Vec::new());
        let found = record(text.as_bytes(), 0, b',', last, |number, field| {
            assert_eq!(number, all.len());
            all.push(String::from_utf8(field.content(text.as_bytes(), &mut scratch).to_vec()).expect("text"));
        });
        (all, found)
    }

    #[test]
    fn records_end_where_they_should() {
        let whole = |end, next, fields| Found::Record(Record { end, next, fields });
        for (text, expected, found) in [
            ("a,b\nc", &["a", "b"][..], whole(3, 4, 2)),
            ("a,b\r\nc", &["a", "b"], whole(3, 5, 2)),
            ("a,b\rc", &["a", "b"], whole(3, 4, 2)),
            ("a,b", &["a", "b"], whole(3, 3, 2)),
            ("a,", &["a", ""], whole(2, 2, 2)),
            (",", &["", ""], whole(1, 1, 2)),
            ("\"a,\r\n\"\"b\",\"\"\n", &["a,\r\n\"b", ""], whole(12, 13, 2)),
            ("a\"b\"\n", &["a\"b\""], whole(4, 5, 1)),
            ("\"a\" ,b\n", &["a"], Found::Behind(0)),
            ("x,\"a\"b\n", &["x", "a"], Found::Behind(1)),
            ("x,\"a\"\"\n", &["x"], Found::Open),
            ("\"", &[], Found::Open),
        ] {
            let (all, which) = fields(text, true);
            assert_eq!(
                (&all[..], which),
                (&expected.iter().map(|text| text.to_string()).collect::<Vec<_>>()[..], found)
            );
        }
    }

    /// Every part of a record is a part, and no part of it is taken for the whole.
    #[test]
    fn parts_are_no_records() {
        let text = "abcdefghijklmnop,\"q\"\"r\",\"\",s\n";
        for end in 0..text.len() {
            assert_eq!(fields(&text[..end], false).1, Found::Part, "{end}");
        }
        assert_eq!(fields(text, false).0, ["abcdefghijklmnop", "q\"r", "", "s"]);
    }

    #[test]
    fn words_have_the_first_special_byte() {
        for len in 0..40 {
            for at in 0..=len {
                for special in [b',', b'\n', b'\r'] {
                    // Bytes that differ by one from special ones follow and precede.
                    let mut bytes = vec![special ^ 1; len];
                    bytes.extend([special, special ^ 1, b'\x01', b'\x00', b'\xff', b',', 0, 0, 0]);
                    let expected = if [b',', b'\n', b'\r'].contains(&(special ^ 1)) { at } else { len };
                    assert_eq!(super::special(&bytes, at, b','), expected.min(len), "{len} {at}");
                }
            }
        }
    }
}
