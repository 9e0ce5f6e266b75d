//! Random tables against the reference in Python, `tests/kce1/kce1.py`.

use crate::common::random::{Random, plain_type, row_type, values};
use crate::common::{LAYOUTS, data_type, laid_out};
use crate::python::reference;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use keylane::siphash::Key;
use keylane_columns::{Algorithm, ColumnHasher, ColumnKey, Form};
use serde_json::{Value as Json, json};
use std::sync::Arc;

const ALGORITHMS: [Algorithm; 2] = [Algorithm::SipHash13, Algorithm::SipHashX24];

fn tags(array: &dyn Array) -> Json {
    array.as_string::<i32>().iter().collect()
}

fn hasher(algorithm: Algorithm) -> ColumnHasher {
    let key = ColumnKey::new("k", Key::from_bytes([7; 16]));
    ColumnHasher::new(&key, algorithm).with_form(Form::Hex).expect("hex")
}

fn compare(cases: &[Json], hash: impl Fn(usize, &Json, Algorithm) -> ArrayRef) {
    let names = ALGORITHMS.map(Algorithm::name);
    let Some(answers) = reference(&names, cases) else { return };
    for (at, (case, answer)) in cases.iter().zip(&answers).enumerate() {
        for algorithm in ALGORITHMS {
            let found = tags(&hash(at, case, algorithm));
            assert_eq!(found, answer["tags"][algorithm.name()], "{case} {}", answer["messages"]);
        }
    }
}

#[test]
fn columns() {
    let mut random = Random::new(1);
    let case = |_| {
        let wanted = plain_type(&mut random);
        let count = random.below(40);
        let values = values(&mut random, &wanted, count);
        json!({ "mode": "plain", "key": "07".repeat(16), "type": wanted, "values": values })
    };
    let cases: Vec<Json> = (0..400).map(case).collect();
    compare(&cases, |at, case, algorithm| {
        let wanted = data_type(case["type"].as_str().expect("a type"));
        let values = case["values"].as_array().expect("values");
        let array = laid_out(&wanted, values, LAYOUTS[at % LAYOUTS.len()]);
        hasher(algorithm).hash_array("c", &array).expect("tags")
    });
}

#[test]
fn rows() {
    let mut random = Random::new(2);
    let case = |_| {
        let count = random.below(12);
        let column = |_| {
            let wanted = row_type(&mut random, 3);
            let values = values(&mut random, &wanted, count);
            json!({ "type": wanted, "values": values })
        };
        let columns: Vec<Json> = (0..1 + count % 4).map(column).collect();
        json!({ "mode": "row", "key": "07".repeat(16), "columns": columns })
    };
    let cases: Vec<Json> = (0..300).map(case).collect();
    compare(&cases, |at, case, algorithm| {
        let mut fields = Vec::new();
        let mut arrays = Vec::new();
        for (column, layout) in case["columns"].as_array().expect("columns").iter().zip(at..) {
            let wanted = data_type(column["type"].as_str().expect("a type"));
            let values = column["values"].as_array().expect("values");
            let array = laid_out(&wanted, values, LAYOUTS[layout % LAYOUTS.len()]);
            fields.push(Field::new(layout.to_string(), array.data_type().clone(), true));
            arrays.push(array);
        }
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("batch");
        hasher(algorithm).hash_rows(&batch, &names).expect("tags")
    });
}
