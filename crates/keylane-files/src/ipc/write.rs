//! Files and streams, message by message. The library encodes the batches, but its writers have no place for the metadata of
//! a batch.

use crate::error::{Error, copy};
use crate::guard;
use arrow_array::RecordBatch;
use arrow_ipc::convert::IpcSchemaEncoder;
use arrow_ipc::writer::{
    DictionaryTracker, EncodedData, IpcDataGenerator, IpcWriteContext, IpcWriteOptions, StreamWriter,
    write_message,
};
use arrow_ipc::{
    Block, BodyCompression, BodyCompressionArgs, Footer, FooterArgs, KeyValue, KeyValueArgs, Message,
    MessageArgs, MessageHeader, MetadataVersion, RecordBatch as Head, RecordBatchArgs as HeadArgs,
    root_as_message,
};
use arrow_schema::{ArrowError, Metadata, Schema};
use flatbuffers::{FlatBufferBuilder, ForwardsUOffset, Vector, WIPOffset};
use std::io::{self, Write};

/// One of Arrow's two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// With a directory at its end.
    File,
    /// Message by message.
    Stream,
}

const UNWRITTEN: &str =
    "a column cannot be written in this layout: a file has one dictionary for each column";

/// Why a batch was not written.
pub(super) fn unwritten(error: &ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) => Error::Write(copy(error)),
        _ => Error::table(UNWRITTEN),
    }
}

/// What stands at the start and at the end of a file.
const MAGIC: [u8; 6] = *b"ARROW1";

/// What stands behind the last batch.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// A file or a stream that is written.
pub struct Writer<W> {
    output: W,
    layout: Layout,
    schema: Schema,
    /// The metadata of a file.
    metadata: Metadata,
    options: IpcWriteOptions,
    generator: IpcDataGenerator,
    tracker: DictionaryTracker,
    context: IpcWriteContext,
    /// How many bytes were written.
    at: usize,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
}

impl<W: Write> Writer<W> {
    /// Writes the schema.
    pub fn new(
        mut output: W,
        layout: Layout,
        schema: Schema,
        metadata: Metadata,
        options: IpcWriteOptions,
    ) -> Result<Self, Error> {
        // The library's writer says which types it does not write.
        StreamWriter::try_new_with_options(io::sink(), &schema, options.clone())
            .map_err(|error| unwritten(&error))?;
        let mut at = 0;
        if layout == Layout::File {
            let start = [&MAGIC[..], &[0; 2]].concat();
            output.write_all(&start).map_err(Error::Write)?;
            at = start.len();
        }
        let generator = IpcDataGenerator::default();
        // A file has one dictionary for each column.
        let mut tracker = DictionaryTracker::new(layout == Layout::File);
        let message = generator.schema_to_bytes_with_dictionary_tracker(&schema, &mut tracker, &options);
        let context = IpcWriteContext::default();
        let (dictionaries, batches) = (Vec::new(), Vec::new());
        let mut writer = Writer {
            output,
            layout,
            schema,
            metadata,
            options,
            generator,
            tracker,
            context,
            at,
            dictionaries,
            batches,
        };
        writer.message(message)?;
        Ok(writer)
    }

    /// Writes a batch with its metadata.
    pub fn write(&mut self, batch: &RecordBatch, metadata: &Metadata) -> Result<(), Error> {
        let (dictionaries, mut batch) = guard(UNWRITTEN, || {
            let encoded = self.generator.encode(batch, &mut self.tracker, &self.options, &mut self.context);
            encoded.map_err(|error| unwritten(&error))
        })?;
        for dictionary in dictionaries {
            let block = self.message(dictionary)?;
            self.dictionaries.push(block);
        }
        if !metadata.is_empty() {
            let noted = with_metadata(&batch.ipc_message, metadata);
            batch.ipc_message = noted.ok_or_else(|| Error::table(UNWRITTEN))?;
        }
        let block = self.message(batch)?;
        self.batches.push(block);
        Ok(())
    }

