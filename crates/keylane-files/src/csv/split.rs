//! Records and fields of CSV by RFC 4180, as places in the bytes. A quote inside of a field that does not begin with one
//! is a byte like any other, and so is every quote of a table without quotes. Records end with LF, CRLF or CR.
//!
//! The bytes are looked at once, 64 at a time: [`Index`] lists the places of all bytes that may end a field. Records are
//! read from that list.

use super::dialect::Dialect;
use memchr::memchr;

/// Where a field stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte of the content, behind the opening quote.
    pub start: usize,
    /// The end of the content.
    pub end: usize,
    /// Whether quotes in it are doubled.
    pub escaped: bool,
}

impl Span {
    /// The content, without its doubled quotes. They are removed in `scratch`.
    pub fn content<'a>(&self, bytes: &'a [u8], dialect: Dialect, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let raw = bytes.get(self.start..self.end).unwrap_or_default();
        let Some(quote) = dialect.quote.filter(|_| self.escaped) else { return raw };
        scratch.clear();
        let mut rest = raw;
        while let Some(place) = memchr(quote, rest) {
            let (part, after) = rest.split_at(place + 1);
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

/// The records of these bytes.
pub struct Records<'a> {
    pub bytes: &'a [u8],
    /// Whether no bytes follow these.
    pub last: bool,
    pub index: &'a mut Index,
}

impl Records<'_> {
    /// The record at `at`; an empty line is one with an empty field. Each field is passed to `each` with its number.
    pub fn record(&mut self, at: usize, mut each: impl FnMut(usize, Span)) -> Found {
        let bytes = self.bytes;
        let Dialect { delimiter, quote } = self.index.dialect;
        let (mut start, mut number) = (at, 0);
        loop {
            let (field, end) = if quote.is_some() && bytes.get(start).copied() == quote {
                match self.quoted(start + 1) {
                    Some(field) if field.end + 1 < bytes.len() || self.last => (field, field.end + 1),
                    Some(_) => return Found::Part,
                    None if self.last => return Found::Open,
                    None => return Found::Part,
                }
            } else {
                let end = self.index.find(bytes, start, |byte| Some(byte) != quote);
                if end == bytes.len() && !self.last {
                    return Found::Part;
                }
                (Span { start, end, escaped: false }, end)
            };
            each(number, field);
            number += 1;
            let next = match bytes.get(end) {
                Some(&byte) if byte == delimiter => {
                    start = end + 1;
                    continue;
                }
                Some(b'\n') => end + 1,
                // Whether a line feed follows is not known yet.
                Some(b'\r') if end + 1 == bytes.len() && !self.last => return Found::Part,
                Some(b'\r') => end + 1 + usize::from(bytes.get(end + 1) == Some(&b'\n')),
                None => end,
                Some(_) => return Found::Behind(number - 1),
            };
            return Found::Record(Record { end, next, fields: number });
        }
    }

    /// The field behind an opening quote, if its closing quote is here. Whether a quote at the end of the bytes is
    /// doubled is for the caller to see.
    fn quoted(&mut self, start: usize) -> Option<Span> {
        let quote = self.index.dialect.quote;
        let (mut at, mut escaped) = (start, false);
        loop {
            let end = self.index.find(self.bytes, at, |byte| Some(byte) == quote);
            if end == self.bytes.len() {
                return None;
            }
            if self.bytes.get(end + 1).copied() != quote {
                return Some(Span { start, end, escaped });
            }
            escaped = true;
            at = end + 2;
        }
    }

    /// Passes over the records from `at` on that have `count` fields, no quotes, and a line feed at their end. Calls
    /// `each` with the start of a record and the ends of its fields. Returns where the first other record begins.
    pub fn regular(&mut self, mut at: usize, count: usize, mut each: impl FnMut(Regular<'_>)) -> usize {
        let index = &mut *self.index;
        let window = self.bytes.get(index.start..index.end).unwrap_or_default();
        let passed = |place: &&u32| index.start + (**place as usize) < at;
        let places = index.places.get(index.next..index.count).unwrap_or_default();
        index.next += places.iter().take_while(passed).count();
        loop {
            let Some(start) = at.checked_sub(index.start) else { return at };
            let places = index.places.get(index.next..index.count).unwrap_or_default();
            let Some((&last, others)) = places.get(..count).and_then(<[u32]>::split_last) else { return at };
            let byte = |place: u32| window.get(place as usize).copied();
            let is_split =
                others.iter().fold(true, |is, &place| is & (byte(place) == Some(index.dialect.delimiter)));
            // The first of these bytes ends the first field: it does not stand before the record, and no empty line does.
            let first = places.first().map_or(0, |&first| first as usize);
            if !is_split || first < start || (first == start && others.is_empty()) {
                return at;
            }
            let more = match byte(last) {
                Some(b'\n') => 0,
                Some(b'\r') if byte(last + 1) == Some(b'\n') => 1,
                _ => return at,
            };
            each(Regular { base: index.start, start: start as u32, others, last });
            index.next += count + more;
            at = index.start + last as usize + 1 + more;
        }
    }
}

/// A record without quotes.
pub struct Regular<'a> {
    /// What its places are counted from.
    base: usize,
    start: u32,
    /// The ends of its fields but the last one.
    others: &'a [u32],
    last: u32,
}

