//! Every case of `tests/testdata/kce1.json` through SQL, in every layout, and value by value as constants.

#[allow(dead_code)]
#[path = "../../../crates/keylane-columns/tests/common/mod.rs"]
mod common;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};
use common::{LAYOUTS, array, data_type, laid_out, unhex};
use datafusion::common::{DataFusionError, ScalarValue};
use datafusion::datasource::MemTable;
use datafusion::logical_expr::lit;
use datafusion::prelude::{Expr, SessionContext};
use keylane_datafusion::{ColumnError, ColumnKey, Key, KeyRegistry, functions, register};
use serde_json::Value as Json;
use std::sync::Arc;

const SHORT: &str = "siphash-1-3-64";
const WIDE: &str = "siphash-2-4-128";

/// Cases whose nulls are kept: the functions have no other way.
fn cases(mode: &str) -> Vec<Json> {
    let file: Json = serde_json::from_str(include_str!("../../../tests/testdata/kce1.json")).expect("JSON");
    let cases = list(&file["cases"]).iter();
    cases.filter(|case| case["mode"] == mode && case["nulls"] != "error").cloned().collect()
}

fn text(value: &Json) -> &str {
    value.as_str().expect("text")
}

fn list(value: &Json) -> &[Json] {
    value.as_array().expect("a list")
}

/// The name of the key of a case: every key of the file has one.
fn name(case: &Json) -> String {
    format!("k-{}", &text(&case["key"])[..4])
}

fn keys() -> Arc<KeyRegistry> {
    let keys = KeyRegistry::new();
    for case in cases("plain").iter().chain(&cases("row")) {
        let key = Key::from_bytes(unhex(text(&case["key"])).try_into().expect("16 bytes"));
        keys.bind(ColumnKey::new(name(case), key)).expect("one key for each name");
    }
    Arc::new(keys)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Tags as the file has them.
fn tags(array: &dyn Array) -> Vec<Json> {
    let rows = 0..array.len();
    let json = |tag: Option<String>| tag.map_or(Json::Null, Json::from);
    match array.data_type() {
        DataType::UInt64 => {
            let tags = array.as_primitive::<UInt64Type>();
            tags.iter().map(|tag| json(tag.map(|tag| hex(&tag.to_le_bytes())))).collect()
        }
        DataType::FixedSizeBinary(16) => {
            array.as_fixed_size_binary().iter().map(|tag| json(tag.map(hex))).collect()
        }
        DataType::Utf8 => array.as_string::<i32>().iter().map(|tag| json(tag.map(String::from))).collect(),
        other => panic!("{rows:?} tags of the type {other}"),
    }
}

/// The tags that a query gives for a table.
async fn run(
    context: &SessionContext,
    batch: &RecordBatch,
    query: &str,
) -> Result<Vec<Json>, DataFusionError> {
    let table = MemTable::try_new(batch.schema(), vec![vec![batch.clone()]])?;
    context.deregister_table("t")?;
    context.register_table("t", Arc::new(table))?;
    let frame = context.sql(query).await?;
    let field = frame.schema().field(0).clone();
    let found = frame.collect().await?;
    let found: Vec<ArrayRef> = found.iter().map(|batch| Arc::clone(batch.column(0))).collect();
    assert!(field.is_nullable() || found.iter().all(|tags| tags.logical_null_count() == 0));
    assert!(found.iter().all(|tags| tags.data_type() == field.data_type()));
    Ok(found.iter().flat_map(|array| tags(array)).collect())
}

/// An error as the file has it.
fn kind(error: &DataFusionError) -> Json {
    let DataFusionError::External(error) = error.find_root() else { panic!("{error}") };
    match error.downcast_ref() {
        Some(ColumnError::Type { .. }) => serde_json::json!({ "kind": "type" }),
        Some(ColumnError::Date { row, .. }) => serde_json::json!({ "kind": "value", "row": row }),
        other => panic!("{other:?}"),
    }
}

fn compare(what: &str, case: &Json, algorithm: &str, found: Result<Vec<Json>, DataFusionError>) {
    match (found, case.get("error")) {
        (Ok(found), None) => assert_eq!(found, list(&case["tags"][algorithm]), "{what}"),
        (Err(found), Some(expected)) => assert_eq!(kind(&found), *expected, "{what}"),
        (found, expected) => panic!("{what}: {found:?}, not {expected:?}"),
    }
}

fn batch(columns: Vec<ArrayRef>, rows: usize) -> RecordBatch {
    let field =
        |(at, array): (usize, &ArrayRef)| Field::new(format!("c{at}"), array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>());
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(schema), columns, &options).expect("a batch")
}

