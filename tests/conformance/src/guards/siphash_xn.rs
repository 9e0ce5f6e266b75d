//! SipHash and HalfSipHash, many messages: `siphash-xn` and `halfsiphash-xn`.

use super::{Between, Cases, Guarded, LONGEST, MOST, Side, counts, lengths};
use crate::input::{Pool, Random, Text};
use crate::rows::Row;
use crate::rows::layouts::{in_a_row, ragged_lengths};
use crate::rows::oracle::Hashes;
use crate::variants::{Family, ROUNDS, Variant};
use keylane::job::siphash::{Batch, Layout, Messages, State, Tags, Xn};

impl<W: Family> Between for Xn<W> {
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>) {
        let mut run = Run {
            row,
            cases,
            truth: Hashes::new(),
            frame: Frame { state: Guarded::new(0), tags: Guarded::new(16 * MOST) },
            bytes: Guarded::new(2 * ROOM + MOST * LONGEST),
            list: Guarded::new(16 * (MOST + 1)),
            each: (0..MOST).map(|_| Guarded::new(LONGEST)).collect(),
        };
        run.one_length();
        run.ragged();
        run.room();
        run.widths();
        run.other_rounds();
        run.integers();
        run.first_offset_above_the_last();
    }
}

/// Bytes before the first message in the cases where the first offset is not 0.
const LEAD: usize = 21;

/// The most bytes before the first message, or after the last.
const ROOM: usize = LONGEST + 72;

/// The number of messages, and the length of the longest.
fn size(texts: &[Text]) -> (usize, usize) {
    (texts.len(), texts.iter().map(|text| text.len).max().unwrap_or(0))
}

/// A fast path and the path for other rounds, with either tag width.
fn variants<W: Family>() -> [Variant; 4] {
    let variant = |(c, d), double| Variant { half: W::HALF, c, d, double };
    [variant((1, 3), false), variant((2, 4), true), variant((3, 5), false), variant((3, 5), true)]
}

/// Guarded memory for the parts of every job: the state before the first word, and the tags.
struct Frame {
    state: Guarded,
    tags: Guarded,
}

impl Frame {
    /// The tags of a batch.
    fn tags<W: Family>(
        &mut self,
        row: &Row<Xn<W>>,
        side: Side,
        (variant, fold, key): (Variant, bool, &[u8]),
        messages: Messages<'_>,
        count: usize,
    ) -> Vec<u128> {
        let initial = &self.state.put(&[State::new(W::key(key), variant.double)], side)[0];
        let rounds = variant.rounds();
        if variant.double {
            let tags = self.tags.put(&vec![W::UNWRITTEN_DOUBLE; count], side);
            row.kernel.run(Batch { initial, rounds, fold, messages, tags: Tags::Double(tags) });
            tags.iter().map(|&tag| W::number(tag)).collect()
        } else {
            let tags = self.tags.put(&vec![W::UNWRITTEN; count], side);
            row.kernel.run(Batch { initial, rounds, fold, messages, tags: Tags::Single(tags) });
            tags.iter().map(|&tag| tag.into()).collect()
        }
    }
}

struct Run<'a, 'b, W: Family> {
    row: &'a Row<Xn<W>>,
    cases: &'a mut Cases<'b>,
    truth: Hashes,
    frame: Frame,
    /// Messages one after the other.
    bytes: Guarded,
    /// Offsets, integers, or slices.
    list: Guarded,
    /// Messages apart from each other.
    each: Vec<Guarded>,
}

impl<W: Family> Run<'_, '_, W> {
    /// Every layout that can hold these messages, which lie one after the other in the pool.
    fn layouts(&mut self, variant: Variant, fold: bool, texts: &[Text]) {
        self.rows(variant, fold, texts);
        for before in [0, LEAD] {
            self.offsets(variant, fold, texts, before, 0);
        }
        let Run { row, cases, truth, frame, list, each, .. } = self;
        let right: Vec<u128> = texts.iter().map(|&text| truth.tag(variant, fold, text)).collect();
        let key = truth.key(variant).to_vec();
        let how = (variant, fold, &key[..]);
        let (count, longest) = size(texts);
        for side in Side::BOTH {
            let slices: Vec<&[u8]> = each
                .iter_mut()
                .zip(texts)
                .map(|(place, &text)| &*place.put(truth.pool.text(text), side))
                .collect();
            let messages = Messages::Bytes(Layout::Slices(list.put(&slices, side)));
            let name =
                format!("slices, {count} of at most {longest} bytes, {variant:?}, fold {fold}, {side:?}");
            cases.case(name, || frame.tags(row, side, how, messages, count), right.clone());
        }
    }

