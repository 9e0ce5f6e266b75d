//! CSV and TSV by RFC 4180. All bytes but those of the hashed fields stay as they are: quotes, line ends, a byte order
//! mark, bytes that are not UTF-8.
//!
//! A block of bytes is read and divided into records. The hashed fields become arrays, the arrays tags, and the tags
//! are written in the places of the fields.

mod split;
mod text;

use crate::error::Error;
use crate::plan::{Columns, Output, Plan, Request, Source};
use crate::{Report, Type};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, Int64Array, RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use keylane_arrow::{ColumnKey, Form, Nulls};
use split::{Found, Record, record};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;
use text::{Unfit, Values};

/// So many bytes are read at a time. They and their tags fit a CPU's second cache.
const BLOCK: usize = 256 * 1024;

/// No row is longer.
const LONGEST: usize = 1 << 31;

/// UTF-8's byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Hashes the columns of a table of text. `delimiter` is the comma, or the tab.
///
/// # Errors
/// [`Error`]; then a part of the output may have been written.
pub fn hash(
    input: impl Read,
    output: &mut impl Write,
    delimiter: u8,
    request: &Request,
    key: &ColumnKey,
) -> Result<Report, Error> {
    hash_in_blocks(input, output, delimiter, request, key, BLOCK)
}

/// The same, with blocks of this size.
#[doc(hidden)]
pub fn hash_in_blocks(
    input: impl Read,
    output: &mut impl Write,
    delimiter: u8,
    request: &Request,
    key: &ColumnKey,
    block: usize,
) -> Result<Report, Error> {
    let mut input = Input::new(input, delimiter, block);
    let table = input.header(request.header)?;
    let inner = inner(request)?;
    let plan = Plan::new(&inner, key, &table)?;
    let manifest = plan.manifest();
    let mut work = Work::new(request, plan, delimiter, table.count);
    if let Some(header) = &table.header {
        work.out.extend_from_slice(input.bytes.get(..header.end).unwrap_or_default());
        for output in work.plan.outputs.iter().filter(|output| output.replaces.is_none()) {
            work.out.push(delimiter);
            write_name(&mut work.out, &output.name, delimiter);
        }
        work.out.extend_from_slice(input.bytes.get(header.end..header.next).unwrap_or_default());
        input.at = header.next;
    } else {
        work.out.extend_from_slice(input.bytes.get(..input.at).unwrap_or_default());
    }
    loop {
        let start = input.at;
        let stop = work.scan(&mut input);
        work.hash(&input.bytes, start, input.at, 0..work.records.len())?;
        work.rows += work.records.len() as u64;
        output.write_all(&work.out).map_err(Error::Write)?;
        work.out.clear();
        match stop {
            Stop::Fault(error) => return Err(error),
            Stop::End => break,
            Stop::More => input.read(work.rows)?,
        }
    }
    output.flush().map_err(Error::Write)?;
    Ok(Report { rows: work.rows, manifest })
}

/// Writes the table as it is, record by record, for comparisons of time. Returns the number of rows.
#[doc(hidden)]
pub fn copy(input: impl Read, output: &mut impl Write, delimiter: u8) -> Result<u64, Error> {
    let mut input = Input::new(input, delimiter, BLOCK);
    let table = input.header(true)?;
    let mut work = Work::new(&Request::default(), Plan::nothing(), delimiter, table.count);
    if let Some(header) = table.header {
        output.write_all(input.bytes.get(..header.next).unwrap_or_default()).map_err(Error::Write)?;
        input.at = header.next;
    }
    loop {
        let start = input.at;
        let stop = work.scan(&mut input);
        work.rows += work.records.len() as u64;
        output.write_all(input.bytes.get(start..input.at).unwrap_or_default()).map_err(Error::Write)?;
        match stop {
            Stop::Fault(error) => return Err(error),
            Stop::End => return Ok(work.rows),
            Stop::More => input.read(work.rows)?,
        }
    }
}

