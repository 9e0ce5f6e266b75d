//! Parquet and Arrow: random tables beside the reference, what stays as it was, and damaged files.

use crate::arrays::random::{Random, plain_type, row_type, values};
use crate::arrays::{LAYOUTS, data_type, laid_out};
use crate::common::{key, reference, subkey, tags};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float16Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{CompressionType, root_as_message};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use keylane::siphash::SipHashX24;
use keylane_columns::{Form, Nulls};
use keylane_files::ipc::Layout;
use keylane_files::{Error, Request, ipc, parquet as tagged, plan, verify};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{Int96, Int96Type};
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Value as Json, json};
use std::fs::File;
use std::io::{Cursor, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::panic;
use std::sync::Arc;

/// A random table, and what is asked for.
struct Table {
    batch: RecordBatch,
    /// For each column its type and values.
    columns: Vec<(String, Vec<Json>)>,
    hashed: Vec<usize>,
    together: Vec<usize>,
    suffixed: bool,
}

impl Table {
    /// With columns that `fits` accepts.
    fn random(random: &mut Random, fits: impl Fn(&ArrayRef) -> bool) -> Table {
        let rows = random.below(24);
        let (mut fields, mut arrays, mut columns, mut hashed) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        while fields.len() < 2 + rows % 4 {
            let plain = random.below(3) > 0;
            let wanted = if plain { plain_type(random) } else { row_type(random, 2) };
            let values = values(random, &wanted, rows);
            let layout = LAYOUTS[random.below(LAYOUTS.len())];
            let array = laid_out(&data_type(&wanted), &values, layout);
            if !fits(&array) {
                continue;
            }
            if plain && random.below(2) == 0 {
                hashed.push(fields.len());
            }
            fields.push(Field::new(format!("n{}", fields.len()), array.data_type().clone(), true));
            arrays.push(array);
            columns.push((wanted, values));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options);
        let together = (0..columns.len()).rev().filter(|_| random.below(2) == 0).collect();
        Table { batch: batch.expect("a batch"), columns, hashed, together, suffixed: random.below(3) == 0 }
    }

    fn cases(&self) -> Vec<Json> {
        let column = |at: usize| {
            let (wanted, values) = &self.columns[at];
            json!({ "type": wanted, "values": values })
        };
        let plain = |&at: &usize| {
            let mut case = column(at);
            case["mode"] = json!("plain");
            case["key"] = json!(subkey(&format!("n{at}")));
            case
        };
        let mut cases: Vec<Json> = self.hashed.iter().map(plain).collect();
        let columns: Vec<Json> = self.together.iter().map(|&at| column(at)).collect();
        if !columns.is_empty() {
            cases.push(json!({ "mode": "row", "key": subkey("all"), "columns": columns }));
        }
        cases
    }

    fn request(&self) -> Request {
        let names = |all: &[usize]| all.iter().map(|at| format!("n{at}")).collect::<Vec<_>>().join(",");
        let columns = if self.hashed.is_empty() {
            Vec::new()
        } else {
            plan::columns(&names(&self.hashed)).expect("columns")
        };
        let row = format!("all={}", names(&self.together));
        Request {
            columns,
            rows: if self.together.is_empty() { Vec::new() } else { vec![plan::row(&row).expect("a row")] },
            suffix: self.suffixed.then(|| "_t".into()),
            keep_metadata: vec!["origin".into()],
            ..Request::default()
        }
    }

    /// Compares what was read back with the table and the reference's answers.
    fn compare(&self, batches: &[RecordBatch], answers: &[Json]) {
        assert!(answers.iter().all(|answer| answer.get("error").is_none()));
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        assert_eq!(rows, self.batch.num_rows());
        let mut start = 0;
        for batch in batches {
            let tag = |column: &ArrayRef| -> Json { column.as_string::<i32>().iter().collect() };
            let expected = |answer: &Json| -> Json {
                tags(answer)[start..start + batch.num_rows()].iter().cloned().collect()
            };
            let mut next = self.columns.len();
            for (&at, answer) in self.hashed.iter().zip(answers) {
                let place = if self.suffixed { next } else { at };
                next += usize::from(self.suffixed);
                assert_eq!(tag(batch.column(place)), expected(answer), "{}", self.columns[at].0);
                let schema = batch.schema();
                let line = &schema.field(place).metadata()["keylane"];
                assert!(line.starts_with("KCE-1; siphash-2-4-128; plain; key=users; check="), "{line}");
                assert!(line.ends_with(&format!("; context=n{at}")), "{line}");
            }
            if let Some(answer) = answers.get(self.hashed.len()) {
                assert_eq!(tag(batch.column(next)), expected(answer));
            }
            for (at, column) in self.batch.columns().iter().enumerate() {
                if self.suffixed || !self.hashed.contains(&at) {
                    assert_eq!(
                        batch.column(at),
                        &column.slice(start, batch.num_rows()),
                        "{}",
                        self.columns[at].0
                    );
                    assert_eq!(batch.schema().field(at), self.batch.schema().field(at));
                }
            }
            start += batch.num_rows();
        }
    }
}

/// Tables beside the reference. `hash` writes a table, hashes it, and reads it back.
fn tables(
    seed: u64,
    count: usize,
    fits: impl Fn(&ArrayRef) -> bool,
    hash: impl Fn(&mut Random, &Table) -> Result<Option<Vec<RecordBatch>>, Error>,
) {
    let mut random = Random::new(seed);
    let mut all: Vec<Table> = Vec::new();
    while all.len() < count {
        let table = Table::random(&mut random, &fits);
        if !table.cases().is_empty() {
            all.push(table);
        }
    }
    let cases: Vec<Json> = all.iter().flat_map(Table::cases).collect();
    let Some(answers) = reference(&cases) else { return };
    let (mut at, mut compared) = (0, 0);
    for table in &all {
        let mine = &answers[at..at + table.cases().len()];
        at += mine.len();
        let found = hash(&mut random, table);
        match (mine.iter().find(|answer| answer.get("error").is_some()), found) {
            (_, Ok(None)) => {}
            (None, Ok(Some(batches))) => {
                table.compare(&batches, mine);
                compared += 1;
            }
            // If there are several errors, any may be reported.
            (Some(_), Err(Error::Table(text))) => assert!(text.contains("date64"), "{text}"),
            (answer, found) => panic!("{answer:?} {found:?} {:?}", table.columns),
        }
    }
    assert!(compared > count / 2, "only {compared}");
}

fn arrow_written(
    table: &Table,
    middle: usize,
    layout: Layout,
    compression: Option<CompressionType>,
) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).expect("a compression");
    let batch = &table.batch;
    let batches = [batch.slice(0, middle), batch.slice(middle, batch.num_rows() - middle)];
    let mut bytes = Vec::new();
    match layout {
        Layout::File => {
            let mut writer =
                FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).expect("a file");
            writer.write_metadata("origin", "a test");
            batches.iter().for_each(|batch| writer.write(batch).expect("a batch"));
            writer.finish().expect("a file");
        }
        Layout::Stream => {
            let mut writer =
                StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).expect("a stream");
            batches.iter().for_each(|batch| writer.write(batch).expect("a batch"));
            writer.finish().expect("a stream");
        }
    }
    bytes
}

