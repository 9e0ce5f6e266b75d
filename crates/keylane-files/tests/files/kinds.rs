//! Parquet files whose footers and pages say what they should not, and what stays of their metadata.

#[path = "../../src/parquet/thrift.rs"]
#[allow(dead_code)]
mod thrift;

use arrow_array::cast::AsArray;
use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrow_schema::Metadata;
use keylane::siphash::{Key, SipHashX24};
use keylane_columns::ColumnKey;
use keylane_files::parquet::{explain, hash};
use keylane_files::{Error, Request, plan, verify};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::metadata::{KeyValue, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RowAccessor;
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::sync::Arc;
use thrift::{Struct, Value, kind};

fn key() -> ColumnKey {
    ColumnKey::new("users", Key::from_bytes([7; 16]))
}

fn request(columns: &str) -> Request {
    Request { columns: plan::columns(columns).expect("columns"), ..Request::default() }
}

/// The tag of a value in a column of this name.
fn tag(column: &str, value: &[u8]) -> String {
    let tag = SipHashX24::new(key().derive(column).expect("a subkey").key()).hash(value).to_le_bytes();
    tag.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("a file");
    file
}

/// What a table becomes.
fn hashed(bytes: &[u8], request: &Request) -> Result<Vec<u8>, Error> {
    let mut output = tempfile::tempfile().expect("a file");
    let input = file(bytes);
    hash(&input, output.try_clone().expect("a file"), request, &key(), |_| {})?;
    verify::parquet(&input, &output, request, &key()).expect("what was written");
    let mut bytes = Vec::new();
    output.rewind().and_then(|()| output.read_to_end(&mut bytes)).expect("a file");
    Ok(bytes)
}

fn error(bytes: &[u8], request: &Request) -> String {
    hashed(bytes, request).expect_err("a fault").to_string()
}

/// All rows of a table of texts `e` and integers `n`, as text.
fn rows(bytes: &[u8]) -> Vec<(String, i64)> {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(file(bytes)).expect("Parquet").build().expect("a reader");
    let mut all = Vec::new();
    for batch in reader {
        let batch = batch.expect("a batch");
        let numbers = batch.column(1).as_primitive::<arrow_array::types::Int64Type>().values().to_vec();
        let texts = batch.column(0).as_string::<i32>().iter();
        all.extend(texts.map(|text| text.unwrap_or_default().to_owned()).zip(numbers));
    }
    all
}

/// A table of texts `e` and integers `n`, with a row group of each of these lengths.
fn table(groups: &[usize], change: impl Fn(WriterPropertiesBuilder) -> WriterPropertiesBuilder) -> Vec<u8> {
    let mut bytes = Vec::new();
    let schema = Arc::new(
        parse_message_type("message m { optional binary e (UTF8); required int64 n; }").expect("a schema"),
    );
    let properties = change(WriterProperties::builder()).build();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).expect("a writer");
    for &rows in groups {
        let texts: Vec<ByteArray> = (0..rows).map(|row| ByteArray::from(text(row).as_str())).collect();
        let numbers: Vec<i64> = (0..rows).map(|row| row as i64 % 7).collect();
        let mut group = writer.next_row_group().expect("a row group");
        let mut column = group.next_column().expect("a column").expect("a column");
        column.typed::<ByteArrayType>().write_batch(&texts, Some(&vec![1; rows]), None).expect("texts");
        column.close().expect("a column");
        let mut column = group.next_column().expect("a column").expect("a column");
        column.typed::<Int64Type>().write_batch(&numbers, None, None).expect("numbers");
        column.close().expect("a column");
        group.close().expect("a row group");
    }
    writer.close().expect("Parquet");
    bytes
}

fn text(row: usize) -> String {
    format!("user{}@x.example", row % 5)
}

fn plain(groups: &[usize]) -> Vec<u8> {
    table(groups, |properties| properties)
}

/// The rows of such a table with tags in `e`.
fn tagged(groups: &[usize]) -> Vec<(String, i64)> {
    let row = |row: usize| (tag("e", text(row).as_bytes()), row as i64 % 7);
    groups.iter().flat_map(|&rows| (0..rows).map(row)).collect()
}

