//! Splits jobs of many messages into groups.
//!
//! The bitsliced kernel takes messages whose words are directly available: 8-byte and 4-byte integers, and
//! rows of fewer than 8 bytes. If the last group is not full it is padded, so a few messages cost as much as
//! a full group. All other jobs go to keylane's `siphash_x2`.

use super::isa::Transpose;
use super::rounds::compute;
use crate::bitslice::{Group, Plan, State, Step};
use keylane::dispatch::select::Runnable;
use keylane::dispatch::table;
use keylane::job::kernel::Kernel;
use keylane::job::siphash::{Batch, Layout, Messages, Tags, Word};

/// Performs a step of a group: the whole entry of a row.
#[inline(always)]
pub fn step<I: Transpose>(isa: I, step: Step<'_, I::Plane>) {
    match step {
        Step::Planes { words, flip, state } => {
            isa.planes(I::cut(words), flip, &mut state.v1[0], &mut state.x);
        }
        Step::Compute { plan, state } => compute(isa, plan, state),
        Step::Words { high, state, words } => {
            let planes = if high { &state.high } else { &state.x };
            isa.words(planes, &mut state.v1[0], I::cut_mut(words));
        }
    }
}

/// Messages of one word, or of two words if the second holds only the length.
#[derive(Clone, Copy)]
enum Words<'a> {
    U64s(&'a [u64]),
    U32s(&'a [u32]),
    Rows { bytes: &'a [u8], width: usize, fold: bool },
}

impl<'a> Words<'a> {
    fn of(messages: Messages<'a>, fold: bool) -> Option<Self> {
        match messages {
            Messages::U64s(integers) => Some(Words::U64s(integers)),
            Messages::U32s(integers) => Some(Words::U32s(integers)),
            Messages::Bytes(Layout::Rows { bytes, width }) if width < 8 => {
                Some(Words::Rows { bytes, width, fold })
            }
            _ => None,
        }
    }

    /// The words from `first` on, if they are in memory as words.
    fn at_hand(self, first: usize, count: usize) -> Option<&'a [u64]> {
        match self {
            Words::U64s(integers) => integers.get(first..first + count),
            _ => None,
        }
    }

    /// Writes the words from `first` on to `words`, as many as there are and fit.
    fn write(self, first: usize, words: &mut [u64]) {
        match self {
            Words::U64s(integers) => {
                words.iter_mut().zip(&integers[first..]).for_each(|(word, integer)| *word = *integer);
            }
            Words::U32s(integers) => {
                let word = |integer: u32| u64::from(integer) | u64::length(4);
                words.iter_mut().zip(&integers[first..]).for_each(|(to, integer)| *to = word(*integer));
            }
            Words::Rows { bytes, width, fold } => write_rows(&bytes[first * width..], width, fold, words),
        }
    }
}

/// The words of rows of fewer than 8 bytes.
fn write_rows(bytes: &[u8], width: usize, fold: bool, words: &mut [u64]) {
    match width {
        1 => rows::<1>(bytes, words),
        2 => rows::<2>(bytes, words),
        3 => rows::<3>(bytes, words),
        4 => rows::<4>(bytes, words),
        5 => rows::<5>(bytes, words),
        6 => rows::<6>(bytes, words),
        7 => rows::<7>(bytes, words),
        _ => words.fill(0),
    }
    if fold {
        words.iter_mut().for_each(|word| *word = word.fold());
    }
    words.iter_mut().for_each(|word| *word |= u64::length(width));
}

/// The bytes of rows of WIDTH. Processes 8 rows at a time, by loads of 8 bytes that stay within them.
#[inline]
fn rows<const WIDTH: usize>(bytes: &[u8], words: &mut [u64]) {
    let mask = (1 << (8 * WIDTH)) - 1;
    let (eights, words_left) = words.as_chunks_mut::<8>();
    let mut chunks = bytes.chunks_exact(8 * WIDTH);
    let mut left = words_left;
    for words in eights {
        let Some(chunk) = chunks.next() else {
            left = words;
            break;
        };
        for (i, word) in words.iter_mut().enumerate() {
            let from = (i * WIDTH).min(8 * WIDTH - 8);
            let eight = chunk[from..].first_chunk().copied().unwrap_or([0; 8]);
            *word = u64::from_le_bytes(eight) >> (8 * (i * WIDTH - from)) & mask;
        }
    }
    let rest = chunks.remainder();
    for (word, row) in left.iter_mut().zip(rest.as_chunks::<WIDTH>().0) {
        *word = row.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
}

/// Processes one group after the other by `group`, the row of the same file. Messages unsuitable for
/// bitslicing go to keylane.
pub fn many<P: Copy + Default + 'static>(job: Batch<'_, u64>, group: &'static Kernel<Group<P>>) {
    let Some(source) = Words::of(job.messages, job.fold) else {
        let mut rows = table::SIPHASH_XN.runnable();
        return rows.find(|row| row.id() == "siphash_x2").expect("it runs on every CPU").run(job);
    };
    let kernel = Runnable::new(group).expect("a row that requires the same has been called");
    let eight_bytes = matches!(source, Words::U64s(_));
    let double = matches!(job.tags, Tags::Double(_));
    let plan = &Plan::new(job.initial, job.rounds, eight_bytes, double);
    let (lanes, flip) = (group.lanes, plan.flip);
    let mut state = State::default();
    // These stay empty unless words or tags need a copy.
    let (mut padded, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());

    let mut tags = job.tags;
    let count = match &tags {
        Tags::Single(tags) => tags.len(),
        Tags::Double(tags) => tags.len(),
    };
    for first in (0..count).step_by(lanes) {
        let words = source.at_hand(first, lanes).unwrap_or_else(|| {
            padded.resize(lanes, 0);
            source.write(first, &mut padded);
            &padded
        });
        kernel.run(Step::Planes { words, flip, state: &mut state });
        kernel.run(Step::Compute { plan, state: &mut state });
        let full = match &mut tags {
            Tags::Single(tags) => tags.get_mut(first..first + lanes),
            Tags::Double(_) => None,
        };
        if let Some(words) = full {
            kernel.run(Step::Words { high: false, state: &mut state, words });
            continue;
        }
        low.resize(lanes, 0);
        kernel.run(Step::Words { high: false, state: &mut state, words: &mut low });
        match &mut tags {
            Tags::Single(tags) => {
                tags[first..].iter_mut().zip(&low).for_each(|(tag, low)| *tag = *low);
            }
            Tags::Double(tags) => {
                high.resize(lanes, 0);
                kernel.run(Step::Words { high: true, state: &mut state, words: &mut high });
                let halves = low.iter().zip(&high);
                tags[first..].iter_mut().zip(halves).for_each(|(tag, (low, high))| {
                    *tag = u64::double(*low, *high);
                });
            }
        }
    }
}
