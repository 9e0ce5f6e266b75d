//! The numbers that a receiver has seen.

/// How many words of bits there are: a power of two.
const RING_WORDS: u64 = 32;

/// How many numbers, from the greatest one down, are known: all of the words but one, which may have been begun.
pub const NUMBERS_IN_WINDOW: u64 = 64 * (RING_WORDS - 1);

/// Which of the last [`NUMBERS_IN_WINDOW`] numbers have been seen, in the way of RFC 6479: number n is bit n % 64 of word
/// n / 64, and the words are a ring.
pub struct Window {
    seen: [u64; RING_WORDS as usize],
    greatest: u64,
}

impl Window {
    /// Nothing has been seen.
    pub const EMPTY: Window = Window { seen: [0; RING_WORDS as usize], greatest: 0 };

    /// Adds a number. Returns whether it is new: neither seen before nor too old to tell.
    pub fn add(&mut self, number: u64) -> bool {
        if number > self.greatest {
            // The words between the two, and the number's own, begin anew. Nothing lives in them for longer than a turn.
            let (from, to) = (self.greatest / 64, number / 64);
            for word in from + 1..=to.min(from + RING_WORDS) {
                *self.word(word) = 0;
            }
            self.greatest = number;
        } else if self.greatest - number >= NUMBERS_IN_WINDOW {
            return false;
        }
        let bit = 1 << (number % 64);
        let word = self.word(number / 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// A word of the ring.
    fn word(&mut self, index: u64) -> &mut u64 {
        &mut self.seen[(index % RING_WORDS) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::{NUMBERS_IN_WINDOW, Window};
    use std::collections::HashSet;

    #[test]
    fn numbers_are_new_once() {
        let mut window = Window::EMPTY;
        for number in [0, 1, 63, 64, 5, 2000, 17, u64::MAX - 1, u64::MAX] {
            assert!(window.add(number), "{number}");
            assert!(!window.add(number), "{number} again");
        }
        assert!(!window.add(0), "too old");
        assert!(window.add(u64::MAX - NUMBERS_IN_WINDOW + 1));
        assert!(!window.add(u64::MAX - NUMBERS_IN_WINDOW));
    }

    /// The same as a set of all numbers seen, in any order of steps.
    #[test]
    fn a_window_is_a_set_with_an_end() {
        let (mut window, mut seen) = (Window::EMPTY, HashSet::new());
        let (mut state, mut greatest) = (1u64, 0u64);
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let spread = [4, 100, 3000, 70_000][(state >> 33) as usize % 4];
            let number = (greatest + (state >> 40) % spread).saturating_sub(spread * 2 / 3);
            let is_old = number + NUMBERS_IN_WINDOW <= greatest;
            let is_new = !is_old && seen.insert(number);
            assert_eq!(window.add(number), is_new, "{number} after {greatest}");
            greatest = greatest.max(number);
        }
    }
}