/// The file with another footer.
fn edited(bytes: &[u8], edit: impl FnOnce(&mut Struct<'_>)) -> Vec<u8> {
    let (body, footer) = parts(bytes);
    let (mut fields, _) = Struct::read(footer).expect("a footer");
    edit(&mut fields);
    let footer = fields.write();
    [body, &footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

fn parts(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (rest, tail) = bytes.split_at(bytes.len() - 8);
    let size = u32::from_le_bytes(*tail.first_chunk().expect("a length")) as usize;
    rest.split_at(rest.len() - size)
}

/// Changes the struct at a place of a list.
fn at(fields: &mut Struct<'_>, id: i16, place: usize, edit: impl FnOnce(&mut Struct<'_>)) {
    let list = fields.get(id).cloned().expect("a list");
    let mut items = list.structs().expect("structs");
    edit(&mut items[place]);
    let items: Vec<Vec<u8>> = items.iter().map(Struct::write).collect();
    fields.set(id, Some(Value::list(kind::STRUCT, &items)));
}

/// Changes a chunk and its metadata.
fn chunk(
    bytes: &[u8],
    (group, leaf): (usize, usize),
    edit: impl FnOnce(&mut Struct<'_>, &mut Struct<'_>),
) -> Vec<u8> {
    edited(bytes, |file| {
        at(file, 4, group, |group| {
            at(group, 1, leaf, |chunk| {
                let meta = chunk.get(3).cloned().expect("metadata");
                let mut meta = meta.fields().expect("metadata");
                edit(chunk, &mut meta);
                let meta = meta.value();
                chunk.set(3, Some(meta));
            });
        });
    })
}

fn binary(bytes: &'static [u8]) -> Value<'static> {
    Value { kind: kind::BINARY, bytes: bytes.into() }
}

fn number(value: i64) -> Option<Value<'static>> {
    let mut value = Value::int32(i32::try_from(value).expect("a number"));
    value.kind = kind::I64;
    Some(value)
}

fn metadata(bytes: &[u8]) -> ParquetMetaData {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
    reader.parse_and_finish(&file(bytes)).expect("Parquet")
}

/// The footer's fields of a chunk.
fn chunk_of(bytes: &[u8], group: usize, leaf: usize) -> Struct<'static> {
    let (file, _) = Struct::read(parts(bytes).1).expect("a footer");
    let groups = file.get(4).and_then(Value::structs).expect("row groups");
    let chunks = groups[group].get(1).and_then(Value::structs).expect("chunks");
    chunks[leaf].get(3).and_then(Value::fields).expect("metadata").owned()
}

/// What pyarrow's writer, and others, say of chunks without rows: anything.
#[test]
fn row_groups_without_rows() {
    let sample = include_bytes!("../samples/empty_group.parquet");
    for column in ["email", "n", "city"] {
        let output = hashed(sample, &request(column)).expect("tags");
        let all = SerializedFileReader::new(file(&output)).expect("Parquet");
        let rows: Vec<_> = all.get_row_iter(None).expect("rows").map(|row| row.expect("a row")).collect();
        assert_eq!(rows.len(), 2, "{column}");
        assert_eq!(rows[1].get_string(0).expect("a text") == "x@example.com", column != "email");
        assert_eq!(rows[1].get_string(2).expect("a text") == "Rome", column != "city");
        for group in metadata(&output).row_groups() {
            assert!(group.columns().iter().all(|chunk| chunk.data_page_offset() >= 0));
        }
    }
    for groups in [&[2, 0][..], &[0, 2], &[3, 0, 0, 2], &[0]] {
        for dictionary in [true, false] {
            let whole = table(groups, |properties| properties.set_dictionary_enabled(dictionary));
            let empty = groups.iter().position(|rows| *rows == 0).expect("a row group without rows");
            for (data, dictionary) in
                [(4, None), (0, Some(0)), (9999, Some(4)), (4, Some(9999)), (0, Some(1 << 20))]
            {
                let odd = chunk(&whole, (empty, 1), |_, meta| {
                    meta.set(9, number(data));
                    meta.set(11, dictionary.and_then(number));
                    meta.set(7, number(77));
                });
                let output = hashed(&odd, &request("e")).expect("tags");
                assert_eq!(rows(&output), tagged(groups));
                assert!(metadata(&output).row_groups()[empty].columns()[1].data_page_offset() >= 0);
            }
        }
    }
}

/// Chunks that are not as their footer says, but can be read: they are encoded anew.
#[test]
fn odd_chunks_are_encoded_anew() {
    let whole = plain(&[40, 9]);
    let copy = chunk_of(&hashed(&whole, &request("e")).expect("tags"), 0, 1);
    let old = chunk_of(&whole, 0, 1);
    for id in [2, 7, 12, 13, 16] {
        assert_eq!(copy.get(id), old.get(id), "{id}");
    }
    assert!(copy.get(12).is_some() && copy.get(13).is_some());
    let start = old.int(11).expect("a dictionary");
    for (data, dictionary) in [(start, None), (start, Some(0)), (start, Some(9999)), (start, Some(start))] {
        for (group, leaf) in [(0, 0), (0, 1)] {
            let shift = chunk_of(&whole, group, leaf).int(11).expect("a dictionary") - start;
            let odd = chunk(&whole, (group, leaf), |_, meta| {
                meta.set(9, number(data + shift));
                meta.set(
                    11,
                    dictionary.map(|place| place + if place == start { shift } else { 0 }).and_then(number),
                );
            });
            let output = hashed(&odd, &request("e")).expect("tags");
            assert_eq!(rows(&output), tagged(&[40, 9]));
            let new = chunk_of(&output, 0, 1);
            assert_eq!(new.get(12).is_some(), leaf == 0, "statistics of a copy only");
        }
    }
    // A writer's own values under the numbers of newer fields.
    for leaf in [0, 1] {
        let odd = chunk(&whole, (0, leaf), |_, meta| {
            [14, 15].into_iter().for_each(|id| meta.set(id, Some(Value::list(kind::I32, &[[0]]))));
        });
        assert_eq!(rows(&hashed(&odd, &request("e")).expect("tags")), tagged(&[40, 9]));
    }
    let odd = chunk(&whole, (0, 1), |_, meta| meta.set(6, number(1)));
    let output = hashed(&odd, &request("e")).expect("tags");
    assert_eq!(rows(&output), tagged(&[40, 9]));
    assert_ne!(chunk_of(&output, 0, 1).int(6), Some(1));
}

/// A file whose hashed column is read, and whose other column is not what it says: only its output shows that.
fn unverified(bytes: &[u8], request: &Request) -> String {
    let (input, output) = (file(bytes), tempfile::tempfile().expect("a file"));
    hash(&input, output.try_clone().expect("a file"), request, &key(), |_| {}).expect("tags");
    verify::parquet(&input, &output, request, &key()).expect_err("a fault").to_string()
}

/// Levels that are greater than the greatest one: the array reader takes them for values or nulls.
#[test]
fn levels_of_kept_columns() {
    let whole = table(&[40], |properties| properties.set_dictionary_enabled(false));
    let run = |level: u8| [2, 0, 0, 0, 40 << 1, level];
    let place = whole.windows(6).position(|bytes| bytes == run(1)).expect("40 levels");
    let mut odd = whole;
    odd[place..place + 6].copy_from_slice(&run(33));
    let found = unverified(&odd, &request("n"));
    assert!(found.contains("column e: it cannot be decoded"), "{found}");
}

/// Lists whose levels cannot be: an element of a list that is null, and one behind an empty list.
#[test]
fn levels_of_kept_lists() {
    let schema =
        "message m { optional binary e; optional group l { repeated group list { optional int64 x; } } }";
    let write = |defined: &[i16]| {
        let mut bytes = Vec::new();
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).expect("a writer");
        let mut group = writer.next_row_group().expect("a row group");
        let mut column = group.next_column().expect("a column").expect("a column");
        let texts = vec![ByteArray::from("a"); 2];
        column.typed::<ByteArrayType>().write_batch(&texts, Some(&[1, 1]), None).expect("texts");
        column.close().expect("a column");
        let mut column = group.next_column().expect("a column").expect("a column");
        let numbers = vec![7; defined.iter().filter(|level| **level == 3).count()];
        let repeated = Some(&[0, 1, 0][..]);
        column.typed::<Int64Type>().write_batch(&numbers, Some(defined), repeated).expect("lists");
        column.close().expect("a column");
        group.close().expect("a row group");
        writer.close().expect("Parquet");
        bytes
    };
    hashed(&write(&[3, 2, 0]), &request("e")).expect("tags");
    for defined in [[3, 0, 3], [1, 3, 3], [3, 1, 3]] {
        let found = unverified(&write(&defined), &request("e"));
        assert!(found.contains("column l: its levels contradict each other"), "{found}");
    }
}

