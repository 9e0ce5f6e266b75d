//! The examples give the results of std's maps, whatever the number of rows.

#![allow(clippy::duplicate_mod, reason = "each example has the module that they share")]

#[path = "../examples/dedup.rs"]
mod dedup;
#[path = "../examples/group_by_count.rs"]
mod group_by_count;
#[path = "../examples/join.rs"]
mod join;

#[test]
fn examples_agree_with_std() {
    for rows in [1, 10, 1000, 200_000] {
        dedup::run(rows);
        group_by_count::run(rows);
        join::run(rows);
    }
}
