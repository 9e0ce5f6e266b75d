//! Faults that are planted in outputs: each is found, with its column and its row, and without a value.

use crate::common::key;
use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int8Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use keylane_files::csv::Dialect;
use keylane_files::ipc::Layout;
use keylane_files::verify::{arrow, csv, parquet};
use keylane_files::{Error, Request, plan};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::data_type::{ByteArray, ByteArrayType, Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::io::{Cursor, Seek, Write};
use std::sync::Arc;

/// A table, and the tags of `email` and of the row once they are known.
#[derive(Clone)]
struct Table {
    email: Vec<Option<String>>,
    id: Vec<Option<i64>>,
    number: Vec<f64>,
    word: Vec<Option<i8>>,
    words: Vec<&'static str>,
    list: Vec<Option<Vec<Option<i64>>>>,
    row: Vec<Option<String>>,
}

impl Table {
    fn new() -> Table {
        Table {
            email: (0..40).map(|at| (at % 7 != 3).then(|| format!("secret-{at}"))).collect(),
            id: (0..40).map(|at| (at % 5 != 0).then_some(at)).collect(),
            number: (0..40)
                .map(|at| if at == 8 { f64::from_bits(0x7ff8_0000_0000_0001) } else { 0.0 })
                .collect(),
            word: (0..40).map(|at| (at % 6 != 5).then_some(at % 3)).collect(),
            words: vec!["red", "green", "blue"],
            list: (0..40)
                .map(|at| (at % 4 != 2).then(|| (0..at % 3).map(|x| (x != 1).then_some(at)).collect()))
                .collect(),
            row: Vec::new(),
        }
    }

    /// With the tags of a table that was hashed.
    fn tagged(&self, batches: &[RecordBatch]) -> Table {
        let tags = |name: &str| {
            let columns =
                batches.iter().map(|batch| batch.column_by_name(name).expect("tags").as_string::<i32>());
            columns
                .flat_map(|tags| tags.iter().map(|tag| tag.map(str::to_owned)).collect::<Vec<_>>())
                .collect()
        };
        Table { email: tags("email"), row: tags("row"), ..self.clone() }
    }

    fn batch(&self) -> RecordBatch {
        let mut list = ListBuilder::new(Int64Builder::new());
        for elements in &self.list {
            match elements {
                Some(elements) => list.append_value(elements.iter().copied()),
                None => list.append_null(),
            }
        }
        let words = Arc::new(StringArray::from(self.words.clone()));
        let words = DictionaryArray::<Int8Type>::new(Int8Array::from(self.word.clone()), words);
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("email", Arc::new(StringArray::from(self.email.clone()))),
            ("id", Arc::new(Int64Array::from(self.id.clone()))),
            ("number", Arc::new(Float64Array::from(self.number.clone()))),
            ("word", Arc::new(words)),
            ("list", Arc::new(list.finish())),
        ];
        if !self.row.is_empty() {
            columns.push(("row", Arc::new(StringArray::from(self.row.clone()))));
        }
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
            .expect("a batch")
    }

    /// The rows of these numbers.
    fn rows(&self, rows: &[usize]) -> Table {
        fn of<T: Clone>(all: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| all[row].clone()).collect()
        }
        Table {
            email: of(&self.email, rows),
            id: of(&self.id, rows),
            number: of(&self.number, rows),
            word: of(&self.word, rows),
            words: self.words.clone(),
            list: of(&self.list, rows),
            row: of(&self.row, rows),
        }
    }
}

fn request() -> Request {
    Request {
        columns: plan::columns("email").expect("columns"),
        rows: vec![plan::row("row=id,word,list,number").expect("a row")],
        ..Request::default()
    }
}

/// The other digit in the first place.
fn flipped(tag: &mut Option<String>) {
    let tag = tag.as_mut().expect("a tag");
    let other = if tag.starts_with('0') { "1" } else { "0" };
    tag.replace_range(..1, other);
}

/// A fault, its name, and what is said of it.
type Fault = (&'static str, fn(&mut Table), &'static str);

