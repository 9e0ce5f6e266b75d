//! Memory between two pages that nobody may touch.

#![allow(unsafe_code)]

use region::{Allocation, Protection, page};

/// At which end of its memory something stands, so that nothing lies between it and the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Right behind the first guard: a byte before it is out of reach.
    Start,
    /// Right before the last guard: a byte behind it is out of reach.
    End,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::Start, Side::End];
}

/// Whole pages with a guard on each side: a page whose every reading and writing ends the process.
pub struct Guarded {
    pages: Allocation,
    room: usize,
}

impl Guarded {
    /// Room for at least so many bytes.
    ///
    /// # Panics
    /// The operating system gives no memory.
    pub fn new(least: usize) -> Self {
        let page = page::size();
        let room = least.max(1).next_multiple_of(page);
        let pages = region::alloc(room + 2 * page, Protection::READ_WRITE).expect("memory");
        for guard in [0, page + room] {
            let guard = pages.as_ptr::<u8>().wrapping_add(guard);
            // SAFETY: this is one whole page of `pages`, which was made above and which nothing
            // refers to; `put` gives out places of the pages between the guards only.
            unsafe { region::protect(guard, page, Protection::NONE) }.expect("a guard");
        }
        Guarded { pages, room }
    }

    /// Copies items to a place next to a guard.
    ///
    /// # Panics
    /// There is no room for them.
    pub fn put<T: Copy>(&mut self, items: &[T], side: Side) -> &mut [T] {
        let (size, page) = (size_of_val(items), page::size());
        assert!(size <= self.room && align_of::<T>() <= page, "no room for {size} bytes");
        let start = match side {
            Side::Start => page,
            Side::End => page + self.room - size,
        };
        let place = self.pages.as_mut_ptr::<u8>().wrapping_add(start).cast::<T>();
        // SAFETY: `size` bytes from `place` on are inside the pages between the guards, which may be
        // read and written. Both ends of these are multiples of a page, and `size` of the alignment
        // of `T`, so `place` is aligned. Nothing in `items` is of this memory: whatever was given
        // out of it borrowed `self`, as this call does.
        unsafe { place.copy_from_nonoverlapping(items.as_ptr(), items.len()) };
        // SAFETY: the items were written just now, and the slice borrows `self`.
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
