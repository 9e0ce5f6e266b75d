//! The batches of a file or a stream. A damaged input may name any length, and Arrow's library reserves what is named. So
//! messages are read here, and their lengths are checked before the library decodes them.

use crate::error::Error;
use crate::types::in_bytes;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_footer_length, read_record_batch};
use arrow_ipc::{Block, CompressionType, KeyValue, root_as_footer, root_as_message};
use arrow_schema::{Fields, Metadata, Schema, SchemaRef};
use flatbuffers::{ForwardsUOffset, Vector};
use std::collections::HashMap;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

pub(super) const BUFFER: usize = 128 * 1024;

pub(super) const DAMAGED: &str =
    "the file is damaged, not of the Arrow format that was named, or of a kind that keylane does not read";

pub(super) fn damaged<E>(_: E) -> Error {
    // The text of a library's error may show values.
    Error::table(DAMAGED)
}

/// The schema with text as bytes. Columns may have nulls: some writers declare that there are none, and are wrong.
pub fn as_bytes(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().map(|field| in_bytes(field, |_| true));
    let fields = fields.map(|field| field.as_ref().clone().with_nullable(true));
    Schema::new(fields.collect::<Fields>())
}

/// The batches of a table, one after another. Text comes as bytes.
pub trait Batches {
    /// The next batch and its metadata, or `None` at the end.
    fn next(&mut self) -> Result<Option<(RecordBatch, Metadata)>, Error>;

    /// The compression of the first batch, once it was read.
    fn compression(&self) -> Option<CompressionType>;
}

/// What is known from the messages so far.
struct Decoder {
    schema: SchemaRef,
    /// The same, with text as bytes: as batches are read.
    bytes: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    /// That of the first batch, once it was seen.
    compression: Option<Option<CompressionType>>,
}

impl Decoder {
    fn new(schema: Option<arrow_ipc::Schema<'_>>) -> Result<Decoder, Error> {
        let schema = schema.ok_or_else(|| damaged(()))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(Error::table("its numbers are in the other byte order, which keylane does not read"));
        }
        let schema = Arc::new(try_fb_to_schema(schema).map_err(damaged)?);
        let bytes = Arc::new(as_bytes(&schema));
        Ok(Decoder { schema, bytes, dictionaries: HashMap::new(), compression: None })
    }

    /// The batch of a message, and its metadata. `None` if it is a dictionary, which is kept.
    fn decode(&mut self, head: &[u8], body: &Buffer) -> Result<Option<(RecordBatch, Metadata)>, Error> {
        let message = root_as_message(head).map_err(damaged)?;
        let version = message.version();
        if let Some(batch) = message.header_as_record_batch() {
            check_sizes(&batch, body)?;
            self.compression.get_or_insert(batch.compression().map(|compression| compression.codec()));
            let schema = self.bytes.clone();
            let batch = read_record_batch(body, batch, schema, &self.dictionaries, None, &version);
            let metadata = pairs(message.custom_metadata())?;
            return batch.map(|batch| Some((batch, metadata))).map_err(damaged);
        }
        let dictionary = message.header_as_dictionary_batch().ok_or_else(|| damaged(()))?;
        if let Some(values) = dictionary.data() {
            check_sizes(&values, body)?;
        }
        read_dictionary(body, dictionary, &self.bytes, &mut self.dictionaries, &version).map_err(damaged)?;
        Ok(None)
    }
}

/// The metadata of a file or of a batch.
fn pairs<'a>(list: Option<Vector<'a, ForwardsUOffset<KeyValue<'a>>>>) -> Result<Metadata, Error> {
    let mut metadata = Metadata::new();
    for pair in list.iter().flatten() {
        let (Some(key), Some(value)) = (pair.key(), pair.value()) else { return Err(damaged(())) };
        metadata.insert(key, value);
    }
    Ok(metadata)
}