#[test]
fn arrow_tables() {
    let fits = |array: &ArrayRef| {
        // What the library itself reads back as it was.
        let (batch, mut bytes) = (alone(array), Vec::new());
        let Ok(mut writer) = StreamWriter::try_new(&mut bytes, &batch.schema()) else { return false };
        let written = writer.write(&batch).and_then(|()| writer.finish());
        drop(writer);
        let read = StreamReader::try_new(&bytes[..], None).and_then(|mut reader| reader.next().transpose());
        written.is_ok() && read.is_ok_and(|read| read.as_ref() == Some(&batch))
    };
    tables(21, 150, fits, |random, table| {
        let layouts = [Layout::File, Layout::Stream];
        let (from, to) = (layouts[random.below(2)], layouts[random.below(2)]);
        let compression =
            [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)][random.below(3)];
        let middle = random.below(table.batch.num_rows() + 1);
        let bytes = arrow_written(table, middle, from, compression);
        // Slices of some arrays are written so that the library itself does not read them.
        let read: Result<Vec<RecordBatch>, _> = match from {
            Layout::File => {
                FileReader::try_new(Cursor::new(&bytes), None).and_then(|reader| reader.collect())
            }
            Layout::Stream => StreamReader::try_new(&bytes[..], None).and_then(|reader| reader.collect()),
        };
        if let Err(error) = read {
            println!("not compared: {error}");
            return Ok(None);
        }
        let mut output = Vec::new();
        let request = table.request();
        let report = match from {
            Layout::File => ipc::hash_file(Cursor::new(&bytes), &mut output, to, &request, &key())?,
            Layout::Stream => ipc::hash_stream(&bytes[..], &mut output, to, &request, &key())?,
        };
        assert_eq!(report.rows, table.batch.num_rows() as u64);
        verify::arrow((Cursor::new(&bytes), from), (Cursor::new(&output), to), &request, &key())
            .expect("what was written");
        let batches: Vec<RecordBatch> = match to {
            Layout::File => {
                let reader = FileReader::try_new(Cursor::new(&output), None).expect("a file");
                assert_eq!(reader.custom_metadata().contains_key("origin"), from == Layout::File);
                reader.map(|batch| batch.expect("a batch")).collect()
            }
            Layout::Stream => StreamReader::try_new(&output[..], None)
                .expect("a stream")
                .map(|batch| batch.expect("a batch"))
                .collect(),
        };
        assert_eq!(batches.len(), 2);
        Ok(Some(batches))
    });
}

