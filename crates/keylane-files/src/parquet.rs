//! Parquet. The column chunks of columns that are not hashed are copied as they are encoded, if their pages are understood:
//! type, values, statistics and compression stay. Others are encoded anew, or refused. The columns of tags are written anew,
//! with the compression of the column that they are made of.

mod damage;
pub(crate) mod footer;
mod input;
pub(crate) mod int96;
pub(crate) mod kept;
mod pages;
mod shape;
mod tail;
mod thrift;

pub(crate) use input::{BATCH, Input};

use crate::error::{Error, copy};
use crate::notes::Notes;
use crate::plan::{Names, Output, Plan, Request, Source};
use crate::types::in_bytes;
use crate::{Report, guard};
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_schema::{DataType, Field, FieldRef, Metadata, Schema, SchemaRef};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use damage::{DAMAGED, damaged};
use footer::{Changes, Footer};
use keylane_columns::{ColumnKey, METADATA_KEY};
use pages::{Around, Fault, Pages};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{
    ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata, encode_arrow_schema,
    parquet_to_arrow_schema,
};
use parquet::basic::Compression;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader,
    RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{SchemaDescriptor, Type};
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use tail::Tail;

/// Hashes the columns of a Parquet file. `progress` is told of the bytes of each row group.
///
/// # Errors
/// [`Error`]; then a part of the output may have been written.
pub fn hash(
    input: &File,
    mut output: impl Write + Send,
    request: &Request,
    key: &ColumnKey,
    mut progress: impl FnMut(u64),
) -> Result<Report, Error> {
    hash_to(input, &mut output, request, key, &mut progress)
}

