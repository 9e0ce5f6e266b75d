//! The command `keylane` as a library. The program uses it, and so do the generators of manual pages and
//! shell completions, which need its definition.
//!
//! One rule holds throughout. A key comes from a file, a descriptor or the environment and is wiped after
//! use. No part of it reaches an output or an error.

mod args;
mod bench;
mod check;
mod console;
mod error;
mod input;
mod kernels;
mod keygen;
mod mac;
mod parallel;
mod selftest;
mod stack;
mod sum;
mod whole_file;

#[cfg(not(feature = "internals"))]
mod algorithm;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod algorithm;
#[cfg(not(feature = "internals"))]
mod checklist;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod checklist;
#[cfg(not(feature = "internals"))]
mod key;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod key;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use error::{Error, Outcome};
use keylane::kernels::{Status, list};
use std::ffi::OsString;
use std::process::ExitCode;

/// The definition of the command line.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command with these arguments; the first is the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let outcome = match Cli::try_parse_from(&args) {
        Ok(cli) => dispatch(cli.command),
        // Clap's message repeats the argument it cannot use. That may be a key in the wrong place.
        Err(message) if message.use_stderr() && args.iter().any(|argument| key::may_hold_key(argument)) => {
            Err(Error::Usage("invalid arguments, not shown as one may be a key; a key is never an argument: see keylane --help".to_owned()))
        }
        Err(message) => return show(&message),
    };
    match outcome {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::Failure) => ExitCode::FAILURE,
        Err(error) => {
            error.report();
            ExitCode::from(error.exit_code())
        }
    }
}

fn dispatch(command: Command) -> Result<Outcome, Error> {
    keylane::kernels::environment().map_err(|error| Error::usage("KEYLANE_KERNEL", error))?;
    match command {
        Command::Keygen(args) => keygen::run(&args),
        Command::Sum(args) if args.check => trusted().and_then(|()| check::run(&args)),
        Command::Sum(args) => trusted().and_then(|()| sum::run(&args)),
        Command::Mac(args) => trusted().and_then(|()| mac::run(&args)),
        Command::Kernels(args) => kernels::run(&args),
        Command::Selftest => selftest::run(),
        Command::Bench(args) => bench::run(&args),
    }
}

/// Refuses to compute tags if some slot has no kernel that gives the known answers.
fn trusted() -> Result<(), Error> {
    let rows: Vec<_> = list().collect();
    let works = |slot| rows.iter().any(|row| row.slot() == slot && row.status() == Status::Active);
    match rows.iter().find(|row| !works(row.slot())) {
        None => Ok(()),
        Some(row) => Err(Error::failed(row.slot(), "no kernel passes its self-test on this machine")),
    }
}

/// Prints clap's message: the help or the version on standard output, an error of the command line on
/// standard error.
fn show(message: &clap::Error) -> ExitCode {
    match message.print() {
        Err(error) if !message.use_stderr() => {
            let error = Error::Output(error);
            error.report();
            ExitCode::from(error.exit_code())
        }
        _ => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(error::USAGE)),
    }
}