/// A Parquet file of a batch.
fn parquet_written(batch: &RecordBatch, properties: WriterProperties) -> Option<File> {
    let mut file = tempfile::tempfile().expect("a file");
    // Some types are none of Parquet's.
    let written = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).ok()?;
        writer.write(batch).ok()?;
        writer.close().ok()
    }));
    written.ok().flatten()?;
    file.rewind().expect("a file");
    Some(file)
}

fn parquet_read(file: &File) -> Vec<RecordBatch> {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(file.try_clone().expect("a file")).expect("Parquet");
    reader.build().expect("a reader").map(|batch| batch.expect("a batch")).collect()
}

fn alone(array: &ArrayRef) -> RecordBatch {
    let schema = Schema::new(vec![Field::new("n", array.data_type().clone(), true)]);
    RecordBatch::try_new(Arc::new(schema), vec![array.clone()]).expect("a batch")
}

#[test]
fn parquet_tables() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let fits = |array: &ArrayRef| {
        // What the library itself reads back as it was.
        let batch = alone(array);
        let Some(file) = parquet_written(&batch, WriterProperties::new()) else { return false };
        panic::catch_unwind(|| parquet_read(&file)).is_ok_and(|read| match read.as_slice() {
            [] => array.is_empty(),
            [one] => one.column(0) == array && one.schema().field(0) == batch.schema().field(0),
            _ => false,
        })
    };
    tables(22, 120, fits, |random, table| {
        let level = ZstdLevel::try_new(3).expect("a level");
        let compressions =
            [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(level), Compression::LZ4_RAW];
        let properties = WriterProperties::builder()
            .set_compression(compressions[random.below(4)])
            .set_dictionary_enabled(random.below(2) == 0)
            .set_max_row_group_row_count(Some(1 + random.below(20)))
            .set_bloom_filter_enabled(random.below(3) == 0);
        let file = parquet_written(&table.batch, properties.build()).expect("Parquet");
        let output = tempfile::tempfile().expect("a file");
        let report =
            tagged::hash(&file, output.try_clone().expect("a file"), &table.request(), &key(), |_| {})?;
        assert_eq!(report.rows, table.batch.num_rows() as u64);
        unchanged(&file, &output, table);
        verify::parquet(&file, &output, &table.request(), &key()).expect("what was written");
        Ok(Some(parquet_read(&output)))
    });
    panic::set_hook(hook);
}

/// Whether the encoded chunks of columns that are not hashed are the same, byte for byte.
fn unchanged(before: &File, after: &File, table: &Table) {
    let open = |file: &File| {
        let reader =
            ParquetRecordBatchReaderBuilder::try_new(file.try_clone().expect("a file")).expect("Parquet");
        reader.metadata().clone()
    };
    let (old, new) = (open(before), open(after));
    assert_eq!(old.num_row_groups(), new.num_row_groups());
    let roots = old.file_metadata().schema_descr();
    for (old, new) in old.row_groups().iter().zip(new.row_groups()) {
        assert_eq!(old.num_rows(), new.num_rows());
        for (leaf, (a, b)) in old.columns().iter().zip(new.columns()).enumerate() {
            if !table.suffixed && table.hashed.contains(&roots.get_column_root_idx(leaf)) {
                assert_eq!(b.compression(), a.compression());
                continue;
            }
            assert_eq!(bytes(before, a.byte_range()), bytes(after, b.byte_range()));
            assert_eq!(
                (a.compression(), a.statistics(), a.num_values()),
                (b.compression(), b.statistics(), b.num_values())
            );
            assert_eq!(a.bloom_filter_offset().is_some(), b.bloom_filter_offset().is_some());
        }
    }
}

fn bytes(file: &File, (start, len): (u64, u64)) -> Vec<u8> {
    let mut bytes = vec![0; len as usize];
    file.read_exact_at(&mut bytes, start).expect("bytes");
    bytes
}

fn people() -> RecordBatch {
    let names: ArrayRef =
        Arc::new(arrow_array::StringArray::from(vec![Some("secret-a"), None, Some("secret-b")]));
    let ids: ArrayRef = Arc::new(arrow_array::Int32Array::from(vec![1, 2, 3]));
    let lists =
        laid_out(&data_type("list<item: int64>"), &[json!(["1"]), json!([]), json!(["2", "3"])], "plain");
    RecordBatch::try_from_iter_with_nullable([
        ("name", names, true),
        ("id", ids, false),
        ("list", lists, true),
    ])
    .expect("a batch")
}

fn request(columns: &str) -> Request {
    Request { columns: plan::columns(columns).expect("columns"), ..Request::default() }
}