/// What would be hashed, in lines for a person.
///
/// # Errors
/// [`Error`]: the same as of [`hash`], as far as the header shows it.
pub fn explain(input: impl Read, delimiter: u8, request: &Request, key: &ColumnKey) -> Result<String, Error> {
    let table = Input::new(input, delimiter, BLOCK).header(request.header)?;
    inner(request)?;
    Ok(Plan::new(request, key, &table)?.explain(request, &table))
}

/// The request with tags as bytes where digits are asked for: they are written as digits here.
fn inner(request: &Request) -> Result<Request, Error> {
    match request.form {
        Form::Binary => Err(Error::request("a text file has no binary tags: choose hex, uint64 or int64")),
        Form::Hex => Ok(Request { form: Form::Binary, ..request.clone() }),
        Form::UInt64 | Form::Int64 => Ok(request.clone()),
    }
}

/// The columns of a file of text.
struct Table {
    /// The record with the names, if there is one.
    header: Option<Record>,
    /// The names, if there is a header.
    names: Vec<Vec<u8>>,
    count: usize,
}

impl Columns for Table {
    fn count(&self) -> usize {
        self.count
    }

    fn is_named(&self, index: usize, name: &str) -> bool {
        match self.header {
            Some(_) => self.names.get(index).is_some_and(|known| known == name.as_bytes()),
            // The position, as it is written: `01` and `+1` are none.
            None => !name.starts_with(['0', '+']) && name.parse::<usize>() == Ok(index + 1),
        }
    }

    fn data_type(&self, _: usize) -> Option<&DataType> {
        None
    }
}

/// The bytes that were read and are not yet written.
struct Input<R> {
    reader: R,
    bytes: Vec<u8>,
    /// The first byte that is in no record yet.
    at: usize,
    /// Whether the file ends with these bytes.
    last: bool,
    delimiter: u8,
    block: usize,
}

impl<R: Read> Input<R> {
    fn new(reader: R, delimiter: u8, block: usize) -> Input<R> {
        Input { reader, bytes: Vec::new(), at: 0, last: false, delimiter, block }
    }

