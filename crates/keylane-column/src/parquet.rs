//! Parquet. The column chunks of columns that are not hashed are copied as they are encoded: type, values, statistics and
//! compression stay. The columns of tags are written anew, with the compression of the column that they are made of.

mod footer;
pub(crate) mod int96;

use crate::error::{Error, copy};
use crate::plan::{Output, Plan, Request, Source};
use crate::{Report, guard};
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_schema::{DataType, Field, FieldRef, Schema};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use footer::Held;
use keylane_arrow::ColumnKey;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{
    ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, ProjectionMask, add_encoded_arrow_schema_to_metadata,
};
use parquet::basic::{ColumnOrder, Compression};
use parquet::bloom_filter::Sbbf;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, KeyValue, PageIndexPolicy, ParquetMetaData, SortingColumn,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{SchemaDescriptor, Type};
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

/// So many rows are hashed at a time.
pub(crate) const BATCH: usize = 16 * 1024;

/// Hashes the columns of a Parquet file. `progress` is told of the bytes of each row group.
///
/// # Errors
/// [`Error`]; then a part of the output may have been written.
pub fn hash(
    input: &File,
    output: impl Write + Send,
    request: &Request,
    key: &ColumnKey,
    mut progress: impl FnMut(u64),
) -> Result<Report, Error> {
    let (source, plan) = open(input, request, key)?;
    let new = New::of(&source, &plan, request)?;
    let mut output = Held::new(Watched { inner: output, failed: None }, new.leaves_written());
    let written = write(&source, &plan, &new, &mut output, &mut progress).and_then(|report| {
        output.finish(&new.orders(&source)).map_err(Error::Write)?;
        Ok(report)
    });
    let mut output = output.inner;
    // A write that fails is the reason, whatever the library makes of it.
    match output.failed.take() {
        Some(error) => Err(Error::Write(error)),
        None => written,
    }
}

/// What would be hashed, in lines for a person.
///
/// # Errors
/// [`Error`]: the same as of [`hash`], as far as the schema shows it.
pub fn explain(input: &File, request: &Request, key: &ColumnKey) -> Result<String, Error> {
    let (source, plan) = open(input, request, key)?;
    Ok(plan.explain(request, source.arrow.schema().as_ref()))
}

/// The file that is read.
pub(crate) struct Input<'a> {
    file: &'a File,
    pub(crate) arrow: ArrowReaderMetadata,
}

impl Input<'_> {
    fn metadata(&self) -> &ParquetMetaData {
        self.arrow.metadata()
    }
}

/// Opens a file, and says what is hashed of it.
pub(crate) fn open<'a>(
    file: &'a File,
    request: &Request,
    key: &ColumnKey,
) -> Result<(Input<'a>, Plan), Error> {
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
    let arrow = guard(DAMAGED, || {
        let loaded = ArrowReaderMetadata::load(file, options).map_err(|error| damaged(&error))?;
        let fields: Vec<FieldRef> = loaded.schema().fields().iter().map(readable).collect();
        if fields == loaded.schema().fields().to_vec() {
            return Ok(loaded);
        }
        let schema = Schema::new_with_metadata(fields, loaded.schema().metadata().clone());
        let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
        ArrowReaderMetadata::try_new(loaded.metadata().clone(), options).map_err(|error| damaged(&error))
    })?;
    let schema = arrow.schema().clone();
    let plan = Plan::new(request, key, schema.as_ref())?;
    plan.check_types(&schema)?;
    Ok((Input { file, arrow }, plan))
}

/// The field, without dictionaries of values that the library cannot read as a dictionary. A value has the same tag in a
/// dictionary and outside.
fn readable(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Dictionary(_, values)
            if values.is_decimal() || matches!(**values, DataType::Float16 | DataType::Boolean) =>
        {
            values.as_ref().clone()
        }
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(readable).collect()),
        DataType::List(field) => DataType::List(readable(field)),
        DataType::LargeList(field) => DataType::LargeList(readable(field)),
        DataType::ListView(field) => DataType::ListView(readable(field)),
        DataType::LargeListView(field) => DataType::LargeListView(readable(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(readable(field), *size),
        _ => return field.clone(),
    };
    Arc::new(field.as_ref().clone().with_data_type(data_type))
}

