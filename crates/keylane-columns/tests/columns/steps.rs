//! Long columns are hashed in steps and in ranges for threads: each row has the tag that it has alone.

use arrow_array::{
    Array, ArrayRef, BooleanArray, Date64Array, Decimal128Array, Float32Array, Int32Array, Int64Array,
    StringArray, StringViewArray, TimestampNanosecondArray,
};
use keylane::siphash::Key;
use keylane_columns::{Algorithm, ColumnError, ColumnHasher, ColumnKey, Form};
use std::num::NonZeroUsize;
use std::sync::Arc;

const DAY: i64 = 86_400_000;

/// Columns of `rows` rows, some with nulls.
fn columns(rows: i64) -> Vec<ArrayRef> {
    let text = |row: i64| (row % 7 != 3).then(|| "x".repeat(row as usize % 30) + &row.to_string());
    let decimals = Decimal128Array::from_iter_values((0..rows).map(|row| i128::from(row) * 5));
    vec![
        Arc::new(Int64Array::from_iter_values(0..rows)),
        Arc::new(Int32Array::from_iter((0..rows).map(|row| (row % 5 != 0).then_some(row as i32)))),
        Arc::new(Float32Array::from_iter_values((0..rows).map(|row| row as f32 / 3.0))),
        Arc::new(BooleanArray::from_iter((0..rows).map(|row| Some(row % 3 == 0)))),
        Arc::new(Date64Array::from_iter_values((0..rows).map(|row| row * DAY))),
        Arc::new(TimestampNanosecondArray::from_iter_values((0..rows).map(|row| row * 500))),
        Arc::new(decimals.with_precision_and_scale(20, 1).expect("decimals")),
        Arc::new(StringArray::from_iter((0..rows).map(text))),
        Arc::new(StringArray::from_iter_values((0..rows).map(|row| row.to_string()))),
        Arc::new(StringViewArray::from_iter((0..rows).map(text))),
        Arc::new(StringViewArray::from_iter_values((0..rows).map(|row| row.to_string().repeat(3)))),
    ]
}

fn hasher(threads: usize) -> ColumnHasher {
    let key = ColumnKey::new("steps", Key::from_bytes([7; 16]));
    let hasher = ColumnHasher::new(&key, Algorithm::SipHash13).with_form(Form::UInt64).expect("a form");
    hasher.with_threads(NonZeroUsize::new(threads).expect("not 0"))
}

#[test]
fn each_row_has_the_tag_that_it_has_alone() {
    for rows in [0, 1, 4095, 4096, 4097, 9000, 33_000] {
        for column in columns(rows) {
            for threads in [1, 3] {
                let hasher = hasher(threads);
                let tags = hasher.hash_array("c", &column).expect("tags");
                assert_eq!((tags.len(), tags.null_count()), (column.len(), column.null_count()));
                let around = |edge: usize| edge.saturating_sub(2)..edge + 2;
                for row in [0, 4096, 8192, 16_384, column.len()].into_iter().flat_map(around) {
                    if row < column.len() {
                        let alone = hasher.hash_array("c", &column.slice(row, 1)).expect("a tag");
                        assert_eq!(
                            &alone,
                            &tags.slice(row, 1),
                            "{}, row {row} of {rows}",
                            column.data_type()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_fault_has_its_row_whatever_the_step() {
    for bad in [0, 4095, 4096, 8192, 20_000, 32_999] {
        let days = (0..33_000).map(|row| row * DAY + i64::from(row >= bad));
        let column = Date64Array::from_iter_values(days);
        for threads in [1, 3] {
            let error = hasher(threads).hash_array("c", &column).unwrap_err();
            assert_eq!(error, ColumnError::Date { column: "c".into(), row: bad as usize });
        }
    }
}
