//! Keys of maps: strings of one length, one after the other.

use keylane_measure::data::Random;
use std::iter::repeat_n;

/// Strings of one length.
pub(super) struct Strings {
    text: String,
    len: usize,
}

impl Strings {
    /// Each of them.
    pub(super) fn list(&self) -> Vec<&str> {
        (0..self.text.len() / self.len).map(|i| &self.text[i * self.len..][..self.len]).collect()
    }
}

/// Numbers as in the prior work, up to 16^`len`: the least digit first, then zeros. Here the digits are
/// hexadecimal, since Rust's strings are UTF-8.
pub(super) fn counted(numbers: impl Iterator<Item = usize>, len: usize) -> Strings {
    let mut text = String::new();
    for number in numbers {
        let digits = format!("{number:x}");
        text.extend(digits.chars().rev().chain(repeat_n('0', len - digits.len())));
    }
    Strings { text, len }
}

/// The characters of [`scattered`] keys.
const ALPHABET: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-";

/// Keys that look random, one for each number below 2^24, of four characters or more.
///
/// The first four characters identify the number: they are its product with an odd constant, modulo 64^4.
pub(super) fn scattered(numbers: impl Iterator<Item = usize>, len: usize) -> Strings {
    let mut text = String::new();
    for number in numbers {
        let mut random = Random::new(number as u64);
        let first = number.wrapping_mul(0x9e_3779);
        text.extend((0..4).map(|i| character(first >> (6 * i))));
        text.extend((4..len).map(|_| character(random.next_u64() as usize)));
    }
    Strings { text, len }
}

fn character(bits: usize) -> char {
    char::from(ALPHABET[bits % 64])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn numbers_are_counted() {
        assert_eq!(counted([0, 9, 10, 0x123].into_iter(), 4).list(), ["0000", "9000", "a000", "3210"]);
    }

    #[test]
    fn scattered_keys_differ() {
        let keys = scattered(0..100_000, 4);
        assert_eq!(keys.list().into_iter().collect::<HashSet<_>>().len(), 100_000);
        assert_eq!(scattered([5, 5].into_iter(), 9).list(), [scattered(0..6, 9).list()[5]; 2]);
    }
}
