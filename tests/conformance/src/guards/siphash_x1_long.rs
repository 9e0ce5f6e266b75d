//! SipHash, whole words of one message: `siphash-x1-long`.

use super::{Between, Cases, Guarded, LONGEST, Side};
use crate::input::{Pool, Text};
use crate::rows::Row;
use crate::rows::oracle::Hashes;
use crate::variants::{Family, ROUNDS, Variant};
use keylane::job::siphash::{Long, State, X1Long};

impl Between for X1Long {
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>) {
        let mut truth = Hashes::new();
        let (mut words, mut state) = (Guarded::new(LONGEST), Guarded::new(0));
        for (c, d) in ROUNDS {
            for fold in [false, true] {
                for count in (0..=300).chain([511, 512, 513, LONGEST / 8]) {
                    let variant = Variant::sip(c, d, count % 2 == 0);
                    let text = Text::at(Pool::RANDOM, 8 * count);
                    let right = truth.tag(variant, fold, text);
                    for side in Side::BOTH {
                        let (all, _) = truth.pool.text(text).as_chunks::<8>();
                        let words = &*words.put(all, side);
                        let begun = State::new(u64::key(truth.key(variant)), variant.double);
                        let state = &mut state.put(&[begun], side)[0];
                        let tag = || {
                            row.kernel.run(Long { state, rounds: variant.rounds(), fold, words });
                            finished(*state, variant, text.len)
                        };
                        let name = format!("{count} words, {variant:?}, fold {fold}, {side:?}");
                        cases.case(name, tag, right);
                    }
                }
            }
        }
    }
}

/// The tag of a message of `len` bytes of whole words, which the state has absorbed.
fn finished(mut state: State<u64>, variant: Variant, len: usize) -> u128 {
    state.absorb(variant.rounds(), (len as u64) << 56);
    if variant.double {
        state.double_tag::<false>(variant.rounds())
    } else {
        state.single_tag::<false>(variant.rounds()).into()
    }
}