const PLAIN: [(&str, &str); 3] =
    [("keylane_hash", SHORT), ("keylane_hash128", WIDE), ("keylane_pseudonym", WIDE)];

#[tokio::test]
async fn plain_columns_in_every_layout() {
    let context = SessionContext::new();
    register(&context, &keys());
    let cases = cases("plain");
    assert!(cases.len() > 100);
    for case in &cases {
        let (data_type, values) = (data_type(text(&case["type"])), list(&case["values"]));
        for layout in LAYOUTS {
            let batch = batch(vec![laid_out(&data_type, values, layout)], values.len());
            for (function, algorithm) in PLAIN {
                let query = format!("SELECT {function}('{}', c0) FROM t", name(case));
                let what = format!("{}, {layout}, {function}", text(&case["name"]));
                compare(&what, case, algorithm, run(&context, &batch, &query).await);
            }
        }
    }
}

#[tokio::test]
async fn rows_in_every_layout() {
    let context = SessionContext::new();
    register(&context, &keys());
    let cases: Vec<Json> =
        cases("row").into_iter().filter(|case| !list(&case["columns"]).is_empty()).collect();
    assert!(cases.len() > 40);
    for case in &cases {
        let columns = list(&case["columns"]);
        // 65 levels are refused, so a type of 64 levels has one layout.
        for layout in LAYOUTS.iter().take(if case["name"] == "64 levels" { 2 } else { LAYOUTS.len() }) {
            let values = |column: &Json| match column.get("values") {
                Some(values) => laid_out(&data_type(text(&column["type"])), list(values), layout),
                None => array(&data_type(text(&column["type"])), &logical(column)),
            };
            let arrays: Vec<ArrayRef> = columns.iter().map(values).collect();
            let rows = arrays[0].len();
            let names: Vec<String> = (0..arrays.len()).map(|at| format!("c{at}")).collect();
            let query = format!("SELECT keylane_hash_rows('{}', {}) FROM t", name(case), names.join(", "));
            let what = format!("{}, {layout}", text(&case["name"]));
            compare(&what, case, SHORT, run(&context, &batch(arrays, rows), &query).await);
        }
    }
}

/// The values of a dictionary or of runs.
fn logical(column: &Json) -> Vec<Json> {
    if let Some(indices) = column.get("indices") {
        let word =
            |index: &Json| index.as_u64().map_or(Json::Null, |at| column["dictionary"][at as usize].clone());
        return list(indices).iter().map(word).collect();
    }
    let mut values = Vec::new();
    for (end, value) in list(&column["run_ends"]).iter().zip(list(&column["runs"])) {
        values.resize(end.as_u64().expect("an end") as usize, value.clone());
    }
    values
}

#[tokio::test]
async fn constants() {
    let context = SessionContext::new();
    let [hash, hash128, pseudonym, rows] = functions(&keys());
    let mut seen = 0;
    for case in cases("plain").iter().filter(|case| case.get("error").is_none()) {
        let values = list(&case["values"]);
        let array = array(&data_type(text(&case["type"])), values);
        for at in 0..values.len() {
            // DataFusion has no constants of some types.
            let Ok(value) = ScalarValue::try_from_array(&array, at) else { continue };
            let value = Expr::Literal(value, None);
            let call = |function: &datafusion::logical_expr::ScalarUDF| {
                function.call(vec![lit(name(case)), value.clone()])
            };
            let select = vec![call(&hash), call(&hash128), call(&pseudonym), call(&rows)];
            let select = select.into_iter().enumerate().map(|(at, tag)| tag.alias(format!("tag {at}")));
            let frame = context.read_empty().expect("no table").select(select).expect("a plan");
            let found = frame.collect().await.expect("tags");
            let tag = |at: usize| tags(found[0].column(at))[0].clone();
            let (short, wide) = (&case["tags"][SHORT][at], &case["tags"][WIDE][at]);
            assert_eq!([&tag(0), &tag(1), &tag(2)], [short, wide, wide], "{}, row {at}", text(&case["name"]));
            assert!(!tag(3).is_null());
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen}");
}
