//! The jobs of a slot with secrets, for one row.

use super::Secrets;
use crate::rows::Row;
use crate::variants::{Family, Variant};
use keylane::dispatch::selftest::SelfTest;
use keylane::job::chacha20::{self, Keys, Run, Seal, Stream, Streams, Text, words};
use keylane::job::poly1305::{self, Key, Message, Pn, Powers};
use keylane::job::siphash::{Batch, Layout, Long, Messages, State, Tags, X1Long, Xn};
use keylane_lab::{ablation, steps};

/// A shape whose jobs can be done with secrets.
pub trait Secretive: SelfTest {
    /// Jobs of every kind, for one row.
    fn jobs(row: &Row<Self>, secrets: &mut Secrets);
}

impl Secretive for X1Long {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        for (c, d) in [(1, 3), (2, 4), (3, 5)] {
            for fold in [false, true] {
                for len in secrets.lengths() {
                    let message = secrets.bytes(len);
                    let mut state = State::new(u64::key(&secrets.array::<16>()), false);
                    let rounds = Variant::sip(c, d, false).rounds();
                    let (words, _) = message.as_chunks();
                    row.kernel.run(Long { state: &mut state, rounds, fold, words });
                    secrets.take(state.v);
                }
            }
        }
    }
}

/// Bytes before and after the messages of a layout. With this many, a kernel may read rows beyond each
/// message.
const ROOM: usize = 1024;

impl<W: Family> Secretive for Xn<W> {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        for lengths in secrets.batches(row.lanes) {
            let count = lengths.len();
            let with_room = &secrets.bytes(2 * ROOM + lengths.iter().sum::<usize>())[..];
            let bytes = &with_room[ROOM..with_room.len() - ROOM];
            let width = lengths.first().copied().unwrap_or(0);
            let ends = lengths.iter().scan(0, |end, len| {
                *end += len;
                Some(*end)
            });
            let offsets: Vec<i64> = [0].into_iter().chain(ends).map(|end| end as i64).collect();
            let narrow: Vec<i32> = offsets.iter().map(|&offset| offset as i32).collect();
            let slices: Vec<&[u8]> =
                offsets.windows(2).map(|pair| &bytes[pair[0] as usize..pair[1] as usize]).collect();
            let within: Vec<i64> = offsets.iter().map(|&offset| offset + ROOM as i64).collect();
            let mut layouts = vec![
                Layout::Offsets32 { bytes, offsets: &narrow },
                Layout::Offsets64 { bytes: with_room, offsets: &within },
                Layout::Slices(&slices),
            ];
            if lengths.iter().all(|&len| len == width) {
                layouts.push(Layout::Rows { bytes, width });
            }
            for layout in layouts {
                for fold in [false, true] {
                    hash(row, secrets, fold, Messages::Bytes(layout), count);
                }
            }
            let u128s: Vec<u128> = (0..count).map(|_| u128::from_le_bytes(secrets.array())).collect();
            let u64s: Vec<u64> = u128s.iter().map(|&x| x as u64).collect();
            let u32s: Vec<u32> = u128s.iter().map(|&x| x as u32).collect();
            for messages in [Messages::U32s(&u32s), Messages::U64s(&u64s), Messages::U128s(&u128s)] {
                hash(row, secrets, false, messages, count);
            }
        }
    }
}

/// Batches under secret keys, with rounds of each kind and tags of both widths.
fn hash<W: Family>(
    row: &Row<Xn<W>>,
    secrets: &mut Secrets,
    fold: bool,
    messages: Messages<'_>,
    count: usize,
) {
    for ((c, d), double) in [((1, 3), false), ((2, 4), true), ((3, 5), false)] {
        let rounds = Variant { half: W::HALF, c, d, double }.rounds();
        let initial = &State::new(W::key(&secrets.array::<16>()[..2 * size_of::<W>()]), double);
        if double {
            let mut tags = vec![W::UNWRITTEN_DOUBLE; count];
            row.kernel.run(Batch { initial, rounds, fold, messages, tags: Tags::Double(&mut tags) });
            tags.into_iter().for_each(|tag| secrets.take(tag));
        } else {
            let mut tags = vec![W::UNWRITTEN; count];
            row.kernel.run(Batch { initial, rounds, fold, messages, tags: Tags::Single(&mut tags) });
            tags.into_iter().for_each(|tag| secrets.take(tag));
        }
    }
}

