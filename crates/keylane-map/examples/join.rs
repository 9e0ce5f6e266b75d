//! A join: the revenue of a region is the sum of the orders of its customers.
//!
//! ```console
//! cargo run --release -p keylane-map --example join -- 10000000
//! ```

mod common;

use common::{Random, compare, rows};
use keylane_map::Map;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// How many regions there are.
const REGIONS: usize = 16;

/// The number of orders that are joined in one call.
const CALL: usize = 1024;

/// Customers and orders, in columns.
struct Tables {
    customers: Vec<u64>,
    regions: Vec<u8>,
    /// The customer of each order. One in ten is not known.
    buyers: Vec<u64>,
    amounts: Vec<u32>,
}

impl Tables {
    /// As many orders, and a quarter as many customers.
    fn new(orders: usize) -> Self {
        let mut random = Random(1);
        let customers: Vec<u64> = (0..orders.div_ceil(4)).map(|_| random.next()).collect();
        let regions = customers.iter().map(|_| random.below(REGIONS) as u8).collect();
        let buyers = (0..orders)
            .map(|_| match random.below(10) {
                0 => random.next(),
                _ => customers[random.below(customers.len())],
            })
            .collect();
        let amounts = (0..orders).map(|_| random.below(1000) as u32).collect();
        Tables { customers, regions, buyers, amounts }
    }

    /// The customers with their regions.
    fn places(&self) -> impl Iterator<Item = (u64, u8)> {
        self.customers.iter().copied().zip(self.regions.iter().copied())
    }

    fn keylane(&self) -> [u64; REGIONS] {
        let map: Map<u64, u8> = self.places().collect();
        let mut sums = [0; REGIONS];
        for (buyers, amounts) in self.buyers.chunks(CALL).zip(self.amounts.chunks(CALL)) {
            for (region, amount) in map.get_many(buyers).zip(amounts) {
                if let Some(&region) = region {
                    sums[usize::from(region)] += u64::from(*amount);
                }
            }
        }
        sums
    }

    fn std<S: BuildHasher + Default>(&self) -> [u64; REGIONS] {
        let map: HashMap<u64, u8, S> = self.places().collect();
        let mut sums = [0; REGIONS];
        for (buyer, amount) in self.buyers.iter().zip(&self.amounts) {
            if let Some(&region) = map.get(buyer) {
                sums[usize::from(region)] += u64::from(*amount);
            }
        }
        sums
    }
}

/// Joins with each map.
pub fn run(orders: usize) {
    let tables = Tables::new(orders);
    compare(
        "join",
        orders,
        &[
            ("std", &|| tables.std::<std::hash::RandomState>()),
            ("std with foldhash", &|| tables.std::<foldhash::quality::RandomState>()),
            ("keylane-map", &|| tables.keylane()),
        ],
    );
}

#[allow(dead_code, reason = "the tests only run the example")]
fn main() {
    run(rows());
}
