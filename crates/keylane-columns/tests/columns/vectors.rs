//! Every case of `tests/testdata/kce1.json`, in every layout.

use crate::common::{LAYOUTS, array, data_type, laid_out, unhex};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};
use keylane::siphash::{ContextError, Key};
use keylane_columns::{Algorithm, ColumnError, ColumnHasher, ColumnKey, Form, METADATA_KEY, Mode, Nulls};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::Arc;

fn cases(modes: &[&str]) -> Vec<Json> {
    let file = include_str!("../../../../tests/testdata/kce1.json");
    let mut file: Json = serde_json::from_str(file).expect("JSON");
    let cases = file["cases"].take();
    let cases: Vec<Json> = serde_json::from_value(cases).expect("cases");
    assert_eq!(file["count"], cases.len());
    cases.into_iter().filter(|case| modes.contains(&text(&case["mode"]))).collect()
}

fn text(value: &Json) -> &str {
    value.as_str().expect("text")
}

fn list(value: &Json) -> &[Json] {
    value.as_array().expect("a list")
}

fn key(case: &Json) -> ColumnKey {
    ColumnKey::new("k", Key::from_bytes(unhex(text(&case["key"])).try_into().expect("16 bytes")))
}

fn hasher(case: &Json, algorithm: Algorithm) -> ColumnHasher {
    let nulls = if case["nulls"] == "error" { Nulls::Refuse } else { Nulls::Keep };
    ColumnHasher::new(&key(case), algorithm).with_nulls(nulls)
}

/// Tags as the file has them.
fn tags(array: &dyn Array) -> Vec<Json> {
    let array = array.as_fixed_size_binary();
    let hex = |tag: &[u8]| tag.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    array.iter().map(|tag| tag.map_or(Json::Null, |tag| hex(tag).into())).collect()
}

/// An error as the file has it.
fn kind(error: ColumnError) -> Json {
    match error {
        ColumnError::Type { .. } => serde_json::json!({ "kind": "type" }),
        ColumnError::Date { row, .. } => serde_json::json!({ "kind": "value", "row": row }),
        ColumnError::Null { row, .. } => serde_json::json!({ "kind": "null", "row": row }),
        other => panic!("{other}"),
    }
}

/// What the file says of a case.
fn expected(case: &Json, algorithm: Algorithm) -> Result<&[Json], &Json> {
    match case.get("error") {
        Some(error) => Err(error),
        None => Ok(list(&case["tags"][algorithm.name()])),
    }
}

fn compare(name: &str, found: Result<ArrayRef, ColumnError>, expected: Result<&[Json], &Json>) {
    match (found, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(tags(&found), expected, "{name}"),
        (Err(found), Err(expected)) => assert_eq!(kind(found), *expected, "{name}"),
        (found, expected) => panic!("{name}: {found:?}, not {expected:?}"),
    }
}

#[test]
fn plain_columns_in_every_layout() {
    let cases = cases(&["plain"]);
    assert!(cases.len() > 100);
    for case in &cases {
        let (data_type, values) = (data_type(text(&case["type"])), list(&case["values"]));
        for layout in LAYOUTS {
            let array = laid_out(&data_type, values, layout);
            for algorithm in Algorithm::ALL {
                let name = format!("{}, {layout}, {algorithm}", text(&case["name"]));
                let found = hasher(case, algorithm).hash_array("c", &array);
                compare(&name, found, expected(case, algorithm));
            }
        }
    }
}

