//! A Bloom filter over a column of a table, under a key.
//!
//! ```console
//! cargo run --release -p keylane-uses --bin bloom -- 1000000
//! ```

mod filter;
#[cfg(test)]
mod tests;

use arrow_array::{Array, Int64Array};
use filter::Filter;
use keylane::siphash::Key;
use keylane_arrow::{ColumnError, ColumnKey};
use std::error::Error;
use std::time::Instant;

/// The share of other values that may pass.
const SHARE: f64 = 0.01;

/// The numbers of customers: the first `known` exist.
fn customers(numbers: std::ops::Range<usize>) -> Int64Array {
    numbers.map(|number| Some(number as i64)).collect()
}

/// A filter with the customers that exist.
fn filter(key: &ColumnKey, known: usize) -> Result<Filter, ColumnError> {
    let mut filter = Filter::new(key, known, SHARE);
    filter.insert("customer", &customers(0..known))?;
    Ok(filter)
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
    let known: usize = std::env::args().nth(1).map_or(Ok(100_000), |known| known.parse())?;
    let rows = 10 * known;
    let secret = ColumnKey::new("orders", Key::generate()?).derive("orders.customer")?;
    let start = Instant::now();
    let ours = filter(&secret, known)?;
    println!(
        "{known} values in {} KiB, {:.1?} a value",
        ours.bits() / 8192,
        start.elapsed() / known.max(1) as u32
    );

    let orders = customers(0..rows);
    let start = Instant::now();
    let passed = passing(&ours, &orders)?;
    let (time, wrong) = (start.elapsed() / rows.max(1) as u32, passed - known);
    let share = 100.0 * wrong as f64 / (rows - known).max(1) as f64;
    println!("{passed} of {rows} rows pass, {share:.2} % of those that should not, {time:.1?} a row");

    let public = ColumnKey::new("public", Key::from_bytes([0; 16]));
    let chosen = attack(&filter(&public, known)?, known, 1000)?;
    println!(
        "1000 values chosen under a known key: {} pass there, {} pass under the secret key",
        passing(&filter(&public, known)?, &chosen)?,
        passing(&ours, &chosen)?
    );
    Ok(())
}