/// Checksums of pages are checked, in columns that stay and in hashed ones.
#[test]
fn checksums_of_pages() {
    let whole = table(&[40], |properties| properties.set_dictionary_enabled(false));
    let start = usize::try_from(chunk_of(&whole, 0, 1).int(9).expect("a place")).expect("a place");
    let (mut header, len) = Struct::read(&whole[start..]).expect("a header");
    header.set(4, Some(Value::int32(1)));
    let new = header.write();
    let grown = (new.len() - len) as i64;
    let odd = [&whole[..start], &new, &whole[start + len..]].concat();
    let odd = chunk(&odd, (0, 1), |chunk, meta| {
        (4..8).for_each(|id| chunk.set(id, None));
        for id in [6, 7] {
            let size = meta.int(id).expect("a size");
            meta.set(id, number(size + grown));
        }
    });
    assert!(error(&odd, &request("n")).contains("row group 1"));
    assert!(unverified(&odd, &request("e")).contains("column n: it cannot be decoded"));
}

/// What readers in C++ refuse a file for is not put into a footer.
#[test]
fn footers_of_another_shape() {
    let whole = plain(&[40]);
    let list = |items: &[&[u8]]| Some(Value::list(kind::STRUCT, items));
    let sizes = |levels: usize| {
        let mut sizes = Struct::default();
        sizes.set(3, Some(Value::list(kind::I64, &vec![[2]; levels])));
        Some(sizes.value())
    };
    let mut statistics = Struct::default();
    statistics.set(5, number(7));
    for (id, value, stays) in [
        (8, list(&[b"\x18\x01k\x18\x01v\x00"]), true),
        (8, list(&[b"\x28\x01v\x00"]), false),
        (12, Some(statistics.value()), false),
        (13, list(&[b"\x15\x00\x15\x00\x15\x02\x00"]), true),
        (13, list(&[b"\x15\x00\x15\x00\x00"]), false),
        (16, sizes(1), true),
        (16, sizes(2), false),
    ] {
        let odd = chunk(&whole, (0, 1), |_, meta| meta.set(id, value.clone()));
        let output = hashed(&odd, &request("e")).expect("tags");
        assert_eq!(rows(&output), tagged(&[40]));
        assert_eq!(chunk_of(&output, 0, 1).get(id), value.as_ref().filter(|_| stays), "{id}");
    }
    // Encodings that are no numbers of 32 bits: the list must be there.
    let odd = chunk(&whole, (0, 1), |_, meta| meta.set(2, Some(Value::list(kind::I16, &[[0]]))));
    let output = hashed(&odd, &request("e")).expect("tags");
    assert_eq!(rows(&output), tagged(&[40]));
    assert!(chunk_of(&output, 0, 1).get(2).and_then(Value::items).is_some_and(|(kind, _)| kind != kind::I16));
    // So must the version, as a number of 32 bits.
    let odd = edited(&whole, |file| {
        let mut version = file.get(1).cloned().expect("a version");
        version.kind = kind::I16;
        file.set(1, Some(version));
    });
    let output = hashed(&odd, &request("e")).expect("tags");
    let (footer, _) = Struct::read(parts(&output).1).expect("a footer");
    assert_eq!(footer.get(1).map(|version| version.kind), Some(kind::I32));
    // A decimal without its precision.
    let odd = edited(&whole, |file| {
        at(file, 2, 2, |element| {
            element.set(10, Some(Value { kind: kind::STRUCT, bytes: b"\x5c\x15\x04\x00\x00"[..].into() }));
        });
    });
    assert_eq!(error(&odd, &request("e")), "column n: what the footer says of its type is damaged");
}

