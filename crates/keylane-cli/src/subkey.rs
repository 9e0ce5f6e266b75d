//! `keylane key`: subkeys and check values, as docs/COLUMNS.md has them.

use crate::args::{CheckArgs, DeriveArgs};
use crate::error::{Error, Outcome};
use crate::key::KeySource;
use crate::keygen;
use crate::stack::overwritten;
use keylane::siphash::{Key, SipHashX24};
use std::io::{self, Write};
use zeroize::{Zeroize, Zeroizing};

/// The first bytes of the message of a subkey; the context follows.
const SUBKEY: &[u8] = b"keylane subkey 1\0";
/// The message of a check value.
const CHECK: &[u8] = b"keylane check 1\0";

/// Runs `keylane key derive`.
pub fn derive(args: &DeriveArgs) -> Result<Outcome, Error> {
    let context = args.context.to_str().ok_or_else(|| refused("it is not UTF-8"))?;
    if !(1..=255).contains(&context.len()) {
        return Err(refused(&format!("it has {} bytes, not 1 to 255", context.len())));
    }
    if context.starts_with("KCE-") {
        return Err(refused("those that begin with KCE- are reserved"));
    }
    let message = [SUBKEY, context.as_bytes()].concat();
    let key = KeySource::open(&args.key, args.quiet)?;
    let line = overwritten(|| {
        // In a box: what is moved leaves no copy behind.
        let mut subkey = Box::new(Zeroizing::new([0; 16]));
        tag(&key, &message, &mut subkey)?;
        keygen::line(&**subkey)
    })?;
    keygen::write(Some(&args.output), &line, false)?;
    Ok(Outcome::Success)
}

/// Runs `keylane key check`.
pub fn check(args: &CheckArgs) -> Result<Outcome, Error> {
    let key = KeySource::open(&args.key, args.quiet)?;
    let mut whole = [0; 16];
    overwritten(|| tag(&key, CHECK, &mut whole))?;
    let [a, b, c, d, ..] = whole;
    let mut output = io::stdout().lock();
    writeln!(output, "{}", base16ct::lower::encode_string(&[a, b, c, d]))?;
    output.flush()?;
    Ok(Outcome::Success)
}

/// An error about the context, which is not repeated: it may be a key.
fn refused(reason: &str) -> Error {
    Error::usage("CONTEXT", reason)
}

/// Reads the key, and writes the tag of a message under it.
fn tag(key: &KeySource, message: &[u8], bytes: &mut [u8; 16]) -> Result<(), Error> {
    let key = Key::from_bytes(**key.read("siphash-2-4-128")?);
    let mut tag = SipHashX24::new(&key).hash(message);
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = (tag >> (8 * index)) as u8;
    }
    tag.zeroize();
    Ok(())
}
