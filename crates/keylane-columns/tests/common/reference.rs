//! The reference in Python, `tests/kce1/kce1.py`.

use serde_json::{Value as Json, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// What the reference says of these cases. `None` where there is no Python.
pub fn reference(algorithms: &[&str], cases: &[Json]) -> Option<Vec<Json>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/kce1/kce1.py");
    let started = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut python = match started {
        Ok(python) => python,
        Err(error) if std::env::var("CI").as_deref() != Ok("true") => {
            println!("not run: the comparison with the reference: python3: {error}");
            return None;
        }
        Err(error) => panic!("python3: {error}"),
    };
    let job = json!({ "algorithms": algorithms, "cases": cases }).to_string();
    let mut input = python.stdin.take().expect("standard input");
    let writer = std::thread::spawn(move || input.write_all(job.as_bytes()));
    let output = python.wait_with_output().expect("python3");
    writer.join().expect("the thread").expect("standard input");
    assert!(output.status.success());
    let mut answer: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let answers: Vec<Json> = serde_json::from_value(answer["cases"].take()).expect("cases");
    assert_eq!(answers.len(), cases.len());
    Some(answers)
}
