//! The one place where bytes wait until they fill a unit: a word of SipHash or a block of Poly1305, or many blocks.
//!
//! A [`Partial`] holds the bytes that do not fill a unit yet as one little-endian integer. Joining two runs of bytes is
//! then a shift and an or, without copies through memory. SipHash has units of 8 bytes (`u64`), HalfSipHash of 4
//! (`u32`), Poly1305 of 16 (`u128`).
//!
//! [`Gathered`] holds many blocks of a long Poly1305 message that comes in short pieces, for kernels with lanes.

use super::wipe::{Zero, wipe, wipe_table};

/// A unit, read little-endian from a message: a word of SipHash or a block of Poly1305.
pub trait LeInt: Zero + Copy {
    /// The unit's bytes in memory.
    type Bytes: Copy;
    /// Bytes in a unit.
    const SIZE: usize;

    /// Cuts a message into whole units and a rest shorter than a unit.
    fn split(message: &[u8]) -> (&[Self::Bytes], &[u8]);
    /// Reads a unit.
    fn from_bytes(bytes: Self::Bytes) -> Self;
    /// Writes a unit.
    fn into_bytes(self) -> Self::Bytes;
    /// Reads one byte; the upper bytes are zero.
    fn from_byte(byte: u8) -> Self;
    /// Reads fewer than `SIZE` bytes; the upper bytes are zero.
    fn from_short(bytes: &[u8]) -> Self;
    /// The bytes of `self` above `low`, which has `shift` < `SIZE` bytes.
    fn put_above(self, low: Self, shift: usize) -> Self;
    /// The last `message.len() % SIZE` bytes of a message; the upper bytes are zero.
    fn tail(message: &[u8]) -> Self;
}

/// Implements `LeInt` for one integer type. It only reads memory of the message. If the message has at least one whole
/// unit, its tail is the upper part of its last `SIZE` bytes.
macro_rules! block {
    ($int:ty, $short:ident) => {
        impl LeInt for $int {
            type Bytes = [u8; size_of::<$int>()];
            const SIZE: usize = size_of::<$int>();

            #[inline(always)]
            fn split(message: &[u8]) -> (&[Self::Bytes], &[u8]) {
                message.as_chunks()
            }

            #[inline(always)]
            fn from_bytes(bytes: Self::Bytes) -> Self {
                Self::from_le_bytes(bytes)
            }

            #[inline(always)]
            fn into_bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }

            #[inline(always)]
            fn from_byte(byte: u8) -> Self {
                Self::from(byte)
            }

            #[inline(always)]
            fn from_short(bytes: &[u8]) -> Self {
                $short(bytes)
            }

            #[inline(always)]
            fn put_above(self, low: Self, shift: usize) -> Self {
                low | self << (8 * shift)
            }

            #[inline(always)]
            fn tail(message: &[u8]) -> Self {
                match message.last_chunk() {
                    // Shift by 8 and then by 8 (SIZE - 1 - len % SIZE) = 8 (-1 - len) % BITS. One shift is at most
                    // BITS - 8: a shift by BITS (no tail) is not defined.
                    Some(&last) => (Self::from_le_bytes(last) >> 8)
                        .wrapping_shr((!(message.len() as u32)).wrapping_mul(8)),
                    None => $short(message),
                }
            }
        }
    };
}

block!(u32, short_3);
block!(u64, short_7);
block!(u128, short_15);

/// Up to 3 bytes: the first, the middle and the last cover all of them.
#[inline(always)]
fn short_3(bytes: &[u8]) -> u32 {
    let n = bytes.len();
    match (bytes.first(), bytes.get(n / 2), bytes.last()) {
        (Some(&first), Some(&middle), Some(&last)) => {
            u32::from(first) | u32::from(middle) << (8 * (n / 2)) | u32::from(last) << (8 * (n - 1))
        }
        _ => 0,
    }
}

/// The first and the last `N` bytes. The standard `last_chunk` contains a panic that is never reached. The compiler keeps
/// it where it has lost track of the length. The arrays are values: a reference would be compared with null, and the
/// address computed for that takes two more operations before the load.
#[inline(always)]
fn ends<const N: usize>(bytes: &[u8]) -> Option<([u8; N], [u8; N])> {
    let last = bytes.get(bytes.len().checked_sub(N)?..)?.first_chunk()?;
    Some((*bytes.first_chunk()?, *last))
}

/// Up to 7 bytes: two overlapping reads of 4, or `short_3`.
#[inline(always)]
fn short_7(bytes: &[u8]) -> u64 {
    match ends(bytes) {
        Some((first, last)) => {
            u64::from(u32::from_le_bytes(first))
                | u64::from(u32::from_le_bytes(last)) << (8 * (bytes.len() - 4))
        }
        None => u64::from(short_3(bytes)),
    }
}

/// Up to 15 bytes: two overlapping reads of 8, or `short_7`.
#[inline(always)]
fn short_15(bytes: &[u8]) -> u128 {
    match ends(bytes) {
        Some((first, last)) => {
            u128::from(u64::from_le_bytes(first))
                | u128::from(u64::from_le_bytes(last)) << (8 * (bytes.len() - 8))
        }
        None => u128::from(short_7(bytes)),
    }
}

/// The bytes of a message that do not fill a unit yet.
#[derive(Clone)]
pub struct Partial<B> {
    /// The bytes; bytes above `len` are zero.
    pub bytes: B,
    /// How many bytes there are: always fewer than a unit has.
    pub len: usize,
}

impl<B: LeInt> Partial<B> {
    /// No bytes.
    pub const EMPTY: Self = Partial { bytes: B::ZERO, len: 0 };