/// A secret one-time key.
fn key(secrets: &mut Secrets) -> Key {
    Key::from_bytes(&secrets.array())
}

impl Secretive for poly1305::X1 {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        for len in secrets.lengths() {
            let message = secrets.bytes(len);
            let (blocks, tail) = message.as_chunks();
            let mut state = poly1305::State::new(key(secrets));
            row.kernel.run(poly1305::Blocks { state: &mut state, blocks, tail });
            secrets.take(state.tag());
        }
    }
}

impl Secretive for Pn {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        for len in secrets.lengths() {
            let message = secrets.bytes(len);
            let mut tag = 0;
            row.kernel.run(Message::Whole { key: &key(secrets), message: &message, tag: &mut tag });
            secrets.take(tag);
            let Key { r, s } = key(secrets);
            if let Some(by_registers) = row.kernel.mac(r, s, &message) {
                secrets.take(by_registers);
            }
            let (blocks, _) = message.as_chunks();
            let mut state = poly1305::State::new(key(secrets));
            let mut powers = Powers::Unknown;
            // The second and the third piece find the powers of their predecessor.
            for blocks in [&blocks[..blocks.len() / 3], &blocks[blocks.len() / 3..], blocks] {
                row.kernel.run(Message::Piece { state: &mut state, powers: &mut powers, blocks });
            }
            secrets.take(state.tag());
            powers.wipe();
        }
    }
}

impl Secretive for poly1305::Xn {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        // Batches that fill the lanes: short, long, of equal and of different lengths.
        let full =
            [vec![100; row.lanes], vec![600; row.lanes], (0..row.lanes).map(|i| 600 + 29 * i).collect()];
        for lengths in secrets.batches(row.lanes).into_iter().chain(full) {
            let bytes: Vec<Vec<u8>> = lengths.iter().map(|&len| secrets.bytes(len)).collect();
            let messages: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
            let keys: Vec<Key> = lengths.iter().map(|_| key(secrets)).collect();
            let mut tags = vec![[0x55; 16]; lengths.len()];
            row.kernel.run(poly1305::Batch { keys: &keys, messages: &messages, tags: &mut tags });
            tags.into_iter().for_each(|tag| secrets.take(tag));
        }
    }
}

/// A place for a one-time key.
const NO_KEY: Key = Key { r: [0; 2], s: [0; 2] };

/// A secret key of ChaCha20.
fn stream_key(secrets: &mut Secrets) -> chacha20::Key {
    chacha20::Key::from_bytes(&secrets.array())
}

/// A run over these bytes: nonces and counters are public.
fn run<'a>(i: usize, bytes: &'a mut [u8], one_time: Option<&'a mut Key>) -> Run<'a> {
    let nonce = words(&[i as u8; 12]);
    Run { nonce, counter: u32::from(one_time.is_none()), one_time, text: Text::in_place(bytes) }
}

impl Secretive for poly1305::Parts {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        let full =
            [vec![100; row.lanes], vec![600; row.lanes], (0..row.lanes).map(|i| 600 + 29 * i).collect()];
        for lengths in secrets.batches(row.lanes).into_iter().chain(full) {
            let bytes: Vec<[Vec<u8>; 2]> =
                lengths.iter().map(|&len| [secrets.bytes(len % 40), secrets.bytes(len)]).collect();
            let packets: Vec<[&[u8]; 2]> = bytes.iter().map(|[aad, text]| [&aad[..], &text[..]]).collect();
            let keys: Vec<Key> = lengths.iter().map(|_| key(secrets)).collect();
            let mut tags = vec![[0x55; 16]; lengths.len()];
            row.kernel.run(poly1305::Packets { keys: &keys, packets: &packets, tags: &mut tags });
            tags.into_iter().for_each(|tag| secrets.take(tag));
        }
    }
}

