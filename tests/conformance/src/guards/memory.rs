//! Memory between two inaccessible pages.

#![allow(unsafe_code)]

use region::{Allocation, Protection, page};

/// The end of the memory where something is placed, directly next to the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Directly after the first guard: a read one byte before it faults.
    Start,
    /// Directly before the last guard: a read one byte after it faults.
    End,
}

impl Side {
    /// Both ends.
    pub const BOTH: [Side; 2] = [Side::Start, Side::End];
}

/// Whole pages with a guard on each side. A guard is a page where any read or write ends the process.
pub struct Guarded {
    pages: Allocation,
    room: usize,
}

impl Guarded {
    /// Memory for at least `least` bytes.
    ///
    /// The operating system has no memory left.
    pub fn new(least: usize) -> Self {
        let page = page::size();
        let room = least.max(1).next_multiple_of(page);
        let pages = region::alloc(room + 2 * page, Protection::READ_WRITE).expect("memory");
        for guard in [0, page + room] {
            let guard = pages.as_ptr::<u8>().wrapping_add(guard);
            // SAFETY: this is one whole page of `pages`, allocated above. Nothing refers to it; `put` returns
            // only memory between the guards.
            unsafe { region::protect(guard, page, Protection::NONE) }.expect("a guard");
        }
        Guarded { pages, room }
    }

    /// Copies items to memory next to a guard.
    ///
    /// They do not fit.
    pub fn put<T: Copy>(&mut self, items: &[T], side: Side) -> &mut [T] {
        let (size, page) = (size_of_val(items), page::size());
        assert!(size <= self.room && align_of::<T>() <= page, "no room for {size} bytes");
        let start = match side {
            Side::Start => page,
            Side::End => page + self.room - size,
        };
        let place = self.pages.as_mut_ptr::<u8>().wrapping_add(start).cast::<T>();
        // SAFETY: `size` bytes from `place` on are inside the pages between the guards, which are readable
        // and writable. Both ends of these pages are multiples of a page and `size` is a multiple of the
        // alignment of `T`, so `place` is aligned. `items` does not overlap this memory: everything returned
        // from it borrowed `self`, as this call does.
        unsafe { place.copy_from_nonoverlapping(items.as_ptr(), items.len()) };
        // SAFETY: the items have just been written, and the slice borrows `self`.
        unsafe { std::slice::from_raw_parts_mut(place, items.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stand_next_to_the_guards() {
        let page = page::size();
        let mut memory = Guarded::new(page + 1);
        let first = memory.put(&[1u8, 2, 3], Side::Start).as_ptr().addr();
        let last = memory.put(&[1u8, 2, 3], Side::End).as_ptr_range().end.addr();
        assert_eq!(last - first, 2 * page);
        assert!(first.is_multiple_of(page));
        let last = memory.put(&[5u128; 3], Side::End);
        assert_eq!(last, [5; 3]);
        assert_eq!(last.as_ptr_range().end.addr() - first, 2 * page);
    }
}
