//! `KEYLANE_KERNEL="slot=kernel,slot=kernel"`, read once. Without `std` there is no environment.

#[cfg(feature = "std")]
use super::{errors::ForceErrorKind, loader::VARIABLE};

/// The kernel that the environment asks for in a slot. If several entries name the slot, the first one counts. A call of
/// its own, so that its stack is free again when a self-test runs.
#[cfg(feature = "std")]
#[inline(never)]
pub fn asked(slot: &str) -> Option<&'static str> {
    let mut entries = entries(VARIABLE.get()?.as_ref().ok()?);
    entries.find_map(|entry| entry.split_once('=').filter(|(name, _)| *name == slot)).map(|(_, id)| id)
}

/// Without `std`, the environment asks for nothing.
#[cfg(not(feature = "std"))]
pub fn asked(_: &str) -> Option<&'static str> {
    None
}

/// The entries of the variable's value.
#[cfg(feature = "std")]
pub fn entries(value: &'static str) -> impl Iterator<Item = &'static str> {
    value.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// The variable's value, empty if it is not set. Reads it, if that has not been done.
///
/// # Errors
/// The value is not Unicode.
#[cfg(feature = "std")]
pub fn variable() -> Result<&'static str, ForceErrorKind> {
    use std::{env, string::String};
    let read = || match env::var("KEYLANE_KERNEL") {
        Ok(value) => Ok(value),
        Err(env::VarError::NotPresent) => Ok(String::new()),
        Err(env::VarError::NotUnicode(_)) => Err(ForceErrorKind::NotUnicode),
    };
    VARIABLE.get_or_init(read).as_deref().map_err(|kind| *kind)
}