/// The fields that the file itself stores, if they are of its columns. The library's own may differ: it takes a time zone
/// for UTC where the file has another unit than its stored field.
fn stored(input: &Input<'_>) -> Option<Vec<FieldRef>> {
    let pairs = input.metadata().file_metadata().key_value_metadata()?;
    let text = pairs.iter().find(|pair| pair.key == ARROW_SCHEMA_META_KEY)?.value.as_ref()?;
    let schema = try_schema_from_ipc_buffer(&BASE64_STANDARD.decode(text).ok()?).ok()?;
    let names = |schema: &Schema| schema.fields().iter().map(|it| it.name().clone()).collect::<Vec<_>>();
    (names(&schema) == names(input.arrow.schema())).then(|| schema.fields().to_vec())
}

const DAMAGED: &str = "the file is damaged, not Parquet, or of a kind of Parquet that keylane does not read";

/// What a library's error means. Its text may show values.
fn damaged(error: &ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => match inner.downcast_ref::<io::Error>() {
            Some(error) if error.raw_os_error().is_some() => Error::Read(copy(error)),
            _ => Error::table(DAMAGED),
        },
        ParquetError::EOF(_) | ParquetError::NeedMoreData(_) | ParquetError::NeedMoreDataRange(_) => {
            Error::table("the file is not Parquet, or it is cut short")
        }
        _ => Error::table(DAMAGED),
    }
}

/// The schema and the properties of the file that is written.
struct New {
    root: Arc<Type>,
    properties: Arc<WriterProperties>,
    /// For each output its field, and what makes its writers.
    columns: Vec<(Field, ArrowRowGroupWriterFactory)>,
    mask: ProjectionMask,
    /// For each leaf of the file that is read: the output that replaces it.
    leaves: Vec<Option<usize>>,
}

impl New {
    fn of(input: &Input<'_>, plan: &Plan, request: &Request) -> Result<New, Error> {
        let descriptor = input.metadata().file_metadata().schema_descr();
        let schema = input.arrow.schema();
        let mut roots = descriptor.root_schema().get_fields().to_vec();
        let mut fields = stored(input).unwrap_or_else(|| schema.fields().to_vec());
        if roots.len() != fields.len() {
            return Err(Error::table(DAMAGED));
        }
        let mut columns = Vec::with_capacity(plan.outputs.len());
        for output in &plan.outputs {
            let field = plan.field(output, request, schema)?;
            let alone = Arc::new(Schema::new(vec![field.clone()]));
            let converted = ArrowSchemaConverter::new().convert(&alone).map_err(|error| damaged(&error))?;
            let root =
                converted.root_schema().get_fields().first().ok_or_else(|| Error::table(DAMAGED))?.clone();
            match output.replaces {
                Some(index) => {
                    if let (Some(old), Some(place)) = (roots.get_mut(index), fields.get_mut(index)) {
                        *old = root;
                        *place = Arc::new(field.clone());
                    }
                }
                None => {
                    roots.push(root);
                    fields.push(Arc::new(field.clone()));
                }
            }
            columns.push((field, factory(&alone, converted, chunk_of(input, output))?));
        }
        let leaves = (0..descriptor.num_columns()).map(|leaf| {
            let index = descriptor.get_column_root_idx(leaf);
            plan.outputs.iter().position(|output| output.replaces == Some(index))
        });
        let leaves: Vec<Option<usize>> = leaves.collect();
        let root = Type::group_type_builder(descriptor.root_schema().name()).with_fields(roots).build();
        let mut properties = WriterProperties::builder()
            .set_key_value_metadata(Some(metadata(input, plan)))
            .set_sorting_columns(sorting(input, &leaves));
        // Readers decide by both whether they trust statistics.
        let file = input.metadata().file_metadata();
        if file.version() > 1 {
            properties = properties.set_writer_version(WriterVersion::PARQUET_2_0);
        }
        if let Some(writer) = file.created_by() {
            properties = properties.set_created_by(writer.to_owned());
        }
        let mut properties = properties.build();
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
        Ok(New {
            root: Arc::new(root.map_err(|error| damaged(&error))?),
            properties: Arc::new(properties),
            columns,
            mask: ProjectionMask::roots(descriptor, plan.sources()),
            leaves,
        })
    }

