//! `keylane keygen`: fresh keys.

use crate::args::KeygenArgs;
use crate::error::{Error, Outcome, reason};
use crate::input::is_stdin;
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

/// Runs the command.
pub fn run(args: &KeygenArgs) -> Result<Outcome, Error> {
    let mut key = Zeroizing::new(vec![0; args.alg.key_len()]);
    getrandom::fill(&mut key).map_err(|error| Error::failed("random bytes", error))?;
    let mut line = Zeroizing::new(base16ct::lower::encode_string(&key).into_bytes());
    line.push(b'\n');
    match &args.output {
        Some(path) if !is_stdin(path) => {
            write_file(path, &line, args.force).map_err(|error| Error::failed(path, reason(&error)))?;
        }
        _ => {
            let mut output = io::stdout();
            output.write_all(&line)?;
            output.flush()?;
        }
    }
    Ok(Outcome::Success)
}

/// Writes a file that only its owner can read. It gets its name when it is whole.
fn write_file(path: &Path, contents: &[u8], replace: bool) -> io::Result<()> {
    if replace && path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        // Replacing works on names, and would put a file in the place of /dev/null.
        return Err(io::Error::other("not a regular file"));
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // The file has mode 0600 from the start, and is removed again unless it gets its name.
    let mut file = NamedTempFile::new_in(directory)?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    if replace { file.persist(path) } else { file.persist_noclobber(path) }?;
    Ok(())
}