impl Secretive for chacha20::Pn {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        for len in secrets.lengths() {
            for has_key in [false, true] {
                let (mut bytes, mut one_time) = (secrets.bytes(len), NO_KEY);
                let key = &stream_key(secrets);
                let place = has_key.then_some(&mut one_time);
                row.kernel.run(Stream { key, run: run(len, &mut bytes, place) });
                bytes.into_iter().for_each(|byte| secrets.take(byte));
                if has_key {
                    secrets.take(one_time.s);
                }
            }
        }
    }
}

impl Secretive for chacha20::Xn {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        for lengths in secrets.batches(row.lanes) {
            for has_keys in [false, true] {
                let mut bytes: Vec<Vec<u8>> = lengths.iter().map(|&len| secrets.bytes(len)).collect();
                let mut one_time = vec![NO_KEY; lengths.len()];
                let keys: Vec<chacha20::Key> = lengths.iter().map(|_| stream_key(secrets)).collect();
                let one = stream_key(secrets);
                let parts = bytes.iter_mut().zip(&mut one_time).enumerate();
                let mut runs: Vec<Run<'_>> =
                    parts.map(|(i, (bytes, place))| run(i, bytes, (i % 3 > 0).then_some(place))).collect();
                let keys = if has_keys { Keys::Each(&keys) } else { Keys::One(&one) };
                row.kernel.run(Streams { keys, runs: &mut runs });
                bytes.into_iter().flatten().for_each(|byte| secrets.take(byte));
                let made = one_time.into_iter().enumerate().filter(|(i, _)| i % 3 > 0);
                made.for_each(|(_, key)| secrets.take(key.s));
            }
        }
    }
}

impl Secretive for chacha20::Sealing {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        for len in secrets.lengths() {
            for is_copied in [false, true] {
                let (text, mut bytes) = (secrets.bytes(len), secrets.bytes(len));
                let (key, mut state) = (stream_key(secrets), poly1305::State::new(key(secrets)));
                let (mut encrypted, mut absorbed) = (64 * (len % 9).min(len / 64), 0);
                row.kernel.run(Seal {
                    key: &key,
                    nonce: words(&[len as u8; 12]),
                    source: is_copied.then_some(&text),
                    destination: &mut bytes,
                    encrypted: &mut encrypted,
                    absorbed: &mut absorbed,
                    state: &mut state,
                });
                bytes.into_iter().for_each(|byte| secrets.take(byte));
                secrets.take(state.tag());
            }
        }
    }
}

impl Secretive for steps::X1 {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        for steps in 0..1 << steps::STEPS.len() {
            for len in [0, 1, 7, 8, 13, 100] {
                let message = secrets.bytes(len);
                for two_rounds in [false, true] {
                    let (key, mut tag) = (u64::key(&secrets.array::<16>()), 0);
                    row.kernel.run(steps::Whole { steps, two_rounds, key, message: &message, tag: &mut tag });
                    secrets.take(tag);
                }
            }
        }
    }
}

impl Secretive for ablation::X1 {
    fn jobs(row: &Row<Self>, secrets: &mut Secrets) {
        for rounds in ablation::Rounds::ALL {
            for len in (0..24).chain([100]) {
                let (message, key) = (secrets.bytes(len), u64::key(&secrets.array::<16>()));
                let (messages, mut tags) = (&[&message[..]; 2], [0; 2]);
                row.kernel.run(ablation::Wholes { rounds, key, messages, tags: &mut tags });
                tags.into_iter().for_each(|tag| secrets.take(tag));
            }
        }
    }
}
