//! The command `keylane` as a library. The program uses it, and so do the generators of manual pages and
//! shell completions, which need its definition.
//!
//! One rule holds throughout. A key comes from a file, a descriptor or the environment and is wiped after
//! use. No part of it reaches an output or an error.

mod args;
mod bench;
mod check;
#[cfg_attr(not(feature = "column"), path = "column/absent.rs")]
mod column;
mod console;
mod error;
mod input;
mod kernels;
mod keygen;
mod mac;
mod parallel;
mod selftest;
mod signals;
mod stack;
mod streams;
mod subkey;
mod sum;
mod visible;
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

use args::{Cli, Command, KeyCommand};
use clap::{CommandFactory, Parser};
use error::{Error, Outcome};
use keylane::kernels::{Status, list};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use visible::visible;

/// The definition of the command line.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command with these arguments; the first is the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Err(error) = signals::survive_the_limit_on_file_size() {
        return fail(&error);
    }
    let outcome = match Cli::try_parse_from(&args) {
        Ok(cli) => dispatch(cli.command),
        Err(message) if message.use_stderr() => match made_visible(message, &args) {
            Ok(message) => return show(&message, &args),
            Err(error) => Err(error),
        },
        Err(message) => return show(&message, &args),
    };
    match outcome {
        Ok(Outcome::Success) if !error::was_lost() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => fail(&error),
    }
}

fn fail(error: &Error) -> ExitCode {
    error.report();
    ExitCode::from(error.exit_code())
}

/// The message without arguments that may be keys, if it repeats any: clap shows the argument that it cannot use.
fn without_keys(message: &str, args: &[OsString]) -> Option<String> {
    let mut text = message.to_owned();
    let mut is_key_option = false;
    for argument in args.iter().skip(1) {
        let argument = argument.to_string_lossy();
        // The name and the value of an option may be shown alone.
        let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
        is_key_option |= name == "--key";
        for part in [&argument, name, value].into_iter().filter(|part| key::may_be_key(part)) {
            text = text.replace(&*visible(part), "...");
        }
    }
    let hint = "keylane: a key is never an argument; what may be one is shown as ...";
    (is_key_option || text != message).then(|| format!("{}\n{hint}\n", text.trim_end()))
}

fn dispatch(command: Command) -> Result<Outcome, Error> {
    keylane::kernels::environment().map_err(|error| Error::usage("KEYLANE_KERNEL", error))?;
    match command {
        Command::Keygen(args) => keygen::run(&args),
        Command::Key(KeyCommand::Derive(args)) => trusted().and_then(|()| subkey::derive(&args)),
        Command::Key(KeyCommand::Check(args)) => trusted().and_then(|()| subkey::check(&args)),
        Command::Sum(args) if args.check => trusted().and_then(|()| check::run(&args)),
        Command::Sum(args) => trusted().and_then(|()| sum::run(&args)),
        Command::Mac(args) => trusted().and_then(|()| mac::run(&args)),
        Command::Column(args) => trusted().and_then(|()| column::run(&args)),
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

/// Clap's error with the arguments in it made visible. Clap repeats arguments as they are, and the shell makes
/// arguments of the names of files.
fn made_visible(error: clap::Error, args: &[OsString]) -> Result<clap::Error, Error> {
    let shown: Vec<_> =
        args.iter().map(|argument| visible(&argument.to_string_lossy()).into_owned()).collect();
    if args.iter().zip(&shown).all(|(argument, shown)| argument == shown.as_str()) {
        return Ok(error);
    }
    match Cli::try_parse_from(shown) {
        Err(error) if error.use_stderr() => Ok(error),
        _ => Err(Error::Usage(
            "invalid arguments, not repeated: they have characters that do not show".to_owned(),
        )),
    }
}

/// Prints clap's message: the help or the version on standard output, an error of the command line on
/// standard error.
fn show(message: &clap::Error, args: &[OsString]) -> ExitCode {
    let printed = if message.use_stderr() {
        match without_keys(&message.render().to_string(), args) {
            Some(text) => streams::errors().and_then(|errors| errors.as_file().write_all(text.as_bytes())),
            None => message.print(),
        }
    } else {
        streams::output().and_then(|_| message.print())
    };
    match printed {
        Err(error) if !message.use_stderr() => fail(&Error::Output(error)),
        _ => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(error::USAGE)),
    }
}