    /// Writes a message, and says where it is.
    fn message(&mut self, message: EncodedData) -> Result<Block, Error> {
        let (head, body) =
            write_message(&mut self.output, message, &self.options).map_err(|error| unwritten(&error))?;
        let too_long = || Error::table("a batch is too long for Arrow's format");
        let number = |number: usize| i64::try_from(number).map_err(|_| too_long());
        let head_len = i32::try_from(head).map_err(|_| too_long())?;
        let block = Block::new(number(self.at)?, head_len, number(body)?);
        self.at = self.at.saturating_add(head).saturating_add(body);
        Ok(block)
    }

    /// Writes the end.
    pub fn finish(&mut self) -> Result<(), Error> {
        let mut end = END.to_vec();
        if self.layout == Layout::File {
            let footer = self.footer();
            let size = i32::try_from(footer.len());
            end.extend_from_slice(&footer);
            end.extend_from_slice(&size.map_err(|_| Error::table(UNWRITTEN))?.to_le_bytes());
            end.extend_from_slice(&MAGIC);
        }
        self.output.write_all(&end).and_then(|()| self.output.flush()).map_err(Error::Write)
    }

    /// The directory at the end of a file.
    fn footer(&mut self) -> Vec<u8> {
        let mut builder = FlatBufferBuilder::new();
        let dictionaries = builder.create_vector(&self.dictionaries);
        let batches = builder.create_vector(&self.batches);
        // The numbers of dictionaries are counted again.
        self.tracker.clear();
        let mut encoder = IpcSchemaEncoder::new().with_dictionary_tracker(&mut self.tracker);
        let schema = encoder.schema_to_fb_offset(&mut builder, &self.schema);
        let custom_metadata = pairs(&mut builder, &self.metadata);
        let footer = FooterArgs {
            version: MetadataVersion::V5,
            schema: Some(schema),
            dictionaries: Some(dictionaries),
            recordBatches: Some(batches),
            custom_metadata,
        };
        let footer = Footer::create(&mut builder, &footer);
        builder.finish(footer, None);
        builder.finished_data().to_vec()
    }
}

type Pairs<'a> = WIPOffset<Vector<'a, ForwardsUOffset<KeyValue<'a>>>>;

/// Metadata, if there are any.
fn pairs<'a>(builder: &mut FlatBufferBuilder<'a>, metadata: &Metadata) -> Option<Pairs<'a>> {
    let mut all = Vec::with_capacity(metadata.len());
    for (key, value) in metadata {
        let (key, value) = (builder.create_string(key), builder.create_string(value));
        all.push(KeyValue::create(builder, &KeyValueArgs { key: Some(key), value: Some(value) }));
    }
    (!all.is_empty()).then(|| builder.create_vector(&all))
}

/// The message of a batch with metadata.
fn with_metadata(message: &[u8], metadata: &Metadata) -> Option<Vec<u8>> {
    let message = root_as_message(message).ok()?;
    let head = message.header_as_record_batch()?;
    let mut builder = FlatBufferBuilder::new();
    let nodes = head.nodes().map(|all| builder.create_vector(&all.iter().copied().collect::<Vec<_>>()));
    let buffers = head.buffers().map(|all| builder.create_vector(&all.iter().copied().collect::<Vec<_>>()));
    let counts = head.variadicBufferCounts();
    let counts = counts.map(|all| builder.create_vector(&all.iter().collect::<Vec<i64>>()));
    let compression = head.compression().map(|compression| {
        let compression = BodyCompressionArgs { codec: compression.codec(), method: compression.method() };
        BodyCompression::create(&mut builder, &compression)
    });
    let head = HeadArgs { length: head.length(), nodes, buffers, compression, variadicBufferCounts: counts };
    let head = Head::create(&mut builder, &head);
    let custom_metadata = pairs(&mut builder, metadata);
    let message = MessageArgs {
        version: message.version(),
        header_type: MessageHeader::RecordBatch,
        header: Some(head.as_union_value()),
        bodyLength: message.bodyLength(),
        custom_metadata,
    };
    let message = Message::create(&mut builder, &message);
    builder.finish(message, None);
    Some(builder.finished_data().to_vec())
}
