//! Batches that the active kernel computes whatever their number and lengths: what a benchmark compares a call with.
//!
//! Arguments are checked as in every call. Nothing asks whether the row is profitable.

use super::batch::{check_count, check_offsets};
use super::one::HashOne;
use super::prepared::Prepared;
use crate::dispatch::plan;
use crate::dispatch::words::Dispatched;
use crate::error::BatchError;
use crate::job::siphash::{Layout, Messages, Tag};

/// Vectors of this many bytes make whole groups in twos, all others in fours.
const PAIRED_VECTOR_BYTES: usize = 32;

impl<W: Dispatched, R: HashOne, T: Tag<W>> Prepared<W, R, T> {
    /// A number of messages that makes whole groups of the active row.
    #[inline]
    pub fn kernel_group(&self) -> usize {
        let lanes = plan::messages::<W>(usize::MAX).map_or(1, |row| row.lanes());
        if lanes * W::SIZE == PAIRED_VECTOR_BYTES { 2 * lanes } else { 4 * lanes }
    }

    /// `hash_u32s` by the active kernel.
    ///
    /// # Errors
    /// The same as `hash_u32s`.
    #[inline]
    pub fn u32s_by_kernel(&self, integers: &[u32], tags: &mut [T]) -> Result<(), BatchError> {
        self.row(integers.len(), Messages::U32s(integers), tags)
    }

    /// `hash_u64s` by the active kernel.
    ///
    /// # Errors
    /// The same as `hash_u64s`.
    #[inline]
    pub fn u64s_by_kernel(&self, integers: &[u64], tags: &mut [T]) -> Result<(), BatchError> {
        self.row(integers.len(), Messages::U64s(integers), tags)
    }

    /// `hash_u128s` by the active kernel.
    ///
    /// # Errors
    /// The same as `hash_u128s`.
    #[inline]
    pub fn u128s_by_kernel(&self, integers: &[u128], tags: &mut [T]) -> Result<(), BatchError> {
        self.row(integers.len(), Messages::U128s(integers), tags)
    }

    /// `hash_rows` by the active kernel.
    ///
    /// # Errors
    /// The same as `hash_rows`.
    #[inline]
    pub fn rows_by_kernel(&self, bytes: &[u8], width: usize, tags: &mut [T]) -> Result<(), BatchError> {
        if width.checked_mul(tags.len()) != Some(bytes.len()) {
            return Err(BatchError::Rows { bytes: bytes.len(), width, rows: tags.len() });
        }
        self.row(tags.len(), Messages::Bytes(Layout::Rows { bytes, width }), tags)
    }

    /// `hash_offsets` by the active kernel.
    ///
    /// # Errors
    /// The same as `hash_offsets`.
    #[inline]
    pub fn offsets_by_kernel(&self, bytes: &[u8], offsets: &[i32], tags: &mut [T]) -> Result<(), BatchError> {
        check_offsets(bytes.len(), offsets)?;
        let count = offsets.len().saturating_sub(1);
        self.row(count, Messages::Bytes(Layout::Offsets32 { bytes, offsets }), tags)
    }

    /// `hash_many` by the active kernel.
    ///
    /// # Errors
    /// The same as `hash_many`.
    #[inline]
    pub fn many_by_kernel(&self, messages: &[&[u8]], tags: &mut [T]) -> Result<(), BatchError> {
        self.row(messages.len(), Messages::Bytes(Layout::Slices(messages)), tags)
    }

    #[inline]
    fn row(&self, count: usize, messages: Messages<'_>, tags: &mut [T]) -> Result<(), BatchError> {
        check_count(count, tags)?;
        if let Some(row) = plan::messages::<W>(usize::MAX) {
            self.run(&row, messages, false, tags);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::siphash::{BatchError, Key, SipHash13};

    /// Counts below those from which a call uses a row, and one above a group.
    #[test]
    fn a_row_gives_the_tags_of_the_calls() {
        let h = SipHash13::new(&Key::from_bytes([7; 16]));
        let bytes: [u8; 600] = core::array::from_fn(|i| i as u8);
        for count in [0, 1, 3, 40] {
            let (mut of_row, mut of_call) = ([0; 40], [0; 40]);
            let (of_row, of_call) = (&mut of_row[..count], &mut of_call[..count]);
            h.rows_by_kernel(&bytes[..count * 13], 13, of_row).unwrap();
            h.hash_rows(&bytes[..count * 13], 13, of_call).unwrap();
            assert_eq!(of_row, of_call);
            let offsets: [i32; 41] = core::array::from_fn(|i| (i * i / 3) as i32);
            h.offsets_by_kernel(&bytes, &offsets[..=count], of_row).unwrap();
            h.hash_offsets(&bytes, &offsets[..=count], of_call).unwrap();
            assert_eq!(of_row, of_call);
            let slices: [&[u8]; 40] = core::array::from_fn(|i| &bytes[i..2 * i]);
            h.many_by_kernel(&slices[..count], of_row).unwrap();
            h.hash_many(&slices[..count], of_call).unwrap();
            assert_eq!(of_row, of_call);
            let integers: [u64; 40] = core::array::from_fn(|i| (i as u64) << 50);
            h.u64s_by_kernel(&integers[..count], of_row).unwrap();
            h.hash_u64s(&integers[..count], of_call).unwrap();
            assert_eq!(of_row, of_call);
        }
    }

    #[test]
    fn a_row_gets_no_unchecked_batch() {
        let h = SipHash13::new(&Key::from_bytes([7; 16]));
        let tags = &mut [0; 2];
        assert_eq!(h.u32s_by_kernel(&[1], tags), Err(BatchError::Count { messages: 1, tags: 2 }));
        assert_eq!(h.offsets_by_kernel(b"abc", &[0, 4, 2], tags), Err(BatchError::Offsets { index: 1 }));
        assert_eq!(h.rows_by_kernel(b"abc", 2, tags), Err(BatchError::Rows { bytes: 3, width: 2, rows: 2 }));
        assert_eq!(*tags, [0; 2]);
        assert_eq!(h.kernel_group() % 4, 0);
    }
}