    /// How many leaves the file has that is written.
    fn leaves_written(&self) -> usize {
        SchemaDescriptor::new(self.root.clone()).num_columns()
    }

    /// For each leaf of the file that is read: the order of its statistics, if they are copied.
    fn orders(&self, input: &Input<'_>) -> Vec<Option<ColumnOrder>> {
        let orders = input.metadata().file_metadata().column_orders();
        let copied = self.leaves.iter().enumerate().map(|(leaf, replaced)| match replaced {
            Some(_) => None,
            None => {
                Some(orders.and_then(|orders| orders.get(leaf)).copied().unwrap_or(ColumnOrder::UNDEFINED))
            }
        });
        copied.collect()
    }
}

/// The first chunk of the column that an output is made of.
fn chunk_of<'a>(input: &'a Input<'_>, output: &Output) -> Option<&'a ColumnChunkMetaData> {
    let index = match &output.source {
        Source::Plain(index) => Some(*index),
        Source::Row(places) => places.first().copied(),
    };
    let descriptor = input.metadata().file_metadata().schema_descr();
    let leaf =
        (0..descriptor.num_columns()).find(|&leaf| Some(descriptor.get_column_root_idx(leaf)) == index)?;
    input.metadata().row_groups().first()?.columns().get(leaf)
}

/// What makes the writers of one column of tags.
fn factory(
    schema: &Arc<Schema>,
    converted: SchemaDescriptor,
    source: Option<&ColumnChunkMetaData>,
) -> Result<ArrowRowGroupWriterFactory, Error> {
    let compression = source.map_or(Compression::SNAPPY, |chunk| match chunk.compression() {
        // The library writes no LZO, and LZ4 of Hadoop only by its other name.
        Compression::LZO => Compression::SNAPPY,
        Compression::LZ4 => Compression::LZ4_RAW,
        other => other,
    });
    let dictionary = source.is_some_and(|chunk| chunk.dictionary_page_offset().is_some());
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(dictionary)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .build();
    let writer = SerializedFileWriter::new(io::sink(), converted.root_schema_ptr(), Arc::new(properties));
    let writer = writer.map_err(|error| damaged(&error))?;
    Ok(ArrowRowGroupWriterFactory::new(&writer, schema.clone()))
}

/// The key-value metadata of the file: that of the file that is read, and the lines of the columns of tags.
fn metadata(input: &Input<'_>, plan: &Plan) -> Vec<KeyValue> {
    let lines = plan.outputs.iter().map(|output| (format!("keylane.{}", output.name), output.metadata()));
    let lines: Vec<(String, String)> = lines.collect();
    let known = input.metadata().file_metadata().key_value_metadata().cloned().unwrap_or_default();
    let mut all: Vec<KeyValue> = known
        .into_iter()
        .filter(|pair| pair.key != ARROW_SCHEMA_META_KEY && lines.iter().all(|(key, _)| *key != pair.key))
        .collect();
    all.extend(lines.into_iter().map(|(key, line)| KeyValue::new(key, line)));
    all
}

/// The columns by which all row groups are sorted, up to the first one that is replaced.
fn sorting(input: &Input<'_>, leaves: &[Option<usize>]) -> Option<Vec<SortingColumn>> {
    let mut groups = input.metadata().row_groups().iter();
    let first = groups.next()?.sorting_columns()?;
    if groups.any(|group| group.sorting_columns() != Some(first)) {
        return None;
    }
    let kept = |column: &&SortingColumn| {
        let leaf = usize::try_from(column.column_idx).ok().and_then(|leaf| leaves.get(leaf));
        leaf.is_some_and(Option::is_none)
    };
    let kept: Vec<SortingColumn> = first.iter().take_while(kept).cloned().collect();
    (!kept.is_empty()).then_some(kept)
}