/// The same, compiled once: with the library it is a third of the command's code.
fn hash_to(
    input: &File,
    output: &mut (dyn Write + Send),
    request: &Request,
    key: &ColumnKey,
    progress: &mut dyn FnMut(u64),
) -> Result<Report, Error> {
    let (source, plan) = open(input, request, key)?;
    let new = New::of(&source, &plan)?;
    let mut output = Tail::new(Watched { inner: output, failed: None });
    let written = write(&source, &plan, &new, &mut output, progress).and_then(|(report, copied)| {
        let schema = source.table.file_metadata().schema_descr();
        let levels = schema.columns().iter().map(|leaf| (leaf.max_def_level(), leaf.max_rep_level()));
        let changes = Changes {
            roots: &new.roots(),
            leaves: &new.leaves_replaced(),
            levels: &levels.collect::<Vec<_>>(),
            copied: &copied,
        };
        let end = source.footer.graft(output.take(), &changes).ok_or_else(|| Error::table(DAMAGED))?;
        output.write_all(&end).and_then(|()| output.flush()).map_err(Error::Write)?;
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
    Ok(plan.explain(request, source.schema.as_ref()) + &source.notes.explain())
}

/// Opens a file, and says what is hashed of it.
pub(crate) fn open<'a>(
    file: &'a File,
    request: &Request,
    key: &ColumnKey,
) -> Result<(Input<'a>, Plan), Error> {
    guard(DAMAGED, || {
        let footer = Footer::read(file)?;
        let names = Names(footer.names()?);
        let sources = Plan::new(request, key, &names)?.sources();
        let table = ParquetMetaDataReader::decode_metadata(&footer.plain(&sources)?);
        let table = indexed(table.map_err(|error| damaged(&error))?, file);
        let (stored, pairs) = noted(table.file_metadata().key_value_metadata(), &names.0);
        let arrow = readable(&table, &sources, stored.as_deref())?;
        let (schema, stored) = columns(&footer, &names.0, &sources, &arrow, stored);
        let plan = Plan::new(request, key, schema.as_ref())?;
        plan.check_types(&schema)?;
        let has_tags = |name: &str| {
            let line = format!("{METADATA_KEY}.{name}");
            pairs.iter().any(|(key, _)| *key == line)
        };
        if let Some(output) = plan.outputs.iter().find(|it| it.replaces.is_some() && has_tags(&it.name)) {
            return Err(Error::has_tags(&output.name));
        }
        let mut notes = Notes::of(pairs, &plan, request);
        let fields = plan.fields(request, &schema, &mut notes)?;
        Ok((Input { file, footer, table, arrow, schema, stored, fields, notes }, plan))
    })
}

/// The metadata with those of its indexes that can be read.
fn indexed(table: ParquetMetaData, file: &File) -> ParquetMetaData {
    let read = guard(DAMAGED, || {
        let reader = ParquetMetaDataReader::new_with_metadata(table.clone());
        let mut reader = reader.with_page_index_policy(PageIndexPolicy::Optional);
        reader.read_page_indexes(file).and_then(|()| reader.finish()).map_err(|error| damaged(&error))
    });
    read.unwrap_or(table)
}

/// The columns that are hashed, alone, with the types that the file stores for them.
pub(crate) fn readable(
    table: &ParquetMetaData,
    sources: &[usize],
    stored: Option<&[FieldRef]>,
) -> Result<ArrowReaderMetadata, Error> {
    let file = table.file_metadata();
    let all = file.schema_descr();
    let roots = |places: &[usize]| {
        let fields = all.root_schema().get_fields();
        let fields = places.iter().filter_map(|&root| fields.get(root).cloned()).collect();
        let root = Type::group_type_builder(all.root_schema().name()).with_fields(fields).build();
        root.map(|root| Arc::new(SchemaDescriptor::new(Arc::new(root)))).map_err(|error| damaged(&error))
    };
    let schema = roots(sources)?;
    let mut groups = Vec::with_capacity(table.num_row_groups());
    for group in table.row_groups() {
        let chunks = group.columns().iter().enumerate();
        let chunks = chunks.filter(|(leaf, _)| sources.contains(&all.get_column_root_idx(*leaf)));
        let group = RowGroupMetaData::builder(schema.clone())
            .set_num_rows(group.num_rows())
            .set_column_metadata(chunks.map(|(_, chunk)| chunk.clone()).collect())
            .build();
        groups.push(group.map_err(|error| damaged(&error))?);
    }
    // The footer's own number may be 0, as old versions of this library wrote it.
    let rows = groups.iter().fold(0_i64, |rows, group| rows.saturating_add(group.num_rows()));
    let types = |stored: Option<Vec<FieldRef>>| {
        let pairs = stored.map(|fields| {
            vec![KeyValue::new(ARROW_SCHEMA_META_KEY.into(), encode_arrow_schema(&Schema::new(fields)))]
        });
        let file = FileMetaData::new(
            file.version(),
            rows,
            file.created_by().map(str::to_owned),
            pairs,
            schema.clone(),
            None,
        );
        let metadata = Arc::new(ParquetMetaData::new(file, groups.clone()));
        ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new())
    };
    let stored = stored.map(|fields| {
        let fields = sources.iter().filter_map(|&at| fields.get(at));
        fields.map(|field| in_bytes(field, in_dictionaries)).collect()
    });
    // What is stored may be of another table. Then the types are those of Parquet.
    types(stored).or_else(|_| types(None)).map_err(|_| {
        let cannot =
            |&root: &usize| roots(&[root]).is_ok_and(|alone| parquet_to_arrow_schema(&alone, None).is_err());
        match sources
            .iter()
            .copied()
            .find(|root| cannot(root))
            .and_then(|root| all.root_schema().get_fields().get(root))
        {
            Some(root) => Error::table(format!("column {}: {UNKNOWN_TYPE}", root.name())),
            None => Error::table(DAMAGED),
        }
    })
}

/// Whether the library reads such values as a dictionary.
fn in_dictionaries(values: &DataType) -> bool {
    !values.is_decimal() && !matches!(values, DataType::Float16 | DataType::Boolean)
}

/// The fields that the file itself stores, if they are of its columns, and all its other metadata: each key once.
fn noted(known: Option<&Vec<KeyValue>>, names: &[String]) -> (Option<Vec<FieldRef>>, Vec<(String, String)>) {
    let (mut fields, mut pairs, mut more) = (None, Vec::new(), Metadata::new());
    for KeyValue { key, value } in known.into_iter().flatten() {
        let Some(value) = value else { continue };
        if key != ARROW_SCHEMA_META_KEY {
            pairs.push((key.clone(), value.clone()));
            continue;
        }
        let bytes = BASE64_STANDARD.decode(value).ok();
        if let Some(schema) = bytes.and_then(|bytes| try_schema_from_ipc_buffer(&bytes).ok())
            && schema.fields().iter().map(|field| field.name()).eq(names)
        {
            fields = Some(schema.fields().to_vec());
            more = schema.metadata().clone();
        }
    }
    for (key, value) in &more {
        if pairs.iter().all(|(known, _)| known != key) {
            pairs.push((key.clone(), value.clone()));
        }
    }
    (fields, pairs)
}