/// Dictionaries and runs that the file itself gives.
#[test]
fn columns_as_they_are_encoded() {
    use arrow_array::types::{Int8Type, Int16Type, Int32Type, UInt8Type};
    use arrow_array::{DictionaryArray, PrimitiveArray, RunArray};
    let mut seen = 0;
    for case in cases(&["plain"]) {
        let wanted = data_type(text(&case["type"]));
        let made: ArrayRef = match (&wanted, case.get("indices"), case.get("run_ends")) {
            (DataType::Dictionary(keys, words), Some(indices), _) => {
                let words = array(words, list(&case["dictionary"]));
                let keys = array(keys, list(indices));
                match keys.data_type() {
                    DataType::Int8 => {
                        Arc::new(DictionaryArray::<Int8Type>::new(keys.as_primitive().clone(), words))
                    }
                    DataType::UInt8 => {
                        Arc::new(DictionaryArray::<UInt8Type>::new(keys.as_primitive().clone(), words))
                    }
                    _ => Arc::new(DictionaryArray::<Int32Type>::new(keys.as_primitive().clone(), words)),
                }
            }
            (DataType::RunEndEncoded(ends, words), _, Some(run_ends)) => {
                let words = array(words.data_type(), list(&case["runs"]));
                let ends = array(ends.data_type(), list(run_ends));
                match ends.data_type() {
                    DataType::Int16 => {
                        let ends: &PrimitiveArray<Int16Type> = ends.as_primitive();
                        Arc::new(RunArray::try_new(ends, &words).expect("runs"))
                    }
                    _ => {
                        let ends: &PrimitiveArray<Int32Type> = ends.as_primitive();
                        Arc::new(RunArray::try_new(ends, &words).expect("runs"))
                    }
                }
            }
            _ => continue,
        };
        seen += 1;
        let algorithm = Algorithm::SipHashX24;
        let found = hasher(&case, algorithm).hash_array("c", &made);
        compare(text(&case["name"]), found, expected(&case, algorithm));
    }
    assert!(seen >= 6);
}

#[test]
fn plain_columns_in_chunks() {
    for case in cases(&["plain"]) {
        let (data_type, values) = (data_type(text(&case["type"])), list(&case["values"]));
        for size in [1, 3, 7] {
            for layout in LAYOUTS {
                let chunk = |values| laid_out(&data_type, values, layout);
                let chunks: Vec<ArrayRef> = values.chunks(size).map(chunk).collect();
                if chunks.is_empty() {
                    continue;
                }
                let algorithm = Algorithm::SipHash13;
                let found = hasher(&case, algorithm).hash_chunks("c", &chunks);
                let name = format!("{}, {layout}, chunks of {size}", text(&case["name"]));
                match (found, expected(&case, algorithm)) {
                    (Ok(found), Ok(expected)) => {
                        let found: Vec<Json> = found.iter().flat_map(|chunk| tags(chunk)).collect();
                        assert_eq!(found, expected, "{name}");
                    }
                    (Err(found), Err(expected)) => assert_eq!(kind(found), *expected, "{name}"),
                    (found, expected) => panic!("{name}: {found:?}, not {expected:?}"),
                }
            }
        }
    }
}

/// The rows of a case, each column in the layout that follows that of the column before.
fn batch(case: &Json, first: usize) -> RecordBatch {
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    for (at, column) in list(&case["columns"]).iter().enumerate() {
        let wanted = data_type(text(&column["type"]));
        let array = match column.get("values") {
            Some(values) => laid_out(&wanted, list(values), LAYOUTS[(first + at) % LAYOUTS.len()]),
            None => array(&wanted, &logical(column)),
        };
        fields.push(Field::new(format!("c{at}"), array.data_type().clone(), true));
        arrays.push(array);
    }
    let rows = case.get("rows").map_or_else(|| arrays[0].len(), |rows| rows.as_u64().expect("rows") as usize);
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options).expect("batch")
}

/// The values of a dictionary or of runs.
fn logical(column: &Json) -> Vec<Json> {
    if let Some(indices) = column.get("indices") {
        let word =
            |index: &Json| index.as_u64().map_or(Json::Null, |at| column["dictionary"][at as usize].clone());
        return list(indices).iter().map(word).collect();
    }
    let ends = list(&column["run_ends"]).iter().map(|end| end.as_u64().expect("end") as usize);
    let mut values = Vec::new();
    for (end, value) in ends.zip(list(&column["runs"])) {
        values.resize(end, value.clone());
    }
    values
}

#[test]
fn rows_in_every_layout() {
    let cases = cases(&["row"]);
    assert!(cases.len() > 40);
    for case in &cases {
        // 65 levels are refused, so a type of 64 levels has one layout.
        let layouts = if case["name"] == "64 levels" { 2 } else { LAYOUTS.len() };
        for (first, layout) in LAYOUTS.iter().enumerate().take(layouts) {
            let batch = batch(case, first);
            let schema = batch.schema();
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            for algorithm in Algorithm::ALL {
                let name = format!("{}, {layout}, {algorithm}", text(&case["name"]));
                let found = hasher(case, algorithm).hash_rows(&batch, &names);
                compare(&name, found, expected(case, algorithm));
            }
        }
    }
}

