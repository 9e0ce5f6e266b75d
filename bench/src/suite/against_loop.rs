//! `against-loop`: each batch call beside the caller's own loop over the single call, by the number of messages in a
//! call. The aim is at most 1.03 times the loop.
//!
//! Lengths are constant, or such that no branch predictor has seen them: a pass has too many messages for that.

use super::contenders::{Columns, Contender};
use super::{Plan, Show, Table};
use crate::engine::{KEY, Rounds, Side};
use crate::work::batch::viewed;
use anyhow::{Result, ensure};
use keylane::halfsiphash::{self, HalfSipHash};
use keylane::poly1305::{OneTimeKey, Tag, mac, mac_batch, verify_batch};
use keylane::siphash::{self, SipHash};
use keylane_measure::data::{Arrow, Bytes, Random, Views};
use std::hint::black_box;
use std::ops::{Range, RangeInclusive};

const SUITE: &str = "against-loop";

/// Messages in a pass.
const MESSAGES: usize = 48_000;

/// The most bytes in a pass: messages should be in a cache.
const BYTES: usize = 2 << 20;

/// The most bytes in a pass of messages that come from memory, as a column does. No CPU prefetches by itself what a batch
/// call reads out of order.
const BYTES_FROM_MEMORY: usize = 64 << 20;

/// Lengths and numbers of the messages of ragged batches. The last ones have 42 MB, more than most caches.
const STRINGS: [(RangeInclusive<usize>, usize); 5] =
    [(4..=20, MESSAGES), (0..=9, MESSAGES), (16..=16, MESSAGES), (13..=39, MESSAGES), (20..=400, 200_000)];

/// Lengths of the messages of Poly1305, and the most bytes in a pass.
const PACKETS: [(RangeInclusive<usize>, usize); 6] = [
    (16..=16, BYTES),
    (48..=48, BYTES),
    (80..=80, BYTES),
    (0..=128, BYTES),
    (40..=1500, BYTES),
    (200..=1400, BYTES_FROM_MEMORY),
];

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn against_loop(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let key = siphash::Key::from_bytes(KEY);
    let half = halfsiphash::Key::from_bytes(*KEY.first_chunk().expect("8 bytes of 16"));
    let data = Data::new();
    let mut to = Tables { plan, show };
    to.siphash13(&data, &SipHash::<1, 3>::new(&key), &|name| title("SipHash", name))?;
    to.siphash24(&data, &SipHash::<2, 4>::new(&key), &|name| title("SipHash", name))?;
    to.halfsiphash13(&data, &HalfSipHash::<1, 3>::new(&half), &|name| title("HalfSipHash", name))?;
    to.halfsiphash24(&data, &HalfSipHash::<2, 4>::new(&half), &|name| title("HalfSipHash", name))?;
    PACKETS.into_iter().try_for_each(|(lengths, bytes)| to.poly1305(&lengths, bytes))
}

fn title(algorithm: &str, call: &str) -> String {
    format!("{algorithm}, {call}, by messages in a call")
}

/// How a title names lengths.
fn named(lengths: &RangeInclusive<usize>) -> String {
    let (first, last) = (lengths.start(), lengths.end());
    if first == last { format!("{first} bytes") } else { format!("{first}..{last} bytes") }
}

/// Fixed messages.
struct Data {
    u32s: Vec<u32>,
    u64s: Vec<u64>,
    u128s: Vec<u128>,
    rows: Bytes,
}

impl Data {
    fn new() -> Self {
        let mut random = Random::new(5);
        let mut word = || random.next_u64();
        Data {
            u32s: (0..MESSAGES).map(|_| word() as u32).collect(),
            u64s: (0..MESSAGES).map(|_| word()).collect(),
            u128s: (0..MESSAGES).map(|_| u128::from(word()) << 64 | u128::from(word())).collect(),
            rows: Bytes::new(24 * MESSAGES, 6),
        }
    }
}

/// What a call returns for a message.
trait Answer: Copy + Default {
    /// Whether two answers are the same.
    fn is(&self, other: &Self) -> bool;
}

macro_rules! answer {
    ($($type:ty)*) => {
        $(impl Answer for $type {
            fn is(&self, other: &Self) -> bool {
                self == other
            }
        })*
    };
}
answer!(u64 u32 bool);

impl Answer for Tag {
    fn is(&self, other: &Self) -> bool {
        self.verify(other).is_ok()
    }
}

