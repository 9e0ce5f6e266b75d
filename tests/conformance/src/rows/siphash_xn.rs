//! SipHash and HalfSipHash, many messages: `siphash-xn` and `halfsiphash-xn`.

use super::layouts::{every_layout, in_a_row, ragged_lengths, surrounded};
use super::oracle::Hashes;
use super::{Checked, Extent, LONGEST, Row, batch_sizes};
use crate::check::Check;
use crate::input::{Pool, Random, Text};
use crate::variants::{Family, ROUNDS, THOROUGH, Variant};
use crate::vectors::{HashCase, Published, Verdict};
use keylane::job::siphash::{Batch, Layout, Messages, State, Tags, Xn};
use std::collections::BTreeMap;

/// Extra tags before and after those of the batch. No kernel may write them.
const GUARD: usize = 8;

/// A list of messages is hashed with and without case folding.
const EITHER_CASE: [bool; 2] = [false, true];

impl<W: Family> Checked for Xn<W> {
    type Truth = Hashes;

    fn truth(_: Extent) -> Hashes {
        Hashes::new()
    }

    fn check_row(row: &Row<Self>, truth: &mut Hashes, published: &Published, check: &mut Check) {
        let mut run = Run { row, truth, check };
        run.published(published);
        run.lengths();
        run.equal_lengths();
        run.neighbours();
        run.alignments();
        run.ragged();
        run.large_batches();
        run.rows();
        run.scattered();
        run.case_fold();
        run.integers();
    }
}

struct Run<'a, W: Family> {
    row: &'a Row<Xn<W>>,
    truth: &'a mut Hashes,
    check: &'a mut Check,
}

/// The variant of this family with these rounds.
fn variant<W: Family>((c, d): (u8, u8), double: bool) -> Variant {
    Variant { half: W::HALF, c, d, double }
}

/// Every choice of rounds with either tag width.
fn variants<W: Family>(rounds: &[(u8, u8)]) -> Vec<Variant> {
    rounds.iter().flat_map(|&rounds| [false, true].map(|double| variant::<W>(rounds, double))).collect()
}

/// A fast path and the path for other rounds, with either tag width: for checks that do not concern the
/// rounds.
const TWO_PATHS: [(u8, u8); 2] = [(1, 3), (3, 5)];

