//! A quad is four words of one message: what a lane loads at once.

#![allow(unsafe_code)]

use crate::job::buffer::LeInt;
use core::hint::select_unpredictable;
use core::ptr::with_exposed_provenance;

/// What a lane without a message reads, and one that has none at the moment.
pub static ZEROS: [u8; 64] = [0; 64];

/// Where they stand.
#[inline(always)]
pub fn zeros() -> usize {
    ZEROS.as_ptr().expose_provenance()
}

/// The last word of a message of so many bytes, from where it begins.
///
/// # Safety
/// `end` stands `length % SIZE` bytes before the end of a message of that length, which may be read.
#[inline(always)]
pub unsafe fn tail<W: LeInt>(end: usize, length: u32) -> W {
    let length = length as usize;
    let start = with_exposed_provenance(end.wrapping_sub(length / W::SIZE * W::SIZE));
    // SAFETY: `start` is the message's first byte, and the caller says that it may be read.
    W::tail(unsafe { core::slice::from_raw_parts(start, length) })
}

/// Where the row of four words begins that ends one word behind `end`, less 4 `rel` words.
#[inline(always)]
pub fn quad_start<W: LeInt>(end: usize, rel: usize) -> usize {
    end.wrapping_add(W::SIZE).wrapping_sub(4 * W::SIZE * (rel + 1))
}

/// [`Lanes::quads_within`] for one message, word by word, for instruction sets that cannot leave out a part of
/// what they read: what is not the message's is read from a row of zeros.
///
/// # Safety
/// `end` stands `length % SIZE` bytes before the end of a message of that length, which may be read.
#[cfg_attr(target_arch = "x86_64", allow(unused, reason = "its vectors read by masks"))]
#[inline(always)]
pub unsafe fn quad_within<W: LeInt>(end: usize, length: u32, rel: usize) -> [W; 4] {
    let words = length as usize / W::SIZE + 1;
    let start = quad_start::<W>(end, rel);
    let mut row = [W::ZERO; 4];
    for (i, word) in row.iter_mut().enumerate() {
        let is_whole = i + words >= 4 * (rel + 1) && (i < 3 || rel > 0);
        let address = select_unpredictable(is_whole, start.wrapping_add(W::SIZE * i), zeros());
        // SAFETY: a whole word of the message, or one of `ZEROS`.
        *word = W::from_bytes(unsafe { with_exposed_provenance::<W::Bytes>(address).read_unaligned() });
    }
    if rel == 0 {
        // SAFETY: `end` and `length` are what the caller says.
        row[3] = unsafe { tail(end, length) };
    }
    row
}
