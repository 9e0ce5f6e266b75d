//! `keylane keygen`: fresh keys.

use crate::args::KeygenArgs;
use crate::error::{Error, Outcome, reason};
use crate::input::is_stdin;
use crate::whole_file::write_secret;
use same_file::Handle;
use std::io::Write;
use zeroize::Zeroizing;

/// Runs the command.
pub fn run(args: &KeygenArgs) -> Result<Outcome, Error> {
    let mut key = Zeroizing::new(vec![0; args.alg.key_len()]);
    getrandom::fill(&mut key).map_err(|error| Error::failed("random bytes", error))?;
    // The line has its whole length from the start: a vector that grows leaves a copy behind.
    let mut line = Zeroizing::new(vec![b'\n'; 2 * key.len() + 1]);
    base16ct::lower::encode(&key, &mut line).map_err(|error| Error::failed("keygen", error))?;
    drop(key);
    match &args.output {
        Some(path) if !is_stdin(path) => {
            write_secret(path, &line, args.force).map_err(|error| Error::failed(path, reason(&error)))?;
        }
        _ => {
            // As a file, since the usual output has a buffer, which would keep the key.
            Handle::stdout()?.as_file().write_all(&line)?;
        }
    }
    Ok(Outcome::Success)
}
