//! Files of text, read byte by byte: a record and the end of its line, then the next.

use super::differences::{OTHER_COLUMNS, OTHER_ROWS, OTHER_TAG, OTHER_VALUE, differs};
use super::fields;
use super::tags::{Tagged, check_count, kept, tagged};
use super::value::{Value, count};
use crate::Type;
use crate::csv::Dialect;
use crate::error::Error;
use crate::plan::{Columns, Plan, Request};
use arrow_schema::DataType;
use keylane_columns::ColumnKey;
use memchr::{memchr, memchr3};
use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

const MARK: &[u8] = b"\xef\xbb\xbf";
const BUFFER: usize = 128 * 1024;

/// Compares a table of text with the one that [`crate::csv::hash`] made of it.
///
/// # Errors
/// [`Error::Differs`] if it is not what it should be, and an error of reading.
pub fn csv(
    input: impl Read,
    output: impl Read,
    dialect: Dialect,
    request: &Request,
    key: &ColumnKey,
) -> Result<(), Error> {
    let mut input = Text::open(input, dialect, false)?;
    let mut output = Text::open(output, dialect, true)?;
    if input.is_marked != output.is_marked {
        return Err(Error::Differs("the output begins with other bytes than the input".into()));
    }
    let mut before = Vec::new();
    while input.next()? && input.ends.is_empty() {
        before.extend_from_slice(&input.end);
    }
    let mut checks = if input.ends.is_empty() { None } else { Some(Checks::of(&input, request, key)?) };
    let mut input = input.rewound(before);
    let mut is_header = request.header;
    let mut row = 0_u64;
    loop {
        let is_single = !is_header && checks.as_ref().is_some_and(|checks| checks.header.count() == 1);
        (input.is_single, output.is_single) = (is_single, is_single);
        let (more, same) = (input.next()?, output.next()?);
        if more != same || input.end != output.end {
            return Err(if input.ends.is_empty() == output.ends.is_empty() {
                let row = row.saturating_add(1);
                Error::Differs(format!("row {row}: its line ends otherwise than that of the input"))
            } else {
                Error::Differs(OTHER_ROWS.into())
            });
        }
        match &mut checks {
            Some(checks) if !input.ends.is_empty() => {
                if std::mem::take(&mut is_header) {
                    checks.header(&input, &output)?;
                } else {
                    checks.row(&input, &output, row)?;
                    row += 1;
                }
            }
            _ if !output.ends.is_empty() => return Err(Error::Differs(OTHER_ROWS.into())),
            _ if more => {}
            _ => return Ok(()),
        }
    }
}

/// What is compared of each record.
struct Checks {
    header: Header,
    /// For each column its type, if it is hashed.
    types: Vec<Option<Type>>,
    tagged: Vec<Tagged>,
    /// The columns that stay.
    kept: Vec<usize>,
    empty_is_text: bool,
    message: Vec<u8>,
    text: String,
}

impl Checks {
    /// By the first record.
    fn of<R: Read>(first: &Text<R>, request: &Request, key: &ColumnKey) -> Result<Checks, Error> {
        let names = (0..first.ends.len()).map(|index| first.content(index).into_owned()).collect();
        let header = Header { names, is_named: request.header };
        let plan = Plan::new(request, key, &header)?;
        let tagged = tagged(&plan, request, key, header.count());
        let sources = plan.sources();
        let types = (0..header.count()).map(|index| sources.contains(&index).then(|| plan.type_of(index)));
        Ok(Checks {
            types: types.collect(),
            kept: kept(&tagged, header.count()).collect(),
            header,
            tagged,
            empty_is_text: request.empty_is_text,
            message: Vec::new(),
            text: String::new(),
        })
    }

    /// The names of columns that are there stay, byte for byte.
    fn header<R: Read, S: Read>(&self, input: &Text<R>, output: &Text<S>) -> Result<(), Error> {
        let columns = self.header.count();
        check_count(&self.tagged, columns, output.ends.len())?;
        let stay = (0..columns).all(|index| input.field(index) == output.field(index));
        let mut new = self.tagged.iter().filter(|it| it.place >= columns);
        if stay && new.all(|it| *output.content(it.place) == *it.name.as_bytes()) {
            Ok(())
        } else {
            Err(Error::Differs(OTHER_COLUMNS.into()))
        }
    }