/// Where the tables go.
struct Tables<'a, 'b> {
    plan: &'a Plan,
    show: &'a mut Show<'b>,
}

/// A method with the tables of a hasher: its type does not tell which calls it has.
macro_rules! hasher {
    ($name:ident, $hasher:ty, $tag:ty, $rounds:expr) => {
        fn $name(&mut self, data: &Data, h: &$hasher, title: &dyn Fn(&str) -> String) -> Result<()> {
            let rounds = Some($rounds);
            macro_rules! integers {
                ($batch:ident, $single:ident, $integers:expr) => {
                    self.compare::<$tag>(
                        rounds,
                        title(stringify!($batch)),
                        (MESSAGES, 10),
                        |of, tags| h.$batch(&$integers[of], tags).expect("a tag for each"),
                        |of, tags| {
                            for (tag, &integer) in tags.iter_mut().zip(&$integers[of]) {
                                *tag = h.$single(integer);
                            }
                        },
                    )?;
                };
            }
            integers!(hash_u32s, hash_u32, data.u32s);
            integers!(hash_u64s, hash_u64, data.u64s);
            integers!(hash_u128s, hash_u128, data.u128s);
            macro_rules! rows_of {
                ($width:literal) => {
                    let rows = |of: Range<usize>| &data.rows.at(0)[of.start * $width..of.end * $width];
                    self.compare::<$tag>(
                        rounds,
                        title(concat!("hash_rows of ", $width, " bytes, known to the compiler")),
                        (MESSAGES, 20),
                        |of, tags| h.hash_rows(rows(of), $width, tags).expect("a tag for each"),
                        |of, tags| {
                            for (tag, row) in tags.iter_mut().zip(rows(of).as_chunks::<$width>().0) {
                                *tag = h.hash(row);
                            }
                        },
                    )?;
                };
            }
            rows_of!(8);
            rows_of!(12);
            for width in [16, 24] {
                let rows = |of: Range<usize>| &data.rows.at(0)[of.start * width..of.end * width];
                self.compare::<$tag>(
                    rounds,
                    title(&format!("hash_rows of {width} bytes")),
                    (MESSAGES, 20),
                    |of, tags| h.hash_rows(rows(of), width, tags).expect("a tag for each"),
                    |of, tags| {
                        for (tag, row) in tags.iter_mut().zip(rows(of).chunks_exact(width)) {
                            *tag = h.hash(row);
                        }
                    },
                )?;
            }
            for (lengths, messages) in STRINGS {
                let strings = Arrow::uniform(messages, lengths.clone(), 7);
                let (bytes, offsets) = (strings.bytes(0), strings.offsets());
                let ends = |of: Range<usize>| &offsets[of.start..=of.end];
                let message = |ends: &[i32]| &bytes[ends[0] as usize..ends[1] as usize];
                let slices: Vec<&[u8]> = offsets.windows(2).map(message).collect();
                let cycles = 30 + lengths.end();
                self.compare::<$tag>(
                    rounds,
                    title(&format!("hash_offsets, {}", named(&lengths))),
                    (messages, cycles),
                    |of, tags| h.hash_offsets(bytes, ends(of), tags).expect("offsets that rise"),
                    |of, tags| {
                        for (tag, ends) in tags.iter_mut().zip(ends(of).windows(2)) {
                            *tag = h.hash(message(ends));
                        }
                    },
                )?;
                self.compare::<$tag>(
                    rounds,
                    title(&format!("hash_many, {}", named(&lengths))),
                    (messages, cycles),
                    |of, tags| h.hash_many(&slices[of], tags).expect("a tag for each"),
                    |of, tags| {
                        for (tag, slice) in tags.iter_mut().zip(&slices[of]) {
                            *tag = h.hash(slice);
                        }
                    },
                )?;
                let views = Views::uniform(messages, lengths.clone(), 7);
                let (views, buffer) = (views.views(0), views.buffer(0));
                self.compare::<$tag>(
                    rounds,
                    title(&format!("hash_views, {}", named(&lengths))),
                    (messages, cycles),
                    |of, tags| h.hash_views(&views[of], &[buffer], tags).expect("views into the buffer"),
                    |of, tags| {
                        for (tag, view) in tags.iter_mut().zip(&views[of]) {
                            *tag = h.hash(viewed(view, &[buffer]));
                        }
                    },
                )?;
            }
            Ok(())
        }
    };
}