#[test]
fn deep_types_are_refused() {
    let nested = |levels: usize| {
        let text = format!("{}int64{}", "list<item: ".repeat(levels), ">".repeat(levels));
        let array = array(&data_type(&text), &[]);
        let field = Field::new("deep", array.data_type().clone(), true);
        RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).expect("batch")
    };
    let hasher = ColumnHasher::new(&ColumnKey::new("k", Key::from_bytes([7; 16])), Algorithm::default());
    assert!(hasher.hash_rows(&nested(64), &["deep"]).is_ok());
    let refused = hasher.hash_rows(&nested(65), &["deep"]).unwrap_err();
    assert_eq!(refused, ColumnError::Depth { column: "deep".into() });
}

#[test]
fn every_form_holds_the_same_bits() {
    for case in cases(&["plain", "row"]).iter().filter(|case| case.get("error").is_none()) {
        for algorithm in Algorithm::ALL {
            let hash = |form| {
                let hasher = hasher(case, algorithm).with_form(form)?;
                if case["mode"] == "plain" {
                    hasher.hash_array("c", &array(&data_type(text(&case["type"])), list(&case["values"])))
                } else {
                    let batch = batch(case, 0);
                    let schema = batch.schema();
                    let names: Vec<&str> =
                        schema.fields().iter().map(|field| field.name().as_str()).collect();
                    hasher.hash_rows(&batch, &names)
                }
            };
            let expected = expected(case, algorithm).expect("tags");
            let hex = hash(Form::Hex).expect("tags");
            let found: Vec<Json> = hex.as_string::<i32>().iter().map(Json::from).collect();
            assert_eq!(found, expected);
            let (unsigned, signed) = (hash(Form::UInt64), hash(Form::Int64));
            if algorithm.bits() == 128 {
                assert_eq!(unsigned.unwrap_err(), ColumnError::Form { algorithm, form: Form::UInt64 });
                continue;
            }
            let words = expected.iter().map(|tag| {
                let bytes = unhex(tag.as_str()?).try_into().expect("8 bytes");
                Some(u64::from_le_bytes(bytes))
            });
            let words: Vec<Option<u64>> = words.collect();
            let (unsigned, signed) = (unsigned.expect("tags"), signed.expect("tags"));
            assert_eq!(unsigned.as_primitive::<UInt64Type>().iter().collect::<Vec<_>>(), words);
            let signed = signed.as_primitive::<Int64Type>().iter().map(|word| word.map(|word| word as u64));
            assert_eq!(signed.collect::<Vec<_>>(), words);
        }
    }
}

#[test]
fn keys_and_metadata() {
    let (mut seen, mut reserved) = (0, 0);
    for case in cases(&["check", "derive", "metadata"]) {
        seen += 1;
        let key = key(&case);
        match text(&case["mode"]) {
            "check" => assert_eq!(key.check(), text(&case["check"])),
            "derive" if case["error"]["kind"] == "reserved" => {
                reserved += 1;
                assert_eq!(key.derive(text(&case["context"])).unwrap_err(), ContextError::Reserved);
            }
            "derive" => {
                let subkey = unhex(text(&case["subkey"])).try_into().expect("16 bytes");
                let expected = ColumnKey::new("k", Key::from_bytes(subkey));
                let derived = key.derive(text(&case["context"])).expect("a context");
                assert_eq!(derived.check(), expected.check());
                let tags = [derived, expected].map(|key| {
                    let values = array(&DataType::Utf8, &["some text".into()]);
                    tags(
                        &ColumnHasher::new(&key, Algorithm::SipHashX24)
                            .hash_array("c", &values)
                            .expect("tags"),
                    )
                });
                assert_eq!(tags[0], tags[1]);
                // No algorithm makes the subkey the tag of a text.
                let message = array(&DataType::Binary, &[case["message"].clone()]);
                for algorithm in Algorithm::ALL {
                    let tag = ColumnHasher::new(&key, algorithm).hash_array("c", &message).expect("a tag");
                    assert!(!text(&case["subkey"]).starts_with(text(&self::tags(&tag)[0])), "{algorithm}");
                }
            }
            _ => {
                let bytes = unhex(text(&case["key"])).try_into().expect("16 bytes");
                let mut key = ColumnKey::new(text(&case["name"]), Key::from_bytes(bytes));
                for context in list(&case["contexts"]) {
                    key = key.derive(text(context)).expect("a context");
                }
                let mode = if case["of"] == "row" { Mode::Row } else { Mode::Plain };
                let algorithm = text(&case["algorithm"]).parse().expect("an algorithm");
                assert_eq!(ColumnHasher::new(&key, algorithm).metadata(mode), text(&case["metadata"]));
            }
        }
    }
    assert!(seen > 20 && reserved > 3);
    for name in ["siphash-4-8-64", "siphash-4-8-128", "siphash-2-3-64", "siphash-1-3", ""] {
        assert_eq!(name.parse::<Algorithm>().unwrap_err(), ColumnError::Algorithm, "{name}");
    }
    let key = ColumnKey::new("k", Key::from_bytes([0; 16]));
    assert_eq!(key.derive(&"x".repeat(256)).unwrap_err(), ContextError::Length { bytes: 256 });
}

