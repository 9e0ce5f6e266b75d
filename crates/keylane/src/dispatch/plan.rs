//! Decides who hashes the messages of a batch: the active row of the slot, or the caller's loop over single messages.
//!
//! A row says from how many messages on it pays (`job::limits`). That number is in the same atomic as the row, so a call
//! asks with one load. Nothing else decides: the API asks once, and a kernel gets all messages or none.

use super::select::Runnable;
use super::words::Dispatched;
use crate::job::siphash::Xn;

/// The row for `n` messages of any lengths, or `None` if a loop is faster.
#[inline(always)]
pub fn messages<W: Dispatched>(n: usize) -> Option<Runnable<Xn<W>>> {
    W::xn().if_profitable(n)
}

/// The same for integers, and rows of as many bytes. They need no set-up, so a row pays from a quarter as many on.
#[inline(always)]
pub fn integers<W: Dispatched>(n: usize) -> Option<Runnable<Xn<W>>> {
    W::xn().if_profitable(n.saturating_mul(4))
}
