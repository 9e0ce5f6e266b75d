//! `keylane key`: subkeys and check values, as docs/COLUMNS.md has them.

use crate::args::{CheckArgs, DeriveArgs};
use crate::error::{Error, Outcome};
use crate::key::KeySource;
use crate::keygen;
use crate::stack::overwritten;
use crate::streams::Output;
use keylane::siphash::{ContextError, Key, check_context};
use std::io::Write;
use zeroize::Zeroizing;

/// Runs `keylane key derive`.
pub fn derive(args: &DeriveArgs) -> Result<Outcome, Error> {
    let context = args.context.to_str().ok_or_else(|| refused("it is not UTF-8"))?;
    check_context(context).map_err(why)?;
    let key = KeySource::open(&args.key, args.quiet)?;
    let line = overwritten(|| {
        // In a box: what is moved leaves no copy behind.
        let mut subkey = Box::new(Zeroizing::new([0; 16]));
        read(&key)?.derive_bytes(context, &mut subkey).map_err(why)?;
        keygen::line(&**subkey)
    })?;
    keygen::write(Some(&args.output), &line, false)?;
    Ok(Outcome::Success)
}

/// Runs `keylane key check`.
pub fn check(args: &CheckArgs) -> Result<Outcome, Error> {
    let key = KeySource::open(&args.key, args.quiet)?;
    let check = overwritten(|| Ok::<_, Error>(read(&key)?.check()))?;
    let mut output = Output::default();
    writeln!(output, "{}", base16ct::lower::encode_string(&check))?;
    output.flush()?;
    Ok(Outcome::Success)
}

/// An error about the context, which is not repeated: it may be a key.
fn refused(reason: &str) -> Error {
    Error::usage("CONTEXT", reason)
}

/// Why a context is refused.
fn why(error: ContextError) -> Error {
    match error {
        ContextError::Length { bytes } => refused(&format!("it has {bytes} bytes, not 1 to 255")),
        _ => refused("those that begin with KCE- are reserved"),
    }
}

fn read(key: &KeySource) -> Result<Key, Error> {
    Ok(Key::from_bytes(**key.read("siphash-4-8-128")?))
}
