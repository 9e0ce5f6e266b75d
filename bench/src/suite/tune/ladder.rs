//! The lengths at which two ways are compared.

/// The longest message.
const MOST: usize = 48 << 10;

/// Where the steps of the ladder end, and how long they are.
const STEPS: [(usize, usize); 4] = [(512, 16), (2048, 64), (16 << 10, 256), (MOST, 1024)];

/// The lengths from `first` on. A step, block after block at first, is measured at both its ends, one byte behind
/// the step before and whole: what a kernel takes for a length rises and falls with the blocks that are missing to
/// a vector. `more` lengths are of interest too.
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
