//! Arrow's files and streams. The arrays of columns that are not hashed are written as they were read, with the compression
//! of the first batch.

use crate::error::{Error, copy};
use crate::plan::{Plan, Request};
use crate::{Report, guard};
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{CompressionType, Message, MessageHeader, root_as_message};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use keylane_arrow::ColumnKey;
use std::collections::HashMap;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// One of Arrow's two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// With a directory at its end.
    File,
    /// Message by message.
    Stream,
}

/// Hashes the columns of an Arrow file, which is written in either layout.
///
/// # Errors
/// [`Error`]; then a part of the output may have been written.
pub fn hash_file(
    mut input: impl Read + Seek,
    output: impl Write,
    to: Layout,
    request: &Request,
    key: &ColumnKey,
) -> Result<Report, Error> {
    let compression = guard(DAMAGED, || of_file(&mut input))?;
    input.seek(SeekFrom::Start(0)).map_err(Error::Read)?;
    let reader =
        guard(DAMAGED, || FileReader::try_new_buffered(input, None).map_err(|error| damaged(&error)))?;
    let (schema, metadata) = (reader.schema(), reader.custom_metadata().clone());
    Pass { schema, metadata, to, request, key }.run(reader, |_| compression, output)
}

/// Hashes the columns of an Arrow stream, which is written in either layout.
///
/// # Errors
/// [`Error`]; then a part of the output may have been written.
pub fn hash_stream(
    input: impl Read,
    output: impl Write,
    to: Layout,
    request: &Request,
    key: &ColumnKey,
) -> Result<Report, Error> {
    let reader = BufReader::with_capacity(BUFFER, Sniffer::new(input));
    let reader = guard(DAMAGED, || StreamReader::try_new(reader, None).map_err(|error| damaged(&error)))?;
    let schema = reader.schema();
    let compression = |reader: &StreamReader<BufReader<Sniffer<_>>>| reader.get_ref().get_ref().compression;
    Pass { schema, metadata: HashMap::new(), to, request, key }.run(reader, compression, output)
}

/// What would be hashed of an Arrow file, in lines for a person.
///
/// # Errors
/// [`Error`]: the same as of [`hash_file`], as far as the schema shows it.
pub fn explain_file(input: impl Read + Seek, request: &Request, key: &ColumnKey) -> Result<String, Error> {
    let reader =
        guard(DAMAGED, || FileReader::try_new_buffered(input, None).map_err(|error| damaged(&error)))?;
    explain(&reader.schema(), request, key)
}

/// What would be hashed of an Arrow stream, in lines for a person.
///
/// # Errors
/// [`Error`]: the same as of [`hash_stream`], as far as the schema shows it.
pub fn explain_stream(input: impl Read, request: &Request, key: &ColumnKey) -> Result<String, Error> {
    let reader = guard(DAMAGED, || StreamReader::try_new(input, None).map_err(|error| damaged(&error)))?;
    explain(&reader.schema(), request, key)
}

fn explain(schema: &SchemaRef, request: &Request, key: &ColumnKey) -> Result<String, Error> {
    let plan = Plan::new(request, key, schema.as_ref())?;
    plan.check_types(schema)?;
    Ok(plan.explain(request, schema.as_ref()))
}

const BUFFER: usize = 128 * 1024;

const DAMAGED: &str = "the file is damaged, or not of the Arrow format that was named";

/// What a library's error means. Its text may show values.
fn damaged(error: &ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) if error.raw_os_error().is_some() => Error::Read(copy(error)),
        _ => Error::table(DAMAGED),
    }
}

/// One pass over a table.
struct Pass<'a> {
    schema: SchemaRef,
    metadata: HashMap<String, String>,
    to: Layout,
    request: &'a Request,
    key: &'a ColumnKey,
}