    /// Offsets of either size, with `before` bytes before the first message and `behind` bytes after the
    /// last.
    fn offsets(&mut self, variant: Variant, fold: bool, texts: &[Text], before: usize, behind: usize) {
        let Run { row, cases, truth, frame, bytes, list, .. } = self;
        let right: Vec<u128> = texts.iter().map(|&text| truth.tag(variant, fold, text)).collect();
        let key = truth.key(variant).to_vec();
        let how = (variant, fold, &key[..]);
        let start = texts.first().map_or(LEAD, |text| text.start);
        let end = texts.last().map_or(start, |text| text.range().end);
        let from = start - before;
        let bounds = texts.iter().map(|text| text.start).chain([end]);
        let wide: Vec<i64> = bounds.map(|bound| (bound - from) as i64).collect();
        let narrow: Vec<i32> = wide.iter().map(|&offset| offset as i32).collect();
        let (count, longest) = size(texts);
        for side in Side::BOTH {
            let name = |bits: u32| {
                format!(
                    "{bits}-bit offsets, {count} messages of at most {longest} bytes, {before} before, \
                     {behind} behind, {variant:?}, fold {fold}, {side:?}"
                )
            };
            let bytes = &*bytes.put(&truth.pool.bytes()[from..end + behind], side);
            let offsets = &*list.put(&narrow, side);
            let messages = Messages::Bytes(Layout::Offsets32 { bytes, offsets });
            cases.case(name(32), || frame.tags(row, side, how, messages, count), right.clone());
            let offsets = &*list.put(&wide, side);
            let messages = Messages::Bytes(Layout::Offsets64 { bytes, offsets });
            cases.case(name(64), || frame.tags(row, side, how, messages, count), right.clone());
        }
    }

    /// A first offset that is negative, and so above all others as a number without a sign. Public calls refuse it. The
    /// first message is lost, but a kernel reads nothing outside the bytes, and hashes the others.
    fn first_offset_above_the_last(&mut self) {
        let Run { row, cases, truth, frame, bytes, list, .. } = self;
        let variant = variants::<W>()[0];
        let key = truth.key(variant).to_vec();
        let texts = in_a_row(Pool::COUNTING, &[4; MOST]);
        let right: Vec<u128> = texts[1..].iter().map(|&text| truth.tag(variant, false, text)).collect();
        for (first, side) in
            [-1, -5, -4096].into_iter().flat_map(|first| Side::BOTH.map(|side| (first, side)))
        {
            let bytes = &*bytes.put(&truth.pool.bytes()[texts[0].start..][..4 * MOST], side);
            let offsets: Vec<i64> = [first].into_iter().chain((1..=MOST as i64).map(|i| 4 * i)).collect();
            let messages = Messages::Bytes(Layout::Offsets64 { bytes, offsets: list.put(&offsets, side) });
            let name = format!("offsets from {first} on, {side:?}");
            let tags = || frame.tags(row, side, (variant, false, &key[..]), messages, MOST).split_off(1);
            cases.case(name, tags, right.clone());
        }
    }

    /// The layout of rows, if all messages have one width.
    fn rows(&mut self, variant: Variant, fold: bool, texts: &[Text]) {
        let Run { row, cases, truth, frame, bytes, .. } = self;
        let width = texts.first().map_or(0, |text| text.len);
        if texts.iter().any(|text| text.len != width) {
            return;
        }
        let right: Vec<u128> = texts.iter().map(|&text| truth.tag(variant, fold, text)).collect();
        let key = truth.key(variant).to_vec();
        let start = texts.first().map_or(0, |text| text.start);
        let count = texts.len();
        for side in Side::BOTH {
            let bytes = &*bytes.put(&truth.pool.bytes()[start..start + count * width], side);
            let messages = Messages::Bytes(Layout::Rows { bytes, width });
            let name = format!("{count} rows of {width} bytes, {variant:?}, fold {fold}, {side:?}");
            let tags = || frame.tags(row, side, (variant, fold, &key), messages, count);
            cases.case(name, tags, right.clone());
        }
    }

