//! The bytes to hash.

use std::ops::Range;
use std::sync::Arc;

/// Pseudo-random numbers from a seed: SplitMix64. The same on every machine and in every run.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number in `0..bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    /// `N` random bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.word() as u8)
    }

    /// Shuffles a list.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// 0, 1, 2, ..., 250, 0, 1, ... The period 251 is prime, so no two blocks of a kernel are equal. A block
/// taken twice or in place of another is noticed.
pub fn counting(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

/// The view of a message that lies at an offset in a buffer, as Arrow has it. A short message is in the view itself.
/// `rest` is what nobody may read: the padding of a short message, the prefix of a long one.
///
/// # Panics
/// A number does not fit.
pub fn view(message: &[u8], buffer: usize, offset: usize, rest: [u8; 12]) -> [u8; 16] {
    let number = |x: usize| u32::try_from(x).expect("less than 2^32").to_le_bytes();
    let mut view = [0; 16];
    view[..4].copy_from_slice(&number(message.len()));
    view[4..].copy_from_slice(&rest);
    if message.len() <= 12 {
        view[4..][..message.len()].copy_from_slice(message);
    } else {
        view[8..12].copy_from_slice(&number(buffer));
        view[12..].copy_from_slice(&number(offset));
    }
    view
}

/// Bytes in each part of a [`Pool`].
pub const PART: usize = 1 << 15;

/// All input of the checks, in parts of [`PART`] bytes. A message is a piece of it, so the bytes before and after each
/// message are not zero. A kernel that uses them gives a wrong answer.
#[repr(C, align(64))]
pub struct Pool([u8; 4 * PART]);

/// A piece of the pool. Its first byte is `start % 64` bytes after a cache line boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    /// Its start in the pool.
    pub start: usize,
    /// Its length in bytes.
    pub len: usize,
}

impl Text {
    /// `len` bytes from `start` on.
    pub fn at(start: usize, len: usize) -> Self {
        Text { start, len }
    }

    /// Its range in the pool.
    pub fn range(self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

impl Pool {
    /// The start of the bytes `i % 251`.
    pub const COUNTING: usize = 0;
    /// The start of random bytes.
    pub const RANDOM: usize = PART;
    /// The start of bytes 00 and ff in random order, which cause long carries.
    pub const STRUCTURED: usize = 2 * PART;
    /// The start of bytes ff, the largest blocks.
    pub const ONES: usize = 3 * PART;

    /// The pool, the same each time.
    pub fn shared() -> Arc<Pool> {
        let mut pool = Pool([0xff; 4 * PART]);
        let mut random = Random(12);
        pool.0[..PART].copy_from_slice(&counting(PART));
        pool.0[Self::RANDOM..][..PART].fill_with(|| random.word() as u8);
        pool.0[Self::STRUCTURED..][..PART].fill_with(|| if random.below(2) == 0 { 0 } else { 0xff });
        Arc::new(pool)
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes of a piece.
    pub fn text(&self, text: Text) -> &[u8] {
        &self.0[text.range()]
    }
}