impl Regular<'_> {
    /// The field of this number.
    #[inline(always)]
    pub fn field(&self, number: usize) -> Span {
        let before = number.checked_sub(1).and_then(|before| self.others.get(before));
        let start = before.map_or(self.start, |end| end + 1);
        let end = self.others.get(number).copied().unwrap_or(self.last);
        Span { start: self.base + start as usize, end: self.base + end as usize, escaped: false }
    }

    /// The end of its last field.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.base + self.last as usize
    }
}

/// How many bytes are listed at a time. Their places fit a CPU's L1 cache.
const WINDOW: usize = 16 * 1024;

/// The places of the delimiters, line ends and quotes in a window of the bytes.
pub struct Index {
    dialect: Dialect,
    /// The window.
    start: usize,
    end: usize,
    /// The places, counted from the start of the window; `count` of them count.
    places: Box<[u32; WINDOW + BLOCK]>,
    count: usize,
    /// The places before this one were passed.
    next: usize,
}

impl Index {
    pub fn new(dialect: Dialect) -> Index {
        let places = Box::new([0; WINDOW + BLOCK]);
        Index { dialect, start: 0, end: 0, places, count: 0, next: 0 }
    }

    /// Forgets the bytes: others have taken their places.
    pub fn reset(&mut self) {
        (self.start, self.end, self.count, self.next) = (0, 0, 0, 0);
    }

    /// The first place from `at` on whose byte is one of those that are listed and `wanted`; the end of the bytes if there
    /// is none.
    #[inline]
    fn find(&mut self, bytes: &[u8], at: usize, wanted: impl Fn(u8) -> bool) -> usize {
        loop {
            for &place in self.places.get(self.next..self.count).unwrap_or_default() {
                let place = self.start + place as usize;
                if place >= at && bytes.get(place).is_some_and(|&byte| wanted(byte)) {
                    return place;
                }
                self.next += 1;
            }
            if self.end >= bytes.len() {
                return bytes.len();
            }
            self.list(bytes, at.max(self.end));
        }
    }

    /// Lists the places of the window that begins here.
    fn list(&mut self, bytes: &[u8], start: usize) {
        let rest = bytes.get(start..).unwrap_or_default();
        let window = rest.get(..WINDOW).unwrap_or(rest);
        (self.start, self.end, self.count, self.next) = (start, start + window.len(), 0, 0);
        let (blocks, rest) = window.as_chunks();
        let mut at = 0;
        for block in blocks {
            self.note(at, mask(block, self.dialect));
            at += BLOCK as u32;
        }
        // No byte of the padding is listed.
        let mut block = [0; BLOCK];
        if let Some(part) = block.get_mut(..rest.len()) {
            part.copy_from_slice(rest);
        }
        let real = (1_u64 << rest.len()) - 1;
        self.note(at, mask(&block, self.dialect) & real);
    }

    /// Adds the places of a block by its mask. Eight are written at a time, so that few branches depend on their number.
    #[inline(always)]
    fn note(&mut self, at: u32, mut mask: u64) {
        let count = mask.count_ones() as usize;
        let Some(places) = self.places.get_mut(self.count..).and_then(<[u32]>::first_chunk_mut::<BLOCK>)
        else {
            return;
        };
        for (eight, places) in places.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            for place in places {
                *place = at + mask.trailing_zeros();
                mask &= mask.wrapping_sub(1);
            }
            if count <= 8 * (eight + 1) {
                break;
            }
        }
        self.count += count;
    }
}

/// So many bytes are compared at a time.
const BLOCK: usize = 64;

