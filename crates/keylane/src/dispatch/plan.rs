//! Decides who hashes the messages of a batch: the active row of the slot, or the caller's loop over single messages.
//!
//! A row says from how many messages on it pays (`job::limits`). That number is in the same atomic as the row, so a call
//! asks with one load. For SipHash nothing else decides: the API asks once, and a row gets all messages or none. For
//! Poly1305 a row may get whole groups, and the API asks for every 64 messages.

use super::select::Runnable;
use super::table::{POLY1305_PN, POLY1305_XN};
use super::words::Dispatched;
use crate::job::limits::{Class, FEWEST_RAGGED, RAGGED_FACTOR, powers_cost};
use crate::job::poly1305::{Pn, Xn as MacXn};
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

/// The row for a piece of a Poly1305 message, of `len` bytes after `before` others, or `None` if block after block is
/// faster.
///
/// Loading a row's vectors and storing the result costs as much as a few blocks; computing the powers of r costs more
/// blocks still. A message that has already turned out long has its powers, or will need them for the next piece.
#[inline]
pub fn piece(len: usize, before: usize, powers_are_unknown: bool) -> Option<Runnable<Pn>> {
    let effective = if before >= len {
        2 * len
    } else if powers_are_unknown {
        // Usually this piece is the whole message, or nearly so.
        len.saturating_sub(powers_cost())
    } else {
        len
    };
    POLY1305_PN.if_profitable(effective)
}

/// A kernel, and how many messages it takes.
pub type Share = (Runnable<MacXn>, usize);

/// The kernel for the first of at most `COLLECTED` messages, if it is faster than one message after the other.
///
/// Lanes wait for the longest message of their group. So messages of several lengths are sorted first, which costs
/// more, and is profitable only for more and longer messages.
#[inline(never)]
pub fn share(messages: &[&[u8]]) -> Option<Share> {
    let (Some(first), n) = (messages.first(), messages.len()) else { return None };
    let equal =
        POLY1305_XN.if_profitable(first.len()).and_then(|kernel| of_one_length(kernel, n, first.len()));
    if equal.is_none() && n < FEWEST_RAGGED {
        return None;
    }
    let (mut differ, mut total) = (0, 0usize);
    for message in messages {
        differ |= message.len() ^ first.len();
        total = total.wrapping_add(message.len());
    }
    if differ == 0 {
        return equal;
    }
    let mean = total >> n.next_power_of_two().trailing_zeros();
    let kernel = POLY1305_XN.if_profitable(mean / RAGGED_FACTOR)?;
    (n >= FEWEST_RAGGED && n >= 2 * kernel.lanes() && takes_ragged(&kernel)).then_some((kernel, n))
}

/// How many of n messages of one length the kernel takes, if any.
///
/// The fewer groups, the longer the messages that pay for the set-up. A group that is not full needs long ones, and all
/// lanes but one of eight.
#[inline(always)]
fn of_one_length(kernel: Runnable<MacXn>, n: usize, len: usize) -> Option<Share> {
    let lanes = kernel.lanes();
    // A kernel has as many lanes as a power of two.
    let rest = n & lanes.wrapping_sub(1);
    let is_profitable = |fifths| POLY1305_XN.if_profitable(len / 5 * fifths).is_some();
    if 8 * rest >= 7 * lanes && is_profitable(2) {
        Some((kernel, n))
    } else if n >= 3 * lanes || n >= 2 * lanes && is_profitable(4) || n >= lanes && is_profitable(3) {
        Some((kernel, n - rest))
    } else {
        None
    }
}

/// Whether a kernel gains with messages of several lengths. Four lanes of AVX2 do not: 49 of 50 cells took longer
/// than one by one (`against-loop` on Zen 3, in a record before this rule: 32 to 128 messages of 40 to 1500 bytes).
///
/// Nor do eight lanes on Zen 4. For 40 to 1500 bytes in the cache they take 0.95 to 1.03 of the loop's time, from memory
/// 1.5 to 1.8. A prefetcher sees no streams in eight messages side by side. Other CPUs of the class were not measured.
#[inline(always)]
fn takes_ragged(kernel: &Runnable<MacXn>) -> bool {
    !cfg!(target_arch = "x86_64") || kernel.lanes() > 4 && Class::current() != Class::Other
}

/// Whether it can be profitable to look at each message, by the lengths of the first and the last. The look takes as
/// long as an eighth of a short message.
#[inline(always)]
pub fn may_share(messages: &[&[u8]]) -> bool {
    let ([first, _, _, .., last], n) = (messages, messages.len()) else { return false };
    let is_even = first.len() == last.len();
    let len = if is_even {
        first.len() - first.len() / 5 * 2usize.saturating_sub(n / 8)
    } else if n >= FEWEST_RAGGED {
        // Twice as long as in `share`, at least: these are two of many.
        (first.len() / 2 + last.len() / 2) / (RAGGED_FACTOR / 2)
    } else {
        return false;
    };
    let is_profitable =
        |kernel: Runnable<MacXn>| 8 * n >= 7 * kernel.lanes() && (is_even || takes_ragged(&kernel));
    POLY1305_XN.if_profitable(len).is_some_and(is_profitable)
}

/// The active row for many Poly1305 messages, whatever their number and lengths.
#[cfg(feature = "internals")]
pub fn row_of_macs() -> Option<Runnable<MacXn>> {
    POLY1305_XN.if_profitable(usize::MAX)
}
