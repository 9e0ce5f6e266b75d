//! `keylane sum --check`: files against lists of their sums.
//!
//! Messages and exit status are those of sha256sum, with three differences. A line that names another
//! algorithm fails, because whoever edits the list must not choose the algorithm. A list that ends within a
//! line fails, because it has lost something. Reports show names as lists do, so that no two names print the same bytes.

use crate::algorithm::{Prepared, Tag};
use crate::args::SumArgs;
use crate::checklist::{Format, Line, shown};
use crate::console::Console;
use crate::error::{Error, Outcome, message, reason};
use crate::input::{Input, Inputs, Reader};
use crate::key::KeySource;
use crate::parallel::in_order;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, BufReader};
use std::iter;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Runs the command.
pub fn run(args: &SumArgs) -> Result<Outcome, Error> {
    let lists = args.names();
    let key = KeySource::open(&args.key, args.quiet || args.status)?;
    key.refuse_stdin(&lists)?;
    let prepared = key.prepare(args.alg)?;

    let console = Console::new(!args.status);
    let reader = Reader::new(&console, key.into_handle());
    let mut inputs = Inputs::default();
    let mut success = true;
    for list in lists {
        let list = inputs.name(list);
        success &= check(args, &list, &mut inputs, &reader, &prepared)?;
    }
    console.flush()?;
    Ok(Outcome::of(success))
}

/// Checks one list.
fn check(
    args: &SumArgs,
    list: &Input,
    inputs: &mut Inputs,
    reader: &Reader<'_>,
    prepared: &Prepared,
) -> Result<bool, Error> {
    let console = reader.console;
    let mut report = Report { args, console, list: list.title(), tally: Tally::default() };
    let file = match reader.open(list) {
        Ok(opened) => opened,
        Err(error) => {
            report.complain(reason(&error));
            return Ok(false);
        }
    };
    let task = |line| match line {
        Ok(Line::Sum(path, tag)) => {
            let input = inputs.name(path);
            console.expect(|| input.length());
            Task::Sum(input, tag)
        }
        Ok(Line::OtherAlgorithm(name)) => Task::Done(Verdict::OtherAlgorithm(name)),
        Ok(Line::ImpossibleName(name)) => Task::Done(Verdict::ImpossibleName(name)),
        Ok(Line::Improper) => Task::Done(Verdict::Improper),
        Ok(Line::Cut) => Task::Done(Verdict::Cut),
        Ok(Line::Blank) => Task::Done(Verdict::Blank),
        Err(error) => Task::Done(Verdict::EndOfReading(error)),
    };
    let verdict = |task, stop: &AtomicBool| match task {
        Task::Sum(input, tag) => match reader.hash(&input, prepared.hasher(), stop) {
            Ok(found) if found.matches(&tag) => Verdict::Match(input.path),
            Ok(_) => Verdict::Mismatch(input.path),
            Err(error) => Verdict::Unreadable(input.path, error),
        },
        Task::Done(verdict) => verdict,
    };
    // A list that is cut or lengthened meanwhile is not the one that was given.
    let end = iter::once_with(|| {
        console.expect_no_more();
        Task::Done(file.unchanged().map_or_else(Verdict::EndOfReading, |()| Verdict::Blank))
    });
    let mut lines = Format { prf: args.alg, zero: args.zero }.read(BufReader::new(file.as_file()));
    let is_slow = !file.as_file().metadata().is_ok_and(|metadata| metadata.is_file());
    let lines = iter::from_fn(|| {
        if is_slow {
            // The next line may take long to come.
            console.flush_or_keep_the_error();
        }
        lines.next()
    });
    let each = |verdict| report.line(verdict);
    let idle = || Ok(console.flush()?);
    in_order(args.num_threads, usize::MAX, lines.map(task).chain(end), verdict, each, idle)?;
    Ok(report.summary())
}

/// What to do about a line.
enum Task {
    Sum(Input, Tag),
    Done(Verdict),
}

/// The result of a line.
enum Verdict {
    Match(PathBuf),
    Mismatch(PathBuf),
    Unreadable(PathBuf, io::Error),
    OtherAlgorithm(Vec<u8>),
    ImpossibleName(Vec<u8>),
    Improper,
    /// The list ends within this line.
    Cut,
    Blank,
    /// Reading the list failed; no more lines follow.
    EndOfReading(io::Error),
}

