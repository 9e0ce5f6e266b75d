//! `keylane keygen`: fresh keys.

use crate::args::KeygenArgs;
use crate::error::{Error, Outcome, reason};
use crate::input::is_stdin;
use crate::streams;
use crate::whole_file::write_secret;
use std::io::Write;
use std::path::Path;
use zeroize::Zeroizing;

/// Runs the command.
pub fn run(args: &KeygenArgs) -> Result<Outcome, Error> {
    let mut key = Zeroizing::new(vec![0; args.alg.key_len()]);
    getrandom::fill(&mut key).map_err(|error| Error::failed("random bytes", error))?;
    let line = line(&key)?;
    drop(key);
    write(args.output.as_deref(), &line, args.force)?;
    Ok(Outcome::Success)
}

/// A key as the line of a key file.
pub fn line(key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    // The line has its whole length from the start: a vector that grows leaves a copy behind.
    let mut line = Zeroizing::new(vec![b'\n'; 2 * key.len() + 1]);
    base16ct::lower::encode(key, &mut line).map_err(|error| Error::failed("key", error))?;
    Ok(line)
}

/// Writes the line to a key file, or to standard output.
pub fn write(output: Option<&Path>, line: &[u8], replace: bool) -> Result<(), Error> {
    match output {
        Some(path) if !is_stdin(path) => {
            write_secret(path, line, replace).map_err(|error| Error::failed(path, reason(&error)))
        }
        // As a file, since the usual output has a buffer, which would keep the key.
        _ => Ok(streams::output()?.as_file().write_all(line)?),
    }
}
