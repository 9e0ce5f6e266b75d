//! `keylane mac`: the tag of one message.

use crate::algorithm::Tag;
use crate::args::MacArgs;
use crate::console::Console;
use crate::error::{Error, Outcome, reason};
use crate::input::{Inputs, Reader};
use crate::key::KeySource;
use std::sync::atomic::AtomicBool;

/// Runs the command.
pub fn run(args: &MacArgs) -> Result<Outcome, Error> {
    let len = args.alg.tag_len();
    let expected = match &args.verify {
        None => None,
        Some(digits) => Some(Tag::from_hex(digits.as_bytes(), len).ok_or_else(|| {
            Error::usage(
                "--verify",
                format_args!("expected {} hex digits, the length of {} tags", 2 * len, args.alg),
            )
        })?),
    };
    let key = KeySource::open(&args.key, args.quiet)?;
    key.refuse_stdin([&args.file])?;
    let hasher = key.hasher(args.alg)?;

    let console = Console::new(true);
    let reader = Reader::new(&console, key.into_handle());
    let input = Inputs::default().name(args.file.clone());
    console.expect(|| input.length());
    console.expect_no_more();
    let tag = reader.hash(&input, hasher, &AtomicBool::new(false));
    let tag = tag.map_err(|error| Error::failed(&input.path, reason(&error)))?;
    match expected {
        None => console.print(format!("{}\n", tag.to_hex()).as_bytes())?,
        Some(expected) if tag.matches(&expected) => console.print(b"OK\n")?,
        Some(_) => return Err(Error::failed(&input.path, "the tag does not match")),
    }
    console.flush()?;
    Ok(Outcome::Success)
}