/// The table's columns, and the fields that the output stores. Arrow's library takes a time zone for UTC where the file has
/// another unit than its stored field, so the fields that the file stores come first.
fn columns(
    footer: &Footer,
    names: &[String],
    sources: &[usize],
    arrow: &ArrowReaderMetadata,
    stored: Option<Vec<FieldRef>>,
) -> (SchemaRef, Option<Vec<FieldRef>>) {
    let converted = guard(DAMAGED, || {
        let all = ParquetMetaDataReader::decode_metadata(footer.bytes()).map_err(|error| damaged(&error))?;
        let (schema, pairs) = (all.file_metadata().schema_descr(), all.file_metadata().key_value_metadata());
        let converted =
            parquet_to_arrow_schema(schema, pairs).or_else(|_| parquet_to_arrow_schema(schema, None));
        converted.map_err(|error| damaged(&error))
    });
    if let Ok(schema) = converted {
        let stored = stored.unwrap_or_else(|| schema.fields().to_vec());
        return (Arc::new(schema), Some(stored));
    }
    let field = |(place, name): (usize, &String)| {
        let read = sources.binary_search(&place).ok().and_then(|at| arrow.schema().fields().get(at));
        read.cloned().unwrap_or_else(|| Arc::new(Field::new(name, DataType::Null, true)))
    };
    let fields: Vec<FieldRef> = names.iter().enumerate().map(field).collect();
    (Arc::new(Schema::new(fields)), stored)
}

const UNKNOWN_TYPE: &str = "its type is not one that keylane reads";

/// The schema and the properties of the file that is written.
struct New {
    root: Arc<Type>,
    properties: Arc<WriterProperties>,
    /// For each output its field, and what makes its writers.
    columns: Vec<(Field, ArrowRowGroupWriterFactory)>,
    /// For each root and each leaf of the file that is read: the output that replaces it.
    replaced: Vec<Option<usize>>,
    leaves: Vec<Option<usize>>,
}

impl New {
    fn of(input: &Input<'_>, plan: &Plan) -> Result<New, Error> {
        let descriptor = input.table.file_metadata().schema_descr();
        let mut roots = descriptor.root_schema().get_fields().to_vec();
        let mut fields = input.stored.clone();
        let replaced = (0..roots.len())
            .map(|index| plan.outputs.iter().position(|output| output.replaces == Some(index)));
        let replaced: Vec<Option<usize>> = replaced.collect();
        let mut columns = Vec::with_capacity(plan.outputs.len());
        for (output, field) in plan.outputs.iter().zip(&input.fields) {
            let alone = Arc::new(Schema::new(vec![field.clone()]));
            let converted = ArrowSchemaConverter::new().convert(&alone).map_err(|error| damaged(&error))?;
            let root =
                converted.root_schema().get_fields().first().ok_or_else(|| Error::table(DAMAGED))?.clone();
            put(&mut roots, output.replaces, root);
            if let Some(fields) = &mut fields {
                put(fields, output.replaces, Arc::new(field.clone()));
            }
            columns.push((field.clone(), factory(&alone, converted, chunk_of(input, output))?));
        }
        let leaves = (0..descriptor.num_columns())
            .map(|leaf| replaced.get(descriptor.get_column_root_idx(leaf)).copied().flatten());
        let leaves: Vec<Option<usize>> = leaves.collect();
        let root = Type::group_type_builder(descriptor.root_schema().name()).with_fields(roots).build();
        // Chunks that are encoded anew have no statistics: the order of old ones need not be the library's.
        let mut properties = WriterProperties::builder()
            .set_key_value_metadata(Some(metadata(input, plan)))
            .set_statistics_enabled(EnabledStatistics::None);
        for chunk in input.table.row_groups().first().map_or(&[][..], RowGroupMetaData::columns) {
            let (compression, dictionary) = encoding(Some(chunk));
            properties = properties
                .set_column_compression(chunk.column_path().clone(), compression)
                .set_column_dictionary_enabled(chunk.column_path().clone(), dictionary);
        }
        // Readers decide by the writer whether they trust statistics.
        if let Some(writer) = input.table.file_metadata().created_by() {
            properties = properties.set_created_by(writer.to_owned());
        }
        let mut properties = properties.build();
        if let Some(fields) = fields {
            add_encoded_arrow_schema_to_metadata(&Schema::new(fields), &mut properties);
        }
        Ok(New {
            root: Arc::new(root.map_err(|error| damaged(&error))?),
            properties: Arc::new(properties),
            columns,
            replaced,
            leaves,
        })
    }