#[test]
fn faults_name_row_and_column_and_no_content() {
    let file = parquet_written(&people(), WriterProperties::new()).expect("Parquet");
    let strict = Request { nulls: Nulls::Refuse, ..request("name") };
    for (request, expected) in [
        (request("nobody"), "there is no column nobody"),
        (request("list"), "column list: the type List(Int64) is not hashed"),
        (request("name:int64"), "column name has the type Utf8, not int64"),
        (request("id:text"), "column id has the type Int32, not text"),
        (strict, "column name, row 2: a null"),
    ] {
        let error = tagged::hash(&file, std::io::sink(), &request, &key(), |_| {}).expect_err(expected);
        let text = error.to_string();
        // The library shows the field of a list in its own way.
        let expected = if expected.contains("List") { "is not hashed" } else { expected };
        assert!(text.contains(expected), "{text}");
    }
    for fits in ["id:int64,name:text", "id:uint8"] {
        assert!(tagged::hash(&file, std::io::sink(), &request(fits), &key(), |_| {}).is_ok());
    }
    let text = tagged::explain(&file, &request("id"), &key()).expect("a plan");
    assert!(text.starts_with("id: Int32 -> id (in place, hex)\n"), "{text}");
}

/// A table of which no column is hashed yet.
fn untagged(batch: RecordBatch) -> Table {
    Table { batch, columns: Vec::new(), hashed: Vec::new(), together: Vec::new(), suffixed: false }
}

/// Files that are cut short, and files with a wrong byte: an error or a table, never a panic, and never a value.
#[test]
fn damaged_files() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let mut parquet = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut parquet, people().schema(), None).expect("a writer");
    writer.write(&people()).expect("a batch");
    writer.close().expect("Parquet");
    let table = untagged(people());
    let mut random = Random::new(5);
    let file = arrow_written(&table, 1, Layout::File, Some(CompressionType::LZ4_FRAME));
    let stream = arrow_written(&table, 1, Layout::Stream, None);
    let request = request("name,id");
    let run = |kind: usize, bytes: &[u8]| match kind {
        0 => {
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(bytes).expect("a file");
            tagged::hash(&file, std::io::sink(), &request, &key(), |_| {})
        }
        1 => ipc::hash_file(Cursor::new(bytes), std::io::sink(), Layout::File, &request, &key()),
        _ => ipc::hash_stream(bytes, std::io::sink(), Layout::Stream, &request, &key()),
    };
    for (kind, bytes) in [parquet, file, stream].iter().enumerate() {
        assert!(run(kind, bytes).is_ok());
        for _ in 0..400 {
            let mut bytes = bytes.clone();
            if random.below(3) == 0 {
                bytes.truncate(random.below(bytes.len()));
            } else {
                for _ in 0..1 + random.below(4) {
                    let at = random.below(bytes.len());
                    bytes[at] = random.word() as u8;
                }
            }
            if let Err(error) = run(kind, &bytes) {
                assert!(!error.to_string().contains("secret"), "{error}");
            }
        }
        for (len, what) in [(0, "empty"), (5, "short")] {
            let error = run(kind, &bytes[..len]).expect_err(what).to_string();
            assert!(error.contains("damaged") || error.contains("cut short"), "{error}");
        }
    }
    panic::set_hook(hook);
}

/// Lengths for which there is no memory, wherever a file or a stream may have a length.
#[test]
fn impossible_lengths() {
    let table = untagged(people());
    let request = request("name,id");
    for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        for layout in [Layout::File, Layout::Stream] {
            let whole = arrow_written(&table, 1, layout, compression);
            let mut refused = 0;
            for at in (0..whole.len() - 8).step_by(4) {
                let mut bytes = whole.clone();
                bytes[at..at + 8].copy_from_slice(&(1_i64 << 58).to_le_bytes());
                let done = match layout {
                    Layout::File => {
                        ipc::hash_file(Cursor::new(&bytes), std::io::sink(), layout, &request, &key())
                    }
                    Layout::Stream => ipc::hash_stream(&*bytes, std::io::sink(), layout, &request, &key()),
                };
                refused += usize::from(done.is_err());
            }
            assert!(refused > whole.len() / 40, "{refused} of {}", whole.len());
        }
    }
}

/// The end mark of a stream may be missing, but no part of a message, and nothing follows it.
#[test]
fn ends_of_streams() {
    let table = untagged(people());
    let stream = arrow_written(&table, 1, Layout::Stream, None);
    let rows = |bytes: &[u8]| {
        let report = ipc::hash_stream(bytes, std::io::sink(), Layout::Stream, &request("name,id"), &key());
        report.map(|report| report.rows).map_err(|error| error.to_string())
    };
    let all = people().num_rows() as u64;
    assert_eq!(rows(&stream), Ok(all));
    assert_eq!(rows(&stream[..stream.len() - 8]), Ok(all));
    for len in stream.len() - 7..stream.len() - 4 {
        assert_eq!(rows(&stream[..len]), Err("the stream is cut short".into()));
    }
    for more in [&stream[..], &[0]] {
        let error = Err("bytes follow the end of the stream".into());
        assert_eq!(rows(&[&stream, more].concat()), error);
    }
}