impl Pass<'_> {
    fn run<R: Iterator<Item = Result<RecordBatch, ArrowError>>>(
        self,
        mut reader: R,
        compression: impl Fn(&R) -> Option<CompressionType>,
        output: impl Write,
    ) -> Result<Report, Error> {
        let plan = Plan::new(self.request, self.key, self.schema.as_ref())?;
        plan.check_types(&self.schema)?;
        let schema = Arc::new(self.changed(&plan)?);
        let mut output = Some(BufWriter::with_capacity(BUFFER, output));
        let (mut writer, mut rows, mut number) = (None, 0_u64, 0_u64);
        loop {
            let batch = guard(DAMAGED, || {
                reader.next().transpose().map_err(|error| match damaged(&error) {
                    Error::Table(text) => Error::table(format!("batch {}: {text}", number.saturating_add(1))),
                    other => other,
                })
            })?;
            // The compression is known as soon as there is a batch.
            if let Some(output) = output.take() {
                writer = Some(self.writer(output, &schema, compression(&reader))?);
            }
            let Some(writer) = &mut writer else { return Err(Error::table(DAMAGED)) };
            let Some(batch) = batch else {
                writer.finish()?;
                return Ok(Report { rows, manifest: plan.manifest() });
            };
            let tags = plan.hash(&batch, rows)?;
            let mut arrays = batch.columns().to_vec();
            for (output, tags) in plan.outputs.iter().zip(tags) {
                match output.replaces.and_then(|index| arrays.get_mut(index)) {
                    Some(place) => *place = tags,
                    None => arrays.push(tags),
                }
            }
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let tagged = RecordBatch::try_new_with_options(schema.clone(), arrays, &options);
            writer.write(&tagged.map_err(|_| Error::table(DAMAGED))?)?;
            rows = rows.saturating_add(batch.num_rows() as u64);
            number = number.saturating_add(1);
        }
    }

    /// The schema with the columns of tags.
    fn changed(&self, plan: &Plan) -> Result<Schema, Error> {
        let mut fields = self.schema.fields().to_vec();
        for output in &plan.outputs {
            let field = Arc::new(plan.field(output, self.request, &self.schema)?);
            match output.replaces.and_then(|index| fields.get_mut(index)) {
                Some(place) => *place = field,
                None => fields.push(field),
            }
        }
        Ok(Schema::new_with_metadata(fields, self.schema.metadata().clone()))
    }

    fn writer<W: Write>(
        &self,
        output: W,
        schema: &Schema,
        compression: Option<CompressionType>,
    ) -> Result<Writer<W>, Error> {
        let options = IpcWriteOptions::default().try_with_compression(compression);
        let options = options.map_err(|error| unwritten(&error))?;
        match self.to {
            Layout::Stream => {
                let writer = StreamWriter::try_new_with_options(output, schema, options);
                writer.map(Writer::Stream).map_err(|error| unwritten(&error))
            }
            Layout::File => {
                let writer = FileWriter::try_new_with_options(output, schema, options);
                let mut writer = writer.map_err(|error| unwritten(&error))?;
                self.metadata.iter().for_each(|(key, value)| writer.write_metadata(key, value));
                Ok(Writer::File(writer))
            }
        }
    }
}

/// A writer of either layout.
enum Writer<W> {
    File(FileWriter<W>),
    Stream(StreamWriter<W>),
}

impl<W: Write> Writer<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        guard(UNWRITTEN, || {
            let written = match self {
                Writer::File(writer) => writer.write(batch),
                Writer::Stream(writer) => writer.write(batch),
            };
            written.map_err(|error| unwritten(&error))
        })
    }

    fn finish(&mut self) -> Result<(), Error> {
        let finished = match self {
            Writer::File(writer) => writer.finish().and_then(|()| writer.flush()),
            Writer::Stream(writer) => writer.finish().and_then(|()| writer.flush()),
        };
        finished.map_err(|error| unwritten(&error))
    }
}

const UNWRITTEN: &str =
    "a column cannot be written in this layout: a file has one dictionary for each column";

/// Why a batch was not written.
fn unwritten(error: &ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) => Error::Write(copy(error)),
        _ => Error::table(UNWRITTEN),
    }
}

