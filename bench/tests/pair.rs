//! Runs `pair` from end to end: a program beside itself.

use keylane_bench::pair::run;
use std::path::Path;

const PROGRAM: &str = env!("CARGO_BIN_EXE_bench");

fn pair(programs: [&str; 2], only: &str) -> Result<String, String> {
    let arguments = ["siphash-one", "--quick"].map(str::to_owned).into_iter();
    let arguments: Vec<String> = arguments.chain([format!("--only={only}")]).collect();
    let mut out = Vec::new();
    let ran = run(programs.map(Path::new), &arguments, 3, &mut out);
    ran.map_err(|error| format!("{error:#}"))?;
    Ok(String::from_utf8(out).unwrap())
}

/// The program refuses to measure without optimisation.
#[test]
#[cfg(not(debug_assertions))]
fn every_cell_is_measured_on_both_sides() {
    let text = pair([PROGRAM, PROGRAM], "u64 in a register").unwrap();
    for part in
        ["siphash-one, 1-3, u64", "siphash-one, 2-4, u64", "  dependent  new / old ", "4 cells, geometric"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn without_cells_there_is_no_result() {
    assert!(pair([PROGRAM, PROGRAM], "no table").is_err());
}

/// A program that fails must not look like one without cells.
#[test]
#[cfg(unix)]
fn a_program_that_ends_too_early_is_an_error() {
    assert!(pair([PROGRAM, "/bin/true"], "u64").unwrap_err().contains("ended too early"));
    assert!(pair([PROGRAM, "/no/such/program"], "u64").unwrap_err().starts_with("/no/such/program"));
}