/// The samples for the tests of the command.
#[test]
fn samples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples");
    let mut parquet = Vec::new();
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer =
        ArrowWriter::try_new(&mut parquet, people().schema(), Some(properties)).expect("a writer");
    writer.write(&people()).expect("a batch");
    writer.close().expect("Parquet");
    let mut stream = Vec::new();
    let mut writer = StreamWriter::try_new(&mut stream, &people().schema()).expect("a stream");
    writer.write(&people()).expect("a batch");
    writer.finish().expect("a stream");
    let mut file = Vec::new();
    let mut writer = FileWriter::try_new(&mut file, &people().schema()).expect("a file");
    writer.write(&people()).expect("a batch");
    writer.finish().expect("a file");
    for (name, bytes) in [("people.parquet", parquet), ("people.arrow", file), ("people.arrows", stream)] {
        let path = std::path::Path::new(folder).join(name);
        if std::env::var_os("KEYLANE_WRITE_SAMPLES").is_some() {
            std::fs::write(&path, &bytes).expect("a sample");
        }
        // Another version of a library may write other bytes; the tables are the same.
        assert!(
            std::fs::read(&path).is_ok_and(|sample| !sample.is_empty()),
            "KEYLANE_WRITE_SAMPLES=1 writes {name}"
        );
    }
    let sample = File::open(std::path::Path::new(folder).join("people.parquet")).expect("a sample");
    assert_eq!(parquet_read(&sample), [people()]);
}

/// As many row groups as rows: the work grows with their number, not with its square.
#[test]
fn many_row_groups() {
    let ids: ArrayRef = Arc::new(arrow_array::Int64Array::from_iter_values(0..5000));
    let batch = RecordBatch::try_from_iter([("id", ids.clone()), ("other", ids)]).expect("a batch");
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1)).build();
    let file = parquet_written(&batch, properties).expect("Parquet");
    let output = tempfile::tempfile().expect("a file");
    let report = tagged::hash(&file, output.try_clone().expect("a file"), &request("id"), &key(), |_| {});
    assert_eq!(report.expect("a table").rows, 5000);
    verify::parquet(&file, &output, &request("id"), &key()).expect("what was written");
    let read = parquet_read(&output);
    assert_eq!(read.iter().map(RecordBatch::num_rows).sum::<usize>(), 5000);
    let metadata = ParquetRecordBatchReaderBuilder::try_new(output).expect("Parquet").metadata().clone();
    assert_eq!(metadata.num_row_groups(), 5000);
    let pairs = metadata.file_metadata().key_value_metadata().expect("pairs");
    let line = pairs.iter().find(|pair| pair.key == "keylane.id").and_then(|pair| pair.value.clone());
    assert!(line.expect("a line").starts_with("KCE-1; siphash-2-4-128; plain; key=users; check="));
}

/// A Parquet file of a batch that stores this Arrow schema, which need not be the batch's own.
fn parquet_storing(batch: &RecordBatch, stored: &Schema, properties: WriterProperties) -> File {
    let (mut properties, file) = (properties, tempfile::tempfile().expect("a file"));
    add_encoded_arrow_schema_to_metadata(stored, &mut properties);
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let writer = file.try_clone().expect("a file");
    let mut writer =
        ArrowWriter::try_new_with_options(writer, batch.schema(), options).expect("a writer of Parquet");
    writer.write(batch).expect("a batch");
    writer.close().expect("Parquet");
    file
}

/// The Arrow schema that a Parquet file stores.
fn stored(file: &File) -> Schema {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(file).expect("Parquet");
    let pairs = metadata.file_metadata().key_value_metadata().expect("pairs");
    let pair = pairs.iter().find(|pair| pair.key == ARROW_SCHEMA_META_KEY).expect("a schema");
    let text = BASE64_STANDARD.decode(pair.value.as_ref().expect("a schema")).expect("base64");
    try_schema_from_ipc_buffer(&text).expect("a schema")
}

/// The file with column `id` hashed.
fn id_tagged(file: &File) -> File {
    let output = tempfile::tempfile().expect("a file");
    tagged::hash(file, output.try_clone().expect("a file"), &request("id"), &key(), |_| {}).expect("tags");
    verify::parquet(file, &output, &request("id"), &key()).expect("what was written");
    output
}

/// Parquet has no seconds, so writers store milliseconds, and a schema with seconds.
#[test]
fn time_zones_stay() {
    let times = arrow_array::TimestampMillisecondArray::from(vec![0, 1000]).with_timezone("Europe/Paris");
    let ids = arrow_array::Int64Array::from(vec![1, 2]);
    let columns: [(&str, ArrayRef); 2] = [("time", Arc::new(times)), ("id", Arc::new(ids))];
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let seconds = DataType::Timestamp(TimeUnit::Second, Some("Europe/Paris".into()));
    let time = Field::new("time", seconds, false);
    let schema = Schema::new(vec![time.clone(), batch.schema().field(1).clone()]);
    let output = id_tagged(&parquet_storing(&batch, &schema, WriterProperties::new()));
    assert_eq!(*stored(&output).field(0), time);
}