/// Whether there is memory for what the buffers of a batch say that they decompress to. The library reserves it at once,
/// and ends the process if there is not.
fn check_sizes(batch: &arrow_ipc::RecordBatch<'_>, body: &[u8]) -> Result<(), Error> {
    if batch.compression().is_none() {
        return Ok(());
    }
    for buffer in batch.buffers().iter().flatten().filter(|buffer| buffer.length() > 0) {
        let start = usize::try_from(buffer.offset()).map_err(damaged)?;
        let prefix = body.get(start..).and_then(|rest| rest.first_chunk()).ok_or_else(|| damaged(()))?;
        // A negative size means that the buffer is not compressed.
        if let Ok(size) = usize::try_from(i64::from_le_bytes(*prefix)) {
            Vec::<u8>::new().try_reserve_exact(size).map_err(damaged)?;
        }
    }
    Ok(())
}

/// The batches of a file.
pub struct FileBatches<R> {
    input: R,
    /// How many bytes the file has.
    len: u64,
    decoder: Decoder,
    blocks: std::vec::IntoIter<Block>,
    pub metadata: Metadata,
}

impl<R: Read + Seek> FileBatches<R> {
    /// Reads the directory at the end of the file, and the dictionaries.
    pub fn open(mut input: R) -> Result<FileBatches<R>, Error> {
        let len = input.seek(SeekFrom::End(0)).map_err(Error::Read)?;
        let end = len.checked_sub(TAIL).ok_or_else(|| damaged(()))?;
        let tail = bytes_at(&mut input, len, end, TAIL)?;
        if tail.ends_with(b"FEA1") {
            return Err(Error::table("the file is Feather version 1, which keylane does not read"));
        }
        let size = read_footer_length(tail.as_slice().try_into().map_err(damaged)?).map_err(damaged)? as u64;
        let footer = bytes_at(&mut input, len, end.checked_sub(size).ok_or_else(|| damaged(()))?, size)?;
        let footer = root_as_footer(&footer).map_err(damaged)?;
        let metadata = pairs(footer.custom_metadata())?;
        let decoder = Decoder::new(footer.schema())?;
        let blocks: Vec<Block> = footer.recordBatches().ok_or_else(|| damaged(()))?.iter().copied().collect();
        let mut batches = FileBatches { input, len, decoder, blocks: blocks.into_iter(), metadata };
        for block in footer.dictionaries().iter().flatten() {
            if batches.decode(block)?.is_some() {
                return Err(damaged(()));
            }
        }
        Ok(batches)
    }

    pub fn schema(&self) -> SchemaRef {
        self.decoder.schema.clone()
    }

    /// The batch of a block. `None` if it is a dictionary.
    fn decode(&mut self, block: &Block) -> Result<Option<(RecordBatch, Metadata)>, Error> {
        let number = |number: i64| u64::try_from(number).map_err(damaged);
        let (place, size) = (number(block.offset())?, number(block.metaDataLength().into())?);
        let head = bytes_at(&mut self.input, self.len, place, size)?;
        let body = place.checked_add(size).ok_or_else(|| damaged(()))?;
        let body = bytes_at(&mut self.input, self.len, body, number(block.bodyLength())?)?;
        let prefix = if head.starts_with(&MARK) { 8 } else { 4 };
        self.decoder.decode(head.get(prefix..).unwrap_or_default(), &body)
    }
}

impl<R: Read + Seek> Batches for FileBatches<R> {
    fn next(&mut self) -> Result<Option<(RecordBatch, Metadata)>, Error> {
        let Some(block) = self.blocks.next() else { return Ok(None) };
        self.decode(&block)?.ok_or_else(|| damaged(())).map(Some)
    }

    fn compression(&self) -> Option<CompressionType> {
        self.decoder.compression.flatten()
    }
}

/// The length of the directory, and the magic bytes.
const TAIL: u64 = 10;

