//! Arrow's files and streams. The arrays of columns that are not hashed are written as they were read, with the compression
//! of the first batch.

pub(crate) mod read;
mod write;

pub use write::Layout;

use crate::error::Error;
use crate::notes::Notes;
use crate::plan::{Plan, Request};
use crate::{Report, guard};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, RecordBatchOptions, new_empty_array};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, DataType, FieldRef, Metadata, Schema, SchemaRef};
use keylane_columns::ColumnKey;
use read::{BUFFER, Batches, DAMAGED, FileBatches, StreamBatches, as_bytes, damaged};
use std::io::{BufWriter, Read, Seek, Write};
use std::sync::Arc;
use write::{Writer, unwritten};

/// A file to read. Behind `dyn`, the code for all of them is compiled once.
trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// Hashes the columns of an Arrow file, which is written in either layout.
///
/// # Errors
/// [`Error`]; then a part of the output may have been written.
pub fn hash_file(
    mut input: impl Read + Seek,
    mut output: impl Write,
    to: Layout,
    request: &Request,
    key: &ColumnKey,
) -> Result<Report, Error> {
    let input: &mut dyn ReadSeek = &mut input;
    let mut reader = guard(DAMAGED, || FileBatches::open(input))?;
    let (schema, metadata) = (reader.schema(), reader.metadata.clone());
    Pass { schema, metadata, to, request, key }.run(&mut reader, &mut output)
}

/// Hashes the columns of an Arrow stream, which is written in either layout.
///
/// # Errors
/// [`Error`]; then a part of the output may have been written.
pub fn hash_stream(
    mut input: impl Read,
    mut output: impl Write,
    to: Layout,
    request: &Request,
    key: &ColumnKey,
) -> Result<Report, Error> {
    let input: &mut dyn Read = &mut input;
    let mut reader = guard(DAMAGED, || StreamBatches::open(input))?;
    let schema = reader.schema();
    Pass { schema, metadata: Metadata::new(), to, request, key }.run(&mut reader, &mut output)
}

/// What would be hashed of an Arrow file, in lines for a person.
///
/// # Errors
/// [`Error`]: the same as of [`hash_file`], as far as the schema shows it.
pub fn explain_file(
    mut input: impl Read + Seek,
    request: &Request,
    key: &ColumnKey,
) -> Result<String, Error> {
    let input: &mut dyn ReadSeek = &mut input;
    let reader = guard(DAMAGED, || FileBatches::open(input))?;
    explain(&reader.schema(), &reader.metadata, request, key)
}

/// What would be hashed of an Arrow stream, in lines for a person.
///
/// # Errors
/// [`Error`]: the same as of [`hash_stream`], as far as the schema shows it.
pub fn explain_stream(mut input: impl Read, request: &Request, key: &ColumnKey) -> Result<String, Error> {
    let input: &mut dyn Read = &mut input;
    explain(&guard(DAMAGED, || StreamBatches::open(input))?.schema(), &Metadata::new(), request, key)
}

fn explain(
    schema: &SchemaRef,
    metadata: &Metadata,
    request: &Request,
    key: &ColumnKey,
) -> Result<String, Error> {
    let plan = Plan::new(request, key, schema.as_ref())?;
    plan.check_types(schema)?;
    let (_, _, notes) = changed(schema, metadata, &plan, request)?;
    Ok(plan.explain(request, schema.as_ref()) + &notes.explain())
}

/// The schema with the columns of tags, and the metadata of the file that stay.
fn changed(
    schema: &Schema,
    metadata: &Metadata,
    plan: &Plan,
    request: &Request,
) -> Result<(Schema, Metadata, Notes), Error> {
    let notes_of = |pairs: &Metadata| {
        let pairs = pairs.iter().map(|(key, value)| (key.clone(), value.clone()));
        Notes::of(pairs, plan, request)
    };
    let (of_file, mut notes) = (notes_of(metadata), notes_of(schema.metadata()));
    let of_schema: Metadata = std::mem::take(&mut notes.pairs).into_iter().collect();
    let of_file: Metadata = notes.join(of_file).into_iter().collect();
    let mut fields = schema.fields().to_vec();
    for (output, field) in plan.outputs.iter().zip(plan.fields(request, schema, &mut notes)?) {
        match output.replaces.and_then(|index| fields.get_mut(index)) {
            Some(place) => *place = Arc::new(field),
            None => fields.push(Arc::new(field)),
        }
    }
    Ok((Schema::new_with_metadata(fields, of_schema), of_file, notes))
}

/// One pass over a table.
struct Pass<'a> {
    schema: SchemaRef,
    metadata: Metadata,
    to: Layout,
    request: &'a Request,
    key: &'a ColumnKey,
}