/// Readers decide by the order of statistics, the version and the writer whether they trust the statistics of floats.
#[test]
fn the_order_of_statistics_stays() {
    let floats = arrow_array::Float64Array::from(vec![1.5, -2.5]);
    let ids = arrow_array::Int64Array::from(vec![1, 2]);
    let columns: [(&str, ArrayRef); 2] = [("float", Arc::new(floats)), ("id", Arc::new(ids))];
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_created_by("another writer version 1.2.3".into());
    let mut file = parquet_written(&batch, properties.build()).expect("Parquet");
    let trusted = |file: &File| {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(file).expect("Parquet");
        let metadata = metadata.file_metadata();
        let order = metadata.column_orders().expect("orders")[0];
        (order, metadata.version(), metadata.created_by().map(str::to_owned))
    };
    assert_eq!(trusted(&id_tagged(&file)), trusted(&file));

    // The same file with the order of the type in its footer. Behind the orders stand 9 bytes.
    let len = file.seek(SeekFrom::End(0)).expect("a file");
    let at = len - 9 - 2 * 3;
    let mut bytes = [0; 3];
    file.read_exact_at(&mut bytes, at).expect("an order");
    assert_eq!(bytes, [0x2c, 0, 0], "the library's order of floats");
    let before = trusted(&file);
    file.write_all_at(&[0x1c], at).expect("an order");
    assert_ne!(trusted(&file), before);
    assert_eq!(trusted(&id_tagged(&file)), trusted(&file));
}

