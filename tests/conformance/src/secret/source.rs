//! Where secrets come from, and where results go.

use super::memcheck;
use crate::input::{Random, view};

/// How much work is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Many lengths and numbers of messages.
    Much,
    /// A few: so few instructions that each step can be compared.
    Little,
}

/// The source of secrets.
pub struct Secrets {
    random: Random,
    /// All secret bytes are random, ANDed with the first mask and ORed with the second.
    mask: [u8; 2],
    work: Work,
    taken: usize,
}

impl Secrets {
    /// Secrets by number: all zeros for 0, all ones for 1, random for others.
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

    /// Views of secret messages, with secrets for what nobody may read. `place` tells the buffer and the offset of each.
    pub(super) fn views(
        &mut self,
        messages: &[&[u8]],
        place: impl Fn(usize) -> (usize, usize),
    ) -> Vec<[u8; 16]> {
        let view = |(i, message): (usize, &&[u8])| {
            let (buffer, offset) = place(i);
            view(message, buffer, offset, self.array())
        };
        messages.iter().enumerate().map(view).collect()
    }

    /// Takes a result computed from secrets. Panics if memcheck runs this and considers the whole result
    /// defined: then no secret was used.
    pub fn take<T: Copy>(&mut self, result: T) {
        let result = std::hint::black_box(result);
        let lost = memcheck::is_running() && !memcheck::is_hidden(&result);
        assert!(!lost, "a result that does not depend on any secret");
        self.taken += 1;
    }

    /// The number of results taken.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Lengths of single messages: every length to beyond the tails of two vectors, then around the sizes
    /// where kernels change their method.
    pub(super) fn lengths(&self) -> Vec<usize> {
        match self.work {
            Work::Much => (0..=144)
                .chain((145..700).step_by(7))
                .chain([511, 512, 513, 1023, 1024, 1031, 1300, 2047, 2049, 3000, 4097, 9000])
                .collect(),
            Work::Little => vec![0, 15, 16, 33, 100, 129, 257, 385, 520, 777, 1300, 2100, 5000, 9000],
        }
    }

    /// The lengths of the messages of batches, for kernels of `lanes` lanes: equal; different; one much
    /// longer than the others; and unsorted. The unsorted ones are so many that kernels sort them: more than
    /// a vector kernel's group and its smaller chunk.
    pub(super) fn batches(&self, lanes: usize) -> Vec<Vec<usize>> {
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
