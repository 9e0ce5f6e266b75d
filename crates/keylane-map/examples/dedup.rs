//! Removes duplicate rows: the first of equal ones stays, and the order is kept.
//!
//! ```console
//! cargo run --release -p keylane-map --example dedup -- 10000000
//! ```

mod common;

use common::{Random, compare, rows};
use keylane_map::Set;
use std::collections::HashSet;
use std::hash::BuildHasher;

fn keylane(rows: &[u64]) -> Vec<u64> {
    let (mut seen, mut first) = (Set::new(), Vec::new());
    seen.insert_each(rows.iter().map(|&row| (row, row)), |row, is_new| {
        if is_new {
            first.push(row);
        }
    });
    first
}

fn std<S: BuildHasher + Default>(rows: &[u64]) -> Vec<u64> {
    let mut seen: HashSet<u64, S> = HashSet::default();
    rows.iter().copied().filter(|&row| seen.insert(row)).collect()
}

/// Removes duplicates with each set. About two fifths of the rows are some.
pub fn run(count: usize) {
    let mut random = Random(1);
    let ids: Vec<u64> = (0..count).map(|_| random.next()).collect();
    let rows: Vec<u64> = (0..count).map(|_| ids[random.below(count)]).collect();
    compare(
        "dedup",
        count,
        &[
            ("std", &|| std::<std::hash::RandomState>(&rows)),
            ("std with foldhash", &|| std::<foldhash::quality::RandomState>(&rows)),
            ("keylane-map", &|| keylane(&rows)),
        ],
    );
}

#[allow(dead_code, reason = "the tests only run the example")]
fn main() {
    run(rows());
}