const FAULTS: &[Fault] = &[
    ("a tag", |table| flipped(&mut table.email[7]), "column email, row 8: the output has another tag"),
    ("a tag of a row", |table| flipped(&mut table.row[39]), "column row, row 40: the output has another tag"),
    ("a tag that is null", |table| table.email[1] = None, "column email, row 2: "),
    ("a null that is a tag", |table| table.email[3] = Some("0".repeat(32)), "column email, row 4: "),
    ("the original", |table| table.email[5] = Some("secret-5".into()), "column email, row 6: "),
    ("two tags", |table| table.email.swap(20, 21), "column email, row 21: "),
    ("two rows", |table| *table = swapped(table), "column id, row 31: the output has another value"),
    ("a row less", |table| *table = table.rows(&(0..39).collect::<Vec<_>>()), "another number of rows"),
    ("the first row", |table| *table = table.rows(&(1..40).collect::<Vec<_>>()), ""),
    (
        "a row twice",
        |table| *table = table.rows(&(0..40).chain([39]).collect::<Vec<_>>()),
        "another number of rows",
    ),
    ("a value", |table| table.id[6] = Some(7), "column id, row 7: the output has another value"),
    ("a null for a value", |table| table.id[11] = None, "column id, row 12: "),
    ("a value for a null", |table| table.id[10] = Some(0), "column id, row 11: "),
    ("a NaN", |table| table.number[8] = f64::NAN, "column number, row 9: "),
    ("a zero", |table| table.number[9] = -0.0, "column number, row 10: "),
    ("an index", |table| table.word[2] = Some(1), "column word, row 3: "),
    ("a dictionary", |table| table.words.swap(0, 1), "column word, row 1: "),
    ("an element", |table| table.list[5] = Some(vec![Some(5), Some(5)]), "column list, row 6: "),
    ("an element's null", |table| table.list[5] = Some(vec![None, None]), "column list, row 6: "),
    ("an element less", |table| table.list[5] = Some(vec![Some(5)]), "column list, row 6: "),
    ("an empty list", |table| table.list[2] = Some(Vec::new()), "column list, row 3: "),
    ("no list", |table| table.list[3] = None, "column list, row 4: "),
];

fn swapped(table: &Table) -> Table {
    let mut rows: Vec<usize> = (0..40).collect();
    rows.swap(30, 38);
    let swapped = table.rows(&rows);
    // Tags are compared behind what stays in Parquet, and in Arrow too.
    Table { email: table.email.clone(), ..swapped }
}

/// A fault is an error of its own kind, which names the place and no value.
fn is_found(name: &str, found: Result<(), Error>, expected: &str) {
    let error = found.expect_err(name);
    assert!(matches!(error, Error::Differs(_)), "{name}: {error:?}");
    let text = error.to_string();
    assert!(text.starts_with("verification failed: ") && text.contains(expected), "{name}: {text}");
    assert!(!text.contains("secret") && !text.contains("green"), "{name}: {text}");
}

fn arrow_bytes(batches: &[RecordBatch], layout: Layout) -> Vec<u8> {
    let (mut bytes, schema) = (Vec::new(), batches[0].schema());
    match layout {
        Layout::File => {
            let mut writer = FileWriter::try_new(&mut bytes, &schema).expect("a file");
            batches.iter().for_each(|batch| writer.write(batch).expect("a batch"));
            writer.finish().expect("a file");
        }
        Layout::Stream => {
            let mut writer = StreamWriter::try_new(&mut bytes, &schema).expect("a stream");
            batches.iter().for_each(|batch| writer.write(batch).expect("a batch"));
            writer.finish().expect("a stream");
        }
    }
    bytes
}

/// A batch in pieces of `len` rows.
fn pieces(batch: &RecordBatch, len: usize) -> Vec<RecordBatch> {
    (0..batch.num_rows()).step_by(len).map(|at| batch.slice(at, len.min(batch.num_rows() - at))).collect()
}

#[test]
fn faults_in_arrow() {
    let table = Table::new();
    let input = arrow_bytes(&[table.batch()], Layout::Stream);
    let mut output = Vec::new();
    keylane_files::ipc::hash_stream(&input[..], &mut output, Layout::Stream, &request(), &key())
        .expect("tags");
    let read = arrow_ipc::reader::StreamReader::try_new(&output[..], None).expect("a stream");
    let tagged = table.tagged(&read.map(|batch| batch.expect("a batch")).collect::<Vec<_>>());
    for layout in [Layout::File, Layout::Stream] {
        let input = arrow_bytes(&pieces(&table.batch(), 13), layout);
        let verify = |output: &[u8], to| {
            arrow((Cursor::new(&input), layout), (Cursor::new(output), to), &request(), &key())
        };
        for to in [Layout::File, Layout::Stream] {
            // However the rows are divided.
            for len in [1, 6, 13, 40] {
                let right = arrow_bytes(&pieces(&tagged.batch(), len), to);
                verify(&right, to).expect("the right tags");
            }
            for (name, fault, expected) in FAULTS {
                let mut wrong = tagged.clone();
                fault(&mut wrong);
                is_found(name, verify(&arrow_bytes(&pieces(&wrong.batch(), 17), to), to), expected);
            }
            let batches = pieces(&tagged.batch(), 10);
            let twice = [&batches[..2], &batches[1..]].concat();
            is_found("a batch twice", verify(&arrow_bytes(&twice, to), to), "");
            is_found("a batch less", verify(&arrow_bytes(&batches[..3], to), to), "number of rows");
            let less = tagged.batch().project(&[0, 1, 2, 3, 5]).expect("columns");
            is_found("a column less", verify(&arrow_bytes(&[less], to), to), "columns");
            let mixed = tagged.batch().project(&[0, 1, 2, 4, 3, 5]).expect("columns");
            is_found("columns in another order", verify(&arrow_bytes(&[mixed], to), to), "columns");
            let right = arrow_bytes(&batches, to);
            for len in (0..right.len() - 8).step_by(97) {
                is_found("a part", verify(&right[..len], to), "");
            }
        }
    }
}