/// The compression of the first batch of a file.
fn of_file(input: &mut (impl Read + Seek)) -> Result<Option<CompressionType>, Error> {
    let mut tail = [0; 10];
    let mut bytes = |from: SeekFrom, bytes: &mut [u8]| {
        input.seek(from).and_then(|_| input.read_exact(bytes)).map_err(|error| match error.raw_os_error() {
            // A place before the file's begin is no place.
            Some(_) if error.kind() != io::ErrorKind::InvalidInput => Error::Read(error),
            _ => Error::table(DAMAGED),
        })
    };
    bytes(SeekFrom::End(-10), &mut tail)?;
    let len = arrow_ipc::reader::read_footer_length(tail).map_err(|error| damaged(&error))?;
    let mut footer = room(len)?;
    bytes(SeekFrom::End(-10 - len as i64), &mut footer)?;
    let footer = arrow_ipc::root_as_footer(&footer).map_err(|_| Error::table(DAMAGED))?;
    let Some(block) = footer.recordBatches().filter(|blocks| !blocks.is_empty()).map(|blocks| *blocks.get(0))
    else {
        return Ok(None);
    };
    let offset = u64::try_from(block.offset()).map_err(|_| Error::table(DAMAGED))?;
    let mut message = room(usize::try_from(block.metaDataLength()).unwrap_or_default())?;
    bytes(SeekFrom::Start(offset), &mut message)?;
    let prefix = if message.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let message = message.get(prefix..).and_then(|message| root_as_message(message).ok());
    Ok(message.and_then(|message| of_message(&message)))
}

/// So many bytes, if there is memory for them. A damaged file may name any number.
fn room(len: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| Error::table(DAMAGED))?;
    bytes.resize(len, 0);
    Ok(bytes)
}

fn of_message(message: &Message<'_>) -> Option<CompressionType> {
    Some(message.header_as_record_batch()?.compression()?.codec())
}

/// Passes bytes on, and sees the compression of the first batch among them.
struct Sniffer<R> {
    reader: R,
    compression: Option<CompressionType>,
    state: State,
    /// The bytes of a length or a message so far.
    seen: Vec<u8>,
}

enum State {
    /// Bytes of a length.
    Length,
    /// Bytes of a message of this length.
    Message(usize),
    /// Bytes of a body that are still to come.
    Body(u64),
    /// Nothing more is looked at.
    Done,
}

/// No message is looked at that is longer.
const LONGEST: usize = 1 << 26;

impl<R> Sniffer<R> {
    fn new(reader: R) -> Sniffer<R> {
        Sniffer { reader, compression: None, state: State::Length, seen: Vec::new() }
    }

    fn see(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let wanted = match self.state {
                State::Length => 4,
                State::Message(len) => len,
                State::Body(left) => {
                    let skipped = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    bytes = bytes.get(skipped..).unwrap_or_default();
                    let left = left.saturating_sub(skipped as u64);
                    self.state = if left == 0 { State::Length } else { State::Body(left) };
                    continue;
                }
                State::Done => return,
            };
            let (part, rest) = bytes.split_at(bytes.len().min(wanted.saturating_sub(self.seen.len())));
            self.seen.extend_from_slice(part);
            bytes = rest;
            if self.seen.len() == wanted {
                self.state = self.next();
                self.seen.clear();
            }
        }
    }

    /// What follows the length or the message that was seen.
    fn next(&mut self) -> State {
        if let State::Length = self.state {
            return match <[u8; 4]>::try_from(self.seen.as_slice()).map(u32::from_le_bytes) {
                Ok(u32::MAX) => State::Length,
                Ok(len @ 1..) if (len as usize) < LONGEST => State::Message(len as usize),
                _ => State::Done,
            };
        }
        let Ok(message) = root_as_message(&self.seen) else { return State::Done };
        if message.header_type() == MessageHeader::RecordBatch {
            self.compression = of_message(&message);
            return State::Done;
        }
        match u64::try_from(message.bodyLength()) {
            Ok(0) => State::Length,
            Ok(len) => State::Body(len),
            Err(_) => State::Done,
        }
    }
}

impl<R: Read> Read for Sniffer<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let len = self.reader.read(bytes)?;
        self.see(bytes.get(..len).unwrap_or_default());
        Ok(len)
    }
}