    fn row<R: Read, S: Read>(&mut self, input: &Text<R>, output: &Text<S>, row: u64) -> Result<(), Error> {
        let columns = self.header.count();
        if input.ends.len() != columns {
            return Err(Error::row(row, "it has another number of fields than the first record"));
        }
        check_count(&self.tagged, columns, output.ends.len())?;
        for &index in &self.kept {
            if input.field(index) != output.field(index) {
                return Err(differs(&self.header.name(index), row, OTHER_VALUE));
            }
        }
        for tagged in &self.tagged {
            self.message.clear();
            let mut is_hashed = true;
            if tagged.is_row {
                self.message.push(1);
                count(tagged.sources.len(), &mut self.message);
            }
            for &index in &tagged.sources {
                let content = input.content(index);
                let kind = self.types.get(index).copied().flatten().unwrap_or_default();
                let value = match fields::value(kind, content) {
                    _ if input.is_empty(index) && !self.empty_is_text => Value::Null,
                    Some(value) => value,
                    None => return Err(differs(&self.header.name(index), row, "it is not of its type")),
                };
                if tagged.is_row {
                    value.field(&mut self.message);
                } else {
                    is_hashed = value.message(&mut self.message);
                }
            }
            let tag = is_hashed.then(|| tagged.tag(&self.message));
            tagged.text(tag, &mut self.text);
            // A tag stands in quotes if its field did.
            let is_quoted = tagged.place < columns && input.is_quoted(tagged.place);
            if output.is_quoted(tagged.place) != is_quoted
                || *output.content(tagged.place) != *self.text.as_bytes()
            {
                return Err(differs(&tagged.name, row, OTHER_TAG));
            }
        }
        Ok(())
    }
}

/// The columns by the first record.
struct Header {
    names: Vec<Vec<u8>>,
    /// Whether that record has their names.
    is_named: bool,
}

impl Header {
    /// The name of a column in an error.
    fn name(&self, index: usize) -> String {
        match self.names.get(index).filter(|_| self.is_named) {
            Some(name) => String::from_utf8_lossy(name).into_owned(),
            None => index.saturating_add(1).to_string(),
        }
    }
}

impl Columns for Header {
    fn count(&self) -> usize {
        self.names.len()
    }

    fn is_named(&self, index: usize, name: &str) -> bool {
        match self.names.get(index).filter(|_| self.is_named) {
            Some(known) => *known == name.as_bytes(),
            None => name == index.saturating_add(1).to_string(),
        }
    }

    fn data_type(&self, _: usize) -> Option<&DataType> {
        None
    }
}

/// A file of text at one of its lines.
struct Text<R> {
    reader: Chain<Cursor<Vec<u8>>, BufReader<R>>,
    delimiter: u8,
    quote: Option<u8>,
    is_output: bool,
    /// Whether an empty line is a row, as in a table of one column.
    is_single: bool,
    /// Whether it begins with a byte order mark.
    is_marked: bool,
    /// The line, without its end.
    bytes: Vec<u8>,
    /// Where each field of it ends. A line that is no row has none.
    ends: Vec<usize>,
    /// The end of the line.
    end: Vec<u8>,
}

fn unread(is_output: bool, error: io::Error) -> Error {
    if is_output { Error::Write(error) } else { Error::Read(error) }
}

/// What was read of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Nothing,
    /// It began without a quote.
    Plain,
    /// The opening quote, and no closing one.
    Quoted,
    /// A quote that closes, unless another one follows.
    Closed,
}

