//! ChaCha20: `chacha20-pn` and `chacha20-xn`.

use super::{Checked, Extent, LONGEST, Row, batch_sizes};
use crate::check::Check;
use crate::input::{Pool, Random};
use crate::vectors::Published;
use keylane::dispatch::select::Runnable;
use keylane::job::chacha20::{Key, Keys, Pn, Run, Stream, Streams, Text, Xn, words};
use keylane::job::poly1305;
use keylane_ref as spec;
use std::sync::Arc;

/// The bytes before and after each text in place, and of each destination. No kernel may write them.
const GUARD: usize = 65;

/// The contents of such a byte, and of a destination at first.
const UNWRITTEN: u8 = 0x55;

/// What the checks share.
pub struct Texts {
    pool: Arc<Pool>,
    extent: Extent,
}

/// A run, and everything that it needs.
struct Case {
    key: [u8; 32],
    nonce: [u8; 12],
    counter: u32,
    /// Whether it begins with a one-time key.
    has_key: bool,
    /// Where its text begins in the pool, and its length.
    start: usize,
    len: usize,
    /// Whether it goes to a destination of its own.
    is_copied: bool,
}

/// What a run leaves behind.
#[derive(Debug, PartialEq)]
struct Outcome {
    one_time: [u64; 4],
    /// The text with the bytes around it.
    bytes: Vec<u8>,
}

/// The words of a one-time key.
fn key_words(key: &poly1305::Key) -> [u64; 4] {
    [key.r[0], key.r[1], key.s[0], key.s[1]]
}

impl Case {
    /// A random case with a text of this length.
    fn random(random: &mut Random, len: usize) -> Case {
        let has_key = random.below(2) == 0;
        // Often close to where bytes of the counter carry.
        let counter = [0, 1, 0xf8, 0xffff, 0xff_fffa, 0x7fff_fff7, random.word() as u32][random.below(7)];
        Case {
            key: random.bytes(),
            nonce: random.bytes(),
            counter: if has_key { 0 } else { counter },
            has_key,
            start: Pool::RANDOM + random.below(64),
            len,
            is_copied: random.below(2) == 0,
        }
    }

    /// Its text.
    fn text<'a>(&self, pool: &'a Pool) -> &'a [u8] {
        &pool.bytes()[self.start..][..self.len]
    }

    /// The bytes before the run: the text, or as many unwritten bytes, with others around it.
    fn before(&self, pool: &Pool) -> Vec<u8> {
        let mut bytes = vec![UNWRITTEN; self.len + 2 * GUARD];
        if !self.is_copied {
            bytes[GUARD..][..self.len].copy_from_slice(self.text(pool));
        }
        bytes
    }

    /// The run.
    fn run<'a>(&self, pool: &'a Pool, bytes: &'a mut [u8], one_time: &'a mut poly1305::Key) -> Run<'a> {
        let place = &mut bytes[GUARD..][..self.len];
        let text = if self.is_copied {
            Text::copied(&pool.bytes()[self.start..][..self.len], place)
        } else {
            Text::in_place(place)
        };
        let one_time = self.has_key.then_some(one_time);
        Run { nonce: words(&self.nonce), counter: self.counter, one_time, text }
    }

    /// What the run must leave behind, by keylane-ref.
    fn expected(&self, pool: &Pool) -> Outcome {
        let block = spec::chacha20_block(&self.key, self.counter, &self.nonce);
        let one_time = poly1305::Key::from_bytes(block[..32].try_into().expect("32 bytes"));
        let counter = self.counter.wrapping_add(u32::from(self.has_key));
        let mut bytes = vec![UNWRITTEN; self.len + 2 * GUARD];
        let text = spec::chacha20(&self.key, counter, &self.nonce, self.text(pool));
        bytes[GUARD..][..self.len].copy_from_slice(&text);
        Outcome { one_time: if self.has_key { key_words(&one_time) } else { [0; 4] }, bytes }
    }

    /// Its description in reports.
    fn name(&self) -> String {
        let Case { counter, has_key, len, is_copied, .. } = self;
        format!("{len} bytes from block {counter}, one-time key: {has_key}, to a destination: {is_copied}")
    }
}

/// A key of zeros.
fn no_key() -> poly1305::Key {
    poly1305::Key { r: [0; 2], s: [0; 2] }
}

/// Checks one run.
fn one(kernel: &Runnable<Pn>, case: &Case, texts: &Texts, check: &mut Check) {
    let (mut bytes, mut one_time) = (case.before(&texts.pool), no_key());
    let key = &Key::from_bytes(&case.key);
    kernel.run(Stream { key, run: case.run(&texts.pool, &mut bytes, &mut one_time) });
    let result = Outcome { one_time: key_words(&one_time), bytes };
    check.same(result, case.expected(&texts.pool), || case.name());
}

impl Checked for Pn {
    type Truth = Texts;

    fn truth(extent: Extent) -> Texts {
        Texts { pool: Pool::shared(), extent }
    }

