//! Whether time depends on a secret: every entry point and every row with keys, messages and tags that are secret.
//!
//! Which jobs are done depends on lengths alone, as the time of keylane's calls must. Who watches them sees whether it
//! does: memcheck, which takes every secret for undefined ([`memcheck`]) and names each branch on one and each address
//! made of one (`tests/taint.rs`); `cargo xtask steps`, which compares the steps of the same jobs with different secrets;
//! or a clock (`timing`). Rows with planted leaks ([`planted`]) show that they see them.

mod calls;
pub mod memcheck;
pub mod planted;
mod rows;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub mod timing;

pub use calls::{public_calls, public_calls_of};
pub use rows::Secretive;

use crate::input::Random;

/// How much work is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Many lengths and numbers of messages.
    Much,
    /// A few: as many instructions as can be looked at one by one.
    Little,
}

/// Where secrets come from.
pub struct Secrets {
    random: Random,
    /// All secret bytes are random ones of which these bits are kept, and then these are set.
    mask: [u8; 2],
    work: Work,
    taken: usize,
}

impl Secrets {
    /// Other secrets for each number: 0 is zeros, 1 is bits that are all set, others are random.
    pub fn new(number: u64, work: Work) -> Self {
        let mask = match number {
            0 => [0, 0],
            1 => [0, 0xff],
            _ => [0xff, 0],
        };
        Secrets { random: Random(number), mask, work, taken: 0 }
    }

    /// A secret key or number.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let [keep, set] = self.mask;
        let mut bytes = self.random.bytes().map(|byte: u8| byte & keep | set);
        memcheck::hide(&mut bytes);
        bytes
    }

    /// A secret message.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let [keep, set] = self.mask;
        let mut bytes = vec![0; len];
        for word in bytes.chunks_mut(8) {
            let random = self.random.word().to_le_bytes();
            word.iter_mut().zip(random).for_each(|(byte, random)| *byte = random & keep | set);
        }
        memcheck::hide(&mut bytes);
        bytes
    }

    /// Takes what was made of secrets. Panics if memcheck runs this and takes none of it for undefined: then no secret
    /// has gone in.
    pub fn take<T: Copy>(&mut self, result: T) {
        let result = std::hint::black_box(result);
        let lost = memcheck::is_running() && !memcheck::is_hidden(&result);
        assert!(!lost, "a result that does not depend on any secret");
        self.taken += 1;
    }

    /// How many results were taken.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Lengths of single messages: all of them to past the tails of two vectors, then around the sizes at which
    /// kernels change their way.
    fn lengths(&self) -> Vec<usize> {
        match self.work {
            Work::Much => (0..=144)
                .chain((145..700).step_by(7))
                .chain([511, 512, 513, 1023, 1024, 1031, 1300, 2047, 2049, 3000, 4097, 9000])
                .collect(),
            Work::Little => vec![0, 15, 16, 33, 100, 129, 257, 385, 520, 777, 1300, 2100, 5000, 9000],
        }
    }

    /// The lengths of the messages of batches, for kernels of so many lanes: equal, ragged, with one message that is
    /// much longer than the others, and so many in disorder that they are sorted: more than a vector kernel's group and
    /// its smaller block.
    fn batches(&self, lanes: usize) -> Vec<Vec<usize>> {
        if self.work == Work::Little {
            let some = (0..lanes + 3).map(|i| 7 * i % 41).collect();
            let one_long = (0..lanes + 1).map(|i| if i == 2 { 200 } else { 11 }).collect();
            let many = (0..65).map(|i| 13 * i % 97).collect();
            return vec![vec![8; lanes], vec![16; 4 * lanes], some, one_long, many];
        }
        let counts = (0..=17).chain([31, 32, 33, 2 * lanes + 1, 67, 130]);
        let widths = [0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 33, 64, 70];
        let mut batches = Vec::new();
        for count in counts {
            batches.extend(widths.iter().map(|&width| vec![width; count]));
            batches.push((0..count).map(|i| i % 41).collect());
            batches.push((0..count).rev().map(|i| 7 * i % 67).collect());
            batches.push((0..count).map(|i| if i == count / 2 { 700 } else { 11 }).collect());
        }
        batches
    }
}
