//! Counts equal rows, which are strings.
//!
//! ```console
//! cargo run --release -p keylane-map --example group_by_count -- 10000000
//! ```

mod common;

use common::{Random, compare, rows};
use keylane_map::Map;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// The number of groups, and a number that depends on the count of each.
type Summary = (usize, u64);

/// A summary of the counts, in any order.
fn summary<'a>(counts: impl ExactSizeIterator<Item = (&'a str, u64)>) -> Summary {
    let groups = counts.len();
    let number =
        |(name, count): (&str, u64)| -> u64 { name.bytes().map(u64::from).sum::<u64>() * count * count };
    (groups, counts.map(number).fold(0, u64::wrapping_add))
}

fn keylane(rows: &[&str]) -> Summary {
    let mut counts: Map<&str, u64> = Map::new();
    counts.entry_many(rows.iter().map(|&row| (row, ())), |count, ()| *count.or_insert(0) += 1);
    summary(counts.into_iter())
}

fn std<S: BuildHasher + Default>(rows: &[&str]) -> Summary {
    let mut counts: HashMap<&str, u64, S> = HashMap::default();
    for &row in rows {
        *counts.entry(row).or_insert(0) += 1;
    }
    summary(counts.into_iter())
}

/// Counts with each map. There are up to a tenth as many groups as rows.
pub fn run(count: usize) {
    let mut random = Random(1);
    let groups = count.div_ceil(10);
    let names: Vec<String> = (0..groups).map(|_| format!("{:020}", random.next())).collect();
    let rows: Vec<&str> = (0..count).map(|_| names[random.below(groups)].as_str()).collect();
    compare(
        "group by, count",
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
