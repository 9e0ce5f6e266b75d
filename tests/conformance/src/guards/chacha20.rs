//! ChaCha20: `chacha20-pn`, `chacha20-xn` and `chacha20poly1305-pn`.

use super::{Between, Cases, Guarded, LONGEST, MOST, Side, counts, lengths};
use crate::input::{Pool, Random};
use crate::rows::Row;
use crate::rows::layouts::ragged_lengths;
use keylane::arch::portable::poly1305_inline;
use keylane::job::chacha20::{Key, Keys, Pn, Run, Seal, Sealing, Stream, Streams, Text, Xn, words};
use keylane::job::poly1305;
use keylane_ref as spec;

/// The key of all cases.
const KEY: [u8; 32] = [0x42; 32];

/// The nonce of run `i`.
fn nonce(i: usize) -> [u8; 12] {
    Random(i as u64).bytes()
}

/// The key in a block's first half.
fn one_time(i: usize) -> poly1305::Key {
    let block = spec::chacha20_block(&KEY, 0, &nonce(i));
    poly1305::Key::from_bytes(block[..32].try_into().expect("32 bytes"))
}

/// A place for a one-time key.
const NO_KEY: poly1305::Key = poly1305::Key { r: [0; 2], s: [0; 2] };

/// The words of a one-time key.
fn key_words(key: &poly1305::Key) -> [u64; 4] {
    [key.r[0], key.r[1], key.s[0], key.s[1]]
}

impl Between for Pn {
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>) {
        let pool = Pool::shared();
        let (mut from, mut to) = (Guarded::new(LONGEST), Guarded::new(LONGEST));
        let (mut keys, mut places) = (Guarded::new(32), Guarded::new(32));
        let blank = vec![0x55; LONGEST];
        for len in lengths() {
            let blank = &blank[..len];
            let text = &pool.bytes()[Pool::RANDOM..][..len];
            let right = spec::chacha20(&KEY, 1, &nonce(len), text);
            let right = (key_words(&one_time(len)), right);
            for side in Side::BOTH {
                for is_copied in [false, true] {
                    let key = &keys.put(&[Key::from_bytes(&KEY)], side)[0];
                    let place = &mut places.put(&[NO_KEY], side)[0];
                    let bytes = to.put(if is_copied { blank } else { text }, side);
                    let source = &*from.put(text, side);
                    let run = || {
                        let text =
                            if is_copied { Text::copied(source, bytes) } else { Text::in_place(bytes) };
                        let one_time = Some(&mut *place);
                        let run = Run { nonce: words(&nonce(len)), counter: 0, one_time, text };
                        row.kernel.run(Stream { key, run });
                        (key_words(place), bytes.to_vec())
                    };
                    cases.case(
                        format!("{len} bytes, {side:?}, to a destination: {is_copied}"),
                        run,
                        right.clone(),
                    );
                }
            }
        }
    }
}

impl Between for Sealing {
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>) {
        let pool = Pool::shared();
        let (mut from, mut to) = (Guarded::new(LONGEST), Guarded::new(LONGEST));
        let (mut keys, mut states) = (Guarded::new(32), Guarded::new(size_of::<poly1305::State>()));
        for len in lengths() {
            let text = &pool.bytes()[Pool::RANDOM..][..len];
            let sealed = spec::chacha20(&KEY, 1, &nonce(len), text);
            // The row encrypts whole calls, and absorbs all but the last one.
            let whole = 64 * row.lanes * (len / (64 * row.lanes));
            let absorbed = whole.saturating_sub(64 * row.lanes);
            for side in Side::BOTH {
                for is_copied in [false, true] {
                    let key = &keys.put(&[Key::from_bytes(&KEY)], side)[0];
                    let state = &mut states.put(&[poly1305::State::new(one_time(len))], side)[0];
                    let bytes = to.put(text, side);
                    let source = &*from.put(text, side);
                    let run = || {
                        let mut done = [0, 0];
                        let [encrypted, absorbed] = &mut done;
                        row.kernel.run(Seal {
                            key,
                            nonce: words(&nonce(len)),
                            source: is_copied.then_some(source),
                            destination: bytes,
                            encrypted,
                            absorbed,
                            state,
                        });
                        (done, bytes.to_vec(), state.tag())
                    };
                    let mut right = text.to_vec();
                    right[..whole].copy_from_slice(&sealed[..whole]);
                    let mut expected = poly1305::State::new(one_time(len));
                    poly1305_inline(&mut expected, sealed[..absorbed].as_chunks().0, &[]);
                    let name = format!("{len} bytes, {side:?}, to a destination: {is_copied}");
                    cases.case(name, run, ([whole, absorbed], right, expected.tag()));
                }
            }
        }
    }
}

impl Between for Xn {
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>) {
        let pool = Pool::shared();
        let mut each: Vec<Guarded> = (0..MOST).map(|_| Guarded::new(LONGEST)).collect();
        let (mut keys, mut places) = (Guarded::new(32 * MOST), Guarded::new(32 * MOST));
        let mut batch = |lengths: &[usize]| {
            let count = lengths.len();
            let texts: Vec<&[u8]> = lengths.iter().map(|&len| &pool.bytes()[Pool::RANDOM..][..len]).collect();
            let right: Vec<([u64; 4], Vec<u8>)> = texts
                .iter()
                .enumerate()
                .map(|(i, text)| (key_words(&one_time(i)), spec::chacha20(&KEY, 1, &nonce(i), text)))
                .collect();
            for side in Side::BOTH {
                let keys = &*keys.put(&vec![Key::from_bytes(&KEY); count], side);
                let places = places.put(&vec![NO_KEY; count], side);
                let mut bytes: Vec<&mut [u8]> =
                    each.iter_mut().zip(&texts).map(|(place, text)| place.put(text, side)).collect();
                let run = || {
                    let parts = bytes.iter_mut().zip(&mut *places).enumerate();
                    let mut runs: Vec<Run<'_>> = parts
                        .map(|(i, (bytes, place))| Run {
                            nonce: words(&nonce(i)),
                            counter: 0,
                            one_time: Some(place),
                            text: Text::in_place(bytes),
                        })
                        .collect();
                    row.kernel.run(Streams { keys: Keys::Each(keys), runs: &mut runs });
                    let results = places.iter().zip(&bytes);
                    results.map(|(key, bytes)| (key_words(key), bytes.to_vec())).collect::<Vec<_>>()
                };
                let longest = lengths.iter().max().unwrap_or(&0);
                cases.case(
                    format!("{count} messages of at most {longest} bytes, {side:?}"),
                    run,
                    right.clone(),
                );
            }
        };
        let group = 2 * row.lanes + 1;
        for len in lengths().filter(|len| len % 3 == 0) {
            for lengths in [vec![len], (len..len + group).collect()] {
                batch(&lengths.iter().map(|&len: &usize| len.min(LONGEST)).collect::<Vec<_>>());
            }
        }
        let mut random = Random(16);
        for count in counts() {
            for lengths in ragged_lengths(count, row.lanes, &mut random).into_iter().take(3) {
                batch(&lengths);
            }
        }
    }
}