fn parquet_file(batches: &[RecordBatch]) -> File {
    let file = tempfile::tempfile().expect("a file");
    let mut writer =
        ArrowWriter::try_new(file.try_clone().expect("a file"), batches[0].schema(), None).expect("a writer");
    for batch in batches {
        writer.write(batch).expect("a batch");
        writer.flush().expect("a row group");
    }
    writer.close().expect("Parquet");
    file
}

/// A Parquet file with columns hashed.
fn hashed(input: &File, request: &Request) -> File {
    let output = tempfile::tempfile().expect("a file");
    keylane_files::parquet::hash(input, output.try_clone().expect("a file"), request, &key(), |_| {})
        .expect("tags");
    output
}

#[test]
fn faults_in_parquet() {
    let table = Table::new();
    let input = parquet_file(&pieces(&table.batch(), 13));
    let output = hashed(&input, &request());
    let verify = |output: &File| parquet(&input, output, &request(), &key());
    verify(&output).expect("the right tags");
    let read =
        ParquetRecordBatchReaderBuilder::try_new(output.try_clone().expect("a file")).expect("Parquet");
    let read = read.build().expect("a reader").map(|batch| batch.expect("a batch"));
    let tagged = table.tagged(&read.collect::<Vec<_>>());
    for len in [1, 6, 13, 40] {
        verify(&parquet_file(&pieces(&tagged.batch(), len))).expect("the right tags");
    }
    for (name, fault, expected) in FAULTS {
        let mut wrong = tagged.clone();
        fault(&mut wrong);
        is_found(name, verify(&parquet_file(&pieces(&wrong.batch(), 17))), expected);
    }
    let batches = pieces(&tagged.batch(), 10);
    let twice = [&batches[..2], &batches[1..]].concat();
    is_found("a row group twice", verify(&parquet_file(&twice)), "number of rows");
    let doubled = [&batches[..1], &batches[..1], &batches[2..]].concat();
    is_found("a row group for another", verify(&parquet_file(&doubled)), "row 12: ");
    let less = tagged.batch().project(&[0, 1, 2, 3, 5]).expect("columns");
    is_found("a column less", verify(&parquet_file(&[less])), "columns");
    let mixed = tagged.batch().project(&[0, 1, 2, 4, 3, 5]).expect("columns");
    is_found("columns in another order", verify(&parquet_file(&[mixed])), "columns");

    let mut bytes = Vec::new();
    let mut copy = output.try_clone().expect("a file");
    copy.rewind().expect("a file");
    std::io::Read::read_to_end(&mut copy, &mut bytes).expect("a file");
    let with = |bytes: &[u8]| {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("a file");
        verify(&file)
    };
    for len in (0..bytes.len()).step_by(101) {
        is_found("a part", with(&bytes[..len]), "");
    }
    // Bytes that are zeros: in pages they are found; elsewhere they may mean nothing.
    let mut found = 0;
    for at in (4..bytes.len()).step_by(37) {
        let mut wrong = bytes.clone();
        let end = (at + 16).min(bytes.len());
        wrong[at..end].fill(0);
        if let Err(error) = with(&wrong) {
            let text = error.to_string();
            assert!(matches!(error, Error::Differs(_)) && !text.contains("secret"), "{text}");
            found += 1;
        }
    }
    assert!(found > bytes.len() / 37 / 3, "{found} of {}", bytes.len() / 37);
}