fn write<W: Write + Send>(
    input: &Input<'_>,
    plan: &Plan,
    new: &New,
    output: &mut Held<Watched<W>>,
    progress: &mut impl FnMut(u64),
) -> Result<Report, Error> {
    guard(DAMAGED, || {
        let mut writer = SerializedFileWriter::new(&mut *output, new.root.clone(), new.properties.clone())
            .map_err(|error| damaged(&error))?;
        let mut rows = 0_u64;
        for (number, group) in input.metadata().row_groups().iter().enumerate() {
            let mut tags = tags(input, plan, new, number, rows)?.into_iter().map(Some).collect::<Vec<_>>();
            let mut target = writer.next_row_group().map_err(|error| damaged(&error))?;
            let mut append = |number: usize| match tags.get_mut(number).and_then(Option::take) {
                Some(writer) => writer.close().map_err(|error| damaged(&error)),
                None => Err(Error::table(DAMAGED)),
            };
            for (leaf, chunk) in group.columns().iter().enumerate() {
                match new.leaves.get(leaf) {
                    Some(Some(replaced)) => append(*replaced)?.append_to_row_group(&mut target),
                    _ => {
                        let index = input.metadata().page_index();
                        let close = ColumnCloseResult {
                            bytes_written: u64::try_from(chunk.compressed_size()).unwrap_or_default(),
                            rows_written: u64::try_from(group.num_rows()).unwrap_or_default(),
                            metadata: chunk.clone(),
                            bloom_filter: Sbbf::read_from_column_chunk(chunk, input.file)
                                .map_err(|error| damaged(&error))?,
                            column_index: index.and_then(|index| index.column_index(number, leaf)).cloned(),
                            offset_index: index.and_then(|index| index.offset_index(number, leaf)).cloned(),
                        };
                        target.append_column(input.file, close)
                    }
                }
                .map_err(|error| damaged(&error))?;
            }
            for (number, _) in plan.outputs.iter().enumerate().filter(|(_, output)| output.replaces.is_none())
            {
                append(number)?.append_to_row_group(&mut target).map_err(|error| damaged(&error))?;
            }
            target.close().map_err(|error| damaged(&error))?;
            rows = rows.saturating_add(u64::try_from(group.num_rows()).unwrap_or_default());
            progress(u64::try_from(group.compressed_size()).unwrap_or_default());
        }
        writer.close().map_err(|error| damaged(&error))?;
        Ok(Report { rows, manifest: plan.manifest() })
    })
}

/// The columns of tags of one row group, encoded.
fn tags(
    input: &Input<'_>,
    plan: &Plan,
    new: &New,
    group: usize,
    first: u64,
) -> Result<Vec<ArrowColumnWriter>, Error> {
    let mut writers = Vec::with_capacity(new.columns.len());
    for (_, factory) in &new.columns {
        writers.extend(factory.create_column_writers(group).map_err(|error| damaged(&error))?);
    }
    let file = input.file.try_clone().map_err(Error::Read)?;
    let arrow = int96::fitted(input, plan, group, first)?.unwrap_or_else(|| input.arrow.clone());
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, arrow)
        .with_row_groups(vec![group])
        .with_projection(new.mask.clone())
        .with_batch_size(BATCH)
        .build()
        .map_err(|error| damaged(&error))?;
    let mut row = first;
    for batch in reader {
        let batch = batch.map_err(|_| Error::table(format!("row group {}: {DAMAGED}", group + 1)))?;
        let arrays = plan.hash(&batch, row)?;
        for ((array, writer), (field, _)) in arrays.iter().zip(&mut writers).zip(&new.columns) {
            for leaf in compute_leaves(field, array).map_err(|error| damaged(&error))? {
                writer.write(&leaf).map_err(|error| damaged(&error))?;
            }
        }
        row = row.saturating_add(batch.num_rows() as u64);
    }
    Ok(writers)
}

/// Remembers the error of a write, of which the library keeps a text.
struct Watched<W> {
    inner: W,
    failed: Option<io::Error>,
}

impl<W> Watched<W> {
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failed = Some(copy(error));
        }
        result
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.inner.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.inner.flush();
        self.note(result)
    }
}