/// Bytes of a file of this length.
fn bytes_at(input: &mut (impl Read + Seek), len: u64, place: u64, count: u64) -> Result<Buffer, Error> {
    if place.checked_add(count).is_none_or(|end| end > len) {
        return Err(damaged(()));
    }
    input.seek(SeekFrom::Start(place)).map_err(Error::Read)?;
    let count = usize::try_from(count).map_err(damaged)?;
    bytes(input, count, count)
}

/// The next bytes. Memory for `first` of them is reserved before they come.
fn bytes(input: &mut impl Read, count: usize, first: usize) -> Result<Buffer, Error> {
    let mut all = MutableBuffer::try_from_len_zeroed(count.min(first)).map_err(damaged)?;
    let mut filled = 0;
    loop {
        input.read_exact(all.get_mut(filled..).unwrap_or_default()).map_err(read_error)?;
        filled = all.len();
        if filled == count {
            return Ok(all.into());
        }
        let more = filled.min(count - filled);
        all.try_reserve(more).map_err(damaged)?;
        all.resize(filled + more, 0);
    }
}

/// What it means that bytes cannot be read.
fn read_error(error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::UnexpectedEof { damaged(error) } else { Error::Read(error) }
}

/// The batches of a stream.
pub struct StreamBatches<R> {
    input: BufReader<R>,
    decoder: Decoder,
    ended: bool,
}

/// What stands before the length of a message, but for old writers.
const MARK: [u8; 4] = [0xff; 4];

/// So much memory is reserved for a body before any of it is there.
const FIRST: usize = 64 << 20;

impl<R: Read> StreamBatches<R> {
    /// Reads the schema.
    pub fn open(input: R) -> Result<StreamBatches<R>, Error> {
        let mut input = BufReader::with_capacity(BUFFER, input);
        let (head, _) = message(&mut input)?.ok_or_else(|| damaged(()))?;
        let decoder = Decoder::new(root_as_message(&head).map_err(damaged)?.header_as_schema())?;
        Ok(StreamBatches { input, decoder, ended: false })
    }

    pub fn schema(&self) -> SchemaRef {
        self.decoder.schema.clone()
    }
}

impl<R: Read> Batches for StreamBatches<R> {
    fn next(&mut self) -> Result<Option<(RecordBatch, Metadata)>, Error> {
        while !self.ended {
            let Some((head, body)) = message(&mut self.input)? else {
                self.ended = true;
                break;
            };
            if let Some(batch) = self.decoder.decode(&head, &body)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn compression(&self) -> Option<CompressionType> {
        self.decoder.compression.flatten()
    }
}

/// The metadata and the body of the next message, or `None` at the end, which must be that of the input. The mark of the
/// end may be missing.
fn message(input: &mut impl Read) -> Result<Option<(Buffer, Buffer)>, Error> {
    let Some(mut size) = word(input)? else { return Ok(None) };
    if size == MARK {
        size = word(input)?.ok_or_else(|| damaged(()))?;
    }
    let size = usize::try_from(i32::from_le_bytes(size)).map_err(damaged)?;
    if size == 0 {
        return match word(input) {
            Ok(None) => Ok(None),
            Err(Error::Read(error)) => Err(Error::Read(error)),
            _ => Err(Error::table("bytes follow the end of the stream")),
        };
    }
    let head = bytes(input, size, BUFFER)?;
    let body = root_as_message(&head).map_err(damaged)?.bodyLength();
    let body = bytes(input, usize::try_from(body).map_err(damaged)?, FIRST)?;
    Ok(Some((head, body)))
}

/// Four bytes, or `None` if there is not one.
fn word(input: &mut impl Read) -> Result<Option<[u8; 4]>, Error> {
    let mut word = Vec::with_capacity(4);
    input.take(4).read_to_end(&mut word).map_err(Error::Read)?;
    match <[u8; 4]>::try_from(word) {
        Ok(word) => Ok(Some(word)),
        Err(part) if part.is_empty() => Ok(None),
        Err(_) => Err(Error::table("the stream is cut short")),
    }
}
