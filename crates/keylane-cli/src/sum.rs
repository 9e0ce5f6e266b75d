//! `keylane sum`: the sums of files.

use crate::args::SumArgs;
use crate::checklist::{Format, Style, is_faithful};
use crate::console::Console;
use crate::error::{Error, Outcome, message, reason};
use crate::input::{Inputs, IsTheOutput, Reader, is_stdin};
use crate::key::KeySource;
use crate::parallel::in_order;
use std::io;
use std::path::PathBuf;
use walkdir::{DirEntry, WalkDir};

/// Runs the command.
pub fn run(args: &SumArgs) -> Result<Outcome, Error> {
    let names = args.names();
    if args.raw && names.len() > 1 {
        return Err(Error::Usage("--raw: takes only one FILE".to_owned()));
    }
    let key = KeySource::open(&args.key, args.quiet || args.status)?;
    key.refuse_stdin(&names)?;
    let prepared = args.alg.prepare(&key)?;

    let console = Console::new(true);
    let reader = Reader::new(&console, key.into_handle());
    let format = Format { prf: args.alg, zero: args.zero };
    let style = match (args.tag, args.no_names) {
        (true, _) => Style::Tagged,
        (false, true) => Style::Nameless,
        (false, false) => Style::Plain,
    };

    let mut inputs = Inputs::default();
    let found =
        names.iter().cloned().flat_map(|name| if args.recursive { walk(name) } else { vec![Ok(name)] });
    let mut input = |path| {
        let input = inputs.name(path);
        console.expect(|| input.length());
        input
    };
    let found: Vec<_> = found.map(|found| found.map(&mut input)).collect();
    console.expect_no_more();

    let mut success = true;
    in_order(
        args.num_threads,
        found.into_iter(),
        |found, stop| {
            let input = found?;
            match reader.hash(&input, prepared.hasher(), stop) {
                Ok(tag) => Ok((input.path, tag)),
                Err(error) => Err((input.path, error)),
            }
        },
        |result| {
            match result {
                Ok((_, tag)) if args.raw => console.print(tag.as_bytes())?,
                Ok((path, tag)) => {
                    console.print(&format.write(style, path.as_os_str(), &tag))?;
                    if !args.no_names && !is_faithful(path.as_os_str()) {
                        let warning =
                            "warning: the name is written with U+FFFD, so --check cannot find the file";
                        console.complain(&message(path, warning));
                    }
                }
                // A list inside of the folder that is summed: its own sum would be wrong once it is complete.
                Err((path, error)) if is_the_output(&error) && !names.contains(&path) => {
                    console.complain(&message(path, format_args!("left out: {IsTheOutput}")));
                }
                Err((path, error)) => {
                    success = false;
                    console.complain(&message(path, reason(&error)));
                }
            }
            Ok(())
        },
    )?;
    console.flush()?;
    Ok(Outcome::of(success))
}

fn is_the_output(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<IsTheOutput>())
}

type Found = Result<PathBuf, (PathBuf, io::Error)>;

/// The regular files below a directory, or the name itself if it is not one.
fn walk(name: PathBuf) -> Vec<Found> {
    if is_stdin(&name) || !name.is_dir() {
        return vec![Ok(name)];
    }
    let entries = WalkDir::new(&name).sort_by_file_name().into_iter();
    let files = entries.filter(|entry| entry.as_ref().map_or(true, |entry| entry.file_type().is_file()));
    let found = files.map(|entry| {
        entry.map(DirEntry::into_path).map_err(|error| {
            let path = error.path().unwrap_or(&name).to_path_buf();
            (path, error.into_io_error().unwrap_or_else(|| io::Error::other("cannot be traversed")))
        })
    });
    found.collect()
}