/// What contradicts itself is refused, in columns that stay and in hashed ones.
#[test]
fn contradictions_are_refused() {
    let whole = plain(&[40]);
    for leaf in [0, 1] {
        let name = ["e", "n"][leaf];
        let old = chunk_of(&whole, 0, leaf);
        let (count, data) = (old.int(5).expect("a count"), old.int(9).expect("a place"));
        for (id, value, what) in [
            (5, count - 1, "it does not have the number of values that its row group says"),
            (5, count + 1, "it does not have the number of values that its row group says"),
            (7, old.int(7).expect("a length") - 1, "its pages do not end where its chunk ends"),
            (7, 1 << 40, "its pages do not end where its chunk ends"),
            (9, data + 1 + i64::from(leaf == 0), ""),
        ] {
            let value = if value > 1 << 30 { 1 << 29 } else { value };
            let odd = chunk(&whole, (0, leaf), |_, meta| {
                meta.set(id, number(value));
                if id == 9 {
                    meta.set(11, None);
                }
            });
            let text = error(&odd, &request("e"));
            assert!(
                text.starts_with(&format!("row group 1: column {name}: ")) && text.contains(what),
                "{text}"
            );
        }
        let encrypted = chunk(&whole, (0, leaf), |chunk, _| {
            chunk.set(8, Some(Struct::default().value()));
        });
        assert_eq!(error(&encrypted, &request("e")), format!("column {name}: it is encrypted"));
        let elsewhere = chunk(&whole, (0, leaf), |chunk, _| {
            chunk.set(1, Some(binary(b"\x01x")));
        });
        assert_eq!(
            error(&elsewhere, &request("e")),
            format!("column {name}: its values are in another file")
        );
    }
    let fewer = edited(&whole, |file| at(file, 4, 0, |group| group.set(3, number(39))));
    assert!(error(&fewer, &request("e")).contains("column e: it does not have the number of values"));
    let mut locked = whole.clone();
    let end = locked.len() - 1;
    locked[end] = b'E';
    assert_eq!(error(&locked, &request("e")), "the file is encrypted");
}

