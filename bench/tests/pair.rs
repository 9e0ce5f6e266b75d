//! Runs `pair` from end to end: a program beside itself.

use keylane_bench::pair::run;
use std::path::Path;

const PROGRAM: &str = env!("CARGO_BIN_EXE_bench");

/// The outcome, and what was printed.
fn pair(programs: [&str; 2], only: &str) -> (Result<(), String>, String) {
    let arguments = ["siphash-one", "--quick"].map(str::to_owned).into_iter();
    let arguments: Vec<String> = arguments.chain([format!("--only={only}")]).collect();
    let mut out = Vec::new();
    let ran = run(programs.map(Path::new), &arguments, 3, &mut out);
    (ran.map_err(|error| format!("{error:#}")), String::from_utf8(out).unwrap())
}

/// The program refuses to measure without optimisation. A busy machine may take every sample of any cell: then the cell is
/// printed without a ratio, its table without it, and without any cell there is no summary.
#[test]
#[cfg(not(debug_assertions))]
fn every_cell_is_measured_on_both_sides() {
    let (ran, text) = pair([PROGRAM, PROGRAM], "u64 in a register");
    let (measured, lost) =
        (text.matches("  new / old ").count(), text.matches(": no sample was kept").count());
    assert_eq!(measured + lost, 4, "{text}");
    if measured == 0 {
        assert_eq!(ran.unwrap_err(), "no cell was measured");
        return;
    }
    ran.unwrap();
    assert!(text.contains(&format!("\n{measured} cells, geometric mean")), "{text}");
    let tables = ["1-3", "2-4"].map(|rounds| text.contains(&format!("\nsiphash-one, {rounds}, u64")));
    assert!(tables.contains(&true) && (lost > 0 || tables == [true, true]), "{text}");
}

#[test]
fn without_cells_there_is_no_result() {
    assert!(pair([PROGRAM, PROGRAM], "no table").0.is_err());
}

/// A program that fails must not look like one without cells.
#[test]
#[cfg(unix)]
fn a_program_that_ends_too_early_is_an_error() {
    assert!(pair([PROGRAM, "/bin/true"], "u64").0.unwrap_err().contains("ended too early"));
    assert!(pair([PROGRAM, "/no/such/program"], "u64").0.unwrap_err().starts_with("/no/such/program"));
}
