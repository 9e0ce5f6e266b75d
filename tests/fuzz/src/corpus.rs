//! The corpus: `tests/fuzz-targets/corpus/NAME.hex` has one input per line. They were found by fuzzing and then reduced to
//! those that reach code no other input reaches.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder with a file for each target.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz-targets/corpus")
}

/// The file of a target.
pub fn file(target: &str) -> PathBuf {
    folder().join(target).with_extension("hex")
}

/// The corpus of a target.
///
/// The file cannot be read, or contains other characters than hex digits.
pub fn read(target: &str) -> io::Result<Vec<Vec<u8>>> {
    fs::read_to_string(file(target))?.lines().map(bytes).collect()
}

/// Writes the corpus of a target, the shortest input first.
///
/// # Errors
/// The file cannot be written.
pub fn write(target: &str, mut inputs: Vec<Vec<u8>>) -> io::Result<()> {
    inputs.sort_by_key(|input| (input.len(), input.clone()));
    let digits = |input: &Vec<u8>| input.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n";
    fs::write(file(target), inputs.iter().map(digits).collect::<String>())
}

fn bytes(digits: &str) -> io::Result<Vec<u8>> {
    let pair = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(pair).collect();
    bytes.ok_or_else(|| io::Error::other(format!("not hex: {digits}")))
}
