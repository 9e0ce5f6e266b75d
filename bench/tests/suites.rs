//! The suites from end to end, on next to no data, and what they print and record.

use keylane_bench::engine::{Missing, absent};
use keylane_bench::record::{self, HEAD};
use keylane_bench::suite::{Plan, SUITES, Table};
use keylane_bench::table;
use std::collections::HashSet;

fn plan() -> Plan {
    Plan {
        samples: 1,
        lengths: vec![0, 9, 300],
        long: vec![5000],
        rows: vec![50, 100],
        batches: vec![1, 7, 50],
        packets: vec![0, 100, 5000],
        cycles: 1000,
        only: None,
    }
}

fn tables(plan: &Plan) -> Vec<Table> {
    let mut tables = Vec::new();
    for (_, suite) in SUITES {
        suite(plan, &mut |table| {
            tables.push(table);
            Ok(())
        })
        .unwrap();
    }
    tables
}

#[test]
fn the_csv_is_well_formed_and_complete() {
    let tables = tables(&plan());
    let mut text = Vec::new();
    record::csv(&mut text, &tables).unwrap();
    let mut csv = csv::Reader::from_reader(&*text);
    assert_eq!(csv.headers().unwrap(), &HEAD[..]);

    let mut places = HashSet::new();
    for line in csv.records() {
        let line = line.unwrap();
        assert_eq!(line.len(), HEAD.len());
        let place: Vec<String> = line.iter().take(5).map(str::to_owned).collect();
        assert!(places.insert(place), "twice: {line:?}");
        let quartiles = |three: std::ops::Range<usize>| -> Vec<f64> {
            three.filter(|&i| !line[i].is_empty()).map(|i| line[i].parse().unwrap()).collect()
        };
        // On a restless machine there may be no pair, and so no ratio.
        let (cycles, ratio, above) = (quartiles(6..9), quartiles(9..12), quartiles(12..15));
        let pairs = if line[17] == *"0" { 0 } else { 3 };
        assert!((cycles.len(), ratio.len(), above.len()) == (3, pairs, pairs), "{line:?}");
        assert!(cycles[0] > 0.0 && cycles.is_sorted() && ratio.is_sorted() && above.is_sorted(), "{line:?}");
        for i in 15..18 {
            let _: usize = line[i].parse().unwrap();
        }
    }
    let figures = tables.iter().flat_map(|table| &table.cells).flat_map(|cell| &cell.figures);
    assert_eq!(places.len(), figures.flatten().count());
}

#[test]
fn a_table_has_a_row_for_each_engine_and_names_the_absent() {
    let tables = tables(&Plan { only: Some("u64".to_owned()), ..plan() });
    assert!(!tables.is_empty() && tables.iter().all(|table| table.title.contains("u64")));
    for table in &tables {
        let mut text = Vec::new();
        table::print(&mut text, table, &absent(), 1).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.is_ascii());
        for ((name, _), i) in table.engines.iter().zip(0..) {
            let row = text.lines().find(|line| line.starts_with(&format!("{name}  ")));
            let figures = table.cells.iter().any(|cell| cell.figures[i].is_some());
            assert_eq!(row.is_some(), figures, "{name}\n{text}");
        }
        for absent in absent() {
            assert!(text.contains(&format!("not installed: {}: apt-get install", absent.name)));
        }
    }
}

#[test]
fn a_table_names_the_kernels_that_this_cpu_lacks() {
    let mut table = tables(&Plan { only: Some("rows of 16".to_owned()), ..plan() }).swap_remove(0);
    table.missing = vec![Missing { name: "keylane siphash_x99".to_owned(), features: vec!["a", "b"] }];
    let mut text = Vec::new();
    table::print(&mut text, &table, &absent(), 1).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("not on this cpu: keylane siphash_x99, which needs a b"), "{text}");
}

#[test]
fn markdown_has_a_line_for_each_engine() {
    for table in tables(&Plan { only: Some("by base".to_owned()), ..plan() }) {
        let mut text = Vec::new();
        table::print_markdown(&mut text, &table).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().count(), 2 + table.engines.len(), "{text}");
        let columns = |line: &str| line.matches('|').count();
        assert!(text.lines().all(|line| columns(line) == 3 + 1 + table.cells.len()), "{text}");
    }
}

#[test]
fn a_record_says_how_it_came_about() {
    let text = record::circumstances();
    for part in ["command", "date", "commit", "compilers and libraries", "crates", "lscpu"] {
        let (_, body) = text.split_once(&format!("== {part}\n")).expect(part);
        assert!(!body.starts_with('\n'), "{part}");
    }
    assert!(text.contains("rustc ") && text.contains("siphasher 1."));
}
