//! Runs the suites from end to end on very little data, and checks what they print and record.

use keylane_bench::engine::{Missing, absent};
use keylane_bench::record;
use keylane_bench::suite::{Plan, SUITES, Table};
use keylane_bench::table;
use std::collections::HashSet;

fn plan() -> Plan {
    Plan {
        samples: 1,
        lengths: vec![0, 9, 300],
        long: vec![5000],
        ablated: vec![0, 20],
        rows: vec![50, 100],
        batches: vec![1, 7, 50],
        calls: vec![1, 8],
        from_memory: false,
        packets: vec![0, 100, 5000],
        entries: 100,
        slow_samples: 1,
        streams: vec![100],
        cycles: 1000,
        only: None,
    }
}

fn tables(plan: &Plan) -> Vec<Table> {
    let mut tables = Vec::new();
    for suite in SUITES {
        (suite.run)(plan, &mut |table| {
            tables.push(table);
            Ok(())
        })
        .unwrap();
    }
    tables
}

#[test]
fn a_record_is_complete_and_its_figures_have_an_order() {
    let tables = tables(&plan());
    let lines = record::lines(&tables);
    let mut places = HashSet::new();
    for line in &lines {
        let place = [&line.suite, &line.rounds, &line.table, &line.cell, &line.engine];
        assert!(places.insert(place), "twice: {line:?}");
        let cycles = [line.cycles_lower, line.cycles_median, line.cycles_upper];
        let ratio = [line.keylane_ratio_lower, line.keylane_ratio_median, line.keylane_ratio_upper];
        let above = [line.above_keylane_lower, line.above_keylane_median, line.above_keylane_upper];
        assert!(cycles[0] > 0.0 && cycles.is_sorted(), "{line:?}");
        // On a noisy machine there may be no pair, and so no ratio.
        for quartiles in [ratio, above] {
            assert!(quartiles.iter().all(|quartile| quartile.is_some() == (line.pairs > 0)), "{line:?}");
            assert!(quartiles.is_sorted(), "{line:?}");
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
        for absent in absent().iter().filter(|_| !table.cells.is_empty()) {
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
fn a_record_says_how_it_came_about() {
    let text = record::circumstances();
    for part in ["command", "date", "commit", "compilers and libraries", "crates", "lscpu"] {
        let (_, body) = text.split_once(&format!("== {part}\n")).expect(part);
        assert!(!body.starts_with('\n'), "{part}");
    }
    assert!(text.contains("rustc ") && text.contains("siphasher 1."));
}
