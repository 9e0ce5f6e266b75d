//! A quad is four words of one message: one load of a lane.

#![allow(unsafe_code)]

use crate::job::buffer::LeInt;
use core::hint::select_unpredictable;
use core::ptr::with_exposed_provenance;

/// What a lane reads if it has no message, or none at the moment.
pub static ZEROS: [u8; 64] = [0; 64];

/// The address of `ZEROS`.
#[inline(always)]
pub fn zeros() -> usize {
    ZEROS.as_ptr().expose_provenance()
}

/// Reads `ZEROS`, so that its page is present. A masked load that reads nothing costs 1300 cycles or more on a page that
/// is not, and leaves it so.
#[inline(always)]
pub fn touch_zeros() {
    // SAFETY: the first byte of a static.
    unsafe { ZEROS.as_ptr().read_volatile() };
}

/// The last word of a message of `length` bytes, read without touching a byte outside the message.
///
/// # Safety
/// `end` is `length % SIZE` bytes before the end of a message of that length, which may be read.
#[inline(always)]
pub unsafe fn tail<W: LeInt>(end: usize, length: u32) -> W {
    let length = length as usize;
    let start = with_exposed_provenance(end.wrapping_sub(length / W::SIZE * W::SIZE));
    // SAFETY: `start` is the message's first byte, and the caller ensures that it may be read.
    W::tail(unsafe { core::slice::from_raw_parts(start, length) })
}

/// The address of the quad that ends one word after `end`, less 4 `rel` words.
#[inline(always)]
pub fn quad_start<W: LeInt>(end: usize, rel: usize) -> usize {
    end.wrapping_add(W::SIZE).wrapping_sub(4 * W::SIZE * (rel + 1))
}

/// [`Lanes::quads_within`] for one message, word by word, for instruction sets without masked loads. Words outside the
/// message are read from `ZEROS`.
///
/// # Safety
/// `end` is `length % SIZE` bytes before the end of a message of that length, which may be read.
#[cfg_attr(target_arch = "x86_64", allow(unused, reason = "its vectors read by masks"))]
#[inline(always)]
pub unsafe fn quad_within<W: LeInt>(end: usize, length: u32, rel: usize) -> [W; 4] {
    let words = length as usize / W::SIZE + 1;
    let start = quad_start::<W>(end, rel);
    let mut row = [W::ZERO; 4];
    for (i, word) in row.iter_mut().enumerate() {
        let is_whole = i + words >= 4 * (rel + 1) && (i < 3 || rel > 0);
        let address = select_unpredictable(is_whole, start.wrapping_add(W::SIZE * i), zeros());
        // SAFETY: a whole word of the message, or of `ZEROS`.
        *word = W::from_bytes(unsafe { with_exposed_provenance::<W::Bytes>(address).read_unaligned() });
    }
    if rel == 0 {
        // SAFETY: the caller ensures the condition on `end` and `length`.
        row[3] = unsafe { tail(end, length) };
    }
    row
}