    /// For each root of the file that is read: whether it is replaced.
    fn roots(&self) -> Vec<bool> {
        self.replaced.iter().map(Option::is_some).collect()
    }

    /// For each leaf of the file that is read: whether it is replaced.
    fn leaves_replaced(&self) -> Vec<bool> {
        self.leaves.iter().map(Option::is_some).collect()
    }
}

/// Puts a new column into its place, or at the end.
fn put<T>(all: &mut Vec<T>, place: Option<usize>, new: T) {
    match place.and_then(|place| all.get_mut(place)) {
        Some(old) => *old = new,
        None => all.push(new),
    }
}

/// The first chunk of the column that an output is made of.
fn chunk_of<'a>(input: &'a Input<'_>, output: &Output) -> Option<&'a ColumnChunkMetaData> {
    let index = match &output.source {
        Source::Plain(index) => Some(*index),
        Source::Row(places) => places.first().copied(),
    };
    let descriptor = input.table.file_metadata().schema_descr();
    let leaf =
        (0..descriptor.num_columns()).find(|&leaf| Some(descriptor.get_column_root_idx(leaf)) == index)?;
    input.table.row_groups().first()?.columns().get(leaf)
}

/// How a column is encoded of which this was a chunk: its compression, and whether it has a dictionary.
fn encoding(chunk: Option<&ColumnChunkMetaData>) -> (Compression, bool) {
    let compression = chunk.map_or(Compression::SNAPPY, |chunk| match chunk.compression() {
        // The library writes no LZO, and LZ4 of Hadoop only by its other name.
        Compression::LZO => Compression::SNAPPY,
        Compression::LZ4 => Compression::LZ4_RAW,
        other => other,
    });
    (compression, chunk.is_some_and(|chunk| chunk.dictionary_page_offset().is_some()))
}

/// What makes the writers of one column of tags.
fn factory(
    schema: &Arc<Schema>,
    converted: SchemaDescriptor,
    source: Option<&ColumnChunkMetaData>,
) -> Result<ArrowRowGroupWriterFactory, Error> {
    let (compression, dictionary) = encoding(source);
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(dictionary)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .build();
    let writer = SerializedFileWriter::new(io::sink(), converted.root_schema_ptr(), Arc::new(properties));
    let writer = writer.map_err(|error| damaged(&error))?;
    Ok(ArrowRowGroupWriterFactory::new(&writer, schema.clone()))
}

/// The key-value metadata of the file: what stays, and the lines of the columns of tags.
fn metadata(input: &Input<'_>, plan: &Plan) -> Vec<KeyValue> {
    let stay = input.notes.pairs.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let lines = plan.outputs.iter();
    let lines = lines.map(|it| KeyValue::new(format!("{METADATA_KEY}.{}", it.name), it.metadata()));
    stay.chain(lines).collect()
}

