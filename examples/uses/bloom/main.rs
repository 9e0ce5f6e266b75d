//! A Bloom filter over a column of a Parquet file, under a key.
//!
//! ```console
//! cargo run --release -p keylane-uses --bin bloom -- 1000000
//! ```

mod file;
mod filter;
#[cfg(test)]
mod tests;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use file::FilteredColumn;
use filter::Filter;
use keylane::siphash::Key;
use keylane_columns::{ColumnError, ColumnKey};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::error::Error;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The share of other values that may pass.
const SHARE: f64 = 0.01;
/// The row groups of the file.
const GROUPS: usize = 20;

/// These numbers of customers.
fn customers(numbers: Range<usize>) -> Int64Array {
    numbers.map(|number| Some(number as i64)).collect()
}

/// Writes orders, one of each customer below `rows`. The customers of a row group lie far apart.
fn write(path: &Path, rows: usize) -> Result<(), Box<dyn Error>> {
    // A prime number: the product meets every remainder once, unless `rows` is a multiple of it.
    let customer = |row: usize| (row as u64 * 2_654_435_761 % rows as u64) as i64;
    let columns: [(&str, ArrayRef); 2] = [
        ("customer", Arc::new((0..rows).map(|row| Some(customer(row))).collect::<Int64Array>())),
        ("cents", Arc::new((0..rows).map(|row| Some(row as i64 % 10_000)).collect::<Int64Array>())),
    ];
    let batch = RecordBatch::try_from_iter(columns)?;
    let group = rows.div_ceil(GROUPS).max(1);
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}

/// Numbers of no customer that pass a filter. Only who knows its key can search them.
fn attack(filter: &Filter, known: usize, count: usize) -> Result<Int64Array, ColumnError> {
    let (mut found, mut next) = (Vec::with_capacity(count), known);
    while found.len() < count {
        let candidates = customers(next..next + 4096);
        let pass = filter.may_contain("customer", &candidates)?;
        found.extend(
            candidates.values().iter().zip(&pass).filter(|(_, pass)| *pass == Some(true)).map(|(n, _)| *n),
        );
        next += 4096;
    }
    found.truncate(count);
    Ok(found.into())
}

/// How many values of a column pass.
fn passing(filter: &Filter, column: &dyn Array) -> Result<usize, ColumnError> {
    Ok(filter.may_contain("customer", column)?.true_count())
}

fn main() -> Result<(), Box<dyn Error>> {
    let rows: usize = std::env::args().nth(1).map_or(Ok(1_000_000), |rows| rows.parse())?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("orders.parquet");
    write(&path, rows)?;

    let secret = ColumnKey::new("orders", Key::generate()?).derive("orders.customer")?;
    let start = Instant::now();
    let orders = FilteredColumn::open(&path, "customer", &secret, SHARE)?;
    let bits: u64 = orders.filters().iter().map(Filter::bits).sum();
    let (groups, time) = (orders.filters().len(), start.elapsed() / rows.max(1) as u32);
    println!(
        "{rows} rows in {groups} row groups; filters of {} KiB, {time:.1?} a row with the reading",
        bits / 8192
    );

    // Half of them have orders.
    let asked = 1000.min(rows) / 2 * 2;
    let (mut read, mut found) = (0, 0);
    for number in rows - asked / 2..rows + asked / 2 {
        let customer = Int64Array::from(vec![number as i64]);
        let may = orders.groups(&customer)?;
        read += may.len();
        found += usize::from(!may.is_empty());
    }
    println!(
        "{asked} customers, half of them without orders: {read} row groups to read instead of {}",
        asked * groups
    );
    println!("{} customers without orders need no reading at all", asked - found);

    let public = ColumnKey::new("public", Key::from_bytes([0; 16]));
    let known = FilteredColumn::open(&path, "customer", &public, SHARE)?;
    if let (Some(known), Some(ours)) = (known.filters().first(), orders.filters().first()) {
        let chosen = attack(known, rows, 1000)?;
        println!(
            "1000 values chosen under a known key: {} pass its filter of the first group, {} pass ours",
            passing(known, &chosen)?,
            passing(ours, &chosen)?
        );
    }
    Ok(())
}
