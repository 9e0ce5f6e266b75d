//! CSV by RFC 4180, and TSV, which has no quotes. All bytes but those of the hashed fields stay as they are: quotes, line
//! ends, a byte order mark, bytes that are not UTF-8.
//!
//! In a table of several columns, empty lines stay and are no rows. In a table of one column, an empty line is a row whose
//! field is empty: Polars, DuckDB and Arrow write a null so.
//!
//! A block of bytes is read and divided into records. The hashed fields become arrays, the arrays tags, and the tags
//! are written in the places of the fields.

mod dialect;
mod sheet;
mod split;
mod text;

pub use dialect::Dialect;

use crate::error::Error;
use crate::plan::{Columns, Output, Plan, Request, Source};
use crate::{Report, Type};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema};
use keylane_columns::{ColumnKey, Form, Nulls, hex};
use sheet::Sheet;
use split::{Found, Index, Record, Records, Span};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;
use text::{Unfit, Values};

/// How many bytes are read at a time. They and their tags fit a CPU's L2 cache.
const BLOCK: usize = 256 * 1024;

/// No row is longer.
const LONGEST: usize = 1 << 31;

/// UTF-8's byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Hashes the columns of a table of text.
///
/// # Errors
/// [`Error`]; then a part of the output may have been written.
pub fn hash(
    input: impl Read,
    output: &mut impl Write,
    dialect: Dialect,
    request: &Request,
    key: &ColumnKey,
) -> Result<Report, Error> {
    hash_in_blocks(input, output, dialect, request, key, BLOCK)
}

/// The same, with blocks of this size.
#[doc(hidden)]
pub fn hash_in_blocks(
    input: impl Read,
    output: &mut impl Write,
    dialect: Dialect,
    request: &Request,
    key: &ColumnKey,
    block: usize,
) -> Result<Report, Error> {
    let mut input = Input::new(input, dialect, block);
    let table = input.header(request.header)?;
    let inner = inner(request)?;
    let plan = table.plan(&inner, key, &input)?;
    let manifest = plan.manifest();
    let mut work = Work::new(request, plan, dialect, table.count);
    if let Some(header) = &table.header {
        let mut line = input.bytes().get(..header.end).unwrap_or_default().to_vec();
        for output in work.plan.outputs.iter().filter(|output| output.replaces.is_none()) {
            line.push(dialect.delimiter);
            write_name(&mut line, &output.name, dialect)?;
        }
        line.extend_from_slice(input.bytes().get(header.end..header.next).unwrap_or_default());
        output.write_all(&line).map_err(Error::Write)?;
        input.at = header.next;
    } else {
        output.write_all(input.bytes().get(..input.at).unwrap_or_default()).map_err(Error::Write)?;
    }
    loop {
        let start = input.at;
        let stop = work.scan(&mut input);
        work.hash(input.bytes(), start, input.at, 0..work.records.len())?;
        work.rows += work.records.len() as u64;
        output.write_all(work.out.bytes()).map_err(Error::Write)?;
        work.out.clear();
        match stop {
            Stop::Fault(error) => return Err(error),
            Stop::End => break,
            Stop::More => input.read(work.rows)?,
        }
    }
    output.flush().map_err(Error::Write)?;
    Ok(Report { rows: work.rows, manifest, dropped: Vec::new() })
}