/// Writes all but the footer, and says which chunks were copied.
fn write(
    input: &Input<'_>,
    plan: &Plan,
    new: &New,
    output: &mut Tail<Watched<'_>>,
    progress: &mut dyn FnMut(u64),
) -> Result<(Report, Vec<Vec<bool>>), Error> {
    guard(DAMAGED, || {
        let mut writer = SerializedFileWriter::new(output, new.root.clone(), new.properties.clone())
            .map_err(|error| damaged(&error))?;
        let (mut rows, mut copied) = (0_u64, Vec::new());
        for (number, group) in input.table.row_groups().iter().enumerate() {
            let pages = pages(input, group).map_err(|error| error.in_part("row group", number))?;
            let tags = tags(input, plan, new, number, rows).map_err(|error| match error {
                Error::Table(text) if text == DAMAGED => Error::Table(text).in_part("row group", number),
                other => other,
            })?;
            let mut tags = tags.into_iter().map(Some).collect::<Vec<_>>();
            let mut target = writer.next_row_group().map_err(|error| damaged(&error))?;
            let mut append = |number: usize| match tags.get_mut(number).and_then(Option::take) {
                Some(writer) => writer.close().map_err(|error| damaged(&error)),
                None => Err(Error::table(DAMAGED)),
            };
            for (leaf, pages) in pages.iter().enumerate() {
                match new.leaves.get(leaf) {
                    Some(Some(replaced)) => {
                        append(*replaced)?
                            .append_to_row_group(&mut target)
                            .map_err(|error| damaged(&error))?;
                    }
                    _ if pages.is_plain => kept::copy(input, (number, leaf), pages, &mut target)?,
                    _ => kept::encode(input, (number, leaf), &mut target)
                        .map_err(|error| error.in_column(&path(group, leaf)).in_part("row group", number))?,
                }
            }
            for (number, _) in plan.outputs.iter().enumerate().filter(|(_, output)| output.replaces.is_none())
            {
                append(number)?.append_to_row_group(&mut target).map_err(|error| damaged(&error))?;
            }
            target.close().map_err(|error| damaged(&error))?;
            copied.push(pages.iter().map(|pages| pages.is_plain).collect());
            rows = rows.saturating_add(u64::try_from(group.num_rows()).unwrap_or_default());
            progress(u64::try_from(group.compressed_size()).unwrap_or_default());
        }
        // What follows is the end of the file, which is not written yet.
        writer.flush().map_err(Error::Write)?;
        writer.inner_mut().hold();
        writer.close().map_err(|error| damaged(&error))?;
        Ok((Report { rows, manifest: plan.manifest(), dropped: input.notes.dropped() }, copied))
    })
}

/// The pages of each leaf of a row group, those of hashed columns too: what contradicts itself has no tags.
fn pages(input: &Input<'_>, group: &RowGroupMetaData) -> Result<Vec<Pages>, Error> {
    let around = Around {
        file: input.file,
        end: input.footer.start,
        rows: group.num_rows(),
        flags_may_lie: input.table.file_metadata().created_by().is_some_and(flags_may_lie),
    };
    let read = |(leaf, chunk)| {
        Pages::of(chunk, &around).map_err(|fault| match fault {
            Fault::Pages(what) => Error::table(what).in_column(&path(group, leaf)),
            Fault::Read(error) => damaged(&error),
        })
    };
    group.columns().iter().enumerate().map(read).collect()
}

/// Whether this is Arrow C++ before 3.0.
fn flags_may_lie(writer: &str) -> bool {
    let version = writer.strip_prefix("parquet-cpp-arrow version ");
    let major = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    writer.starts_with("parquet-cpp version ") || major.is_some_and(|major| major < 3)
}

/// The path of a leaf, for a person.
fn path(group: &RowGroupMetaData, leaf: usize) -> String {
    group.columns().get(leaf).map_or_else(String::new, |chunk| chunk.column_path().string())
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
    let rows = u64::try_from(kept::group(&input.table, group)?.num_rows()).unwrap_or_default();
    if rows == 0 {
        return Ok(writers);
    }
    let file = input.file.try_clone().map_err(Error::Read)?;
    let arrow = int96::fitted(input, group, first)?.unwrap_or_else(|| input.arrow.clone());
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, arrow)
        .with_row_groups(vec![group])
        .with_batch_size(BATCH)
        .build()
        .map_err(|error| damaged(&error))?;
    let mut row = first;
    for batch in reader {
        let batch = batch.map_err(|_| Error::table(DAMAGED))?;
        let arrays = plan.hash(&batch, row)?;
        for ((array, writer), (field, _)) in arrays.iter().zip(&mut writers).zip(&new.columns) {
            for leaf in compute_leaves(field, array).map_err(|error| damaged(&error))? {
                writer.write(&leaf).map_err(|error| damaged(&error))?;
            }
        }
        row = row.saturating_add(batch.num_rows() as u64);
    }
    if row - first != rows {
        return Err(Error::table(DAMAGED));
    }
    Ok(writers)
}

/// Remembers the error of a write, of which the library keeps a text.
struct Watched<'a> {
    inner: &'a mut (dyn Write + Send),
    failed: Option<io::Error>,
}

impl Watched<'_> {
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.failed = Some(copy(error));
        }
        result
    }
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.inner.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.inner.flush();
        self.note(result)
    }
}