/// Pages of version 2 that are compressed and say that they are not, as Arrow C++ before 3.0 wrote them.
#[test]
fn flags_of_pages() {
    let pages = |bytes: &[u8], leaf: usize, edit: &dyn Fn(&mut Struct<'_>)| {
        let place = chunk_of(bytes, 0, leaf).int(9).expect("a place") as usize;
        let (mut page, len) = Struct::read(&bytes[place..]).expect("a page");
        edit(&mut page);
        let new = page.write();
        assert_eq!(new.len(), len);
        [&bytes[..place], &new, &bytes[place + len..]].concat()
    };
    let not_compressed = |page: &mut Struct<'_>| {
        let head = page.get(8).cloned().expect("a page of version 2");
        let mut head = head.fields().expect("a header");
        head.set(7, Some(Value { kind: kind::FALSE, bytes: Default::default() }));
        let head = head.value();
        page.set(8, Some(head));
    };
    let compressed = |writer: &'static str, compression| {
        table(&[4000], |properties| {
            properties
                .set_writer_version(WriterVersion::PARQUET_2_0)
                .set_compression(compression)
                .set_dictionary_enabled(false)
                .set_encoding(Encoding::PLAIN)
                .set_created_by(writer.into())
        })
    };
    let new = "parquet-cpp-arrow version 3.0.0";
    for leaf in [0, 1] {
        for other in [false, true] {
            let request = request(if other == (leaf == 0) { "n" } else { "e" });
            let lie = pages(&compressed(new, Compression::SNAPPY), leaf, &not_compressed);
            let text = error(&lie, &request);
            assert!(text.ends_with("a page says that it is not compressed, but its sizes differ"), "{text}");
            let stored = pages(&compressed(new, Compression::UNCOMPRESSED), leaf, &not_compressed);
            assert!(hashed(&stored, &request).is_ok());
        }
        // The sizes may be equal by chance.
        let lie = |writer| {
            let whole = compressed(writer, Compression::UNCOMPRESSED);
            let odd = pages(&whole, leaf, &not_compressed);
            // The codec is Snappy.
            chunk(&odd, (0, leaf), |_, meta| meta.set(4, Some(Value::int32(1))))
        };
        assert!(hashed(&lie(new), &request("e")).is_ok());
        for old in ["parquet-cpp-arrow version 2.0.0", "parquet-cpp version 1.5.1-SNAPSHOT"] {
            assert!(error(&lie(old), &request("e")).contains("Arrow C++ before 3.0"));
        }
    }
}