impl<R: Read> Text<R> {
    fn open(mut reader: R, dialect: Dialect, is_output: bool) -> Result<Text<R>, Error> {
        let (delimiter, quote) = (dialect.delimiter(), dialect.quote());
        let mut first = Vec::new();
        let read = reader.by_ref().take(MARK.len() as u64).read_to_end(&mut first);
        read.map_err(|error| unread(is_output, error))?;
        let is_marked = first == MARK;
        if is_marked {
            first.clear();
        }
        let reader = Cursor::new(first).chain(BufReader::with_capacity(BUFFER, reader));
        let (bytes, ends, end) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Text { reader, delimiter, quote, is_output, is_single: false, is_marked, bytes, ends, end })
    }

    /// Before the first line again: the line that was read, and those before it.
    fn rewound(self, mut before: Vec<u8>) -> Text<R> {
        let (first, reader) = self.reader.into_inner();
        let rest = usize::try_from(first.position()).ok().and_then(|at| first.get_ref().get(at..));
        before.extend_from_slice(&self.bytes);
        before.extend_from_slice(&self.end);
        before.extend_from_slice(rest.unwrap_or_default());
        Text { reader: Cursor::new(before).chain(reader), ..self }
    }

    /// Reads the next line. Returns false at the end of the file.
    fn next(&mut self) -> Result<bool, Error> {
        self.bytes.clear();
        self.ends.clear();
        self.end.clear();
        let mut state = State::Nothing;
        loop {
            let piece = self.reader.fill_buf().map_err(|error| unread(self.is_output, error))?;
            let Some(&byte) = piece.first() else { break };
            let (delimiter, quote) = (self.delimiter, self.quote);
            let end = match state {
                State::Plain => memchr3(delimiter, b'\n', b'\r', piece),
                State::Quoted => memchr(quote.unwrap_or_default(), piece),
                State::Nothing | State::Closed => Some(0),
            };
            let len = end.unwrap_or(piece.len());
            if len > 0 {
                self.bytes.extend_from_slice(piece.get(..len).unwrap_or_default());
                self.reader.consume(len);
                continue;
            }
            self.reader.consume(1);
            state = match (state, byte) {
                (State::Nothing | State::Closed, byte) if Some(byte) == quote => State::Quoted,
                (State::Quoted, _) => State::Closed,
                (_, b'\n' | b'\r') => {
                    self.end.push(byte);
                    break;
                }
                (_, byte) if byte == delimiter => {
                    self.ends.push(self.bytes.len());
                    State::Nothing
                }
                (State::Closed, _) => return Err(self.malformed("bytes stand behind a closing quote")),
                (State::Nothing | State::Plain, _) => State::Plain,
            };
            self.bytes.push(byte);
        }
        if self.end == b"\r"
            && self.reader.fill_buf().map_err(|error| unread(self.is_output, error))?.first() == Some(&b'\n')
        {
            self.reader.consume(1);
            self.end.push(b'\n');
        }
        if state == State::Quoted {
            return Err(self.malformed("a quote is not closed"));
        }
        if !self.bytes.is_empty() || self.is_single && !self.end.is_empty() {
            self.ends.push(self.bytes.len());
        }
        Ok(!self.ends.is_empty() || !self.end.is_empty())
    }

    /// A line that is none.
    fn malformed(&self, what: &str) -> Error {
        if self.is_output { Error::Differs(format!("in the output, {what}")) } else { Error::table(what) }
    }

    /// The bytes of a field, with its quotes.
    fn field(&self, index: usize) -> &[u8] {
        // A delimiter stands behind each field but the last one.
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| end + 1);
        self.ends.get(index).and_then(|&end| self.bytes.get(start..end)).unwrap_or_default()
    }

    fn is_quoted(&self, index: usize) -> bool {
        self.field(index).first().is_some_and(|&byte| Some(byte) == self.quote)
    }

    /// Whether a field has no content.
    fn is_empty(&self, index: usize) -> bool {
        self.field(index).len() == if self.is_quoted(index) { 2 } else { 0 }
    }

    /// The content of a field, without its quotes.
    fn content(&self, index: usize) -> Cow<'_, [u8]> {
        let (field, Some(quote)) = (self.field(index), self.quote) else { return self.field(index).into() };
        let [first, content @ .., _] = field else { return field.into() };
        if *first != quote {
            return field.into();
        }
        if !content.contains(&quote) {
            return content.into();
        }
        let mut single = Vec::with_capacity(content.len());
        let mut bytes = content.iter();
        while let Some(&byte) = bytes.next() {
            single.push(byte);
            if byte == quote {
                bytes.next();
            }
        }
        single.into()
    }
}