impl Tables<'_, '_> {
    hasher!(siphash13, SipHash<1, 3>, u64, Rounds::R13);
    hasher!(siphash24, SipHash<2, 4>, u64, Rounds::R24);
    hasher!(halfsiphash13, HalfSipHash<1, 3>, u32, Rounds::R13);
    hasher!(halfsiphash24, HalfSipHash<2, 4>, u32, Rounds::R24);

    /// `mac_batch` and `verify_batch`, each message under its own key.
    fn poly1305(&mut self, lengths: &RangeInclusive<usize>, bytes: usize) -> Result<()> {
        let count = MESSAGES.min(bytes / lengths.end());
        let keys: Vec<[u8; 32]> = {
            let mut random = Random::new(8);
            (0..count).map(|_| *random.bytes(32).first_chunk().expect("32 bytes")).collect()
        };
        let packets = Arrow::uniform(count, lengths.clone(), 9);
        let ends = packets.offsets().windows(2);
        let messages: Vec<&[u8]> =
            ends.map(|ends| &packets.bytes(0)[ends[0] as usize..ends[1] as usize]).collect();
        let one = |key: &[u8; 32]| OneTimeKey::from_bytes(*key);
        let cycles = 50 + lengths.end() / 2;
        self.compare::<Tag>(
            None,
            title("Poly1305", &format!("mac_batch, {}", named(lengths))),
            (count, cycles),
            |of, tags| {
                mac_batch(keys[of.clone()].iter().map(one), &messages[of], tags).expect("a tag for each");
            },
            |of, tags| {
                for ((tag, key), message) in tags.iter_mut().zip(&keys[of.clone()]).zip(&messages[of]) {
                    *tag = mac(one(key), message);
                }
            },
        )?;
        // Every third tag is wrong.
        let macs = keys.iter().zip(&messages).map(|(key, message)| mac(one(key), message));
        let given: Vec<Tag> =
            macs.enumerate().map(|(i, tag)| if i % 3 == 0 { Tag::default() } else { tag }).collect();
        self.compare::<bool>(
            None,
            title("Poly1305", &format!("verify_batch, {}", named(lengths))),
            (count, cycles),
            |of, good| {
                let keys = keys[of.clone()].iter().map(one);
                verify_batch(keys, &messages[of.clone()], &given[of], good).expect("an answer for each");
            },
            |of, good| {
                let all = keys[of.clone()].iter().zip(&messages[of.clone()]).zip(&given[of]);
                for (good, ((key, message), given)) in good.iter_mut().zip(all) {
                    *good = mac(one(key), message).verify(given).is_ok();
                }
            },
        )
    }

    /// A table: `batch` does some messages in one call, and `alone` in a loop. Both take their indices and the places of
    /// their answers. The numbers are the messages in a pass, and about how many cycles each takes.
    fn compare<T: Answer>(
        &mut self,
        rounds: Option<Rounds>,
        title: String,
        (messages, cycles): (usize, usize),
        batch: impl Fn(Range<usize>, &mut [T]),
        alone: impl Fn(Range<usize>, &mut [T]),
    ) -> Result<()> {
        if !self.plan.has(&title) {
            return Ok(());
        }
        let mut columns = Columns::default();
        for &n in &self.plan.calls {
            let (mut answers, mut right) = (vec![T::default(); messages], vec![T::default(); messages]);
            calls(n, &batch, &mut answers);
            calls(n, &alone, &mut right);
            let same = answers.iter().zip(&right).all(|(answer, right)| answer.is(right));
            ensure!(same, "{title}: wrong answers in calls of {n}");
            let contenders = vec![
                Contender::new("keylane", Side::Ours, || calls(n, &batch, &mut answers)),
                Contender::new("loop over the single call", Side::Peer, || calls(n, &alone, &mut right)),
            ];
            columns.measure(self.plan, n.to_string(), (messages, messages * cycles), contenders);
        }
        let table: Table = columns.table(SUITE, rounds, title, vec![]);
        (self.show)(table)
    }
}

/// Does all messages, n in each call.
#[inline(never)]
fn calls<T>(n: usize, call: &impl Fn(Range<usize>, &mut [T]), answers: &mut [T]) {
    for (i, answers) in answers.chunks_mut(n).enumerate() {
        call(i * n..i * n + answers.len(), answers);
    }
    black_box(answers);
}
