//! No value is forgotten, few others pass, the layout of a column does not matter, and a secret key keeps its secret. In
//! a file, no row group is left out that has a value.

use super::file::FilteredColumn;
use super::filter::Filter;
use super::{GROUPS, SHARE, attack, customers, passing, write};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Int64Array, LargeStringArray, StringArray,
    StringViewArray,
};
use keylane::siphash::Key;
use keylane_columns::{ColumnError, ColumnKey};
use std::fs;
use std::sync::Arc;

const KNOWN: usize = 10_000;

fn key(bytes: [u8; 16]) -> ColumnKey {
    ColumnKey::new("orders", Key::from_bytes(bytes))
}

fn secret() -> ColumnKey {
    key(*b"sixteen key byte")
}

/// A filter with the customers below `known`.
fn filter(key: &ColumnKey, known: usize) -> Result<Filter, ColumnError> {
    let mut filter = Filter::new(key, known, SHARE);
    filter.insert("customer", &customers(0..known))?;
    Ok(filter)
}

#[test]
fn all_values_and_few_others_pass() {
    let filter = filter(&secret(), KNOWN).expect("a filter");
    assert_eq!(passing(&filter, &customers(0..KNOWN)), Ok(KNOWN));
    let others = 10 * KNOWN;
    let wrong = passing(&filter, &customers(KNOWN..KNOWN + others)).expect("a column");
    let expected = SHARE * others as f64;
    assert!((0.7 * expected..1.3 * expected).contains(&(wrong as f64)), "{wrong} of {others}");
}

/// The best size for a share of 1 % is 9.6 bits a value.
#[test]
fn the_size_follows_from_the_share() {
    let bits = Filter::new(&secret(), 1_000_000, 0.01).bits();
    assert!((9_500_000..9_700_000).contains(&bits), "{bits} bits");
    for share in [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut filter = Filter::new(&secret(), 0, share);
        filter.insert("customer", &customers(0..10)).expect("a column");
        assert_eq!(passing(&filter, &customers(0..10)), Ok(10), "{share}");
    }
}

#[test]
fn nulls_are_neither_in_nor_out() {
    let mut filter = Filter::new(&secret(), 10, SHARE);
    filter.insert("customer", &Int64Array::from(vec![None, Some(5), None])).expect("a column");
    let answers = filter.may_contain("customer", &Int64Array::from(vec![Some(5), None])).expect("a column");
    assert_eq!(answers, BooleanArray::from(vec![Some(true), None]));
    // What lies behind a null was not inserted.
    assert_eq!(passing(&filter, &Int64Array::from(vec![0])), Ok(0));
}

#[test]
fn the_layout_does_not_matter() {
    let emails: Vec<String> = (0..1000).map(|i| format!("person-{i}@example.com")).collect();
    let (inserted, asked) = (&emails[..500], || emails.iter().map(|email| Some(email.as_str())));
    let mut filter = Filter::new(&secret(), inserted.len(), SHARE);
    filter.insert("email", &StringArray::from_iter_values(inserted)).expect("a column");
    let whole = filter.may_contain("email", &asked().collect::<StringArray>()).expect("a column");
    let columns: [ArrayRef; 3] = [
        Arc::new(asked().collect::<LargeStringArray>()),
        Arc::new(asked().collect::<StringViewArray>()),
        Arc::new(asked().collect::<DictionaryArray<Int32Type>>()),
    ];
    for column in columns {
        assert_eq!(filter.may_contain("email", &column).as_ref(), Ok(&whole), "{}", column.data_type());
        let second = filter.may_contain("email", &column.slice(500, 500)).expect("a column");
        assert_eq!(second, whole.slice(500, 500));
    }
    assert!(whole.slice(0, 500).true_count() == 500 && whole.slice(500, 500).true_count() < 20);
}

#[test]
fn values_chosen_under_one_key_are_ordinary_under_another() {
    let known = filter(&key([0; 16]), KNOWN).expect("a filter");
    let chosen = attack(&known, KNOWN, 500).expect("values");
    assert_eq!(passing(&known, &chosen), Ok(500));
    assert!(passing(&filter(&secret(), KNOWN).expect("a filter"), &chosen).expect("a column") < 20);
}

/// A file with `rows` orders.
fn orders(rows: usize) -> (tempfile::TempDir, FilteredColumn) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("orders.parquet");
    write(&path, rows).expect("a file");
    let orders = FilteredColumn::open(&path, "customer", &secret(), SHARE).expect("a column");
    (folder, orders)
}

#[test]
fn no_row_group_is_left_out_that_has_a_value() {
    let (_folder, orders) = orders(KNOWN);
    assert_eq!(orders.filters().len(), GROUPS);
    let mut wrong = 0;
    for number in (0..KNOWN).step_by(97) {
        let customer = number as i64;
        let has = |group: &usize| {
            let batches = orders.read(vec![*group]).expect("a group").map(|batch| batch.expect("a batch"));
            batches.into_iter().any(|batch| {
                assert_eq!(batch.num_columns(), 1, "no other column is read");
                batch.column(0).as_primitive::<Int64Type>().values().contains(&customer)
            })
        };
        let groups = orders.groups(&Int64Array::from(vec![customer])).expect("groups");
        let (right, others): (Vec<usize>, Vec<usize>) = groups.into_iter().partition(has);
        assert_eq!(right.len(), 1, "{customer}");
        wrong += others.len();
    }
    // 104 values, and 19 groups each that could be taken wrongly: 20 are expected.
    assert!(wrong < 50, "{wrong} groups");
}

#[test]
fn values_that_no_row_has_need_hardly_any_reading() {
    let (_folder, orders) = orders(KNOWN);
    let others = 500;
    let read: usize = (KNOWN..KNOWN + others)
        .map(|number| orders.groups(&customers(number..number + 1)).expect("groups").len())
        .sum();
    let expected = SHARE * (others * GROUPS) as f64;
    assert!((0.5 * expected..1.5 * expected).contains(&(read as f64)), "{read} groups");
}

#[test]
fn small_files_and_wrong_ones_are_met_by_an_answer() {
    for rows in [0, 1, 7, GROUPS] {
        let (_folder, orders) = orders(rows);
        let all = orders.groups(&customers(0..rows)).expect("groups");
        assert_eq!(all, (0..orders.filters().len()).collect::<Vec<_>>(), "{rows}");
        assert_eq!(all.len(), rows.min(GROUPS), "{rows}");
    }
    let (folder, _) = orders(10);
    let path = folder.path().join("orders.parquet");
    let error =
        |name: &str| FilteredColumn::open(&path, name, &secret(), SHARE).err().expect("an error").to_string();
    assert_eq!(error("client"), "the file has no such column");
    fs::write(&path, b"no Parquet").expect("a file");
    error("customer");
    fs::remove_file(&path).expect("a file");
    error("customer");
}
