//! The error of a map that gets no memory.

use std::error::Error;
use std::fmt;

/// There is not enough memory: [`Map::try_reserve`](crate::Map::try_reserve).
///
/// std's error of this name cannot be made outside std.
///
/// ```
/// # use keylane_map::Map;
/// let mut map: Map<u64, u64> = Map::new();
/// let error = map.try_reserve(usize::MAX).map_err(|error| error.to_string());
/// assert_eq!(error, Err("more memory than an address space can have".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TryReserveError(pub(crate) hashbrown::TryReserveError);

impl fmt::Display for TryReserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            hashbrown::TryReserveError::CapacityOverflow => "more memory than an address space can have",
            hashbrown::TryReserveError::AllocError { .. } => "the allocator has no memory for it",
        })
    }
}

impl Error for TryReserveError {}
