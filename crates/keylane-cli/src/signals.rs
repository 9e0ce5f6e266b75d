//! Signals that must not end the command within a line.

use crate::error::Error;

/// Makes a write beyond the limit on file size an error, as on a full disk. Without a handler, SIGXFSZ would
/// end the process there. Programs that inherit from this one do not inherit the handler.
#[cfg(unix)]
pub fn survive_the_limit_on_file_size() -> Result<(), Error> {
    use crate::error::reason;
    use signal_hook::{consts::SIGXFSZ, flag};
    use std::sync::atomic::AtomicBool;
    /// Set by the handler. The failed write reports the same, so nothing reads it.
    static SEEN: AtomicBool = AtomicBool::new(false);
    let handled = flag::register(SIGXFSZ, &SEEN);
    handled.map(drop).map_err(|error| Error::failed("SIGXFSZ", reason(&error)))
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub fn survive_the_limit_on_file_size() -> Result<(), Error> {
    Ok(())
}
