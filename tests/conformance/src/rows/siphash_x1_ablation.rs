//! SipHash of the lab, one whole message after the other: `siphash-x1-ablation`.

use super::oracle::Hashes;
use super::{Checked, Extent, LONGEST, Row};
use crate::check::Check;
use crate::input::{Pool, Text};
use crate::variants::{Family, Variant};
use crate::vectors::{Published, Verdict};
use keylane_lab::ablation::{Rounds, Wholes, X1};

impl Checked for X1 {
    type Truth = Hashes;

    fn truth(_: Extent) -> Hashes {
        Hashes::new()
    }

    fn check_row(row: &Row<Self>, truth: &mut Hashes, published: &Published, check: &mut Check) {
        for rounds in Rounds::ALL {
            let variant = variant(rounds);
            for case in published.hashes.iter().filter(|case| case.variant == variant) {
                let [tag] = tags(row, rounds, &case.key, [&case.message]);
                let place = || format!("published: {:02x?} {}", case.key, case.source);
                match case.verdict {
                    Verdict::Valid => check.same(tag, case.tag, place),
                    Verdict::Invalid => check.differs(tag, case.tag, place),
                }
            }
            // Every length, so every number of words and every tail; also a message at any offset within a
            // cache line.
            for len in 0..=LONGEST {
                let texts = [Text::at(Pool::RANDOM, len), Text::at(Pool::COUNTING + len % 64, 23 + len % 8)];
                let messages = texts.map(|text| truth.pool.text(text));
                let actual = tags(row, rounds, truth.key(variant), messages);
                for (actual, text) in actual.into_iter().zip(texts) {
                    let expected = truth.tag(variant, false, text);
                    check.same(actual, expected, || format!("{variant:?}, {text:?}"));
                }
            }
            check.same(tags(row, rounds, &[0; 16], []), [], || "no message".into());
        }
    }
}

fn variant(rounds: Rounds) -> Variant {
    let (c, d) = rounds.numbers();
    Variant::sip(c, d, false)
}

/// The tags of messages in one job.
fn tags<const N: usize>(row: &Row<X1>, rounds: Rounds, key: &[u8], messages: [&[u8]; N]) -> [u128; N] {
    let mut tags = [0; N];
    row.kernel.run(Wholes { rounds, key: u64::key(key), messages: &messages, tags: &mut tags });
    tags.map(u128::from)
}
