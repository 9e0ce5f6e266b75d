//! Messages that views refer to, as Arrow stores them.

use crate::error::BatchError;
use crate::job::siphash::{RawView, fault, fault_of_one, viewed};

mod sealed {
    pub trait Sealed {}
    impl Sealed for [u8; 16] {}
    impl Sealed for u128 {}
}

/// A view of Arrow's string views and binary views: `[u8; 16]`, the bytes in memory, or `u128`, the same bytes as one
/// little-endian integer.
///
/// | message | bytes 0..4 | 4..8 | 8..12 | 12..16 |
/// | --- | --- | --- | --- | --- |
/// | up to 12 bytes | length | message | message | message |
/// | longer | length | prefix | index of the buffer | offset in the buffer |
///
/// All numbers are little-endian. The length is an `i32`, which must not be negative; index and offset are `u32`. What
/// follows a short message in its view may be anything, and so may the prefix: neither is read.
///
/// Arrow's crate stores views as `u128`, so a `ScalarBuffer<u128>` can be passed as it is. Bytes come from files, from
/// C, and from other languages; they need no alignment. DuckDB's `string_t` has the same layout for short strings, but
/// a pointer instead of index and offset for long ones.
pub trait View: sealed::Sealed + Copy {
    /// The bytes.
    #[doc(hidden)]
    fn raw(self) -> RawView;

    /// Passes all views to `each` as bytes, in parts, with their tags.
    #[doc(hidden)]
    fn parts<T>(views: &[Self], tags: &mut [T], each: impl FnMut(&[RawView], &mut [T]));
}

/// How many views make a part, at least.
pub const PART: usize = 512;

impl View for [u8; 16] {
    #[inline(always)]
    fn raw(self) -> RawView {
        self
    }

    #[inline(always)]
    fn parts<T>(views: &[Self], tags: &mut [T], mut each: impl FnMut(&[RawView], &mut [T])) {
        each(views, tags);
    }
}

impl View for u128 {
    #[inline(always)]
    fn raw(self) -> RawView {
        self.to_le_bytes()
    }

    #[cfg(target_endian = "little")]
    #[inline(always)]
    fn parts<T>(views: &[Self], tags: &mut [T], mut each: impl FnMut(&[RawView], &mut [T])) {
        each(crate::job::plain::u128s(views), tags);
    }

    #[cfg(target_endian = "big")]
    fn parts<T>(views: &[Self], tags: &mut [T], mut each: impl FnMut(&[RawView], &mut [T])) {
        let mut part = [[0; 16]; PART];
        for (views, tags) in views.chunks(PART).zip(tags.chunks_mut(PART)) {
            for (bytes, view) in part.iter_mut().zip(views) {
                *bytes = view.raw();
            }
            each(part.get(..views.len()).unwrap_or(&[]), tags);
        }
    }
}

/// The only buffer, if it is short enough for [`viewed_in_one`]; without buffers an empty one.
#[inline(always)]
pub fn only_buffer<B: AsRef<[u8]>>(buffers: &[B]) -> Option<&[u8]> {
    match buffers {
        [] => Some(&[]),
        [one] => Some(one.as_ref()).filter(|one| i32::try_from(one.len()).is_ok()),
        _ => None,
    }
}

/// Checks that each view has a length and lies inside its buffer. An early exit would be a branch more for each.
#[inline(always)]
pub fn check<V: View, B: AsRef<[u8]>>(views: &[V], buffers: &[B]) -> Result<(), BatchError> {
    let room = |index: usize| buffers.get(index).map_or(0, |buffer| buffer.as_ref().len());
    let faults = match buffers {
        [one] => {
            let room = one.as_ref().len() as u64;
            views.iter().fold(0, |faults, view| faults | fault_of_one(&view.raw(), room)) >> 63
        }
        _ => views.iter().fold(0, |faults, view| faults | fault(&view.raw(), room)),
    };
    if faults == 0 {
        return Ok(());
    }
    let buffer = |index: usize| buffers.get(index).map(B::as_ref);
    let index = views.iter().position(|view| viewed(&view.raw(), buffer).is_none()).unwrap_or(0);
    Err(BatchError::Views { index })
}
