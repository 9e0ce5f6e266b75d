//! Slices, chunks and threads change no tag.

use crate::common::random::{Random, plain_type, row_type, values};
use crate::common::{LAYOUTS, data_type, laid_out};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use keylane::siphash::Key;
use keylane_columns::{Algorithm, ColumnError, ColumnHasher, ColumnKey, Form, Nulls};
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
use std::sync::Arc;

fn hasher() -> ColumnHasher {
    ColumnHasher::new(&ColumnKey::new("k", Key::from_bytes([7; 16])), Algorithm::default())
}

fn batch(columns: Vec<ArrayRef>) -> (RecordBatch, Vec<String>) {
    let names: Vec<String> = (0..columns.len()).map(|at| format!("c{at}")).collect();
    let field = |(name, column): (&String, &ArrayRef)| Field::new(name, column.data_type().clone(), true);
    let fields: Vec<Field> = names.iter().zip(&columns).map(field).collect();
    (RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("batch"), names)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn slices_and_chunks_of_columns(seed in any::<u64>(), cuts in proptest::array::uniform2(0_usize..2500)) {
        let mut random = Random::new(seed);
        let wanted = plain_type(&mut random);
        // Keys of 8 bits have no room for more.
        let count = if wanted.ends_with("int8>") { 60 } else { random.below(2500) };
        let values = values(&mut random, &wanted, count);
        let array = laid_out(&data_type(&wanted), &values, LAYOUTS[random.below(LAYOUTS.len())]);
        let whole = hasher().hash_array("c", &array).expect("tags");
        let [first, second] = cuts.map(|cut| cut.min(count));
        let (start, end) = (first.min(second), first.max(second));
        let slice = array.slice(start, end - start);
        prop_assert_eq!(&hasher().hash_array("c", &slice).expect("tags"), &whole.slice(start, end - start));
        let chunks = [array.slice(0, start), slice, array.slice(end, count - end)];
        let tags = hasher().hash_chunks("c", &chunks).expect("tags");
        let mut at = 0;
        for tags in tags {
            prop_assert_eq!(&tags, &whole.slice(at, tags.len()));
            at += tags.len();
        }
        prop_assert_eq!(at, count);
    }

    #[test]
    fn slices_of_rows(seed in any::<u64>(), cuts in proptest::array::uniform2(0_usize..100)) {
        let mut random = Random::new(seed);
        let count = random.below(100);
        let columns = (0..3).map(|_| {
            let wanted = row_type(&mut random, 3);
            let values = values(&mut random, &wanted, count);
            laid_out(&data_type(&wanted), &values, LAYOUTS[random.below(LAYOUTS.len())])
        });
        let (batch, names) = batch(columns.collect());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let whole = hasher().hash_rows(&batch, &names).expect("tags");
        let [first, second] = cuts.map(|cut| cut.min(count));
        let (start, length) = (first.min(second), first.abs_diff(second));
        let part = hasher().hash_rows(&batch.slice(start, length), &names).expect("tags");
        prop_assert_eq!(&part, &whole.slice(start, length));
    }
}

#[test]
fn a_few_keys_of_a_large_dictionary() {
    let types =
        ["utf8", "utf8_view", "date64", "timestamp[ns]", "decimal256(76, 3)", "float16", "null", "bool"];
    for (seed, wanted) in (1..).zip(types) {
        let mut random = Random::new(seed);
        let values = values(&mut random, wanted, 500);
        let array = laid_out(&data_type(wanted), &values, "dictionary");
        let whole = hasher().hash_array("c", &array).expect("tags");
        for start in 0..490 {
            let slice = array.slice(start, 10);
            let found = hasher().hash_array("c", &slice).expect("tags");
            assert_eq!(&found, &whole.slice(start, 10), "{wanted} {start}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let ids = Int64Array::from_iter((0..100_000).map(|id| (id % 7 != 0).then_some(id)));
    let names =
        StringArray::from_iter((0..100_000).map(|id| (id % 5 != 0).then(|| format!("name {}", id % 999))));
    let (batch, columns) = batch(vec![Arc::new(ids), Arc::new(names)]);
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let three = hasher().with_threads(3.try_into().expect("not 0"));
    assert_eq!(three.hash_record_batch(&batch, &columns), hasher().hash_record_batch(&batch, &columns));
    let rows = hasher().hash_rows(&batch, &columns).expect("tags");
    assert_eq!(&three.hash_rows(&batch, &columns).expect("tags"), &rows);
    assert_eq!(rows.null_count(), 0);
    let refused = three.with_nulls(Nulls::Refuse).hash_rows(&batch.slice(1, 50_000), &columns).unwrap_err();
    assert_eq!(refused, ColumnError::Null { column: "c1".into(), row: 4 });
}

#[test]
fn threads_find_the_first_error() {
    let mut days = vec![86_400_000; 100_000];
    let dates = |days: &[i64]| -> ArrayRef { Arc::new(arrow_array::Date64Array::from(days.to_vec())) };
    for row in [99_999, 70_000, 30_001] {
        days[row] += 1;
        let four = hasher().with_threads(4.try_into().expect("not 0"));
        let error = ColumnError::Date { column: "c0".into(), row };
        assert_eq!(four.hash_array("c0", &dates(&days)).unwrap_err(), error);
        let chunks = [dates(&days[..10_000]), dates(&days[10_000..])];
        assert_eq!(four.hash_chunks("c0", &chunks).unwrap_err(), error);
        let (batch, _) = batch(vec![dates(&days)]);
        assert_eq!(four.hash_rows(&batch, &["c0"]).unwrap_err(), error);
    }
}

#[test]
fn more_rows_than_memory_are_an_error() {
    let nulls = arrow_array::NullArray::new(usize::MAX / 8);
    assert_eq!(hasher().hash_array("c", &nulls).unwrap_err(), ColumnError::Memory { column: "c".into() });
}

#[test]
fn more_text_than_one_array_holds_is_an_error() {
    let rows = (1 << 31) / 32;
    let hasher = hasher().with_form(Form::Hex).expect("hex");
    let found = hasher.hash_array("c", &arrow_array::NullArray::new(rows)).unwrap_err();
    assert_eq!(found, ColumnError::Long { column: "c".into(), rows });
}
