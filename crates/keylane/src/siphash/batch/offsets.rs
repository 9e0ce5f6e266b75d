//! Messages between offsets, as Arrow stores them.

use crate::error::BatchError;
use crate::job::siphash::Layout;

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

/// An offset into the bytes of a batch, as in Arrow: `i32` or `i64`.
pub trait Offset: sealed::Sealed + Copy + Ord + Default + TryInto<usize> {
    /// Whether an offset is negative, except perhaps the last, or smaller than the previous one.
    #[doc(hidden)]
    fn is_disordered(offsets: &[Self]) -> bool;
    /// The layout for kernels.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn layout<'a>(bytes: &'a [u8], offsets: &'a [Self]) -> Layout<'a>;
}

macro_rules! offset {
    ($int:ty, $layout:ident) => {
        impl Offset for $int {
            /// The sign of a difference tells which of two numbers is greater if neither is negative. There is no early
            /// exit, so this runs in vector registers.
            #[inline(always)]
            fn is_disordered(offsets: &[Self]) -> bool {
                let pairs = offsets.iter().zip(offsets.iter().skip(1));
                pairs.fold(0, |signs, (&a, &b)| signs | a | b.wrapping_sub(a)) < 0
            }

            #[allow(private_interfaces)]
            fn layout<'a>(bytes: &'a [u8], offsets: &'a [Self]) -> Layout<'a> {
                Layout::$layout { bytes, offsets }
            }
        }
    };
}
offset!(i32, Offsets32);
offset!(i64, Offsets64);

/// The bytes between two offsets.
#[inline(always)]
pub fn slice_of<O: Offset>(bytes: &[u8], start: O, end: O) -> Option<&[u8]> {
    bytes.get(start.try_into().ok()?..end.try_into().ok()?)
}

/// Checks that all offsets lie in `0..=len` and none is smaller than the previous one. The first pass finds that all is
/// well; if not, the second finds the first bad offset.
#[inline(always)]
pub fn check<O: Offset>(len: usize, offsets: &[O]) -> Result<(), BatchError> {
    let inside = |offset: O| offset >= O::default() && offset.try_into().is_ok_and(|offset| offset <= len);
    if !O::is_disordered(offsets) && offsets.last().is_none_or(|&last| inside(last)) {
        return Ok(());
    }
    let mut before = O::default();
    for (index, &offset) in offsets.iter().enumerate() {
        if offset < before || !inside(offset) {
            return Err(BatchError::Offsets { index });
        }
        before = offset;
    }
    Ok(())
}