    /// Appends `input` to the waiting bytes, passes all whole units to `absorb` in order, and keeps the rest.
    #[inline(always)]
    pub fn feed(&mut self, input: &[u8], mut absorb: impl FnMut(&[B::Bytes])) {
        let mut input = input;
        if self.len > 0 {
            let Some((head, rest)) = input.split_at_checked(B::SIZE - self.len) else {
                self.bytes = B::from_short(input).put_above(self.bytes, self.len);
                self.len += input.len();
                return;
            };
            absorb(&[B::from_short(head).put_above(self.bytes, self.len).into_bytes()]);
            input = rest;
        }
        let (blocks, rest) = B::split(input);
        if !blocks.is_empty() {
            absorb(blocks);
        }
        self.bytes = B::tail(input);
        self.len = rest.len();
    }

    /// Appends one byte. Returns the unit that it completes, if it does. Takes fewer operations than [`feed`](Self::feed).
    #[inline(always)]
    pub fn push(&mut self, byte: u8) -> Option<B::Bytes> {
        let bytes = B::from_byte(byte).put_above(self.bytes, self.len);
        if self.len + 1 == B::SIZE {
            *self = Self::EMPTY;
            return Some(bytes.into_bytes());
        }
        self.bytes = bytes;
        self.len += 1;
        None
    }

    /// Overwrites the bytes with zeros.
    pub fn wipe(&mut self) {
        wipe(&mut self.bytes);
        self.len = 0;
    }
}

/// Bytes of a long message that wait until they are enough for lanes.
pub struct Gathered {
    blocks: [[u8; 16]; Gathered::SIZE / 16],
    len: usize,
}

impl Gathered {
    /// The most bytes that wait.
    pub const SIZE: usize = 512;

    /// No bytes.
    pub const EMPTY: Self = Gathered { blocks: [[0; 16]; Gathered::SIZE / 16], len: 0 };

    /// How many more bytes there is room for.
    #[inline(always)]
    pub fn room(&self) -> usize {
        Gathered::SIZE.saturating_sub(self.len)
    }

    /// How many bytes the last block lacks.
    #[inline(always)]
    pub fn missing(&self) -> usize {
        self.len.wrapping_neg() % 16
    }

    /// Appends all bytes of `input`, or none if there is no room for all. Whether it has appended them.
    #[inline(always)]
    pub fn put(&mut self, input: &[u8]) -> bool {
        let places = self.blocks.as_flattened_mut().get_mut(self.len..).unwrap_or(&mut []);
        let Some(places) = places.get_mut(..input.len()) else { return false };
        copy(places, input);
        self.len += input.len();
        true
    }

    /// The whole blocks, and the bytes after them.
    #[inline(always)]
    pub fn split(&self) -> (&[[u8; 16]], &[u8]) {
        self.blocks.as_flattened().get(..self.len).unwrap_or(&[]).as_chunks()
    }

    /// Forgets the bytes. They stay in memory until others take their place, or until they are wiped.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Overwrites the bytes with zeros.
    #[inline]
    pub fn wipe(&mut self) {
        wipe_table(&mut self.blocks);
        self.len = 0;
    }
}

/// Copies as many bytes as both have. A call of `memcpy` takes longer than a short copy.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    match from.len() {
        16..=32 => copy_ends::<16>(to, from),
        33..=64 => copy_ends::<32>(to, from),
        65.. => to.iter_mut().zip(from).for_each(|(to, &from)| *to = from),
        8.. => copy_ends::<8>(to, from),
        4.. => copy_ends::<4>(to, from),
        2.. => copy_ends::<2>(to, from),
        _ => copy_ends::<1>(to, from),
    }
}

/// Copies the first and the last `N` bytes: all, if there are at most 2 `N`.
#[inline(always)]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    let Some((first, last)) = ends::<N>(from) else { return };
    if let Some(place) = to.first_chunk_mut::<N>() {
        *place = first;
    }
    if let Some(place) = from.len().checked_sub(N).and_then(|at| to.get_mut(at..)?.first_chunk_mut::<N>()) {
        *place = last;
    }
}

#[cfg(test)]
mod tests {
    use super::{Gathered, LeInt};
    use std::vec;
    use std::vec::Vec;

    /// Every length of two pieces that fit, and of one that does not.
    #[test]
    fn gathered_bytes() {
        let bytes: Vec<u8> = (0..Gathered::SIZE).map(|i| (i * 7 / 8) as u8).collect();
        for first in 0..=140 {
            for second in (0..=140).chain([Gathered::SIZE - first]) {
                let mut gathered = Gathered::EMPTY;
                let (first, rest) = bytes.split_at(first);
                assert!(gathered.put(first) && gathered.put(&rest[..second]));
                let (blocks, tail) = gathered.split();
                assert_eq!([blocks.as_flattened(), tail].concat(), bytes[..first.len() + second]);
                assert_eq!((tail.len() + gathered.missing()) % 16, 0);
                assert!(!gathered.put(&vec![1; gathered.room() + 1]), "no room");
                assert_eq!(gathered.split().0.len(), (first.len() + second) / 16);
            }
        }
    }

    /// From 512 MiB on, eight times the length does not fit into 32 bits.
    #[test]
    fn tails_of_long_messages() {
        let mut message = vec![0; (1 << 29) + 3];
        if let Some(last) = message.last_mut() {
            *last = 7;
        }
        assert_eq!(u32::tail(&message), 7 << 16);
        assert_eq!(u64::tail(&message), 7 << 16);
        assert_eq!(u128::tail(&message), 7 << 16);
        assert_eq!(u64::tail(message.get(..1 << 29).unwrap_or(&[1])), 0);
    }
}
