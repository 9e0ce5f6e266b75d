//! Bytes that are put together from many short pieces.

use std::collections::TryReserveError;
use std::ops::Range;

/// A piece of at most this many bytes is copied together with the bytes behind it, and the next piece is written over
/// those. So no branch depends on its length.
const SHORT: usize = 32;

/// Bytes, and room for more.
#[derive(Debug, Default)]
pub struct Sheet {
    bytes: Vec<u8>,
    /// So many bytes count.
    len: usize,
}

impl Sheet {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes, without the room behind them.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.len);
        self.bytes
    }

    /// Removes the bytes. Their memory stays.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Makes room for `more` bytes.
    pub fn reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        let wanted = self.len.saturating_add(more).saturating_add(SHORT);
        if let Some(missing) = wanted.checked_sub(self.bytes.len()) {
            self.bytes.try_reserve(missing)?;
            self.bytes.resize(wanted, 0);
        }
        Ok(())
    }

    /// Adds a part of some bytes. What there is no room for is left out.
    #[inline(always)]
    pub fn push(&mut self, bytes: &[u8], part: Range<usize>) {
        let room = self.bytes.get_mut(self.len..).unwrap_or_default();
        let len = part.len();
        if len <= SHORT
            && let Some(from) = bytes.get(part.start..).and_then(<[u8]>::first_chunk::<SHORT>)
            && let Some(to) = room.first_chunk_mut::<SHORT>()
        {
            *to = *from;
            self.len += len;
        } else {
            self.push_long(bytes.get(part).unwrap_or_default());
        }
    }

    /// Adds a piece. What there is no room for is left out.
    #[inline(always)]
    pub fn push_whole(&mut self, piece: &[u8]) {
        if let Some(room) = self.bytes.get_mut(self.len..).and_then(|room| room.get_mut(..piece.len())) {
            room.copy_from_slice(piece);
            self.len += piece.len();
        }
    }

    #[inline(never)]
    fn push_long(&mut self, piece: &[u8]) {
        self.push_whole(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stand_one_behind_the_other() {
        let bytes: Vec<u8> = (0..=255).collect();
        for room in [256, 400] {
            let (mut sheet, mut expected) = (Sheet::default(), Vec::new());
            for len in 0..70 {
                for start in [0, 7, 200, 255 - len] {
                    let part = start..(start + len).min(bytes.len());
                    sheet.reserve(part.len()).expect("room");
                    sheet.push(&bytes, part.clone());
                    expected.extend_from_slice(&bytes[part]);
                }
            }
            assert_eq!((sheet.bytes(), sheet.len()), (&expected[..], expected.len()));
            sheet.clear();
            assert_eq!(sheet.bytes(), b"");
            sheet.reserve(room).expect("room");
            sheet.push(&bytes, 0..256);
            sheet.push_whole(b"ab");
            assert_eq!(sheet.into_bytes(), [&bytes[..], b"ab"].concat());
        }
    }
}
