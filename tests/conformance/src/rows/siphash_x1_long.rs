//! SipHash, whole words of one message: `siphash-x1-long`.

use super::oracle::Hashes;
use super::{Checked, Extent, LONGEST, Row};
use crate::check::Check;
use crate::input::{Pool, Random, Text};
use crate::variants::{Family, ROUNDS, THOROUGH, Variant};
use crate::vectors::{Published, Verdict};
use keylane::dispatch::select::Runnable;
use keylane::job::siphash::{Long, State, X1Long};
use keylane_ref::fold;

impl Checked for X1Long {
    type Truth = Hashes;

    fn truth(_: Extent) -> Hashes {
        Hashes::new()
    }

    fn check_row(row: &Row<Self>, truth: &mut Hashes, published: &Published, check: &mut Check) {
        published_answers(row, published, check);
        let mut run = Run { truth, check };
        run.lengths(row);
        run.alignments(row);
        run.word_by_word(row);
    }

    fn check_pair(first: &Row<Self>, second: &Row<Self>, truth: &mut Hashes, check: &mut Check) {
        Run { truth, check }.splits(first, second);
    }
}

/// The rounds that take different paths through a kernel, with and without case folding.
const CASES: [(u8, u8, bool); 4] = [(1, 3, false), (2, 4, true), (3, 5, false), (7, 1, true)];

/// The tag of a message whose words are absorbed in jobs. Jobs end at `cuts` (in words) and at the end. This
/// function does what a kernel does not: the initial state, the last word, the finalisation.
fn tag(
    variant: Variant,
    key: &[u8],
    folded: bool,
    message: &[u8],
    cuts: &[usize],
    kernels: &[&Runnable<X1Long>],
) -> u128 {
    let rounds = variant.rounds();
    let mut state = State::new(u64::key(key), variant.double);
    let (words, tail) = message.as_chunks::<8>();
    let ends = cuts.iter().copied().chain([words.len()]);
    let mut start = 0;
    for (end, kernel) in ends.zip(kernels.iter().cycle()) {
        kernel.run(Long { state: &mut state, rounds, fold: folded, words: &words[start..end] });
        start = end;
    }
    let tail = if folded { fold(tail) } else { tail.to_vec() };
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(&tail);
    last[7] = message.len() as u8;
    state.absorb(rounds, u64::from_le_bytes(last));
    if variant.double { state.double_tag::<false>(rounds) } else { state.single_tag::<false>(rounds).into() }
}

fn published_answers(row: &Row<X1Long>, published: &Published, check: &mut Check) {
    for case in published.hashes.iter().filter(|case| !case.variant.half) {
        let tag = |fold| tag(case.variant, &case.key, fold, &case.message, &[], &[&row.kernel]);
        let place = || format!("published: {:?} {:02x?} {}", case.variant, case.key, case.source);
        match case.verdict {
            Verdict::Valid => check.same(tag(false), case.tag, place),
            Verdict::Invalid => check.differs(tag(false), case.tag, place),
        }
        if let Some(expected) = case.tag_nocase {
            check.same(tag(true), expected, place);
        }
    }
}

struct Run<'a> {
    truth: &'a mut Hashes,
    check: &'a mut Check,
}

impl Run<'_> {
    /// Compares a piece of the pool with keylane-ref.
    fn compare(
        &mut self,
        variant: Variant,
        folded: bool,
        text: Text,
        cuts: &[usize],
        kernels: &[&Runnable<X1Long>],
    ) {
        let key = self.truth.key(variant);
        let actual = tag(variant, key, folded, self.truth.pool.text(text), cuts, kernels);
        let expected = self.truth.tag(variant, folded, text);
        self.check.same(actual, expected, || {
            let ids: Vec<&str> = kernels.iter().map(|kernel| kernel.id()).collect();
            format!("{variant:?}, fold {folded}, {text:?} cut at words {cuts:?}, {ids:?}")
        });
    }

    /// Every length, so every number of words. Finds unrolled loops that take a word too many or too few.
    fn lengths(&mut self, row: &Row<X1Long>) {
        for (i, (c, d)) in ROUNDS.into_iter().enumerate() {
            let longest = if i < THOROUGH { LONGEST } else { LONGEST / 8 };
            for (double, fold) in [(false, false), (false, true), (true, false), (true, true)] {
                for start in [Pool::COUNTING, Pool::RANDOM] {
                    for len in 0..=longest {
                        let variant = Variant::sip(c, d, double);
                        self.compare(variant, fold, Text::at(start, len), &[], &[&row.kernel]);
                    }
                }
            }
        }
    }

    /// Messages that begin at every offset within a cache line.
    fn alignments(&mut self, row: &Row<X1Long>) {
        for (c, d, fold) in CASES {
            for start in 0..64 {
                for len in (0..=96).chain([256, 263]) {
                    let text = Text::at(Pool::RANDOM + start, len);
                    self.compare(Variant::sip(c, d, false), fold, text, &[], &[&row.kernel]);
                }
            }
        }
    }

    /// A job for every word, and empty jobs between them. Finds a state that is incomplete after a job.
    fn word_by_word(&mut self, row: &Row<X1Long>) {
        let mut random = Random(6);
        for (c, d, fold) in CASES {
            let words = LONGEST / 8;
            let each: Vec<usize> = (0..=words).collect();
            let twice: Vec<usize> = (0..=words).flat_map(|cut| [cut; 2]).collect();
            let mut some: Vec<usize> = (0..9).map(|_| random.below(words)).collect();
            some.sort_unstable();
            for cuts in [each, twice, some] {
                let text = Text::at(Pool::RANDOM, LONGEST + 5);
                self.compare(Variant::sip(c, d, true), fold, text, &cuts, &[&row.kernel]);
            }
        }
    }

    /// One row takes over from another at every word, with every tail, and hands back.
    fn splits(&mut self, first: &Row<X1Long>, second: &Row<X1Long>) {
        let kernels = [&first.kernel, &second.kernel];
        for (c, d, fold) in CASES {
            let variant = Variant::sip(c, d, false);
            for len in 0..=8 * 34 + 7 {
                for cut in 0..=len / 8 {
                    self.compare(variant, fold, Text::at(Pool::COUNTING, len), &[cut], &kernels);
                }
            }
            let words = 20;
            for from in 0..=words {
                for to in from..=words {
                    let text = Text::at(Pool::RANDOM, 8 * words + 3);
                    self.compare(variant, fold, text, &[from, to], &kernels);
                }
            }
        }
    }
}