    /// Each length alone, in every lane, and next to neighbours that are longer or shorter.
    fn one_length(&mut self) {
        let group = 2 * self.row.lanes + 1;
        for len in lengths() {
            let group = if len <= 300 { group } else { group.min(5) };
            let mixed = (0..group).map(|i| if i % 2 == 0 { len } else { len / 2 + i % 8 }).collect();
            for lengths in [vec![len], vec![len; group], mixed] {
                let texts = in_a_row(Pool::RANDOM, &lengths);
                for variant in variants::<W>() {
                    for fold in [false, true] {
                        self.layouts(variant, fold, &texts);
                    }
                }
            }
        }
    }

    /// Every number of messages, with lengths of every kind.
    fn ragged(&mut self) {
        let mut random = Random(13);
        for count in counts() {
            for lengths in ragged_lengths(count, self.row.lanes, &mut random) {
                let texts = in_a_row(Pool::COUNTING + LEAD, &lengths);
                for variant in variants::<W>() {
                    for fold in [false, true] {
                        self.layouts(variant, fold, &texts);
                    }
                }
            }
        }
    }

    /// Messages with other bytes around them, which a kernel may read. There are any number of such bytes,
    /// from too few for whole vectors to enough: one byte more would belong to a guard.
    fn room(&mut self) {
        let mut random = Random(14);
        let variant = variants::<W>()[0];
        for lengths in ragged_lengths(MOST, 0, &mut random) {
            let texts = in_a_row(Pool::COUNTING + ROOM, &lengths);
            let (_, longest) = size(&texts);
            for before in longest.saturating_sub(8)..=longest + 72 {
                self.offsets(variant, false, &texts, before, 72);
            }
            for behind in 0..=72 {
                self.offsets(variant, false, &texts, longest + 72, behind);
            }
        }
    }

    /// Every number of rows of every width: kernels may load whole vectors beyond the last row.
    fn widths(&mut self) {
        for width in (0..=70).chain([97, 127, 128, 129, 161, 201, 245]) {
            for count in counts() {
                let texts = in_a_row(Pool::COUNTING, &vec![width; count]);
                for variant in variants::<W>() {
                    for fold in [false, true] {
                        self.rows(variant, fold, &texts);
                    }
                }
            }
        }
    }

    /// Every choice of rounds: each may have separate machine code.
    fn other_rounds(&mut self) {
        for (c, d) in ROUNDS {
            for double in [false, true] {
                for len in [0, 3, 8, 13, 16, 31, 64] {
                    let texts = in_a_row(Pool::COUNTING + LEAD, &vec![len; 2 * self.row.lanes + 1]);
                    for fold in [false, true] {
                        self.layouts(Variant { half: W::HALF, c, d, double }, fold, &texts);
                    }
                }
            }
        }
    }

    /// Every number of integers of every size.
    fn integers(&mut self) {
        let mut random = Random(14);
        let u128s: Vec<u128> =
            (0..MOST).map(|_| u128::from(random.word()) << 64 | u128::from(random.word())).collect();
        let u64s: Vec<u64> = u128s.iter().map(|&x| x as u64).collect();
        let u32s: Vec<u32> = u128s.iter().map(|&x| x as u32).collect();
        for (c, d) in ROUNDS {
            for double in [false, true] {
                let variant = Variant { half: W::HALF, c, d, double };
                self.integer_batches(
                    variant,
                    &u32s,
                    |x| x.to_le_bytes().to_vec(),
                    |list| Messages::U32s(list),
                );
                self.integer_batches(
                    variant,
                    &u64s,
                    |x| x.to_le_bytes().to_vec(),
                    |list| Messages::U64s(list),
                );
                self.integer_batches(
                    variant,
                    &u128s,
                    |x| x.to_le_bytes().to_vec(),
                    |list| Messages::U128s(list),
                );
            }
        }
    }

    fn integer_batches<T: Copy>(
        &mut self,
        variant: Variant,
        integers: &[T],
        bytes: impl Fn(T) -> Vec<u8>,
        messages: impl for<'m> Fn(&'m [T]) -> Messages<'m>,
    ) {
        let Run { row, cases, truth, frame, list, .. } = self;
        let key = truth.key(variant).to_vec();
        let right: Vec<u128> = integers.iter().map(|&x| variant.tag(&key, &bytes(x))).collect();
        for count in counts() {
            for side in Side::BOTH {
                let messages = messages(list.put(&integers[..count], side));
                let name = format!("{count} integers of {} bytes, {variant:?}, {side:?}", size_of::<T>());
                let tags = || frame.tags(row, side, (variant, false, &key), messages, count);
                cases.case(name, tags, right[..count].to_vec());
            }
        }
    }
}
