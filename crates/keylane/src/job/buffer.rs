//! The one place where bytes wait until they fill a unit: a word of SipHash or a block of Poly1305.
//!
//! A [`Partial`] holds the bytes that do not fill a unit yet as one little-endian integer. Joining two runs of bytes is
//! then a shift and an or, without copies through memory. SipHash has units of 8 bytes (`u64`), HalfSipHash of 4
//! (`u32`), Poly1305 of 16 (`u128`).

use super::wipe::{Zero, wipe};

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
    /// Reads fewer than `SIZE` bytes; the upper bytes are zero.
    fn from_short(bytes: &[u8]) -> Self;
    /// The bytes of `self` above `low`, which has `shift` < `SIZE` bytes.
    fn above(self, low: Self, shift: usize) -> Self;
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
            fn from_short(bytes: &[u8]) -> Self {
                $short(bytes)
            }

            #[inline(always)]
            fn above(self, low: Self, shift: usize) -> Self {
                low | self << (8 * shift)
            }

            #[inline(always)]
            fn tail(message: &[u8]) -> Self {
                match message.last_chunk() {
                    // Shift by 1 and then by 8 (SIZE - len % SIZE) - 1 = BITS - 1 - 8 len % BITS. One shift is at most
                    // BITS - 1: a shift by BITS (no tail) is not defined.
                    Some(&last) => {
                        (Self::from_le_bytes(last) >> 1).wrapping_shr(!(message.len() as u32).wrapping_mul(8))
                    }
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

/// The last `N` bytes. The standard `last_chunk` contains a panic that is never reached. The compiler keeps it where it
/// has lost track of the length.
#[inline(always)]
fn last_chunk<const N: usize>(bytes: &[u8]) -> Option<&[u8; N]> {
    bytes.get(bytes.len().checked_sub(N)?..)?.first_chunk()
}

/// Up to 7 bytes: two overlapping reads of 4, or `short_3`.
#[inline(always)]
fn short_7(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), last_chunk(bytes)) {
        (Some(&first), Some(&last)) => {
            u64::from(u32::from_le_bytes(first))
                | u64::from(u32::from_le_bytes(last)) << (8 * (bytes.len() - 4))
        }
        _ => u64::from(short_3(bytes)),
    }
}

/// Up to 15 bytes: two overlapping reads of 8, or `short_7`.
#[inline(always)]
fn short_15(bytes: &[u8]) -> u128 {
    match (bytes.first_chunk(), last_chunk(bytes)) {
        (Some(&first), Some(&last)) => {
            u128::from(u64::from_le_bytes(first))
                | u128::from(u64::from_le_bytes(last)) << (8 * (bytes.len() - 8))
        }
        _ => u128::from(short_7(bytes)),
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
                self.bytes = B::from_short(input).above(self.bytes, self.len);
                self.len += input.len();
                return;
            };
            absorb(&[B::from_short(head).above(self.bytes, self.len).into_bytes()]);
            input = rest;
        }
        let (blocks, rest) = B::split(input);
        if !blocks.is_empty() {
            absorb(blocks);
        }
        self.bytes = B::tail(input);
        self.len = rest.len();
    }

    /// Overwrites the bytes with zeros.
    pub fn wipe(&mut self) {
        wipe(&mut self.bytes);
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::LeInt;
    use std::vec;

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
