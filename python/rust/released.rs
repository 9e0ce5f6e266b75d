//! When other threads may run Python.

use pyo3::prelude::*;

/// From this length on, the interpreter is released. Below, that costs more than it gives.
pub const LONG: usize = 64 * 1024;

/// Runs `work`, and lets other threads run Python meanwhile if there are many bytes.
#[inline]
pub fn released<R: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> R + Send) -> R {
    if bytes < LONG { work() } else { py.detach(work) }
}