/// The stored schema may have dictionaries of values that the library does not read as a dictionary.
#[test]
fn dictionaries_of_any_value() {
    type Half = <Float16Type as ArrowPrimitiveType>::Native;
    let decimals = arrow_array::Decimal128Array::from(vec![150, -200]);
    let halves = arrow_array::Float16Array::from(vec![Half::ONE, Half::NEG_ONE]);
    let columns: [(&str, ArrayRef); 3] = [
        ("d", Arc::new(decimals.with_precision_and_scale(9, 2).expect("a scale"))),
        ("h", Arc::new(halves)),
        ("b", Arc::new(arrow_array::BooleanArray::from(vec![true, false]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let schema = batch.schema();
    let dictionaries = schema.fields().iter().map(|field| {
        let values = field.data_type().clone();
        Field::new(field.name(), DataType::Dictionary(Box::new(DataType::Int32), Box::new(values)), false)
    });
    let dictionaries = Schema::new(dictionaries.collect::<Vec<_>>());
    let tags = |stored: &Schema| {
        let file = parquet_storing(&batch, stored, WriterProperties::new());
        let output = tempfile::tempfile().expect("a file");
        tagged::hash(&file, output.try_clone().expect("a file"), &request("d,h,b"), &key(), |_| {})
            .expect("tags");
        verify::parquet(&file, &output, &request("d,h,b"), &key()).expect("what was written");
        parquet_read(&output).iter().map(|batch| batch.columns().to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(tags(&dictionaries), tags(&schema));
}

/// The library writes some empty runs of views with more buffers than its readers expect.
#[test]
fn empty_runs_of_views() {
    let run = DataType::RunEndEncoded(
        Arc::new(Field::new("run_ends", DataType::Int32, false)),
        Arc::new(Field::new("values", DataType::Utf8View, true)),
    );
    let fields = vec![Field::new("runs", run, true), Field::new("id", DataType::Int64, true)];
    let empty = RecordBatch::new_empty(Arc::new(Schema::new(fields)));
    for layout in [Layout::File, Layout::Stream] {
        let input = arrow_written(&untagged(empty.clone()), 0, Layout::Stream, None);
        let mut output = Vec::new();
        ipc::hash_stream(&input[..], &mut output, layout, &request("id"), &key()).expect("tags");
        let input = (Cursor::new(&input), Layout::Stream);
        verify::arrow(input, (Cursor::new(&output), layout), &request("id"), &key())
            .expect("what was written");
        let rows: usize = match layout {
            Layout::File => FileReader::try_new(Cursor::new(&output), None)
                .expect("a file")
                .map(|batch| batch.expect("a batch").num_rows())
                .sum(),
            Layout::Stream => StreamReader::try_new(&output[..], None)
                .expect("a stream")
                .map(|batch| batch.expect("a batch").num_rows())
                .sum(),
        };
        assert_eq!(rows, 0);
    }
}

/// Tags say in their metadata how they were made. Tags of tags would say it only of the last time.
#[test]
fn tags_are_not_replaced() {
    let file = id_tagged(&parquet_written(&people(), WriterProperties::new()).expect("Parquet"));
    let error = tagged::hash(&file, std::io::sink(), &request("id"), &key(), |_| {}).expect_err("tags");
    assert_eq!(error.to_string(), "column id has tags already: --suffix puts new ones beside them");
    assert!(tagged::explain(&file, &request("id"), &key()).is_err());
    let beside = Request { suffix: Some("_again".into()), ..request("id") };
    assert!(tagged::hash(&file, std::io::sink(), &beside, &key(), |_| {}).is_ok());
}

/// A Parquet file with a column `t` of INT96: for each row group its times, in nanoseconds since 1970. `is_list` puts them
/// into lists: all times of a row group are one row, and so is each null.
fn int96_written(groups: &[&[Option<i128>]], is_list: bool) -> File {
    let schema = if is_list {
        "message m { optional group t (LIST) { repeated group list { optional int96 element; } } }"
    } else {
        "message m { optional int96 t; }"
    };
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let file = tempfile::tempfile().expect("a file");
    let properties = Arc::new(WriterProperties::new());
    let mut writer =
        SerializedFileWriter::new(file.try_clone().expect("a file"), schema, properties).expect("a writer");
    for group in groups {
        let times: Vec<Int96> = group.iter().flatten().map(|&time| int96(time)).collect();
        let level = if is_list { 3 } else { 1 };
        let defined: Vec<i16> = group.iter().map(|time| if time.is_some() { level } else { 0 }).collect();
        let mut before = false;
        let repeated = group
            .iter()
            .map(|time| i16::from(std::mem::replace(&mut before, time.is_some()) && time.is_some()));
        let repeated: Vec<i16> = repeated.collect();
        let mut writer = writer.next_row_group().expect("a row group");
        let mut column = writer.next_column().expect("a column").expect("a column");
        let levels = is_list.then_some(&repeated[..]);
        column.typed::<Int96Type>().write_batch(&times, Some(&defined), levels).expect("times");
        column.close().expect("a column");
        writer.close().expect("a row group");
    }
    writer.close().expect("Parquet");
    file
}

fn int96(time: i128) -> Int96 {
    const DAY: i128 = 86_400_000_000_000;
    let (day, rest) = (time.div_euclid(DAY) + 2_440_588, time.rem_euclid(DAY) as u64);
    let mut found = Int96::new();
    found.set_data(rest as u32, (rest >> 32) as u32, day as i32 as u32);
    found
}

/// Times of INT96 have the tags of the same times in other types, however far away they are. Where no unit of Arrow holds
/// a row group's times, that is an error.
#[test]
fn int96_times() {
    const YEAR: i128 = 31_556_952 * 1_000_000_000;
    let near = [Some(0), None, Some(-1), Some(1_600_000_000_123_456_789), Some(i128::from(i64::MAX))];
    let far = [Some(-1969 * YEAR), Some(8029 * YEAR + 1000), None, Some(i128::from(i64::MAX) + 1 + 192)];
    let seconds = [Some(290_000 * YEAR), Some(-5_000_000 * YEAR)];
    assert!(far.iter().flatten().all(|time| time % 1000 == 0));
    let binary = |columns: &str| Request { form: Form::Binary, ..request(columns) };
    let hash = |file: &File, request: &Request| {
        let output = tempfile::tempfile().expect("a file");
        let report = tagged::hash(file, output.try_clone().expect("a file"), request, &key(), |_| {});
        report.map_err(|error| error.to_string())?;
        verify::parquet(file, &output, request, &key()).expect("what was written");
        Ok::<_, String>(parquet_read(&output))
    };
    let groups = [&near[..], &far, &seconds];
    let read = hash(&int96_written(&groups, false), &binary("t")).expect("tags");
    let found: Vec<Option<Vec<u8>>> = read
        .iter()
        .flat_map(|batch| batch.column(0).as_fixed_size_binary().iter().map(|tag| tag.map(<[u8]>::to_vec)))
        .collect();
    let hasher = SipHashX24::new(key().derive("t").expect("a context").key());
    let expected = groups.concat().into_iter().map(|time| {
        let time = time?;
        // KCE-1: microseconds, or else nanoseconds in 16 bytes.
        let short = (time % 1000 == 0).then_some(time / 1000).and_then(|time| i64::try_from(time).ok());
        let tag =
            short.map_or_else(|| hasher.hash(&time.to_le_bytes()), |time| hasher.hash(&time.to_le_bytes()));
        Some(tag.to_le_bytes().to_vec())
    });
    assert_eq!(found, expected.collect::<Vec<_>>());

    // In lists, the row is that of the list.
    let row = Request { rows: vec![plan::row("r=t").expect("a row")], ..binary("t") };
    let row = Request { columns: Vec::new(), ..row };
    for (groups, is_list, wrong) in [
        ([&near[..2], &[None, Some(1), None, Some(8029 * YEAR)]], false, 6),
        ([&near[..2], &[None, Some(8029 * YEAR), None, Some(1000), Some(1)]], true, 6),
        ([&far[..], &[Some(i128::from(i64::MAX) * 1000), Some(1)]], false, 6),
    ] {
        let request = if is_list { row.clone() } else { binary("t") };
        let error = hash(&int96_written(&groups, is_list), &request).expect_err("a time");
        let what = "64 bits in no unit hold this INT96 time and those before it in the row group";
        assert_eq!(error, format!("column t, row {wrong}: {what}"));
    }
    // Far away in lists: the tags of rows do not depend on the unit.
    let lists = |times: &[&[Option<i128>]]| {
        hash(&int96_written(times, true), &row)
            .expect("tags")
            .iter()
            .map(|batch| batch.column(1).clone())
            .collect::<Vec<_>>()
    };
    let (alone, beside) = (lists(&[&[Some(5000)]]), lists(&[&[Some(5000), None, Some(8029 * YEAR)]]));
    assert_eq!(alone[0].as_fixed_size_binary().value(0), beside[0].as_fixed_size_binary().value(0));
}

/// The file of a table whose batch has metadata, as pyarrow writes it, and of one with words of an Enum of Polars.
#[test]
fn metadata_of_batches() {
    let sample = include_bytes!("../samples/batch_metadata.arrow");
    let noted = |message: &[u8]| {
        let message = root_as_message(message).expect("a message");
        let pairs = message.custom_metadata().map(|pairs| {
            let pair = pairs.iter().next().expect("a pair");
            (pair.key().expect("a key").to_owned(), pair.value().expect("a value").to_owned())
        });
        message.header_as_record_batch().and(pairs)
    };
    for layout in [Layout::File, Layout::Stream] {
        let mut output = Vec::new();
        let report =
            ipc::hash_file(Cursor::new(sample), &mut output, layout, &request("e"), &key()).expect("tags");
        assert_eq!((report.rows, report.dropped), (1, Vec::new()));
        let start = match layout {
            Layout::File => {
                let reader = FileReader::try_new(Cursor::new(&output), None).expect("a file");
                assert_eq!(reader.map(|batch| batch.expect("a batch").num_rows()).sum::<usize>(), 1);
                8
            }
            Layout::Stream => 0,
        };
        let mut stream = StreamReader::try_new(&output[start..], None).expect("a stream");
        assert_eq!(stream.next().expect("a batch").expect("a batch").num_rows(), 1);
        // The first message has the schema, the second one the batch.
        let mut at = start;
        let mut found = Vec::new();
        for _ in 0..2 {
            let size = u32::from_le_bytes(*output[at + 4..].first_chunk().expect("a size")) as usize;
            let head = &output[at + 8..at + 8 + size];
            found.push(noted(head));
            at += 8 + size + root_as_message(head).expect("a message").bodyLength() as usize;
        }
        assert_eq!(found, [None, Some(("note".to_owned(), "of the batch".to_owned()))]);
    }
}

/// Text that is not UTF-8 has the tags of its bytes in every layout of text, and stays as it is.
#[test]
fn text_that_is_not_utf8() {
    let texts = arrow_array::StringArray::from(vec!["user-anna-secret", "user-zoe"]);
    let large = arrow_array::LargeStringArray::from(vec!["user-anna-secret", "user-zoe"]);
    let views = arrow_array::StringViewArray::from(vec!["user-anna-secret", "user-zoe"]);
    let words: arrow_array::DictionaryArray<arrow_array::types::Int8Type> =
        vec!["user-anna-secret", "user-zoe"].into_iter().collect();
    let ids: ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![1, 2]));
    let arrays: [ArrayRef; 4] = [Arc::new(texts), Arc::new(large), Arc::new(views), Arc::new(words)];
    for array in arrays {
        let columns = [("e", array.clone()), ("id", ids.clone())];
        let table = untagged(RecordBatch::try_from_iter(columns).expect("a batch"));
        let mut bytes = arrow_written(&table, 2, Layout::Stream, None);
        let odd = b"user-\xe9nna-secret";
        let mut planted = 0;
        for at in 0..bytes.len() - odd.len() {
            if &bytes[at..at + odd.len()] == b"user-anna-secret" {
                bytes[at..at + odd.len()].copy_from_slice(odd);
                planted += 1;
            }
        }
        assert!(planted > 0);
        assert!(StreamReader::try_new(&bytes[..], None).expect("a stream").any(|batch| batch.is_err()));
        let hash = |columns: &str| {
            let mut output = Vec::new();
            ipc::hash_stream(&bytes[..], &mut output, Layout::Stream, &request(columns), &key())
                .map(|_| output)
        };
        let output = hash("e").expect("tags");
        let batch = StreamReader::try_new(&output[..], None).expect("a stream").next().expect("a batch");
        let tag = SipHashX24::new(key().derive("e").expect("a subkey").key()).hash(odd).to_le_bytes();
        let tag: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(batch.expect("a batch").column(0).as_string::<i32>().value(0), tag);
        let kept = hash("id").expect("tags");
        assert!(kept.windows(odd.len()).any(|bytes| bytes == odd));
        let schema = StreamReader::try_new(&kept[..], None).expect("a stream").schema();
        assert_eq!(schema.field(0).data_type(), array.data_type());
    }
}
