//! `against-loop`: each batch call beside what it might have done instead, by the number of messages in a call.
//!
//! The choices are the caller's own loop over the single call, the active row, and the active row with further messages up
//! to a whole group. *Regret* is the call's time by that of the best choice. *Monotony* is its time by the least time of any
//! longer call of its shape. The aim is a mean regret within 0.02 of A/A, a worst one of 1.3 (below 16 messages: 12 cycles),
//! and a monotony of 1.1.
//!
//! Lengths are constant, or such that no branch predictor has seen them: a table has too many messages for that.

pub(super) mod calls;
mod judge;

use super::{Cell, Plan, Show, Table, is_filed};
use crate::engine::{KEY, Rounds};
use crate::turns;
use crate::work::hash::viewed;
use anyhow::{Result, ensure};
use calls::{Calls, ENGINES, Messages};
use judge::{Judged, MONOTONY, Verdict, monotony, thrice};
use keylane::halfsiphash::{self, HalfSipHash};
use keylane::poly1305::{OneTimeKey, Tag, mac, mac_batch, verify_batch};
use keylane::siphash::{self, SipHash};
use keylane_measure::data::{Arrow, Bytes, Random, Views};
use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

const SUITE: &str = "against-loop";

/// Messages of a table.
const MESSAGES: usize = 48_000;

/// The most bytes of a table: messages should be in a cache.
const BYTES: usize = 2 << 20;

/// The most bytes of a table whose messages come from memory, as a column does. No CPU prefetches by itself what a batch
/// call reads out of order.
const BYTES_FROM_MEMORY: usize = 64 << 20;

/// Lengths and numbers of the messages of ragged batches. The last ones have 42 MB, more than most caches.
const STRINGS: [(RangeInclusive<usize>, usize); 6] = [
    (4..=20, MESSAGES),
    (0..=9, MESSAGES),
    (16..=16, MESSAGES),
    (13..=39, MESSAGES),
    (25..=90, MESSAGES),
    (20..=400, 200_000),
];

/// Lengths of the messages of Poly1305, and the most bytes of a table.
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
    let mut to = Tables { plan, show, judged: Vec::new() };
    to.siphash13(&data, &SipHash::<1, 3>::new(&key), &|name| title("SipHash", name))?;
    to.siphash24(&data, &SipHash::<2, 4>::new(&key), &|name| title("SipHash", name))?;
    to.halfsiphash13(&data, &HalfSipHash::<1, 3>::new(&half), &|name| title("HalfSipHash", name))?;
    to.halfsiphash24(&data, &HalfSipHash::<2, 4>::new(&half), &|name| title("HalfSipHash", name))?;
    PACKETS.into_iter().try_for_each(|(lengths, bytes)| to.poly1305(&lengths, bytes))?;
    to.summary()
}

fn title(algorithm: &str, call: &str) -> String {
    format!("{algorithm}, {call}, by messages in a call")
}

