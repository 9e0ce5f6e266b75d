//! `keylane keygen`: fresh keys.

use crate::args::KeygenArgs;
use crate::error::{Error, Outcome, reason};
use crate::input::is_stdin;
use crate::whole_file::write_secret;
use std::io::{self, Write};
use zeroize::Zeroizing;

/// Runs the command.
pub fn run(args: &KeygenArgs) -> Result<Outcome, Error> {
    let mut key = Zeroizing::new(vec![0; args.alg.key_len()]);
    getrandom::fill(&mut key).map_err(|error| Error::failed("random bytes", error))?;
    let mut line = Zeroizing::new(base16ct::lower::encode_string(&key).into_bytes());
    line.push(b'\n');
    match &args.output {
        Some(path) if !is_stdin(path) => {
            write_secret(path, &line, args.force).map_err(|error| Error::failed(path, reason(&error)))?;
        }
        _ => {
            let mut output = io::stdout();
            output.write_all(&line)?;
            output.flush()?;
        }
    }
    Ok(Outcome::Success)
}
