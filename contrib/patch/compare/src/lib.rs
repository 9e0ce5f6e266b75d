//! Random input for the tests of this package, which compare the packages of this folder with those that they replace.

/// Random numbers (splitmix64), the same in every run.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() % limit as u64) as usize
    }

    /// This many bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.number() as u8).collect()
    }

    /// A message: mostly short, sometimes long.
    pub fn message(&mut self) -> Vec<u8> {
        let limit = [20, 70, 300, 6000][self.below(4)];
        let length = self.below(limit);
        self.bytes(length)
    }
}