/// What Arrow has no array for: times of 96 bits that 64 bits do not hold, and text that is not UTF-8.
#[test]
fn columns_that_arrow_does_not_hold() {
    let write = |day: u32, byte: u8, rows: &[usize]| {
        let schema = "message m { optional int96 time; optional binary text (UTF8); optional binary id; }";
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let file = tempfile::tempfile().expect("a file");
        let properties = Arc::new(WriterProperties::builder().set_dictionary_enabled(false).build());
        let mut writer = SerializedFileWriter::new(file.try_clone().expect("a file"), schema, properties)
            .expect("a writer");
        for &rows in rows {
            let defined: Vec<i16> = (0..rows).map(|row| i16::from(row != 1)).collect();
            let some = rows - usize::from(rows > 1);
            let mut group = writer.next_row_group().expect("a row group");
            let times: Vec<Int96> = (0..some).map(|row| Int96::from(vec![7, row as u32, day])).collect();
            let mut column = group.next_column().expect("a column").expect("a column");
            column.typed::<Int96Type>().write_batch(&times, Some(&defined), None).expect("times");
            column.close().expect("a column");
            for text in [[0xff, byte], [b'i', b'd']] {
                let texts = vec![ByteArray::from(text.to_vec()); some];
                let mut column = group.next_column().expect("a column").expect("a column");
                column.typed::<ByteArrayType>().write_batch(&texts, Some(&defined), None).expect("texts");
                column.close().expect("a column");
            }
            group.close().expect("a row group");
        }
        writer.close().expect("Parquet");
        file
    };
    let request = Request { columns: plan::columns("id").expect("columns"), ..Request::default() };
    let input = write(4_000_000_000, 0xfe, &[3, 2]);
    let output = hashed(&input, &request);
    parquet(&input, &output, &request, &key()).expect("the right tags");
    // The same tags beside other values.
    let other = hashed(&write(4_000_000_001, 0xfe, &[3, 2]), &request);
    is_found("a time", parquet(&input, &other, &request, &key()), "column time, row 1: ");
    let other = hashed(&write(4_000_000_000, 0xfd, &[3, 2]), &request);
    is_found("a text", parquet(&input, &other, &request, &key()), "column text, row 1: ");
    let other = hashed(&write(4_000_000_000, 0xfe, &[2, 3]), &request);
    is_found("a null elsewhere", parquet(&input, &other, &request, &key()), "column time, row 3: ");
}

/// A fault in a file of text: what is replaced by what.
const TEXT_FAULTS: &[(&str, &str, &str)] = &[
    ("1,", "2,", "column id, row 1: the output has another value"),
    ("\"x, \"\"y\"\"\"", "\"x, y\"", "column note, row 1: "),
    ("\"x, \"\"y\"\"\"", "x", "column note, row 1: "),
    (",z", ",\"z\"", "column note, row 3: "),
    (",z", ",", "column note, row 3: "),
    ("2,,\r\n", "", "number of rows"),
    ("2,,\r\n", "2,,\r\n2,,\r\n", "number of rows"),
    ("2,,\r\n", "2,,\n", "row 2: its line ends otherwise"),
    ("2,,\r\n", "2,,\r\n\r\n", "its line ends otherwise"),
    ("2,,", "2,a@example.com,", "column email, row 2: the output has another tag"),
    ("2,,", "2,\"\",", "column email, row 2: "),
    ("id,email", "id,e-mail", "columns"),
    ("id,email,note", "id,email", "columns"),
    ("\u{feff}", "", "begins with other bytes"),
];

#[test]
fn faults_in_text() {
    let input =
        "\u{feff}id,email,note\r\n1,\"secret@example.com\",\"x, \"\"y\"\"\"\r\n2,,\r\n\n3,b@example.com,z";
    let request = Request { columns: plan::columns("email").expect("columns"), ..Request::default() };
    let both = Request {
        rows: vec![plan::row("row=id:int64,note").expect("a row")],
        suffix: Some("_t".into()),
        ..request.clone()
    };
    for request in [&request, &both] {
        let mut output = Vec::new();
        keylane_files::csv::hash(input.as_bytes(), &mut output, Dialect::CSV, request, &key()).expect("tags");
        let output = String::from_utf8(output).expect("text");
        let verify = |output: &str| csv(input.as_bytes(), output.as_bytes(), Dialect::CSV, request, &key());
        verify(&output).expect("the right tags");
        if request.suffix.is_none() {
            for (from, to, expected) in TEXT_FAULTS {
                assert!(output.contains(from), "{from}");
                is_found(from, verify(&output.replacen(from, to, 1)), expected);
            }
        }
        // Each digit of a tag, and each byte that is left out.
        for (at, byte) in output.char_indices().filter(|(_, byte)| byte.is_ascii_hexdigit()) {
            let mut wrong = output.clone();
            wrong.replace_range(at..=at, if byte == '0' { "1" } else { "0" });
            is_found("a digit", verify(&wrong), "");
        }
        for at in output.char_indices().map(|(at, _)| at) {
            let mut wrong = output.clone();
            wrong.remove(at);
            let error = verify(&wrong).expect_err("a byte less").to_string();
            assert!(!error.contains("secret"), "{error}");
            assert!(verify(&output[..at]).is_err());
        }
    }
}