/// Indexes and filters that do not agree with the pages are dropped.
#[test]
fn indexes_that_are_wrong() {
    let whole = table(&[4000], |properties| {
        properties
            .set_data_page_row_count_limit(1000)
            .set_write_batch_size(1000)
            .set_bloom_filter_enabled(true)
    });
    let indexes = |bytes: &[u8]| {
        let metadata = metadata(bytes);
        let index = metadata.page_index().cloned();
        let chunk = &metadata.row_groups()[0].columns()[1];
        let offsets = index.as_ref().is_some_and(|index| index.offset_index(0, 1).is_some());
        let values = index.as_ref().is_some_and(|index| index.column_index(0, 1).is_some());
        (offsets, values, chunk.bloom_filter_offset().is_some())
    };
    assert_eq!(indexes(&hashed(&whole, &request("e")).expect("tags")), (true, true, true));
    for (shown, wrong) in [((false, false, true), 4), ((true, true, false), 14)] {
        let other = edited(&whole, |file| {
            at(file, 4, 0, |group| {
                let chunks = group.get(1).cloned().expect("chunks");
                let chunks = chunks.structs().expect("chunks");
                let from = &chunks[0];
                let place = if wrong == 4 { from.get(4).cloned() } else { number(5) };
                let length = from.get(5).cloned();
                at(group, 1, 1, |chunk| {
                    let meta = chunk.get(3).cloned().expect("metadata");
                    let mut meta = meta.fields().expect("metadata");
                    if wrong == 4 {
                        chunk.set(
                            4,
                            place.clone().map(|place| Value {
                                kind: place.kind,
                                bytes: place.bytes.into_owned().into(),
                            }),
                        );
                        chunk.set(
                            5,
                            length.clone().map(|length| Value {
                                kind: length.kind,
                                bytes: length.bytes.into_owned().into(),
                            }),
                        );
                    } else {
                        meta.set(14, place);
                    }
                    let meta = meta.value();
                    chunk.set(3, Some(meta));
                });
            });
        });
        let output = hashed(&other, &request("e")).expect("tags");
        assert_eq!(rows(&output), tagged(&[4000]));
        assert_eq!(indexes(&output), shown);
    }
}

/// Text that is not UTF-8 has the tags of its bytes, and stays as it is.
#[test]
fn text_that_is_not_utf8() {
    let whole = plain(&[3]);
    let at = whole.windows(5).position(|bytes| bytes == b"user1").expect("a text");
    let mut odd = whole.clone();
    odd[at + 3] = 0xe9;
    let output = hashed(&odd, &request("e")).expect("tags");
    assert_eq!(rows(&output)[1].0, tag("e", b"use\xe91@x.example"));
    let output = hashed(&odd, &request("n")).expect("tags");
    assert!(output.windows(5).any(|bytes| bytes == b"use\xe91"));
    let row = Request { rows: vec![plan::row("r=e,n").expect("a row")], ..Request::default() };
    assert!(hashed(&odd, &row).is_ok());
}

/// Types that nobody knows yet stay, of columns that stay.
#[test]
fn unknown_types() {
    let unknown = |leaf: usize| {
        edited(&plain(&[3, 0]), |file| {
            at(file, 2, leaf + 1, |element| {
                let mut union = Struct::default();
                union.set(99, Some(Struct::default().value()));
                element.set(6, None);
                element.set(10, Some(union.value()));
            });
        })
    };
    let elements = |bytes: &[u8]| {
        let (file, _) = Struct::read(parts(bytes).1).expect("a footer");
        file.get(2).and_then(Value::structs).expect("a schema").iter().map(Struct::owned).collect::<Vec<_>>()
    };
    for (leaf, other) in [(0, "n"), (1, "e")] {
        let odd = unknown(leaf);
        let output = hashed(&odd, &request(other)).expect("tags");
        assert_eq!(elements(&output)[leaf + 1], elements(&odd)[leaf + 1]);
        let (shown, kept) = (chunk_of(&output, 0, leaf), chunk_of(&odd, 0, leaf));
        assert_eq!(shown.int(7), kept.int(7));
    }
    assert_eq!(error(&unknown(1), &request("n")), "column n: its type is not one that keylane reads");
}