impl<W: Family> Run<'_, W> {
    /// The tags of a batch under a key. Checks that the extra tags are unchanged.
    fn tags(
        &mut self,
        variant: Variant,
        fold: bool,
        key: &[u8],
        messages: Messages<'_>,
        count: usize,
    ) -> Vec<u128> {
        let initial = &State::new(W::key(key), variant.double);
        let rounds = variant.rounds();
        let here = GUARD..GUARD + count;
        let all: Vec<u128>;
        let untouched;
        if variant.double {
            let mut places = vec![W::UNWRITTEN_DOUBLE; count + 2 * GUARD];
            let tags = Tags::Double(&mut places[here.clone()]);
            self.row.kernel.run(Batch { initial, rounds, fold, messages, tags });
            all = places.into_iter().map(W::number).collect();
            untouched = W::number(W::UNWRITTEN_DOUBLE);
        } else {
            let mut places = vec![W::UNWRITTEN; count + 2 * GUARD];
            let tags = Tags::Single(&mut places[here.clone()]);
            self.row.kernel.run(Batch { initial, rounds, fold, messages, tags });
            all = places.into_iter().map(W::into).collect();
            untouched = W::UNWRITTEN.into();
        }
        // Finds a store of a full vector of tags where fewer are left.
        let around = [&all[..GUARD], &all[here.end..]].concat();
        self.check
            .same(around, vec![untouched; 2 * GUARD], || format!("{variant:?}, the tags around the batch"));
        all[here].to_vec()
    }

    /// Compares a batch of pieces of the pool with keylane-ref.
    fn compare(&mut self, name: &str, variant: Variant, fold: bool, texts: &[Text], messages: Messages<'_>) {
        let key = self.truth.key(variant).to_vec();
        let tags = self.tags(variant, fold, &key, messages, texts.len());
        for (i, (tag, &text)) in tags.into_iter().zip(texts).enumerate() {
            let expected = self.truth.tag(variant, fold, text);
            let count = texts.len();
            let place = || format!("{name}: {variant:?}, fold {fold}, message {i} of {count}, {text:?}");
            self.check.same(tag, expected, place);
        }
    }

    /// Compares a batch of pieces of the pool, passed as slices.
    fn slices(&mut self, name: &str, variant: Variant, fold: bool, texts: &[Text]) {
        let pool = self.truth.pool.clone();
        let slices: Vec<&[u8]> = texts.iter().map(|&text| pool.text(text)).collect();
        self.compare(name, variant, fold, texts, Messages::Bytes(Layout::Slices(&slices)));
    }

    /// Every published answer; those under one key form one batch. Finds kernels that agree with each other
    /// but not with the world.
    fn published(&mut self, published: &Published) {
        let mut batches: BTreeMap<(Variant, &[u8]), Vec<&HashCase>> = BTreeMap::new();
        for case in published.hashes.iter().filter(|case| case.variant.half == W::HALF) {
            batches.entry((case.variant, &case.key)).or_default().push(case);
        }
        for ((variant, key), cases) in batches {
            let slices: Vec<&[u8]> = cases.iter().map(|case| case.message.as_slice()).collect();
            let messages = Messages::Bytes(Layout::Slices(&slices));
            let exact = self.tags(variant, false, key, messages, cases.len());
            let folded = self.tags(variant, true, key, messages, cases.len());
            for ((case, exact), folded) in cases.into_iter().zip(exact).zip(folded) {
                let place = || format!("published: {case:?}");
                match case.verdict {
                    Verdict::Valid => self.check.same(exact, case.tag, place),
                    Verdict::Invalid => self.check.differs(exact, case.tag, place),
                }
                if let Some(tag) = case.tag_nocase {
                    self.check.same(folded, tag, place);
                }
            }
        }
    }

    /// Every length in one batch, sorted and shuffled. Tests tails, the length byte (which wraps at 256), and
    /// lanes that are refilled.
    fn lengths(&mut self) {
        for (i, rounds) in ROUNDS.into_iter().enumerate() {
            let longest = if i < THOROUGH { LONGEST } else { LONGEST / 8 };
            for (double, fold) in [(false, false), (false, true), (true, false), (true, true)] {
                for start in [Pool::COUNTING, Pool::RANDOM] {
                    let mut texts: Vec<Text> = (0..=longest).map(|len| Text::at(start, len)).collect();
                    self.slices("lengths in order", variant::<W>(rounds, double), fold, &texts);
                    Random(longest as u64).shuffle(&mut texts);
                    self.slices("lengths in disorder", variant::<W>(rounds, double), fold, &texts);
                }
            }
        }
    }

    /// Groups of messages of one length, for every length: the path without masks.
    fn equal_lengths(&mut self) {
        let count = 2 * self.row.ragged_lanes() + 1;
        for variant in variants::<W>(&TWO_PATHS) {
            for len in 0..=LONGEST {
                let texts: Vec<Text> = (0..count).map(|i| Text::at(Pool::RANDOM + i, len)).collect();
                self.slices("equal lengths", variant, false, &texts);
            }
        }
    }

    /// Messages of every length, next to longer and shorter ones, whose surroundings change: every byte before, behind
    /// and between the messages, and every other message. The other messages keep their tags. Finds a kernel that reads around a message, as it may inside the caller's bytes, and lets a tag
    /// depend on what it read.
    fn neighbours(&mut self) {
        let mut random = Random(15);
        let count = 2 * self.row.ragged_lanes() + 1;
        for len in 0..=LONGEST {
            let next = |i: usize| if i.is_multiple_of(2) { len } else { len / 2 + i % 8 };
            let mixed: Vec<usize> = (0..count).map(next).collect();
            for (i, lengths) in [vec![len; count], mixed].iter().enumerate() {
                self.change_neighbours(TWO_PATHS[(len + i) % 2], lengths, &mut random);
            }
        }
        for count in [65, 513] {
            for lengths in ragged_lengths(count, 0, &mut random) {
                self.change_neighbours(TWO_PATHS[0], &lengths, &mut random);
            }
        }
    }

    /// Hashes messages of these lengths in every layout, with all bytes changed except those of every second message.
    fn change_neighbours(&mut self, rounds: (u8, u8), lengths: &[usize], random: &mut Random) {
        let pool = self.truth.pool.clone();
        let places = 2 * self.row.ragged_lanes() + 1;
        let text = |(i, &len): (usize, &usize)| Text::at(Pool::RANDOM + i % places, len);
        let texts: Vec<Text> = lengths.iter().enumerate().map(text).collect();
        for (parity, double) in [(0, false), (1, true), (0, true), (1, false)] {
            let variant = variant::<W>(rounds, double);
            let key = self.truth.key(variant).to_vec();
            surrounded(pool.bytes(), &texts, parity, random, |layout, messages| {
                let tags = self.tags(variant, false, &key, messages, texts.len());
                for (i, tag) in tags.into_iter().enumerate().filter(|(i, _)| i % 2 == parity) {
                    let (expected, count) = (self.truth.tag(variant, false, texts[i]), texts.len());
                    let place = || {
                        format!("neighbours, {layout}: {variant:?}, message {i} of {count}, {:?}", texts[i])
                    };
                    self.check.same(tag, expected, place);
                }
            });
        }
    }

    /// Messages that begin at every offset within a cache line. Finds aligned loads of unaligned data.
    fn alignments(&mut self) {
        for variant in variants::<W>(&TWO_PATHS) {
            for start in 0..64 {
                let texts: Vec<Text> = (0..=80).map(|len| Text::at(Pool::RANDOM + start, len)).collect();
                self.slices("alignments", variant, start % 2 == 1, &texts);
            }
        }
    }

    /// Batches of every size with lengths of every kind, in every layout.
    fn ragged(&mut self) {
        let pool = self.truth.pool.clone();
        let mut random = Random(3);
        let lanes = self.row.ragged_lanes();
        for size in batch_sizes(lanes) {
            for lengths in ragged_lengths(size, lanes, &mut random) {
                let texts = in_a_row(Pool::RANDOM + size, &lengths);
                for (variant, fold) in variants::<W>(&TWO_PATHS).into_iter().zip([false, true, true, false]) {
                    every_layout(pool.bytes(), &texts, |layout, messages| {
                        self.compare(layout, variant, fold, &texts, messages);
                    });
                }
            }
            // The other rounds take the same path through a kernel: once each suffices.
            let texts = in_a_row(Pool::COUNTING, &vec![19; size]);
            for variant in variants::<W>(&ROUNDS) {
                for fold in EITHER_CASE {
                    self.slices("other rounds", variant, fold, &texts);
                }
            }
        }
    }

    /// Batches of more messages than a kernel handles at once. It must not use its data on one part (where
    /// its bytes begin and end, its longest message, the order by length) for another part.
    fn large_batches(&mut self) {
        let pool = self.truth.pool.clone();
        let mut random = Random(6);
        for size in [255, 257, 511, 512, 513, 769, 1025] {
            // Long messages in the second half only.
            let long = |i: usize| if 2 * i >= size && i.is_multiple_of(16) { 500 + i % 200 } else { i % 41 };
            let mut lists = ragged_lengths(size, 0, &mut random);
            lists.push((0..size).map(long).collect());
            for lengths in lists {
                let texts = in_a_row(Pool::COUNTING + size, &lengths);
                for (variant, fold) in variants::<W>(&TWO_PATHS).into_iter().zip([false, true, true, false]) {
                    every_layout(pool.bytes(), &texts, |layout, messages| {
                        self.compare(layout, variant, fold, &texts, messages);
                    });
                }
            }
        }
    }

    /// Rows of every width up to 40, in every layout. Tests strides, and loads of more than a row.
    fn rows(&mut self) {
        let pool = self.truth.pool.clone();
        for width in 0..=40 {
            for size in [0, 1, self.row.lanes, self.row.lanes + 1, 2 * self.row.lanes + 1, 33, 65] {
                let texts = in_a_row(Pool::COUNTING, &vec![width; size]);
                for (variant, fold) in variants::<W>(&TWO_PATHS).into_iter().zip([true, false, false, true]) {
                    every_layout(pool.bytes(), &texts, |layout, messages| {
                        self.compare(layout, variant, fold, &texts, messages);
                    });
                }
            }
        }
    }

    /// Slices that overlap, repeat and go backwards: a kernel must not rely on their order.
    fn scattered(&mut self) {
        let mut random = Random(4);
        for _ in 0..40 {
            let piece = |random: &mut Random| Text::at(random.below(200), random.below(200));
            let texts: Vec<Text> = (0..65).map(|_| piece(&mut random)).collect();
            for variant in variants::<W>(&TWO_PATHS) {
                self.slices("scattered", variant, random.below(2) == 1, &texts);
            }
        }
    }

    /// Every byte value at every position of two words, among neighbours that a carry or a signed comparison
    /// would change. Finds case folding beyond 'Z', below 'A', or into the next byte.
    fn case_fold(&mut self) {
        let variant = variant::<W>((1, 2), false);
        let key = self.truth.key(variant).to_vec();
        for neighbour in [0x00, 0x5a, 0x7f, 0xda, 0xff] {
            for place in 0..16 {
                let mut texts = vec![[neighbour; 19]; 256];
                (0..=255).zip(&mut texts).for_each(|(byte, text)| text[place] = byte);
                let slices: Vec<&[u8]> = texts.iter().map(|text| text.as_slice()).collect();
                let messages = Messages::Bytes(Layout::Slices(&slices));
                let tags = self.tags(variant, true, &key, messages, texts.len());
                for (text, tag) in texts.iter().zip(tags) {
                    let expected = variant.tag_nocase(&key, text);
                    self.check.same(tag, expected, || format!("case fold: {text:02x?}"));
                }
            }
        }
    }

    /// Integers, in batches of every size. Tests lanes loaded directly from the list, integers of 8 or 16
    /// bytes as several words, byte order, sign extension.
    fn integers(&mut self) {
        let mut random = Random(5);
        let edges = [0, 1, 1 << 31, 1 << 32, 1 << 63, 1 << 64, 1 << 127, u128::MAX];
        let number = |random: &mut Random, i: usize| {
            let x = u128::from(random.word()) << 64 | u128::from(random.word());
            edges.get(i % 16).copied().unwrap_or(x)
        };
        for size in batch_sizes(self.row.lanes) {
            let u128s: Vec<u128> = (0..size).map(|i| number(&mut random, i + size)).collect();
            let u64s: Vec<u64> = u128s.iter().map(|&x| x as u64).collect();
            let u32s: Vec<u32> = u128s.iter().map(|&x| x as u32).collect();
            for variant in variants::<W>(&ROUNDS) {
                self.integer_batch(variant, Messages::U32s(&u32s), u32s.iter().map(|x| x.to_le_bytes()));
                self.integer_batch(variant, Messages::U64s(&u64s), u64s.iter().map(|x| x.to_le_bytes()));
                self.integer_batch(variant, Messages::U128s(&u128s), u128s.iter().map(|x| x.to_le_bytes()));
            }
        }
    }

    fn integer_batch<const SIZE: usize>(
        &mut self,
        variant: Variant,
        integers: Messages<'_>,
        bytes: impl ExactSizeIterator<Item = [u8; SIZE]>,
    ) {
        let key = self.truth.key(variant).to_vec();
        let count = bytes.len();
        let tags = self.tags(variant, false, &key, integers, count);
        for (i, (bytes, tag)) in bytes.zip(tags).enumerate() {
            let expected = variant.tag(&key, &bytes);
            self.check.same(tag, expected, || format!("{variant:?}, integer {i} of {count}: {bytes:02x?}"));
        }
    }
}