impl Pass<'_> {
    fn run(self, reader: &mut dyn Batches, output: &mut dyn Write) -> Result<Report, Error> {
        let plan = Plan::new(self.request, self.key, self.schema.as_ref())?;
        plan.check_types(&self.schema)?;
        let (schema, metadata, notes) = changed(&self.schema, &self.metadata, &plan, self.request)?;
        // Text goes from the input to the output as bytes, which are laid out alike.
        let bytes = Arc::new(as_bytes(&schema));
        let mut output = Some(BufWriter::with_capacity(BUFFER, output));
        let (mut writer, mut rows, mut number) = (None, 0_u64, 0_u64);
        loop {
            let batch = guard(DAMAGED, || reader.next()).map_err(|error| match error {
                Error::Table(text) if text == DAMAGED => {
                    Error::table(format!("batch {}: {text}", number.saturating_add(1)))
                }
                other => other,
            })?;
            // The compression is known as soon as there is a batch.
            if let Some(output) = output.take() {
                let options = IpcWriteOptions::default().try_with_compression(reader.compression());
                let options = options.map_err(|error| unwritten(&error))?;
                writer = Some(Writer::new(output, self.to, schema.clone(), metadata.clone(), options)?);
            }
            let Some(writer) = &mut writer else { return Err(Error::table(DAMAGED)) };
            let Some((batch, noted)) = batch else {
                writer.finish()?;
                return Ok(Report { rows, manifest: plan.manifest(), dropped: notes.dropped() });
            };
            let tags = plan.hash(&batch, rows)?.into_iter().map(as_binary);
            let mut arrays = batch.columns().to_vec();
            for array in
                arrays.iter_mut().filter(|it| it.is_empty() && has_runs_of_views(it.data_type(), false))
            {
                // An empty slice keeps what lies around it.
                *array = new_empty_array(array.data_type());
            }
            for (output, tags) in plan.outputs.iter().zip(tags) {
                let declared = schema.fields().iter().find(|field| *field.name() == output.name);
                if tags.null_count() > 0 && declared.is_some_and(|field| !field.is_nullable()) {
                    let what = "it has nulls, and the schema says that it has none";
                    return Err(Error::table(format!("column {}: {what}", output.name)));
                }
                match output.replaces.and_then(|index| arrays.get_mut(index)) {
                    Some(place) => *place = tags,
                    None => arrays.push(tags),
                }
            }
            for (field, array) in bytes.fields().iter().zip(&arrays) {
                if has_runs_of_views(field.data_type(), false) && !can_be_read(field, array) {
                    return Err(Error::table(format!("column {}: {EMPTY_RUNS}", field.name())));
                }
            }
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let tagged = RecordBatch::try_new_with_options(bytes.clone(), arrays, &options);
            writer.write(&tagged.map_err(damaged)?, &noted)?;
            rows = rows.saturating_add(batch.num_rows() as u64);
            number = number.saturating_add(1);
        }
    }
}

/// Text as its bytes.
fn as_binary(tags: ArrayRef) -> ArrayRef {
    match tags.as_string_opt::<i32>() {
        Some(text) => Arc::new(BinaryArray::from(text.clone())),
        None => tags,
    }
}

const EMPTY_RUNS: &str = "runs of views that are empty cannot be written in Arrow's layouts";

/// Whether a type has runs whose values contain views. `in_runs` says that it is that of such values.
fn has_runs_of_views(data_type: &DataType, in_runs: bool) -> bool {
    let inner = |field: &FieldRef| has_runs_of_views(field.data_type(), in_runs);
    match data_type {
        DataType::RunEndEncoded(_, values) => has_runs_of_views(values.data_type(), true),
        DataType::Utf8View | DataType::BinaryView => in_runs,
        DataType::Dictionary(_, values) => has_runs_of_views(values, in_runs),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => inner(field),
        DataType::Struct(fields) => fields.iter().any(inner),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| inner(field)),
        _ => false,
    }
}

/// Whether what the library writes of an array can be read. It writes some empty runs of views with too many buffers.
fn can_be_read(field: &FieldRef, array: &ArrayRef) -> bool {
    let schema = Arc::new(Schema::new(vec![field.clone()]));
    let attempt = || -> Result<bool, ArrowError> {
        let mut written = Vec::new();
        let mut writer = StreamWriter::try_new(&mut written, &schema)?;
        writer.write(&RecordBatch::try_new(schema.clone(), vec![array.clone()])?)?;
        writer.finish()?;
        drop(writer);
        Ok(StreamReader::try_new(&written[..], None)?.all(|batch| batch.is_ok()))
    };
    guard(DAMAGED, || attempt().map_err(damaged)).unwrap_or(false)
}
