//! SipHash of the lab, one whole message by every set of steps: `siphash-x1-steps`.

use super::oracle::Hashes;
use super::{Checked, Extent, LONGEST, Row};
use crate::check::Check;
use crate::input::{Pool, Text};
use crate::variants::{Family, Variant};
use crate::vectors::{Published, Verdict};
use keylane_lab::steps::{STEPS, Whole, X1};

impl Checked for X1 {
    type Truth = Hashes;

    fn truth(_: Extent) -> Hashes {
        Hashes::new()
    }

    fn check_row(row: &Row<Self>, truth: &mut Hashes, published: &Published, check: &mut Check) {
        for steps in 0..1 << STEPS.len() {
            for case in published.hashes.iter().filter(|case| HASHES.contains(&case.variant)) {
                let tag = tag(row, steps, case.variant, &case.key, &case.message);
                let place = || format!("published: {:02x?} {}, steps {steps:06b}", case.key, case.source);
                match case.verdict {
                    Verdict::Valid => check.same(tag, case.tag, place),
                    Verdict::Invalid => check.differs(tag, case.tag, place),
                }
            }
            // Every length, so every number of words and every tail; then messages at every offset within a
            // cache line.
            let lengths = (0..=LONGEST).map(|len| Text::at(Pool::RANDOM, len));
            let starts = (0..64).map(|start| Text::at(Pool::COUNTING + start, 23 + start % 8));
            for text in lengths.chain(starts) {
                for variant in HASHES {
                    let actual = tag(row, steps, variant, truth.key(variant), truth.pool.text(text));
                    let expected = truth.tag(variant, false, text);
                    check.same(actual, expected, || format!("{variant:?}, {text:?}, steps {steps:06b}"));
                }
            }
        }
    }
}

/// The variants that the kernel computes.
const HASHES: [Variant; 2] = [Variant::sip(1, 3, false), Variant::sip(2, 4, false)];

fn tag(row: &Row<X1>, steps: usize, variant: Variant, key: &[u8], message: &[u8]) -> u128 {
    let mut tag = 0;
    let two_rounds = variant.c == 2;
    row.kernel.run(Whole { steps, two_rounds, key: u64::key(key), message, tag: &mut tag });
    tag.into()
}