    fn check_row(row: &Row<Self>, texts: &mut Texts, _: &Published, check: &mut Check) {
        let mut random = Random(21);
        let longest = if texts.extent == Extent::Brief { 200 } else { 2 * LONGEST };
        // Every length in each of the four ways.
        for len in 0..=longest {
            for way in 0..4 {
                let (has_key, is_copied) = (way & 1 == 1, way & 2 == 2);
                let case = Case::random(&mut random, len);
                let counter = if has_key { 0 } else { case.counter };
                one(&row.kernel, &Case { has_key, is_copied, counter, ..case }, texts, check);
            }
        }
        // Every place within a cache line, and messages of many calls.
        for start in 0..64 {
            let case = Case::random(&mut random, 64 * row.lanes + 3 * start);
            one(&row.kernel, &Case { start: Pool::STRUCTURED + start, ..case }, texts, check);
        }
        for len in [4096, 9973, 20_000] {
            one(&row.kernel, &Case::random(&mut random, len), texts, check);
        }
        // The last block of all.
        let last = Case { counter: u32::MAX, has_key: false, ..Case::random(&mut random, 64) };
        one(&row.kernel, &last, texts, check);
    }

    /// A message goes on in another row.
    fn check_pair(first: &Row<Self>, second: &Row<Self>, texts: &mut Texts, check: &mut Check) {
        let mut random = Random(22);
        for blocks in 0..=2 * first.lanes {
            let case = Case { has_key: true, counter: 0, ..Case::random(&mut random, 64 * blocks + 777) };
            let (mut bytes, mut one_time) = (case.before(&texts.pool), no_key());
            let key = &Key::from_bytes(&case.key);
            let mut run = case.run(&texts.pool, &mut bytes, &mut one_time);
            let (nonce, text) = (run.nonce, run.text.cut(64 * blocks));
            let start = Run { nonce, counter: 0, one_time: run.one_time.take(), text };
            first.kernel.run(Stream { key, run: start });
            second.kernel.run(Stream { key, run: Run { counter: 1 + blocks as u32, ..run } });
            let result = Outcome { one_time: key_words(&one_time), bytes };
            check.same(result, case.expected(&texts.pool), || {
                format!("from block {} on by {}: {}", 1 + blocks, second.kernel.id(), case.name())
            });
        }
    }
}

/// Checks a batch: under the key of its first case, or each under its own.
fn many(kernel: &Runnable<Xn>, cases: &mut [Case], has_keys: bool, texts: &Texts, check: &mut Check) {
    if let ([first, rest @ ..], false) = (&mut *cases, has_keys) {
        rest.iter_mut().for_each(|case| case.key = first.key);
    }
    let keys: Vec<Key> = cases.iter().map(|case| Key::from_bytes(&case.key)).collect();
    let one = Key::from_bytes(&cases.first().map_or([0; 32], |case| case.key));
    let mut bytes: Vec<Vec<u8>> = cases.iter().map(|case| case.before(&texts.pool)).collect();
    let mut one_time: Vec<poly1305::Key> = cases.iter().map(|_| no_key()).collect();
    let places = bytes.iter_mut().zip(&mut one_time);
    let mut runs: Vec<Run<'_>> = cases
        .iter()
        .zip(places)
        .map(|(case, (bytes, one_time))| case.run(&texts.pool, bytes, one_time))
        .collect();
    let keys = if has_keys { Keys::Each(&keys) } else { Keys::One(&one) };
    kernel.run(Streams { keys, runs: &mut runs });
    let count = cases.len();
    for (i, ((case, bytes), key)) in cases.iter().zip(bytes).zip(&one_time).enumerate() {
        let result = Outcome { one_time: key_words(key), bytes };
        check.same(result, case.expected(&texts.pool), || format!("run {i} of {count}: {}", case.name()));
    }
}

impl Checked for Xn {
    type Truth = Texts;

    fn truth(extent: Extent) -> Texts {
        Texts { pool: Pool::shared(), extent }
    }

    fn check_row(row: &Row<Self>, texts: &mut Texts, _: &Published, check: &mut Check) {
        let mut random = Random(23);
        for has_keys in [false, true] {
            // Every length, so that runs begin and end in every lane.
            let longest = if texts.extent == Extent::Brief { 200 } else { LONGEST };
            let mut lengths: Vec<usize> = (0..=longest).collect();
            for _ in 0..2 {
                for lengths in lengths.chunks(61) {
                    let mut cases: Vec<Case> =
                        lengths.iter().map(|&len| Case::random(&mut random, len)).collect();
                    many(&row.kernel, &mut cases, has_keys, texts, check);
                }
                random.shuffle(&mut lengths);
            }
            // Every size of a batch: only keys, one length, whole calls of one message, all kinds.
            for size in batch_sizes(row.lanes) {
                for kind in 0..4 {
                    let mut cases: Vec<Case> = (0..size)
                        .map(|i| {
                            let len = [0, 64, 64 * row.lanes * (i % 3), random.below(600)][kind];
                            let case = Case::random(&mut random, len);
                            if kind == 0 { Case { has_key: true, counter: 0, ..case } } else { case }
                        })
                        .collect();
                    many(&row.kernel, &mut cases, has_keys, texts, check);
                }
            }
        }
    }
}
