//! Tables, and the reference in Python, `tests/kce1/kce1.py`.

use keylane::siphash::{Key, SipHashX24};
use keylane_arrow::ColumnKey;
use serde_json::{Value as Json, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// The bytes of the user's key.
pub const KEY: [u8; 16] = [7; 16];

/// The user's key.
pub fn key() -> ColumnKey {
    ColumnKey::new("users", Key::from_bytes(KEY))
}

/// The subkey of a context, in hex.
pub fn subkey(context: &str) -> String {
    let message = [b"keylane subkey 1\0", context.as_bytes()].concat();
    let tag = SipHashX24::new(&Key::from_bytes(KEY)).hash(&message).to_le_bytes();
    tag.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the reference says of cases, under siphash-2-4-128. `None` where there is no Python.
pub fn reference(cases: &[Json]) -> Option<Vec<Json>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/kce1/kce1.py");
    let started = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut python = match started {
        Ok(python) => python,
        Err(error) if std::env::var_os("CI").is_none() => {
            println!("not compared with the reference: python3: {error}");
            return None;
        }
        Err(error) => panic!("python3: {error}"),
    };
    let job = json!({ "algorithms": ["siphash-2-4-128"], "cases": cases }).to_string();
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

/// The tags of an answer.
pub fn tags(answer: &Json) -> &Vec<Json> {
    answer["tags"]["siphash-2-4-128"].as_array().expect("tags")
}