/// The algorithm and the call of a title.
fn kind(title: &str) -> String {
    let mut parts = title.split(", ");
    let (algorithm, call) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    format!("{algorithm} {}", call.split(' ').next().unwrap_or_default())
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

/// Runs a method of the row, whose arguments are right. A program that knows no rows does not measure any.
macro_rules! row {
    ($($row:ident).+ ($($argument:expr),*)) => {{
        #[cfg(feature = "internals")]
        $($row).+($($argument),*).expect("a tag for each");
        #[cfg(not(feature = "internals"))]
        let _ = ($($argument),*);
    }};
}

/// The whole group of a hasher's row, or 1 in a program that knows no rows.
macro_rules! group {
    ($hasher:ident) => {{
        #[cfg(feature = "internals")]
        let group = $hasher.kernel_group();
        #[cfg(not(feature = "internals"))]
        let group = 1;
        group
    }};
}

/// Where the tables go, and what was judged: the call and the algorithm, and the cell.
struct Tables<'a, 'b> {
    plan: &'a Plan,
    show: &'a mut Show<'b>,
    judged: Vec<(String, Judged)>,
}

/// A method with the tables of a hasher: its type does not tell which calls it has.
macro_rules! hasher {
    ($name:ident, $hasher:ty, $tag:ty, $rounds:expr) => {
        fn $name(&mut self, data: &Data, h: &$hasher, title: &dyn Fn(&str) -> String) -> Result<()> {
            let (rounds, group) = (Some($rounds), group!(h));
            let messages = |count, cycles| Messages { count, cycles, from_memory: false };
            macro_rules! integers {
                ($batch:ident, $single:ident, $row:ident, $integers:expr) => {
                    self.compare(rounds, title(stringify!($batch)), || {
                        Calls::<$tag>::new(
                            messages(MESSAGES, 10),
                            group,
                            |of, tags| h.$batch(&$integers[of], tags).expect("a tag for each"),
                            |of, tags| {
                                for (tag, &integer) in tags.iter_mut().zip(&$integers[of]) {
                                    *tag = h.$single(integer);
                                }
                            },
                            |of, tags| row!(h.$row(&$integers[of], tags)),
                        )
                    })?;
                };
            }
            integers!(hash_u32s, hash_u32, u32s_by_kernel, data.u32s);
            integers!(hash_u64s, hash_u64, u64s_by_kernel, data.u64s);
            integers!(hash_u128s, hash_u128, u128s_by_kernel, data.u128s);
            macro_rules! rows_of {
                ($width:literal) => {
                    let rows = |of: Range<usize>| &data.rows.at(0)[of.start * $width..of.end * $width];
                    let title = title(concat!("hash_rows of ", $width, " bytes, known to the compiler"));
                    self.compare(rounds, title, || {
                        Calls::<$tag>::new(
                            messages(MESSAGES, 20),
                            group,
                            |of, tags| h.hash_rows(rows(of), $width, tags).expect("a tag for each"),
                            |of, tags| {
                                for (tag, row) in tags.iter_mut().zip(rows(of).as_chunks::<$width>().0) {
                                    *tag = h.hash(row);
                                }
                            },
                            |of, tags| row!(h.rows_by_kernel(rows(of), $width, tags)),
                        )
                    })?;
                };
            }
            rows_of!(8);
            rows_of!(12);
            for width in [16, 24] {
                let rows = |of: Range<usize>| &data.rows.at(0)[of.start * width..of.end * width];
                self.compare(rounds, title(&format!("hash_rows of {width} bytes")), || {
                    Calls::<$tag>::new(
                        messages(MESSAGES, 20),
                        group,
                        |of, tags| h.hash_rows(rows(of), width, tags).expect("a tag for each"),
                        |of, tags| {
                            for (tag, row) in tags.iter_mut().zip(rows(of).chunks_exact(width)) {
                                *tag = h.hash(row);
                            }
                        },
                        |of, tags| row!(h.rows_by_kernel(rows(of), width, tags)),
                    )
                })?;
            }
            for (lengths, count) in STRINGS {
                let titles = ["hash_offsets", "hash_many", "hash_views"];
                let titles = titles.map(|call| title(&format!("{call}, {}", named(&lengths))));
                let from_memory = count > MESSAGES;
                if !titles.iter().any(|title| self.has(title, from_memory)) {
                    continue;
                }
                let messages = Messages { count, cycles: 30 + lengths.end() / 2, from_memory };
                let [of_offsets, of_many, of_views] = titles;
                let strings = Arrow::uniform(count, lengths.clone(), 7);
                let (bytes, offsets) = (strings.bytes(0), strings.offsets());
                let ends = |of: Range<usize>| &offsets[of.start..=of.end];
                let message = |ends: &[i32]| &bytes[ends[0] as usize..ends[1] as usize];
                self.compare(rounds, of_offsets, || {
                    Calls::<$tag>::new(
                        messages,
                        group,
                        |of, tags| h.hash_offsets(bytes, ends(of), tags).expect("offsets that rise"),
                        |of, tags| {
                            for (tag, ends) in tags.iter_mut().zip(ends(of).windows(2)) {
                                *tag = h.hash(message(ends));
                            }
                        },
                        |of, tags| row!(h.offsets_by_kernel(bytes, ends(of), tags)),
                    )
                })?;
                let slices: Vec<&[u8]> = offsets.windows(2).map(message).collect();
                self.compare(rounds, of_many, || {
                    Calls::<$tag>::new(
                        messages,
                        group,
                        |of, tags| h.hash_many(&slices[of], tags).expect("a tag for each"),
                        |of, tags| {
                            for (tag, slice) in tags.iter_mut().zip(&slices[of]) {
                                *tag = h.hash(slice);
                            }
                        },
                        |of, tags| row!(h.many_by_kernel(&slices[of], tags)),
                    )
                })?;
                let views = Views::uniform(count, lengths.clone(), 7);
                let (views, buffer) = (views.views(0), views.buffer(0));
                let listed = RefCell::new(Vec::new());
                self.compare(rounds, of_views, || {
                    Calls::<$tag>::new(
                        messages,
                        group,
                        |of, tags| h.hash_views(&views[of], &[buffer], tags).expect("views into the buffer"),
                        |of, tags| {
                            for (tag, view) in tags.iter_mut().zip(&views[of]) {
                                *tag = h.hash(viewed(view, &[buffer]));
                            }
                        },
                        |of, tags| {
                            let mut listed = listed.borrow_mut();
                            listed.clear();
                            listed.extend(views[of].iter().map(|view| viewed(view, &[buffer])));
                            row!(h.many_by_kernel(&listed, tags));
                        },
                    )
                })?;
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
        let titles = ["mac_batch", "verify_batch"];
        let titles = titles.map(|call| title("Poly1305", &format!("{call}, {}", named(lengths))));
        let from_memory = bytes == BYTES_FROM_MEMORY;
        if !titles.iter().any(|title| self.has(title, from_memory)) {
            return Ok(());
        }
        let count = MESSAGES.min(bytes / lengths.end());
        let keys: Vec<[u8; 32]> = {
            let mut random = Random::new(8);
            (0..count).map(|_| *random.bytes(32).first_chunk().expect("32 bytes")).collect()
        };
        let packets = Arrow::uniform(count, lengths.clone(), 9);
        let ends = packets.offsets().windows(2);
        let texts: Vec<&[u8]> =
            ends.map(|ends| &packets.bytes(0)[ends[0] as usize..ends[1] as usize]).collect();
        let one = |key: &[u8; 32]| OneTimeKey::from_bytes(*key);
        let messages = Messages { count, cycles: 50 + lengths.end() / 2, from_memory };
        #[cfg(feature = "internals")]
        use keylane::poly1305::{kernel_group, macs_by_kernel};
        #[cfg(feature = "internals")]
        let group = kernel_group();
        #[cfg(not(feature = "internals"))]
        let group = 1;
        let [of_macs, of_checks] = titles;
        self.compare(None, of_macs, || {
            Calls::<Tag>::new(
                messages,
                group,
                |of, tags| {
                    let keys = keys[of.clone()].iter().map(one);
                    mac_batch(keys, &texts[of], tags).expect("a tag for each");
                },
                |of, tags| {
                    for ((tag, key), message) in tags.iter_mut().zip(&keys[of.clone()]).zip(&texts[of]) {
                        *tag = mac(one(key), message);
                    }
                },
                |of, tags| row!(macs_by_kernel(keys[of.clone()].iter().map(one), &texts[of], tags)),
            )
        })?;
        // Every third tag is wrong.
        let macs = keys.iter().zip(&texts).map(|(key, message)| mac(one(key), message));
        let given: Vec<Tag> =
            macs.enumerate().map(|(i, tag)| if i % 3 == 0 { Tag::default() } else { tag }).collect();
        let tags = RefCell::new(vec![Tag::default(); count]);
        self.compare(None, of_checks, || {
            Calls::<bool>::new(
                messages,
                group,
                |of, good| {
                    let keys = keys[of.clone()].iter().map(one);
                    verify_batch(keys, &texts[of.clone()], &given[of], good).expect("an answer for each");
                },
                |of, good| {
                    let all = keys[of.clone()].iter().zip(&texts[of.clone()]).zip(&given[of]);
                    for (good, ((key, message), given)) in good.iter_mut().zip(all) {
                        *good = mac(one(key), message).verify(given).is_ok();
                    }
                },
                |of, good| {
                    let tags = &mut tags.borrow_mut()[..of.len()];
                    row!(macs_by_kernel(keys[of.clone()].iter().map(one), &texts[of.clone()], &mut *tags));
                    for ((good, tag), given) in good.iter_mut().zip(tags).zip(&given[of]) {
                        *good = tag.verify(given).is_ok();
                    }
                },
            )
        })
    }

    /// Whether to measure a table. Those from memory take long: not at a first look.
    fn has(&self, title: &str, from_memory: bool) -> bool {
        self.plan.has(title) && (!from_memory || self.plan.from_memory)
    }

    /// A table of these contenders.
    fn compare<'c, T: Answer>(
        &mut self,
        rounds: Option<Rounds>,
        title: String,
        contenders: impl FnOnce() -> Calls<'c, T>,
    ) -> Result<()> {
        let plan = self.plan;
        if !plan.has(&title) {
            return Ok(());
        }
        let mut contenders = contenders();
        let (mut cells, mut judged) = (Vec::new(), Vec::new());
        for &n in &plan.calls {
            ensure!(contenders.agree(n, T::is), "{title}: wrong answers in calls of {n}");
            if turns::are_given() {
                contenders.serve(plan, n);
                continue;
            }
            let first = contenders.measure(plan, n);
            let measured = thrice(first, |cell| cell.judged.is_regretted(), || contenders.measure(plan, n));
            if let Some(measured) = measured {
                let figures = measured.figures;
                let is_filed =
                    ENGINES.iter().zip(&figures).all(|((_, side), of)| is_filed(*side, of.as_ref()));
                cells.push(Cell { label: n.to_string(), figures, best_peer: Some(1), is_filed });
                judged.push(measured.judged);
            }
        }
        let times: Vec<f64> = judged.iter().map(|cell: &Judged| cell.cycles).collect();
        for (cell, longest) in monotony(&times).into_iter().enumerate() {
            let Some((longer, first)) = longest else { continue };
            let (n, longer) = (judged[cell].n, judged[longer].n);
            let ratio = thrice(Some(first), |&ratio| ratio > MONOTONY, || contenders.ratio(plan, n, longer));
            judged[cell].monotony = ratio.unwrap_or(first);
        }
        let notes = Verdict::of(&judged).map_or(vec![], |verdict| verdict.lines());
        let kind = kind(&title);
        self.judged.extend(judged.into_iter().map(|cell| (kind.clone(), cell)));
        let engines = ENGINES.map(|(name, side)| (name.to_owned(), side)).to_vec();
        (self.show)(Table { suite: SUITE, rounds, title, engines, missing: vec![], cells, notes })
    }

    /// A last table, without figures of its own, that sums up the others by the kind of call.
    fn summary(self) -> Result<()> {
        let mut kinds: Vec<&String> = Vec::new();
        for (kind, _) in &self.judged {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let of = |kind: Option<&String>| {
            let cells = self.judged.iter().filter(|(of, _)| kind.is_none_or(|kind| of == kind));
            Verdict::of(&cells.map(|(_, cell)| *cell).collect::<Vec<_>>())
        };
        let Some(all) = of(None) else { return Ok(()) };
        let each = kinds.into_iter().filter_map(|kind| Some(of(Some(kind))?.line(kind)));
        let mut notes = vec![Verdict::heads()];
        notes.extend(each);
        notes.push(all.line("all"));
        let title = match &self.plan.only {
            Some(only) => format!("all tables with {only:?}"),
            None => "all tables".to_owned(),
        };
        (self.show)(Table {
            suite: SUITE,
            rounds: None,
            title,
            engines: vec![],
            missing: vec![],
            cells: vec![],
            notes,
        })
    }
}
