//! Writes the questions about the end of a tag, for solvers, into a folder.

use keylane_symbols::numbers::smt::QUESTIONS;
use std::{env, fs, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: questions FOLDER");
        return ExitCode::FAILURE;
    };
    for (name, question) in QUESTIONS {
        if let Err(error) = fs::write(folder.join(name).with_extension("smt2"), question()) {
            eprintln!("{}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