/// Which bytes are delimiters, line ends or quotes: the lowest bit stands for the first byte.
#[inline(always)]
fn mask(block: &[u8; BLOCK], dialect: Dialect) -> u64 {
    let delimiter = dialect.delimiter;
    // Without quotes, the delimiter is compared twice.
    let quote = dialect.quote.unwrap_or(delimiter);
    let mut flags = [0; BLOCK];
    for (flag, &byte) in flags.iter_mut().zip(block) {
        let is_special = (byte == delimiter) | (byte == b'\n') | (byte == b'\r') | (byte == quote);
        *flag = u8::from(is_special);
    }
    // The product has the lowest bits of eight bytes in its highest byte, the first of them lowest: no two of its parts
    // meet in one bit.
    flags.as_chunks().0.iter().rev().fold(0, |mask, eight| {
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask << 8 | bits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str, last: bool) -> (Vec<String>, Found) {
        fields_of(text, last, Dialect::CSV)
    }

    fn fields_of(text: &str, last: bool, dialect: Dialect) -> (Vec<String>, Found) {
        let (mut all, mut scratch) = (Vec::new(), Vec::new());
        let mut index = Index::new(dialect);
        let mut records = Records { bytes: text.as_bytes(), last, index: &mut index };
        let found = records.record(0, |number, field| {
            assert_eq!(number, all.len());
            all.push(
                String::from_utf8(field.content(text.as_bytes(), dialect, &mut scratch).to_vec())
                    .expect("text"),
            );
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

    /// Without quotes, only delimiters and line ends divide; with another quote, this one counts.
    #[test]
    fn other_dialects() {
        let tabs = |text: &str| fields_of(text, true, Dialect::TSV);
        assert_eq!(tabs("1\t\"5 inch\n2\t\"").0, ["1", "\"5 inch"]);
        assert_eq!(tabs("\"a\"\t\"\"\r\n").0, ["\"a\"", "\"\""]);
        assert_eq!(tabs("\n").0, [""]);
        let single = Dialect::new(b';', Some(b'\'')).expect("a dialect");
        let found = fields_of("'a;''\n';\"b\";c'd\n", true, single);
        assert_eq!(found.0, ["a;'\n", "\"b\"", "c'd"]);
        assert_eq!(found.1, Found::Record(Record { end: 15, next: 16, fields: 3 }));
    }

    /// A line feed that may follow decides where the next record begins.
    #[test]
    fn a_carriage_return_at_the_end_of_a_block() {
        assert_eq!(fields("a,b\r", false).1, Found::Part);
        assert_eq!(fields("a,b\r", true).1, Found::Record(Record { end: 3, next: 4, fields: 2 }));
        assert_eq!(fields("\r\n", false).1, Found::Record(Record { end: 0, next: 2, fields: 1 }));
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
    fn every_special_byte_is_listed() {
        let kinds = [b',', b'\n', b'\r', b'"'];
        // Bytes that differ by one from special ones, and all places of a block.
        let near: Vec<u8> =
            kinds.iter().flat_map(|byte| [byte - 1, byte + 1]).chain([0, 0x7f, 0xff]).collect();
        let near: Vec<u8> = near.into_iter().filter(|byte| !kinds.contains(byte)).collect();
        for len in [0, 1, 63, 64, 65, 200, WINDOW - 1, WINDOW, WINDOW + 1] {
            for step in [1, 3, 7, 64, 65] {
                let byte = |at: usize| {
                    if at.is_multiple_of(step) { kinds[at / step % 4] } else { near[at % near.len()] }
                };
                let bytes: Vec<u8> = (0..len).map(byte).collect();
                let mut index = Index::new(Dialect::CSV);
                let (mut found, mut at) = (Vec::new(), 0);
                loop {
                    at = index.find(&bytes, at, |_| true);
                    if at == len {
                        break;
                    }
                    found.push(at);
                    at += 1;
                }
                assert_eq!(found, (0..len).step_by(step).collect::<Vec<_>>(), "{len} {step}");
            }
        }
    }

    /// Regular records are those that `record` finds, wherever the window ends.
    #[test]
    fn regular_records_are_records() {
        let pieces = ["a", ",", ",", ",b,", "\n", "\r\n", "\r", "\"", "\"c\"", "1,2\n", "1,2\r\n", "3,4\n"];
        let mut word = 1_u64;
        for round in 0..3000 {
            let mut text = String::new();
            if round % 50 == 0 {
                text += &"7,8\n".repeat(WINDOW / 4 - 3);
            }
            for _ in 0..round % 40 {
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text += pieces[(word >> 40) as usize % pieces.len()];
            }
            let bytes = text.as_bytes();
            for count in 1..4 {
                let (mut one, mut other) = (Index::new(Dialect::CSV), Index::new(Dialect::CSV));
                let mut fast = Records { bytes, last: true, index: &mut one };
                let mut slow = Records { bytes, last: true, index: &mut other };
                let mut at = 0;
                loop {
                    let start = at;
                    let mut regular = Vec::new();
                    let next = fast.regular(at, count, |found| {
                        regular.push(((0..count).map(|number| found.field(number)).collect(), found.end()));
                    });
                    for (fields, end) in regular {
                        let mut expected: Vec<Span> = Vec::new();
                        let found = slow.record(at, |_, field| expected.push(field));
                        let Found::Record(record) = found else { panic!("{found:?}") };
                        assert!(!matches!(bytes[at], b'\n' | b'\r'));
                        assert_eq!((fields, end), (expected, record.end), "{text:?}");
                        at = record.next;
                    }
                    assert_eq!(at, next, "{text:?} from {start}");
                    while matches!(bytes.get(at), Some(b'\n' | b'\r')) {
                        at += 1;
                    }
                    if at == bytes.len() {
                        break;
                    }
                    let Found::Record(record) = fast.record(at, |_, _| {}) else { break };
                    assert_eq!(slow.record(at, |_, _| {}), Found::Record(record));
                    at = record.next;
                }
            }
        }
    }
}