/// Reports and counts the results of a list.
struct Report<'a> {
    args: &'a SumArgs,
    console: &'a Console,
    /// The name of the list in messages.
    list: &'a OsStr,
    tally: Tally,
}

#[derive(Default)]
struct Tally {
    lines: u64,
    matches: u64,
    mismatches: u64,
    unreadable: u64,
    other_algorithms: u64,
    /// Files that are missing, with --ignore-missing.
    missing: u64,
    improper: u64,
    cut: bool,
    unfinished: bool,
}

impl Report<'_> {
    /// Takes the verdict on the next line.
    fn line(&mut self, verdict: Verdict) -> Result<(), Error> {
        self.tally.lines += 1;
        match verdict {
            Verdict::Match(path) => {
                self.tally.matches += 1;
                if !self.args.quiet {
                    self.status(path.as_os_str().as_encoded_bytes(), "OK")?;
                }
            }
            Verdict::Mismatch(path) => {
                self.tally.mismatches += 1;
                self.status(path.as_os_str().as_encoded_bytes(), "FAILED")?;
            }
            Verdict::Unreadable(_, error)
                if self.args.ignore_missing && error.kind() == io::ErrorKind::NotFound =>
            {
                self.tally.missing += 1;
            }
            Verdict::Unreadable(path, error) => {
                self.tally.unreadable += 1;
                self.console.complain(&message(&path, reason(&error)));
                self.status(path.as_os_str().as_encoded_bytes(), "FAILED open or read")?;
            }
            Verdict::OtherAlgorithm(name) => {
                self.tally.other_algorithms += 1;
                if !self.args.status {
                    self.complain_here(format_args!("line names another algorithm than {}", self.args.alg));
                }
                self.status(&name, "FAILED")?;
            }
            Verdict::ImpossibleName(name) => {
                self.tally.unreadable += 1;
                self.complain_here("no file on this system can have this name");
                self.status(&name, "FAILED open or read")?;
            }
            Verdict::Improper => {
                self.tally.improper += 1;
                if self.args.warn {
                    self.complain_here(format_args!("improperly formatted {} checksum line", self.args.alg));
                }
            }
            Verdict::Cut => {
                self.tally.cut = true;
                let end = if self.args.zero { "NUL" } else { "newline" };
                self.complain_here(format_args!(
                    "this line was not checked: the list ends without a {end}, so it may have been cut short"
                ));
            }
            Verdict::Blank => {}
            Verdict::EndOfReading(error) => {
                self.tally.unfinished = true;
                self.complain(reason(&error));
            }
        }
        Ok(())
    }

    /// Warns of all that went wrong. Returns whether the list passed.
    fn summary(&self) -> bool {
        let Tally {
            matches,
            mismatches,
            unreadable,
            other_algorithms,
            missing,
            improper,
            cut,
            unfinished,
            ..
        } = self.tally;
        if unfinished {
            return false;
        }
        if matches + mismatches + unreadable + other_algorithms + missing == 0 {
            self.complain("no properly formatted checksum lines found");
        } else if !self.args.status {
            self.warn(improper, "line is improperly formatted", "lines are improperly formatted");
            self.warn(unreadable, "listed file could not be read", "listed files could not be read");
            self.warn(mismatches, "computed checksum did NOT match", "computed checksums did NOT match");
            self.warn(other_algorithms, "line names another algorithm", "lines name another algorithm");
            if self.args.ignore_missing && matches == 0 {
                self.complain("no file was verified");
            }
        }
        let failures = mismatches + unreadable + other_algorithms;
        matches > 0 && failures == 0 && !cut && !(self.args.strict && improper > 0)
    }

    /// Prints `name: status` on standard output.
    fn status(&self, name: &[u8], status: &str) -> io::Result<()> {
        if self.args.status {
            return Ok(());
        }
        self.console.print(&[&shown(name)[..], b": ", status.as_bytes(), b"\n"].concat())
    }

    fn complain(&self, reason: impl Display) {
        self.console.complain(&message(self.list, reason));
    }

    fn complain_here(&self, reason: impl Display) {
        self.complain(format_args!("{}: {reason}", self.tally.lines));
    }

    fn warn(&self, count: u64, one: &str, many: &str) {
        match count {
            0 => {}
            1 => self.console.complain(&format!("WARNING: 1 {one}")),
            _ => self.console.complain(&format!("WARNING: {count} {many}")),
        }
    }
}
