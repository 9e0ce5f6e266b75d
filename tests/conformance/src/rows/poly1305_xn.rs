//! Poly1305, many messages, each under its own key: `poly1305-xn`.

use super::layouts::{in_a_row, ragged_lengths};
use super::oracle::Macs;
use super::{Checked, Extent, LONGEST, Row, batch_sizes};
use crate::check::Check;
use crate::input::{Pool, Random, Text};
use crate::vectors::{Published, Verdict};
use keylane::job::poly1305::{Batch, Key, Xn};

/// Extra tags before and after those of the batch. No kernel may write them.
const GUARD: usize = 4;

/// The contents of such a tag.
const UNWRITTEN: [u8; 16] = [0x55; 16];

/// The number of messages in a batch that has a name in reports.
const PER_BATCH: usize = 61;

impl Checked for Xn {
    type Truth = Macs;

    fn truth(extent: Extent) -> Macs {
        Macs::new(extent)
    }

    fn check_row(row: &Row<Self>, truth: &mut Macs, published: &Published, check: &mut Check) {
        let mut run = Run { row, truth, check };
        run.published(published);
        run.lengths();
        run.equal_lengths();
        run.alignments();
        run.ragged();
        run.long();
        run.pushed_edges(published);
    }
}

struct Run<'a> {
    row: &'a Row<Xn>,
    truth: &'a mut Macs,
    check: &'a mut Check,
}

impl Run<'_> {
    /// The tags of a batch. Checks that the extra tags are unchanged.
    fn tags(&mut self, batch: &[(&[u8; 32], &[u8])]) -> Vec<[u8; 16]> {
        let keys: Vec<Key> = batch.iter().map(|(key, _)| Key::from_bytes(key)).collect();
        let messages: Vec<&[u8]> = batch.iter().map(|&(_, message)| message).collect();
        let mut places = vec![UNWRITTEN; batch.len() + 2 * GUARD];
        let here = GUARD..GUARD + batch.len();
        let tags = &mut places[here.clone()];
        self.row.kernel.run(Batch { keys: &keys, messages: &messages, tags });
        let around = [&places[..GUARD], &places[here.end..]].concat();
        self.check.same(around, vec![UNWRITTEN; 2 * GUARD], || "the tags around the batch".into());
        places[here].to_vec()
    }

    /// Compares pieces of the pool: message `i` under key `i + turn`, modulo the number of keys.
    fn compare(&mut self, name: &str, texts: &[Text], turn: usize) {
        let key = |i: usize| (i + turn) % self.truth.keys.len();
        let numbered: Vec<(usize, Text)> =
            texts.iter().enumerate().map(|(i, &text)| (key(i), text)).collect();
        let pool = self.truth.pool.clone();
        let keys = self.truth.keys.clone();
        let batch: Vec<_> = numbered.iter().map(|&(key, text)| (&keys[key], pool.text(text))).collect();
        let tags = self.tags(&batch);
        for (i, (tag, (key, text))) in tags.into_iter().zip(numbered).enumerate() {
            let expected = self.truth.tag(key, text);
            let count = texts.len();
            self.check.same(tag, expected, || format!("{name}: message {i} of {count}, {text:?}, key {key}"));
        }
    }

    /// Every published answer, in batches that mix long and short messages, in several orders.
    fn published(&mut self, published: &Published) {
        let mut cases: Vec<_> = published.macs.iter().collect();
        let mut random = Random(9);
        for _ in 0..3 {
            for cases in cases.chunks(PER_BATCH) {
                let batch: Vec<_> = cases.iter().map(|case| (&case.key, case.message.as_slice())).collect();
                for (tag, case) in self.tags(&batch).into_iter().zip(cases) {
                    match case.verdict {
                        Verdict::Valid => self.check.same(tag, case.tag, || format!("published: {case:?}")),
                        Verdict::Invalid => {
                            self.check.differs(tag, case.tag, || format!("published: {case:?}"))
                        }
                    }
                }
            }
            random.shuffle(&mut cases);
        }
        for case in &published.composites {
            let inner: Vec<_> = (0..=255).map(|i| case.inner(i)).collect();
            let batch: Vec<_> = inner.iter().map(|(key, message)| (key, message.as_slice())).collect();
            let tags = self.tags(&batch).concat();
            let outer = self.tags(&[(&case.outer_key, &tags)]);
            self.check.same(outer, vec![case.tag], || "published: the tag of 256 tags".into());
        }
    }

    /// Every length in one batch, sorted and shuffled, under each key in turn.
    fn lengths(&mut self) {
        for start in [Pool::COUNTING, Pool::RANDOM, Pool::STRUCTURED, Pool::ONES] {
            for turn in 0..self.truth.keys.len() {
                let mut texts: Vec<Text> = (0..=LONGEST).map(|len| Text::at(start, len)).collect();
                self.compare("lengths in order", &texts, turn);
                Random(10).shuffle(&mut texts);
                self.compare("lengths in disorder", &texts, turn);
            }
        }
    }

    /// Groups of messages of one length, for every length: the path without masks.
    fn equal_lengths(&mut self) {
        for len in 0..=LONGEST {
            let count = 2 * self.row.lanes + 1;
            let texts: Vec<Text> = (0..count).map(|i| Text::at(Pool::RANDOM + i, len)).collect();
            self.compare("equal lengths", &texts, len);
        }
    }

    /// Messages that begin at every offset within a cache line.
    fn alignments(&mut self) {
        for start in 0..64 {
            let texts: Vec<Text> = (0..=80).map(|len| Text::at(Pool::STRUCTURED + start, len)).collect();
            self.compare("alignments", &texts, start);
        }
    }

    /// Batches of every size with lengths of every kind: lanes that end one after the other, one long
    /// message, empty messages.
    fn ragged(&mut self) {
        let mut random = Random(11);
        for size in batch_sizes(self.row.lanes) {
            for lengths in ragged_lengths(size, self.row.lanes, &mut random) {
                for start in [Pool::RANDOM, Pool::STRUCTURED] {
                    self.compare("ragged", &in_a_row(start + size, &lengths), size);
                }
            }
        }
    }

    /// Messages with too many iterations to be sorted by kernels, in any order, together with short
    /// ones.
    fn long(&mut self) {
        let mut random = Random(12);
        for count in [2 * self.row.lanes + 1, 64] {
            let length =
                |random: &mut Random| [5000, 4300, 4096, 4033, 90][random.below(5)] - random.below(70);
            let texts: Vec<Text> =
                (0..count).map(|i| Text::at(Pool::RANDOM + i, length(&mut random))).collect();
            self.compare("long", &texts, count);
        }
    }

    /// Sums close to p and solved messages, each in every lane, together with others.
    fn pushed_edges(&mut self, published: &Published) {
        let wraps = self.truth.wraps(published, 2).to_vec();
        for first in 0..2 * self.row.lanes {
            for wraps in wraps[first..].chunks(PER_BATCH) {
                let batch: Vec<_> = wraps.iter().map(|wrap| (&wrap.key, wrap.message.as_slice())).collect();
                for (i, (tag, wrap)) in self.tags(&batch).into_iter().zip(wraps).enumerate() {
                    self.check
                        .same(tag, wrap.tag, || format!("{}, place {i}: {:02x?}", wrap.name, wrap.message));
                }
            }
        }
    }
}
