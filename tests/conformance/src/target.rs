//! The target that the suite is built for, and how to start its programs.

use std::ffi::OsStr;
use std::{env, process};

/// Its name, as in `--target`.
pub const NAME: &str = env!("KEYLANE_TARGET");

/// A command that starts a program of this target, by cargo's runner for it (an emulator) if there is one.
pub fn command(program: impl AsRef<OsStr>) -> process::Command {
    let variable = format!("CARGO_TARGET_{}_RUNNER", NAME.replace('-', "_").to_uppercase());
    let runner = env::var(variable).unwrap_or_default();
    let mut words = runner.split_whitespace();
    match words.next() {
        Some(emulator) => {
            let mut command = process::Command::new(emulator);
            command.args(words).arg(program);
            command
        }
        None => process::Command::new(program),
    }
}
