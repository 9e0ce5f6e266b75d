//! The bytes that a key stream is XORed with: in place, or from a source to a destination.

#![allow(unsafe_code)]

use crate::job::plain::Plain;
use core::marker::PhantomData;
use core::ptr;

/// Bytes that are read once and written once, from the first to the last.
pub struct Text<'a> {
    /// The next byte to read, and where the byte made of it goes. `len` bytes from there on are borrowed for `'a`: those
    /// to read shared or exclusively, those to write exclusively.
    from: *const u8,
    to: *mut u8,
    len: usize,
    life: PhantomData<(&'a [u8], &'a mut [u8])>,
}

/// Where one value is read, and where another one goes in its place.
pub struct Place<'a, T> {
    from: *const T,
    to: *mut T,
    life: PhantomData<&'a mut [u8]>,
}

impl<'a> Text<'a> {
    /// No bytes.
    pub const EMPTY: Self =
        Text { from: ptr::dangling(), to: ptr::dangling_mut(), len: 0, life: PhantomData };

    /// Bytes that are replaced.
    #[inline(always)]
    pub fn in_place(bytes: &'a mut [u8]) -> Self {
        let to = bytes.as_mut_ptr();
        Text { from: to.cast_const(), to, len: bytes.len(), life: PhantomData }
    }

    /// Bytes that go from a source to a destination: as many as the shorter one has.
    #[inline(always)]
    pub fn copied(source: &'a [u8], destination: &'a mut [u8]) -> Self {
        let len = source.len().min(destination.len());
        Text { from: source.as_ptr(), to: destination.as_mut_ptr(), len, life: PhantomData }
    }

    /// The bytes at a place in the source, if there is one, and the same many in the destination.
    #[inline(always)]
    pub fn at(source: Option<&'a [u8]>, at: usize, destination: &'a mut [u8]) -> Self {
        match source {
            Some(source) => Text::copied(source.get(at..).unwrap_or(&[]), destination),
            None => Text::in_place(destination),
        }
    }

    /// How many bytes are left.
    #[inline(always)]
    pub fn left(&self) -> usize {
        self.len
    }

    /// Cuts off the first bytes: at most this many.
    #[inline(always)]
    pub fn cut(&mut self, len: usize) -> Text<'a> {
        let len = len.min(self.len);
        let first = Text { from: self.from, to: self.to, len, life: PhantomData };
        self.skip(len);
        first
    }

    /// Cuts off a value, if there are as many bytes.
    #[inline(always)]
    pub fn take<T: Plain>(&mut self) -> Option<Place<'a, T>> {
        if self.len < size_of::<T>() {
            return None;
        }
        let place = Place { from: self.from.cast(), to: self.to.cast(), life: PhantomData };
        self.skip(size_of::<T>());
        Some(place)
    }

    /// Moves on by at most `self.len` bytes.
    #[inline(always)]
    fn skip(&mut self, len: usize) {
        self.from = self.from.wrapping_add(len);
        self.to = self.to.wrapping_add(len);
        self.len -= len;
    }

    /// XORs all bytes with those of `stream`, as far as it reaches.
    #[inline(always)]
    pub fn xor(mut self, mut stream: &[u8]) {
        while self.xor_next::<16>(&mut stream) {}
        self.xor_next::<8>(&mut stream);
        self.xor_next::<4>(&mut stream);
        while self.xor_next::<1>(&mut stream) {}
    }

    /// XORs the next N bytes, if both have as many.
    #[inline(always)]
    fn xor_next<const N: usize>(&mut self, stream: &mut &[u8]) -> bool {
        let Some((first, rest)) = stream.split_first_chunk::<N>() else { return false };
        let Some(place) = self.take::<[u8; N]>() else { return false };
        let mut bytes = place.read();
        for (byte, key) in bytes.iter_mut().zip(first) {
            *byte ^= key;
        }
        place.write(bytes);
        *stream = rest;
        true
    }
}

impl<T: Plain> Place<'_, T> {
    /// The value that is there.
    #[inline(always)]
    pub fn read(&self) -> T {
        // SAFETY: `take` found as many bytes left of a text that borrows them, and no other place has them. T is
        // `Plain`, and the read needs no alignment.
        unsafe { self.from.read_unaligned() }
    }

    /// Puts a value in its place.
    #[inline(always)]
    pub fn write(self, value: T) {
        // SAFETY: the same, and the text borrows them exclusively. T is `Plain`, so it is initialised bytes.
        unsafe { self.to.write_unaligned(value) }
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn every_length_in_place_and_copied() {
        let stream: [u8; 64] = core::array::from_fn(|i| (7 * i + 1) as u8);
        let source: [u8; 64] = core::array::from_fn(|i| (31 * i + 5) as u8);
        for len in 0..=64 {
            let (mut same, mut other) = (source, [0xaa; 64]);
            Text::in_place(&mut same[..len]).xor(&stream);
            Text::copied(&source[..len], &mut other).xor(&stream);
            for i in 0..64 {
                let wanted = source[i] ^ stream[i];
                assert_eq!(same[i], if i < len { wanted } else { source[i] });
                assert_eq!(other[i], if i < len { wanted } else { 0xaa });
            }
        }
    }

    #[test]
    fn cuts_meet() {
        let mut bytes = [0; 10];
        let mut text = Text::in_place(&mut bytes);
        text.cut(3).xor(&[1; 64]);
        assert_eq!(text.left(), 7);
        assert!(text.take::<u64>().is_none());
        if let Some(place) = text.take::<u32>() {
            assert_eq!(place.read(), 0);
            place.write(u32::from_ne_bytes([2; 4]));
        }
        text.cut(100).xor(&[3; 64]);
        assert_eq!(text.left(), 0);
        assert_eq!(bytes, [1, 1, 1, 2, 2, 2, 2, 3, 3, 3]);
    }
}
