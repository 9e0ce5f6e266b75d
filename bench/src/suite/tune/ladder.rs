//! The lengths at which two methods are compared.

/// The longest message.
const MOST: usize = 48 << 10;

/// The end of each part of the ladder, and the length of its steps.
const STEPS: [(usize, usize); 4] = [(512, 16), (2048, 64), (16 << 10, 256), (MOST, 1024)];

/// The lengths from `first` on, and those of `more`. At first a step is one block. Each step is measured at
/// both ends: one byte beyond the previous step, and complete. A kernel's cost rises and falls with the
/// number of blocks that its last vector lacks.
pub fn lengths(first: usize, more: &[usize]) -> Vec<usize> {
    let mut lengths = [&[first], more].concat();
    let mut end = 0;
    for (last, step) in STEPS {
        while end < last {
            lengths.extend([end + 1, end + step]);
            end += step;
        }
    }
    lengths.retain(|length| (first..=MOST).contains(length));
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_rises_from_its_first_length_to_the_longest() {
        for first in [17, 105, 512] {
            let lengths = lengths(first, &[1, 300, usize::MAX]);
            assert!(lengths.contains(&300) == (first <= 300));
            assert!(lengths.is_sorted_by(|a, b| a < b));
            assert_eq!((lengths[0], lengths[lengths.len() - 1]), (first, MOST));
        }
        assert_eq!(lengths(105, &[])[..4], [105, 112, 113, 128]);
        let near = |length| lengths(17, &[]).contains(&length);
        assert!(near(512) && near(513) && near(576) && !near(528) && near(2049) && near(2304) && !near(2112));
    }
}
