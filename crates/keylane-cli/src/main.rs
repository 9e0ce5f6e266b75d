//! The command `keylane`.

use std::process::ExitCode;

fn main() -> ExitCode {
    keylane_cli::run(std::env::args_os())
}