/// Writes the table as it is, record by record, for comparisons of time. Returns the number of rows.
#[doc(hidden)]
pub fn copy(input: impl Read, output: &mut impl Write, dialect: Dialect) -> Result<u64, Error> {
    let mut input = Input::new(input, dialect, BLOCK);
    let table = input.header(true)?;
    let mut work = Work::new(&Request::default(), Plan::nothing(), dialect, table.count);
    if let Some(header) = table.header {
        output.write_all(input.bytes().get(..header.next).unwrap_or_default()).map_err(Error::Write)?;
        input.at = header.next;
    }
    loop {
        let start = input.at;
        let stop = work.scan(&mut input);
        work.rows += work.records.len() as u64;
        output.write_all(input.bytes().get(start..input.at).unwrap_or_default()).map_err(Error::Write)?;
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
pub fn explain(
    input: impl Read,
    dialect: Dialect,
    request: &Request,
    key: &ColumnKey,
) -> Result<String, Error> {
    let mut input = Input::new(input, dialect, BLOCK);
    let table = input.header(request.header)?;
    inner(request)?;
    Ok(table.plan(request, key, &input)?.explain(request, &table))
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
    /// Where the first record stands.
    first: Range<usize>,
}

impl Table {
    /// The plan for this table. If a column is missing, the error says which option may be.
    fn plan<R>(&self, request: &Request, key: &ColumnKey, input: &Input<R>) -> Result<Plan, Error> {
        Plan::new(request, key, self).map_err(|error| match (error, self.hint(input)) {
            (Error::Table(text), Some(hint)) if text.starts_with("there is no column ") => {
                Error::Table(format!("{text}; {hint}"))
            }
            (error, _) => error,
        })
    }

    /// What is unusual about the first record.
    fn hint<R>(&self, input: &Input<R>) -> Option<String> {
        let Dialect { delimiter, quote } = input.dialect;
        let first = input.bytes().get(self.first.clone())?;
        if quote.is_none() && first.split(|&byte| byte == delimiter).any(|field| field.starts_with(b"\"")) {
            return Some("it has names in quotes: is --quote '\"' missing?".into());
        }
        let others = [(b';', ";"), (b',', ","), (b'\t', "\\t"), (b'|', "|")].into_iter();
        let (_, name) = others.filter(|_| self.count == 1).find(|(byte, _)| first.contains(byte))?;
        Some(format!("all of it is one column: is --delimiter '{name}' missing?"))
    }
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
    /// Room for bytes, of which the first `filled` were read.
    room: Vec<u8>,
    filled: usize,
    /// The first byte that is in no record yet.
    at: usize,
    /// Whether the file ends with these bytes.
    last: bool,
    dialect: Dialect,
    block: usize,
}

impl<R> Input<R> {
    fn bytes(&self) -> &[u8] {
        self.room.get(..self.filled).unwrap_or_default()
    }
}

impl<R: Read> Input<R> {
    fn new(reader: R, dialect: Dialect, block: usize) -> Input<R> {
        Input { reader, room: Vec::new(), filled: 0, at: 0, last: false, dialect, block }
    }

    /// Moves what is left to the front, and reads until there is a block more, or twice as much.
    fn read(&mut self, row: u64) -> Result<(), Error> {
        let left = self.filled - self.at;
        self.room.copy_within(self.at..self.filled, 0);
        self.filled = left;
        self.at = 0;
        if left >= LONGEST {
            return Err(Error::row(row, "it has more than 2 GiB: is a quote not closed?"));
        }
        let wanted = self.block.max(left * 2);
        if wanted > self.room.len() {
            self.room
                .try_reserve_exact(wanted - self.room.len())
                .map_err(|_| Error::row(row, format!("not enough memory for its {left} bytes")))?;
            self.room.resize(wanted, 0);
        }
        while let Some(room) = self.room.get_mut(self.filled..wanted).filter(|room| !room.is_empty()) {
            match self.reader.read(room) {
                Ok(0) => {
                    self.last = true;
                    break;
                }
                Ok(len) => self.filled += len.min(room.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::Read(error)),
            }
        }
        Ok(())
    }

    /// Passes over empty lines.
    fn skip_lines(&mut self) {
        while let Some(b'\n' | b'\r') = self.bytes().get(self.at) {
            self.at += 1;
        }
    }

    /// The columns, by the first record. If that is a header, rows begin after it; otherwise it is the first row.
    fn header(&mut self, is_header: bool) -> Result<Table, Error> {
        loop {
            // Everything before the first record is kept: nothing has been written yet.
            let at = std::mem::take(&mut self.at);
            self.read(0)?;
            self.at = at;
            if self.bytes().starts_with(b"\xff\xfe") || self.bytes().starts_with(b"\xfe\xff") {
                return Err(Error::table("the file is UTF-16: convert it to UTF-8 first"));
            }
            if let Some(what) = other_format(self.bytes()) {
                return Err(Error::table(what));
            }
            if self.at == 0 && self.bytes().starts_with(MARK) {
                self.at = MARK.len();
            }
            let start = self.at;
            self.skip_lines();
            if self.at == self.filled && self.last {
                if is_header {
                    return Err(Error::table("the file is empty: it has no header"));
                }
                return Ok(Table { header: None, names: Vec::new(), count: 0, first: 0..0 });
            }
            let (mut names, mut scratch) = (Vec::new(), Vec::new());
            let (bytes, mut index) = (self.bytes(), Index::new(self.dialect));
            let mut records = Records { bytes, last: self.last, index: &mut index };
            let found = records.record(self.at, |_, field| {
                if is_header {
                    names.push(field.content(bytes, self.dialect, &mut scratch).to_vec());
                }
            });
            match found {
                Found::Record(record) => {
                    let (count, first) = (record.fields, self.at..record.end);
                    if count == 1 && !is_header {
                        // Each of the lines before it is a row.
                        self.at = start;
                    }
                    return Ok(Table { header: is_header.then_some(record), names, count, first });
                }
                // With more bytes, it begins with the mark or behind the lines again.
                Found::Part => self.at = start,
                other if is_header => {
                    return Err(Error::table(format!("the header: {}", why(other))));
                }
                other => return Err(Error::row(0, why(other))),
            }
        }
    }
}

/// What the file is, if its first bytes are those of a format that is no text.
#[doc(hidden)]
pub fn other_format(bytes: &[u8]) -> Option<String> {
    let compressed = [
        (&b"\x1f\x8b"[..], "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"\xfd7zXZ\0", "xz"),
        (b"\x04\x22\x4d\x18", "lz4"),
        (b"PK\x03\x04", "zip"),
    ];
    // A text may begin with the three letters; behind the digit stand those of pi, or of its root.
    let is_bzip2 = bytes.starts_with(b"BZh")
        && bytes.get(4..10).is_some_and(|magic| matches!(magic, b"1AY&SY" | b"\x17rE8P\x90"));
    let name = compressed.into_iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| name);
    if let Some(name) = name.or(is_bzip2.then_some("bzip2")) {
        return Some(format!("the file is compressed by {name}: decompress it first"));
    }
    let tables = [(&b"PAR1"[..], "Parquet", "parquet"), (b"ARROW1\0\0", "Arrow", "arrow")];
    let (_, name, option) = tables.into_iter().find(|(magic, ..)| bytes.starts_with(magic))?;
    Some(format!("the file is one of {name}: --from {option} reads it"))
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
    /// Where it stands in the table.
    column: usize,
    kind: Type,
    fields: Vec<Span>,
}

/// The work on blocks.
struct Work {
    plan: Plan,
    form: Form,
    dialect: Dialect,
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
    index: Index,
    out: Sheet,
    scratch: Vec<u8>,
}

impl Work {
    fn new(request: &Request, plan: Plan, dialect: Dialect, count: usize) -> Work {
        let mut slots = vec![None; count];
        let mut reads = Vec::new();
        for index in plan.sources() {
            if let Some(slot) = slots.get_mut(index) {
                *slot = Some(reads.len());
            }
            let name = plan.outputs.iter().find_map(|output| name_of(output, index)).unwrap_or_default();
            reads.push(Reading { name, column: index, kind: plan.type_of(index), fields: Vec::new() });
        }
        let place = |output: &Output| output.replaces.and_then(|index| slots.get(index).copied().flatten());
        let mut order: Vec<_> =
            plan.outputs.iter().enumerate().map(|(number, output)| (number, place(output))).collect();
        order.sort_by_key(|&(number, place)| (place.is_none(), place, number));
        Work {
            plan,
            form: request.form,
            dialect,
            empty_is_text: request.empty_is_text,
            refuse_nulls: request.nulls == Nulls::Refuse,
            count,
            slots,
            reads,
            order,
            records: Vec::new(),
            rows: 0,
            index: Index::new(dialect),
            out: Sheet::default(),
            scratch: Vec::new(),
        }
    }

    /// Finds the records of a block.
    fn scan<R: Read>(&mut self, input: &mut Input<R>) -> Stop {
        self.records.clear();
        self.reads.iter_mut().for_each(|read| read.fields.clear());
        self.index.reset();
        loop {
            let mut found = Records { bytes: input.bytes(), last: input.last, index: &mut self.index };
            let (slots, reads, ends) = (&self.slots, &mut self.reads, &mut self.records);
            input.at = found.regular(input.at, self.count, |regular| {
                for read in reads.iter_mut() {
                    read.fields.push(regular.field(read.column));
                }
                ends.push(regular.end());
            });
            if self.count != 1 {
                input.skip_lines();
            }
            if input.at == input.filled {
                return if input.last { Stop::End } else { Stop::More };
            }
            let mut found = Records { bytes: input.bytes(), last: input.last, index: &mut self.index };
            let found = found.record(input.at, |number, field| {
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
                Found::Record(record) => {
                    let fields = if record.fields == 1 { "field" } else { "fields" };
                    let mut text = format!("it has {} {fields} instead of {}", record.fields, self.count);
                    let bytes = input.bytes().get(input.at..record.end).unwrap_or_default();
                    if self.dialect.quote.is_none() && bytes.contains(&b'"') {
                        text += "; if fields stand in quotes, give --quote '\"'";
                    }
                    Stop::Fault(Error::row(row, text))
                }
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
            return self.write(bytes, start, end, records, &[]);
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
            let fields = read.fields.get(records.clone()).unwrap_or_default();
            let memory = || Error::table(format!("column {}: not enough memory", read.name));
            let mut values = Values::new(read.kind, fields).map_err(|_| memory())?;
            for (number, field) in records.clone().zip(fields) {
                let row = self.rows.saturating_add(number as u64);
                if field.start == field.end && !self.empty_is_text {
                    if self.refuse_nulls {
                        return Err(Error::value(&read.name, row, "a null"));
                    }
                    values.push_null();
                    continue;
                }
                let pushed = if field.escaped {
                    let content = field.content(bytes, self.dialect, &mut self.scratch);
                    values.push(content, 0..content.len())
                } else {
                    values.push(bytes, field.start..field.end)
                };
                if pushed.is_none() {
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
                Err(Unfit::Memory) => return Err(memory()),
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
        let room = records.len().saturating_mul(self.order.len()).saturating_mul(LONGEST_TAG + 1);
        let room = room.saturating_add(end - start);
        self.out.reserve(room).map_err(|_| Error::row(self.rows, "not enough memory"))?;
        let of = |&(output, place): &(usize, Option<usize>)| {
            let read = place.and_then(|slot| self.reads.get(slot));
            Some((tags.get(output)?, read.map_or(&[][..], |read| &read.fields)))
        };
        let outputs: Vec<(&Tags<'_>, &[Span])> = self.order.iter().filter_map(of).collect();
        let mut at = start;
        for (row, number) in records.enumerate() {
            for &(tags, fields) in &outputs {
                if let Some(field) = fields.get(number) {
                    self.out.push(bytes, at..field.start);
                    at = field.end;
                } else {
                    let record = self.records.get(number).copied().unwrap_or(end);
                    self.out.push(bytes, at..record);
                    self.out.push_whole(&[self.dialect.delimiter]);
                    at = record;
                }
                tags.write(row, &mut self.out);
            }
        }
        self.out.push(bytes, at..end);
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

/// No tag is written with more characters.
const LONGEST_TAG: usize = 32;

/// Tags as they are written. A null is empty.
struct Tags<'a> {
    nulls: Option<&'a NullBuffer>,
    words: Words<'a>,
}

enum Words<'a> {
    Hex8(&'a [[u8; 8]]),
    Hex16(&'a [[u8; 16]]),
    UInt64(&'a [u64]),
    Int64(&'a [i64]),
}

impl<'a> Tags<'a> {
    fn of(array: &'a ArrayRef, form: Form) -> Option<Tags<'a>> {
        let words = match form {
            Form::Hex | Form::Binary => {
                let tags = array.as_fixed_size_binary_opt()?;
                match tags.value_length() {
                    8 => Words::Hex8(tags.value_data().as_chunks().0),
                    16 => Words::Hex16(tags.value_data().as_chunks().0),
                    _ => return None,
                }
            }
            Form::UInt64 => Words::UInt64(array.as_primitive_opt::<UInt64Type>()?.values()),
            Form::Int64 => Words::Int64(array.as_primitive_opt::<Int64Type>()?.values()),
        };
        Some(Tags { nulls: array.nulls(), words })
    }

    #[inline]
    fn write(&self, row: usize, out: &mut Sheet) {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return;
        }
        // There is a tag for each row.
        match self.words {
            Words::Hex8(tags) => out.push_whole(hex(tags.get(row).unwrap_or(&[0; 8])).as_flattened()),
            Words::Hex16(tags) => out.push_whole(hex(tags.get(row).unwrap_or(&[0; 16])).as_flattened()),
            Words::UInt64(tags) => write_number(tags.get(row).copied().unwrap_or_default(), false, out),
            Words::Int64(tags) => {
                let tag = tags.get(row).copied().unwrap_or_default();
                write_number(tag.unsigned_abs(), tag < 0, out);
            }
        }
    }
}

/// Appends a number in decimal digits. Groups of eight digits do not wait for each other.
fn write_number(number: u64, is_negative: bool, out: &mut Sheet) {
    const GROUP: u64 = 100_000_000;
    // As long as what is copied at once.
    let mut text = [[b'0'; 8]; 8];
    let groups = [number / GROUP / GROUP, number / GROUP % GROUP, number % GROUP];
    for (place, group) in text.iter_mut().zip(groups) {
        *place = eight(group);
    }
    let end = 8 * groups.len();
    let start = end - 1 - number.checked_ilog10().unwrap_or(0) as usize;
    let text = text.as_flattened_mut();
    if let Some(sign) = text.get_mut(start - 1) {
        *sign = b'-';
    }
    out.push(text, start - usize::from(is_negative)..end);
}

/// The digits of a number below 10^8, by steps that halve the number of digits in a lane.
fn eight(number: u64) -> [u8; 8] {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let high = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let twos = high | ((fours - 100 * high) << 16);
    let high = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    let ones = high | ((twos - 10 * high) << 8);
    (ones | 0x3030_3030_3030_3030).to_le_bytes()
}

/// Appends the name of a new column, in quotes if it needs them.
fn write_name(out: &mut Vec<u8>, name: &str, Dialect { delimiter, quote }: Dialect) -> Result<(), Error> {
    let plain = |byte: u8| byte != delimiter && Some(byte) != quote && !matches!(byte, b'\n' | b'\r');
    if name.bytes().all(plain) {
        out.extend_from_slice(name.as_bytes());
        return Ok(());
    }
    let Some(quote) = quote else {
        let why =
            "the name of a new column has a delimiter or a line end, and there are no quotes to put it in";
        return Err(Error::request(why));
    };
    out.push(quote);
    for byte in name.bytes() {
        out.push(byte);
        if byte == quote {
            out.push(quote);
        }
    }
    out.push(quote);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(number: u64, is_negative: bool) -> String {
        let mut out = Sheet::default();
        out.reserve(LONGEST_TAG).expect("room");
        write_number(number, is_negative, &mut out);
        String::from_utf8(out.bytes().to_vec()).expect("digits")
    }

    #[test]
    fn numbers_have_their_digits() {
        let mut number = 1_u64;
        for _ in 0..20 {
            for near in [number - 1, number, number + 1, number.wrapping_mul(7)] {
                assert_eq!(written(near, false), near.to_string());
                assert_eq!(written(near, true), format!("-{near}"));
            }
            number = number.checked_mul(10).unwrap_or(u64::MAX - 1);
        }
        assert_eq!(written(u64::MAX, false), "18446744073709551615");
        // Every group of four digits, in either place.
        for number in 0..10_000 {
            for number in [number, 10_000 * number, 10_001 * number] {
                assert_eq!(&eight(number), format!("{number:08}").as_bytes());
            }
        }
    }
}