#[test]
fn batches_keep_what_is_not_hashed() {
    let id = array(&data_type("int64"), &["1".into(), Json::Null]);
    let uuid = array(&data_type("fixed_size_binary[2]"), &["6162".into(), Json::Null]);
    let extension = [("ARROW:extension:name", "arrow.uuid"), ("unit", "none")];
    let extension = extension.map(|(name, value)| (name.to_string(), value.to_string()));
    let fields = vec![
        Field::new("id", DataType::Int64, true),
        Field::new("uuid", uuid.data_type().clone(), true).with_metadata(HashMap::from(extension)),
        Field::new("twice", DataType::Int64, true),
        Field::new("twice", DataType::Int64, true),
    ];
    let columns = vec![id.clone(), uuid.clone(), id.clone(), id.clone()];
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("batch");
    let key = ColumnKey::new("users", Key::from_bytes([0; 16]));
    let hasher = ColumnHasher::new(&key, Algorithm::SipHash24).with_form(Form::Int64).expect("64 bits");
    let hashed = hasher.hash_record_batch(&batch, &["uuid"]).expect("tags");
    assert_eq!(hashed.column(0), batch.column(0));
    assert_eq!(hashed.column(1), &hasher.hash_array("uuid", &uuid).expect("tags"));
    let schema = hashed.schema();
    assert_eq!(schema.field(0), batch.schema().field(0));
    let metadata = schema.field(1).metadata();
    assert_eq!(metadata.len(), 2);
    assert_eq!(metadata["unit"], "none");
    assert_eq!(metadata[METADATA_KEY], "KCE-1; siphash-2-4-64; plain; key=users; check=ae4845b5");
    for (columns, error) in [
        (&["no"][..], ColumnError::Missing { column: "no".into() }),
        (&["twice"], ColumnError::Ambiguous { column: "twice".into() }),
        (&["id", "id"], ColumnError::Twice { column: "id".into() }),
    ] {
        assert_eq!(hasher.hash_record_batch(&batch, columns).unwrap_err(), error);
        assert_eq!(hasher.hash_rows(&batch, columns).unwrap_err(), error);
    }
}

#[test]
fn what_lies_behind_a_null_leaves_no_tag() {
    let values = array(&data_type("int64"), &["1".into(), serde_json::json!({ "behind_null": "7" })]);
    let hasher = ColumnHasher::new(&ColumnKey::new("k", Key::from_bytes([7; 16])), Algorithm::SipHash13);
    let hasher = hasher.with_form(Form::UInt64).expect("64 bits");
    let tags = hasher.hash_array("c", &values).expect("tags");
    assert_eq!(tags.as_primitive::<UInt64Type>().values()[1], 0);
}

#[test]
fn secrets_are_not_shown() {
    let key = ColumnKey::new("users", Key::from_bytes(*b"sixteen byte key"));
    let hasher = ColumnHasher::new(&key, Algorithm::SipHashX24);
    let shown = format!("{key:?} {hasher:?} {}", hasher.metadata(Mode::Plain));
    for part in ["sixteen", "73697874", "c2l4dGVl"] {
        assert!(!shown.contains(part), "{shown}");
    }
}