/// The metadata of a chunk stays with its column, and so does the order of a row group, up to a column of tags.
#[test]
fn metadata_of_chunks() {
    let mut pair = Struct::default();
    pair.set(1, Some(binary(b"\x04note")));
    let pairs = Value::list(kind::STRUCT, &[pair.write()]);
    let both = |bytes: &[u8]| {
        let noted = chunk(bytes, (0, 0), |_, meta| meta.set(8, Some(pairs.clone())));
        let noted = chunk(&noted, (0, 1), |_, meta| meta.set(8, Some(pairs.clone())));
        let sorted = |leaf: i32| {
            let mut column = Struct::default();
            column.set(1, Some(Value::int32(leaf)));
            let flag = |kind| Some(Value { kind, bytes: Default::default() });
            column.set(2, flag(kind::FALSE));
            column.set(3, flag(kind::TRUE));
            column.write()
        };
        let columns = Value::list(kind::STRUCT, &[sorted(1), sorted(0)]);
        edited(&noted, |file| at(file, 4, 1, |group| group.set(4, Some(columns))))
    };
    let output = hashed(&both(&plain(&[3, 2])), &request("e")).expect("tags");
    assert_eq!(chunk_of(&output, 0, 0).get(8), None);
    assert_eq!(chunk_of(&output, 0, 1).get(8), Some(&pairs));
    let metadata = metadata(&output);
    let sorting = |group: usize| metadata.row_groups()[group].sorting_columns().map(|all| all.len());
    assert_eq!((sorting(0), sorting(1)), (None, Some(1)));
}

/// No value of a replaced column stays in metadata, and what is dropped is named.
#[test]
fn metadata_of_the_file() {
    let texts = StringArray::from(vec!["anna@x.example", "zoe@x.example"]);
    let numbers = Int64Array::from(vec![1, 2]);
    let field = |batch: &RecordBatch| {
        let metadata = [("_PL_ENUM_VALUES", "14;anna@x.example13;zoe@x.example"), ("PARQUET:field_id", "7")];
        let metadata = metadata.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
        batch.schema().field(0).clone().with_metadata(metadata.collect::<Metadata>())
    };
    let batch = RecordBatch::try_from_iter([("e", Arc::new(texts) as _), ("n", Arc::new(numbers) as _)])
        .expect("a batch");
    let fields = vec![field(&batch), batch.schema().field(1).clone()];
    let schema = Arc::new(arrow_schema::Schema::new(fields));
    let batch = batch.with_schema(schema.clone()).expect("a batch");
    let pairs = vec![
        KeyValue::new("mine".into(), "anna@x.example".to_owned()),
        KeyValue::new("kept".into(), "a note".to_owned()),
        KeyValue::new("org.apache.spark.version".into(), "4.0.0".to_owned()),
    ];
    let mut bytes = Vec::new();
    let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).build();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).expect("a writer");
    writer.write(&batch).expect("a batch");
    writer.close().expect("Parquet");

    let request = Request { keep_metadata: vec!["kept".into()], ..request("e") };
    let output = tempfile::tempfile().expect("a file");
    let report =
        hash(&file(&bytes), output.try_clone().expect("a file"), &request, &key(), |_| {}).expect("tags");
    assert_eq!(report.dropped, ["metadata mine", "metadata _PL_ENUM_VALUES of column e"]);
    let text = explain(&file(&bytes), &request, &key()).expect("a plan");
    for line in [
        "metadata mine is dropped\n",
        "metadata kept stays\n",
        "metadata org.apache.spark.version stays\n",
        "metadata _PL_ENUM_VALUES of column e is dropped\n",
        "metadata PARQUET:field_id of column e stays\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let reader = ParquetRecordBatchReaderBuilder::try_new(output).expect("Parquet");
    let schema = reader.schema();
    assert_eq!(schema.field(0).metadata().get("PARQUET:field_id").map(String::as_str), Some("7"));
    let mut keys: Vec<&String> = schema.metadata().keys().chain(schema.field(0).metadata().keys()).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["PARQUET:field_id", "kept", "keylane", "keylane.e", "org.apache.spark.version"]);
}