    /// Moves what is left to the front, and reads until there is a block more, or twice as much.
    fn read(&mut self, row: u64) -> Result<(), Error> {
        let left = self.bytes.len() - self.at;
        self.bytes.copy_within(self.at.., 0);
        self.bytes.truncate(left);
        self.at = 0;
        if left >= LONGEST {
            return Err(Error::row(row, "it has more than 2 GiB: is a quote not closed?"));
        }
        let wanted = self.block.max(left * 2);
        self.bytes
            .try_reserve_exact(wanted - left)
            .map_err(|_| Error::row(row, format!("not enough memory for its {left} bytes")))?;
        let mut filled = left;
        self.bytes.resize(wanted, 0);
        while let Some(room) = self.bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
            match self.reader.read(room) {
                Ok(0) => {
                    self.last = true;
                    break;
                }
                Ok(len) => filled += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::Read(error)),
            }
        }
        self.bytes.truncate(filled);
        Ok(())
    }

    /// Passes over empty lines.
    fn skip_lines(&mut self) {
        while let Some(b'\n' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// The columns, by the first record. Of a header, the record follows; else the first record is a row.
    fn header(&mut self, is_header: bool) -> Result<Table, Error> {
        loop {
            // Everything before the first record is kept: nothing has been written yet.
            let at = std::mem::take(&mut self.at);
            self.read(0)?;
            self.at = at;
            if self.bytes.starts_with(b"\xff\xfe") || self.bytes.starts_with(b"\xfe\xff") {
                return Err(Error::table("the file is UTF-16: convert it to UTF-8 first"));
            }
            if self.at == 0 && self.bytes.starts_with(MARK) {
                self.at = MARK.len();
            }
            self.skip_lines();
            if self.at == self.bytes.len() && self.last {
                if is_header {
                    return Err(Error::table("the file is empty: it has no header"));
                }
                return Ok(Table { header: None, names: Vec::new(), count: 0 });
            }
            let (mut names, mut scratch) = (Vec::new(), Vec::new());
            let found = record(&self.bytes, self.at, self.delimiter, self.last, |_, field| {
                if is_header {
                    names.push(field.content(&self.bytes, &mut scratch).to_vec());
                }
            });
            match found {
                Found::Record(header) => {
                    let count = header.fields;
                    return Ok(Table { header: is_header.then_some(header), names, count });
                }
                Found::Part => {}
                other if is_header => {
                    return Err(Error::table(format!("the header: {}", why(other))));
                }
                other => return Err(Error::row(0, why(other))),
            }
        }
    }
}

/// Why a record is none.
fn why(found: Found) -> String {
    match found {
        Found::Behind(field) => format!("field {}: bytes behind the closing quote", field + 1),
        _ => "a quote is not closed".into(),
    }
}

/// Where the scan of a block stopped.
enum Stop {
    /// At the end of the file.
    End,
    /// At a record whose end is not here.
    More,
    /// At a record that is none.
    Fault(Error),
}

/// Where a record stands: the end of its last field.
type End = usize;

/// One column that is read: its values' places in the block.
struct Reading {
    name: String,
    kind: Type,
    fields: Vec<split::Field>,
}

/// The work on blocks.
struct Work {
    plan: Plan,
    form: Form,
    delimiter: u8,
    empty_is_text: bool,
    refuse_nulls: bool,
    count: usize,
    /// For each column of the table, which of `reads` it is.
    slots: Vec<Option<usize>>,
    reads: Vec<Reading>,
    /// For each output, the column of the table that it is made of; in the order of places, then those at the end.
    order: Vec<(usize, Option<usize>)>,
    records: Vec<End>,
    rows: u64,
    out: Vec<u8>,
    scratch: Vec<u8>,
}

impl Work {
    fn new(request: &Request, plan: Plan, delimiter: u8, count: usize) -> Work {
        let mut slots = vec![None; count];
        let mut reads = Vec::new();
        for index in plan.sources() {
            if let Some(slot) = slots.get_mut(index) {
                *slot = Some(reads.len());
            }
            let name = plan.outputs.iter().find_map(|output| name_of(output, index)).unwrap_or_default();
            reads.push(Reading { name, kind: plan.type_of(index), fields: Vec::new() });
        }
        let place = |output: &Output| output.replaces.and_then(|index| slots.get(index).copied().flatten());
        let mut order: Vec<_> =
            plan.outputs.iter().enumerate().map(|(number, output)| (number, place(output))).collect();
        order.sort_by_key(|&(number, place)| (place.is_none(), place, number));
        Work {
            plan,
            form: request.form,
            delimiter,
            empty_is_text: request.empty_is_text,
            refuse_nulls: request.nulls == Nulls::Refuse,
            count,
            slots,
            reads,
            order,
            records: Vec::new(),
            rows: 0,
            out: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Finds the records of a block.
    fn scan<R: Read>(&mut self, input: &mut Input<R>) -> Stop {
        self.records.clear();
        self.reads.iter_mut().for_each(|read| read.fields.clear());
        loop {
            input.skip_lines();
            if input.at == input.bytes.len() {
                return if input.last { Stop::End } else { Stop::More };
            }
            let (slots, reads) = (&self.slots, &mut self.reads);
            let found = record(&input.bytes, input.at, input.delimiter, input.last, |number, field| {
                if let Some(&Some(slot)) = slots.get(number)
                    && let Some(read) = reads.get_mut(slot)
                {
                    read.fields.push(field);
                }
            });
            let row = self.rows.saturating_add(self.records.len() as u64);
            let stop = match found {
                Found::Record(record) if record.fields == self.count => {
                    self.records.push(record.end);
                    input.at = record.next;
                    continue;
                }
                Found::Record(record) => Stop::Fault(Error::row(
                    row,
                    format!("it has {} fields instead of {}", record.fields, self.count),
                )),
                Found::Part => Stop::More,
                other => Stop::Fault(Error::row(row, why(other))),
            };
            let records = self.records.len();
            self.reads.iter_mut().for_each(|read| read.fields.truncate(records));
            return stop;
        }
    }

    /// Hashes some records and appends them to the output: all bytes from `start` to `end`, with tags in their places.
    fn hash(&mut self, bytes: &[u8], start: usize, end: usize, records: Range<usize>) -> Result<(), Error> {
        if records.is_empty() {
            self.out.extend_from_slice(bytes.get(start..end).unwrap_or_default());
            return Ok(());
        }
        let arrays = match self.arrays(bytes, records.clone())? {
            Some(arrays) => arrays,
            None => {
                // Fewer rows at a time: their times fit one unit, or a single time fits none.
                let middle = records.start + records.len() / 2;
                let Some(&cut) = middle.checked_sub(1).and_then(|before| self.records.get(before)) else {
                    return Err(Error::row(self.rows, UNFIT));
                };
                if middle == records.start {
                    return Err(Error::row(self.rows.saturating_add(middle as u64), UNFIT));
                }
                self.hash(bytes, start, cut, records.start..middle)?;
                return self.hash(bytes, cut, end, middle..records.end);
            }
        };
        let schema = Schema::new(
            self.reads
                .iter()
                .zip(&arrays)
                .map(|(read, array)| Field::new(&read.name, array.data_type().clone(), true))
                .collect::<Vec<_>>(),
        );
        let batch = RecordBatch::try_new(Arc::new(schema), arrays);
        let batch = batch.map_err(|_| Error::table("the columns contradict each other"))?;
        let tags = self.plan.hash(&batch, self.rows.saturating_add(records.start as u64))?;
        let tags: Vec<Tags<'_>> = tags
            .iter()
            .map(|array| Tags::of(array, self.form))
            .collect::<Option<_>>()
            .ok_or_else(|| Error::table("the tags contradict their form"))?;
        self.write(bytes, start, end, records, &tags)
    }

    /// The values of some records. `None` if they do not fit one array.
    fn arrays(&mut self, bytes: &[u8], records: Range<usize>) -> Result<Option<Vec<ArrayRef>>, Error> {
        let mut arrays = Vec::with_capacity(self.reads.len());
        for read in &self.reads {
            let mut values = Values::new(read.kind);
            for (number, field) in records.clone().zip(read.fields.get(records.clone()).unwrap_or_default()) {
                let row = self.rows.saturating_add(number as u64);
                if field.start == field.end && !self.empty_is_text {
                    if self.refuse_nulls {
                        return Err(Error::value(&read.name, row, "a null"));
                    }
                    values.push_null();
                    continue;
                }
                let content = field.content(bytes, &mut self.scratch);
                if values.push(content).is_none() {
                    let what = match read.kind {
                        Type::Text => "not enough memory".to_string(),
                        kind => format!("it is not of the type {kind}"),
                    };
                    return Err(Error::value(&read.name, row, what));
                }
            }
            match values.array() {
                Ok(array) => arrays.push(array),
                Err(Unfit::Mixed) => return Ok(None),
                Err(Unfit::Memory) => {
                    return Err(Error::table(format!("column {}: not enough memory", read.name)));
                }
            }
        }
        Ok(Some(arrays))
    }

    /// Appends bytes and tags to the output.
    fn write(
        &mut self,
        bytes: &[u8],
        start: usize,
        end: usize,
        records: Range<usize>,
        tags: &[Tags<'_>],
    ) -> Result<(), Error> {
        let room =
            (end - start).saturating_add(records.len().saturating_mul(self.order.len()).saturating_mul(34));
        self.out.try_reserve(room).map_err(|_| Error::row(self.rows, "not enough memory"))?;
        let mut at = start;
        for (row, number) in records.enumerate() {
            let record = self.records.get(number).copied().unwrap_or(end);
            for &(output, place) in &self.order {
                let Some(tags) = tags.get(output) else { continue };
                let field = place.and_then(|slot| self.reads.get(slot)?.fields.get(number));
                match field {
                    Some(field) => {
                        self.out.extend_from_slice(bytes.get(at..field.start).unwrap_or_default());
                        at = field.end;
                    }
                    None => {
                        self.out.extend_from_slice(bytes.get(at..record).unwrap_or_default());
                        self.out.push(self.delimiter);
                        at = record;
                    }
                }
                tags.write(row, &mut self.out);
            }
        }
        self.out.extend_from_slice(bytes.get(at..end).unwrap_or_default());
        Ok(())
    }
}

/// Why a time does not fit.
const UNFIT: &str = "a time with nanoseconds is not between 1677-09-22 and 2262-04-10";

/// The name of the column of this position, if the output is made of it.
fn name_of(output: &Output, index: usize) -> Option<String> {
    let at = match &output.source {
        Source::Plain(place) => (*place == index).then_some(0),
        Source::Row(places) => places.iter().position(|place| *place == index),
    };
    output.of.get(at?).cloned()
}

/// Tags as they are written. A null is empty.
enum Tags<'a> {
    Hex(&'a FixedSizeBinaryArray),
    UInt64(&'a UInt64Array),
    Int64(&'a Int64Array),
}

impl<'a> Tags<'a> {
    fn of(array: &'a ArrayRef, form: Form) -> Option<Tags<'a>> {
        match form {
            Form::Hex | Form::Binary => array.as_fixed_size_binary_opt().map(Tags::Hex),
            Form::UInt64 => array.as_primitive_opt::<UInt64Type>().map(Tags::UInt64),
            Form::Int64 => array.as_primitive_opt::<Int64Type>().map(Tags::Int64),
        }
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Tags::Hex(tags) if tags.is_valid(row) => write_hex(tags.value(row), out),
            Tags::UInt64(tags) if tags.is_valid(row) => write_number(tags.value(row), out),
            Tags::Int64(tags) if tags.is_valid(row) => {
                let number = tags.value(row);
                if number < 0 {
                    out.push(b'-');
                }
                write_number(number.unsigned_abs(), out);
            }
            _ => {}
        }
    }
}

/// Appends bytes as small hexadecimal digits. No table is read.
fn write_hex(tag: &[u8], out: &mut Vec<u8>) {
    for bytes in tag.chunks(8) {
        let mut text = [0_u8; 16];
        for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        out.extend_from_slice(text.get(..2 * bytes.len()).unwrap_or_default());
    }
}

fn digit(number: u8) -> u8 {
    number + if number < 10 { b'0' } else { b'a' - 10 }
}

/// Appends a number in decimal digits. Groups of eight digits do not wait for each other.
fn write_number(number: u64, out: &mut Vec<u8>) {
    const GROUP: u64 = 100_000_000;
    let groups = [number / GROUP / GROUP, number / GROUP % GROUP, number % GROUP];
    let digits = groups.map(|group| eight(group as u32));
    let text = digits.as_flattened();
    let zeros = text.iter().take_while(|&&digit| digit == b'0').count().min(text.len() - 1);
    out.extend_from_slice(text.get(zeros..).unwrap_or_default());
}

/// The last eight decimal digits.
fn eight(number: u32) -> [u8; 8] {
    let (high, low) = (number / 10_000, number % 10_000);
    let pairs = [high / 100 % 100, high % 100, low / 100, low % 100].map(|pair| pair as u8);
    let mut text = [b'0'; 8];
    for (place, pair) in text.chunks_exact_mut(2).zip(pairs) {
        place.copy_from_slice(&[b'0' + pair / 10, b'0' + pair % 10]);
    }
    text
}

/// Appends the name of a new column, in quotes if it needs them.
fn write_name(out: &mut Vec<u8>, name: &str, delimiter: u8) {
    let plain = |byte: u8| byte != delimiter && !matches!(byte, b'"' | b'\n' | b'\r');
    if name.bytes().all(plain) {
        out.extend_from_slice(name.as_bytes());
    } else {
        out.push(b'"');
        out.extend_from_slice(name.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_digits() {
        let mut number = 1_u64;
        for _ in 0..20 {
            for near in [number - 1, number, number + 1, number.wrapping_mul(7)] {
                let mut out = Vec::new();
                write_number(near, &mut out);
                assert_eq!(out, near.to_string().as_bytes());
            }
            number = number.checked_mul(10).unwrap_or(u64::MAX - 1);
        }
        let mut out = Vec::new();
        write_number(u64::MAX, &mut out);
        assert_eq!(out, b"18446744073709551615");
    }
}
