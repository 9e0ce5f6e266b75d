//! Test messages. Every seed is fixed, so they are the same in every run.

use std::ops::RangeInclusive;

/// A sequence of pseudo-random numbers that no CPU predicts: SplitMix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014).
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// The next number, within a range.
    pub fn within(&mut self, range: RangeInclusive<usize>) -> usize {
        let span = (range.end() - range.start() + 1) as u64;
        range.start() + (((self.next_u64() >> 32) * span) >> 32) as usize
    }

    /// The next `len` bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len + 8);
        while bytes.len() < len {
            bytes.extend_from_slice(&self.next_u64().to_le_bytes());
        }
        bytes.truncate(len);
        bytes
    }
}

/// In each round data begins at another byte of a cache line: [`shift`] bytes further, always less than this.
pub const SHIFTS: usize = 64;

/// The shift of the data in a round, in bytes. It is the same for all contenders.
pub fn shift(round: usize) -> usize {
    Random::new(0x5417 + round as u64).within(0..=SHIFTS - 1)
}

/// Integers moved by `shift` bytes, rounded down to whole integers. The result is [`SHIFTS`] bytes shorter.
pub fn moved<T>(integers: &[T], shift: usize) -> &[T] {
    let (first, spare) = (shift / size_of::<T>(), SHIFTS / size_of::<T>());
    &integers[first..integers.len() - spare + first]
}

/// Bytes that can be read at any alignment.
pub struct Bytes {
    bytes: Vec<u8>,
}

impl Bytes {
    /// `len` bytes from a seed.
    pub fn new(len: usize, seed: u64) -> Self {
        Bytes { bytes: Random::new(seed).bytes(len + SHIFTS) }
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len() - SHIFTS
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, moved by `shift`, which must be less than [`SHIFTS`]. Another shift gives other bytes.
    pub fn at(&self, shift: usize) -> &[u8] {
        &self.bytes[shift..shift + self.len()]
    }
}

/// Messages in Arrow's layout: one after the other, with the offsets where they begin.
pub struct Arrow {
    bytes: Bytes,
    offsets: Vec<i32>,
}

impl Arrow {
    /// Messages with independent, uniformly distributed lengths.
    pub fn uniform(rows: usize, lengths: RangeInclusive<usize>, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut end = 0;
        let mut offsets = vec![0];
        for _ in 0..rows {
            end += random.within(lengths.clone());
            offsets.push(i32::try_from(end).expect("less than 2 GiB"));
        }
        Arrow { bytes: Bytes::new(end, seed), offsets }
    }

    /// The bytes of all messages, moved by `shift`, which must be less than [`SHIFTS`].
    pub fn bytes(&self, shift: usize) -> &[u8] {
        self.bytes.at(shift)
    }

    /// The offsets where the messages begin, and the end of the last one.
    pub fn offsets(&self) -> &[i32] {
        &self.offsets
    }
}

/// Messages in Arrow's layout of views: up to 12 bytes in their views, longer ones in a buffer.
pub struct Views {
    bytes: Bytes,
    views: Vec<[u8; 16]>,
}

impl Views {
    /// Messages with independent, uniformly distributed lengths, and some more to allow shifts.
    pub fn uniform(rows: usize, lengths: RangeInclusive<usize>, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut end = 0;
        let mut views = Vec::new();
        for _ in 0..rows + SHIFTS / 16 {
            let len = random.within(lengths.clone());
            let mut view = [0; 16];
            view[4..].copy_from_slice(&random.bytes(12));
            let number = |x: usize| u32::try_from(x).expect("less than 2 GiB").to_le_bytes();
            view[..4].copy_from_slice(&number(len));
            if len > 12 {
                view[8..12].copy_from_slice(&number(0));
                view[12..].copy_from_slice(&number(end));
                end += len;
            }
            views.push(view);
        }
        Views { bytes: Bytes::new(end, seed), views }
    }

    /// The views, moved by `shift` bytes, rounded down to whole views.
    pub fn views(&self, shift: usize) -> &[[u8; 16]] {
        moved(&self.views, shift)
    }

    /// The buffer of long messages, moved by `shift`, which must be less than [`SHIFTS`].
    pub fn buffer(&self, shift: usize) -> &[u8] {
        self.bytes.at(shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_the_generator() {
        // The first numbers of seed 0, from the generator's own test.
        let mut random = Random::new(0);
        assert_eq!(random.next_u64(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.next_u64(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn every_length_occurs_and_no_other() {
        let arrow = Arrow::uniform(5000, 4..=20, 1);
        let lengths: Vec<i32> = arrow.offsets().windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!((4..=20).all(|len| lengths.contains(&len)));
        assert!(lengths.iter().all(|len| (4..=20).contains(len)));
        assert_eq!(*arrow.offsets().last().unwrap() as usize, arrow.bytes(63).len());
        assert_eq!(arrow.offsets(), Arrow::uniform(5000, 4..=20, 1).offsets());
    }

    #[test]
    fn views_have_every_length_and_lie_in_their_buffer() {
        let views = Views::uniform(5000, 4..=20, 1);
        let number = |view: &[u8; 16], at: usize| {
            let (_, bytes) = view.split_at(at);
            u32::from_le_bytes(*bytes.first_chunk().unwrap()) as usize
        };
        for shift in [0, 17, 63] {
            let buffer = views.buffer(shift);
            assert_eq!(views.views(shift).len(), 5000);
            let lengths: Vec<usize> = views.views(shift).iter().map(|view| number(view, 0)).collect();
            assert!((4..=20).all(|len| lengths.contains(&len)));
            let long = views.views(shift).iter().filter(|view| number(view, 0) > 12);
            let ends: Vec<usize> = long.map(|view| number(view, 12) + number(view, 0)).collect();
            assert!(ends.iter().all(|&end| end <= buffer.len()));
        }
    }

    #[test]
    fn every_shift_occurs() {
        let shifts: Vec<usize> = (0..1000).map(shift).collect();
        assert!((0..SHIFTS).all(|shift| shifts.contains(&shift)));
    }
}
